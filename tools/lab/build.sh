#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Unpacks DIR/packages and cross-builds perfolio and the guest's programs into DIR/arm64.
#
#	build.sh DIR [--short]
#
# --short leaves the unit tests out.
#
# DIR/sysroot holds Debian's arm64 headers and libraries, DIR/guest the kernel, its modules and
# busybox, DIR/perf Debian's perf if that was fetched.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
dir=$(cd "${1:?usage: build.sh DIR [--short]}" && pwd)
short=${2:-}

say() { echo "lab: $*" >&2; }

# Of the kernel's 100 MB only the image and the drivers that the guest needs; of the libraries
# only what is static, but for cmocka, which has no static form.
unpack_guest() {
	local deb

	rm -rf "$dir/sysroot" "$dir/guest" "$dir/arm64"
	mkdir -p "$dir/sysroot" "$dir/guest"
	for deb in "$dir"/packages/guest/*.deb; do
		case ${deb##*/} in
		linux-image-*)
			dpkg-deb --fsys-tarfile "$deb" | tar -C "$dir/guest" -x --wildcards \
				'./boot/vmlinuz-*' './lib/modules/*/virtio*.ko*'
			;;
		lib* | *-dev_*) dpkg-deb -x "$deb" "$dir/sysroot" ;;
		*) dpkg-deb -x "$deb" "$dir/guest" ;;
		esac
	done
	find "$dir/sysroot" -name '*.so' ! -name 'libcmocka*' -delete
}

# Copies the shared libraries that $1 needs, and those that they need, from $2 to $3.
copy_libraries() {
	local library found

	while read -r library; do
		if [ ! -e "$3/$library" ]; then
			found=$(find "$2" -name "$library" | head -n 1)
			cp "${found:?$library: in no package}" "$3/"
			copy_libraries "$found" "$2" "$3"
		fi
	done < <(aarch64-linux-gnu-readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
}

# perf with its libraries, 25 MB of the 300 MB that the packages hold.
unpack_perf() {
	local deb

	rm -rf "$dir/perf" "$dir/perf.all"
	mkdir -p "$dir/perf.all" "$dir/perf/bin" "$dir/perf/lib"
	for deb in "$dir"/packages/perf/*.deb; do
		dpkg-deb -x "$deb" "$dir/perf.all"
	done
	cp "$dir/perf.all/usr/bin/perf" "$dir/perf/bin/"
	copy_libraries "$dir/perf/bin/perf" "$dir/perf.all" "$dir/perf/lib"
	rm -rf "$dir/perf.all"
}

# Runs unpack_$1 if its packages are others than those of the last time.
unpack() {
	local packages

	packages=$(readlink -f "$dir/packages/$1")
	if [ "$(cat "$dir/$1.unpacked" 2>/dev/null)" != "$packages" ]; then
		say "unpacking $1"
		"unpack_$1"
		echo "$packages" >"$dir/$1.unpacked"
	fi
}

configure() {
	printf "[constants]\nsysroot = '%s'\n" "$dir/sysroot" >"$dir/sysroot.ini"
	rm -rf "$dir/arm64"
	meson setup --werror -Dstatic=true --cross-file "$dir/sysroot.ini" --cross-file "$here/arm64.ini" \
		"$dir/arm64" "$root" >"$dir/meson.log" 2>&1 || {
		cat "$dir/meson.log" >&2
		return 1
	}
}

unpack guest
[ ! -e "$dir/packages/perf" ] || unpack perf
if [ ! -f "$dir/arm64/build.ninja" ]; then
	say "configuring the arm64 build"
	configure
fi
say "building perfolio for arm64"
targets=()
[ -z "$short" ] || targets=(perfolio tests/lab/{calls,chain,forks,spin,stacks,threads,witness})
ninja -C "$dir/arm64" --quiet "${targets[@]}" >"$dir/ninja.log" 2>&1 || {
	cat "$dir/ninja.log" >&2
	exit 1
}
