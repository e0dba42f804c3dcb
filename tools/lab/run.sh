#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The lab: perfolio in an emulated arm64 machine whose PMU counts exactly.  See docs/lab.md.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
dir=${PERFOLIO_LAB_DIR:-$root/build/lab}
short='' tap='' docs='' refresh=''

usage() {
	cat <<-END
		usage: run.sh [--short | --full] [--tap] [--write-docs] [--refresh]

		  --short       only the cases that make test runs
		  --full        all of them (the default)
		  --tap         print the checks in the Test Anything Protocol
		  --write-docs  put the table of checks into docs/lab.md
		  --refresh     ask Debian's archive again instead of using the cached packages

		Works in build/lab (or \$PERFOLIO_LAB_DIR); packages are cached in
		\${XDG_CACHE_HOME:-~/.cache}/perfolio/lab (or \$PERFOLIO_LAB_CACHE).
	END
}

say() { echo "lab: $*" >&2; }

# What cannot be had here is a reason to skip, except where the lab is known to work.
cannot() {
	if [ "${CI:-}" = true ]; then
		say "$*; CI=true, so this is a failure"
		[ -z "$tap" ] || echo "Bail out! $*"
		exit 1
	fi
	say "skipped: $*"
	[ -z "$tap" ] || echo "1..0 # SKIP $*"
	exit 0
}

while [ $# -gt 0 ]; do
	case $1 in
	--short) short=--short ;;
	--full) short='' ;;
	--tap) tap=--tap ;;
	--write-docs) docs=$root/docs/lab.md ;;
	--refresh) refresh=--refresh ;;
	-h | --help)
		usage
		exit 0
		;;
	*)
		usage >&2
		exit 2
		;;
	esac
	shift
done

for tool in qemu-system-aarch64 aarch64-linux-gnu-gcc cpio apt-get dpkg-deb meson ninja; do
	command -v "$tool" >/dev/null || cannot "$tool is not installed (see tools/packages.txt)"
done

mkdir -p "$dir"
export PYTHONDONTWRITEBYTECODE=1
exec 9>"$dir/lock"
flock -n 9 || { say "waiting for another run in $dir" && flock 9; }

lists=(guest)
[ -n "$short" ] || lists+=(perf)
for list in "${lists[@]}"; do
	"$here/fetch.sh" "$here/$list.txt" "$dir" "$refresh" ||
		cannot "Debian's arm64 packages cannot be fetched"
done
"$here/build.sh" "$dir" $short
boots=$("$root/tests/lab/lab.py" write "$dir" $short)
while read -r boot shift; do
	say "booting the guest, one instruction in $((1 << shift)) ns"
	"$here/boot.sh" "$dir" "$boot" "$shift"
done <<<"$boots"
"$root/tests/lab/lab.py" judge "$dir" $short $tap ${docs:+--docs "$docs"}
