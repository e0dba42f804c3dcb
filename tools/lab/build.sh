#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Unpacks DIR/packages and cross-builds perfolio and the guest's programs into DIR/arm64.
#
#	build.sh DIR
#
# DIR/sysroot holds Debian's arm64 headers and libraries, DIR/guest the kernel, its modules and
# busybox.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
dir=$(cd "${1:?usage: build.sh DIR}" && pwd)

say() { echo "lab: $*" >&2; }

unpack() {
	local deb

	rm -rf "$dir/sysroot" "$dir/guest"
	mkdir -p "$dir/sysroot" "$dir/guest"
	for deb in "$dir"/packages/*.deb; do
		case ${deb##*/} in
		# Of the kernel's 100 MB only the image and the drivers' part that the guest needs.
		linux-image-*)
			dpkg-deb --fsys-tarfile "$deb" | tar -C "$dir/guest" -x --wildcards \
				'./boot/vmlinuz-*' './lib/modules/*/virtio*.ko*'
			;;
		lib*) dpkg-deb -x "$deb" "$dir/sysroot" ;;
		*) dpkg-deb -x "$deb" "$dir/guest" ;;
		esac
	done
	# What stays is static: links to shared libraries that are not there only mislead meson.
	find "$dir/sysroot" -name '*.so' -delete
	readlink -f "$dir/packages" >"$dir/unpacked"
}

configure() {
	printf "[constants]\nsysroot = '%s'\n" "$dir/sysroot" >"$dir/sysroot.ini"
	rm -rf "$dir/arm64"
	meson setup --cross-file "$dir/sysroot.ini" --cross-file "$here/arm64.ini" \
		"$dir/arm64" "$root" >"$dir/meson.log" 2>&1 || {
		cat "$dir/meson.log" >&2
		return 1
	}
}

if [ "$(cat "$dir/unpacked" 2>/dev/null)" != "$(readlink -f "$dir/packages")" ]; then
	say "unpacking kernel, busybox and libraries"
	unpack
	rm -rf "$dir/arm64"
fi
if [ ! -f "$dir/arm64/build.ninja" ]; then
	say "configuring the arm64 build"
	configure
fi
say "building perfolio for arm64"
ninja -C "$dir/arm64" --quiet >"$dir/ninja.log" 2>&1 || {
	cat "$dir/ninja.log" >&2
	exit 1
}
