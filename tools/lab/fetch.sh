#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Brings Debian's arm64 packages of packages.txt into DIR/packages, as .deb files.
#
#	fetch.sh DIR [--refresh]
#
# apt works in a private state: its own lists, cache and package database, and sources made from
# the machine's own.  The machine's lists, packages and architectures stay as they are, and root
# is not needed.  Files come from a cache under the user's cache folder if the same packages from
# the same sources are there already; --refresh asks the archive again.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
dir=${1:?usage: fetch.sh DIR [--refresh]}
refresh=${2:-}
cache_root=${PERFOLIO_LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/perfolio/lab}

say() { echo "lab: $*" >&2; }

sources=$("$here/sources.py")
key=$(printf '%s\n' "$sources" | cat - "$here/packages.txt" | sha256sum | cut -c1-16)
cache=$cache_root/$key

# An apt configuration whose every path lies in $1.  Options of the machine (proxies, keys) stay
# in force; what it does after an update is cleared, for that would touch the machine.
write_apt_conf() {
	local state=$1

	mkdir -p "$state/lists/partial" "$state/archives/partial" "$state/empty.d"
	: >"$state/status"
	printf '%s\n' "$sources" >"$state/debian.sources"
	# Only what Debian itself signed and released; backports only for the kernel.
	cat >"$state/preferences" <<-END
		Package: *
		Pin: release o=Debian
		Pin-Priority: 500

		Package: *
		Pin: release o=Debian Backports
		Pin-Priority: 100

		Package: linux-image-*
		Pin: release o=Debian Backports
		Pin-Priority: 600

		Package: *
		Pin: release o=*
		Pin-Priority: -1
	END
	cat >"$state/apt.conf" <<-END
		Dir::State "$state";
		Dir::State::status "$state/status";
		Dir::Cache "$state";
		Dir::Etc::sourcelist "$state/debian.sources";
		Dir::Etc::sourceparts "$state/empty.d";
		Dir::Etc::preferences "$state/preferences";
		Dir::Etc::preferencesparts "$state/empty.d";
		APT::Architecture "arm64";
		#clear APT::Architectures;
		APT::Architectures { "arm64"; };
		APT::Sandbox::User "$(id -un)";
		#clear APT::Update;
		Acquire::Languages "none";
		Acquire::Retries "3";
	END
}

# The packages to download, one a line; the kernel's metapackage stands for what it depends on.
package_names() {
	local conf=$1 kind name depends

	while read -r kind name; do
		case $kind in
		'' | '#'*) continue ;;
		kernel)
			depends=$(apt-cache -c="$conf" show --no-all-versions "$name" |
				sed -n 's/^Depends: \([^ ,]*\).*/\1/p' | head -n 1)
			echo "${depends:?$name: no kernel package in the archive}"
			;;
		*) echo "$name" ;;
		esac
	done <"$here/packages.txt"
}

download() {
	local work names
	local -a list

	mkdir -p "$cache_root"
	work=$(mktemp -d "$cache_root/fetch.XXXXXX")
	# shellcheck disable=SC2064 # the folder's name is fixed here
	trap "rm -rf '$work'" EXIT
	write_apt_conf "$work"
	say "asking Debian's archive for arm64 packages (private apt state)"
	apt-get -c="$work/apt.conf" -qq update >&2
	names=$(package_names "$work/apt.conf")
	mapfile -t list <<<"$names"
	say "downloading ${list[*]}"
	mkdir "$work/debs"
	(cd "$work/debs" && apt-get -c="$work/apt.conf" -qq download "${list[@]}" >&2)
	rm -rf "$cache"
	mv "$work/debs" "$cache"
}

if [ "$refresh" = --refresh ] || [ ! -d "$cache" ]; then
	download
else
	say "Debian's arm64 packages are in the cache, $cache"
fi
mkdir -p "$dir"
ln -sfn "$cache" "$dir/packages"
