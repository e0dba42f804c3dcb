#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Brings Debian's arm64 packages that LIST names into DIR/packages/NAME-OF-LIST, as .deb files.
#
#	fetch.sh LIST DIR [--refresh]
#
# apt works in a private state: its own lists, cache and package database, and sources made from
# the machine's own.  The machine's lists, packages and architectures stay as they are, and root
# is not needed.  Files come from a cache under the user's cache folder if the same packages from
# the same sources are there already; --refresh asks the archive again.
set -euo pipefail
shopt -s inherit_errexit

here=$(cd "$(dirname "$0")" && pwd)
list=${1:?usage: fetch.sh LIST DIR [--refresh]}
dir=${2:?usage: fetch.sh LIST DIR [--refresh]}
refresh=${3:-}
name=$(basename "$list" .txt)
cache=${PERFOLIO_LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/perfolio/lab}
apt=$cache/apt

say() { echo "lab: $*" >&2; }

# An apt configuration whose every path lies in $apt.  Options of the machine (proxies, keys) stay
# in force; what it does after an update is cleared, for that would touch the machine.
write_apt_conf() {
	mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$apt/empty.d"
	: >"$apt/status"
	printf '%s\n' "$sources" >"$apt/debian.sources"
	# Only what Debian itself released; backports only for the kernel.
	cat >"$apt/preferences" <<-END
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
	cat >"$apt/apt.conf" <<-END
		Dir::State "$apt";
		Dir::State::status "$apt/status";
		Dir::Cache "$apt";
		Dir::Etc::sourcelist "$apt/debian.sources";
		Dir::Etc::sourceparts "$apt/empty.d";
		Dir::Etc::preferences "$apt/preferences";
		Dir::Etc::preferencesparts "$apt/empty.d";
		APT::Architecture "arm64";
		#clear APT::Architectures;
		APT::Architectures { "arm64"; };
		APT::Sandbox::User "$(id -un)";
		APT::Install-Recommends "false";
		#clear APT::Update;
		Acquire::Languages "none";
		Acquire::Retries "3";
		APT::Keep-Downloaded-Packages "true";
	END
}

# The packages to download, one a line.
package_names() {
	local how package inside

	while read -r how package; do
		case $how in
		only) echo "$package" ;;
		inside)
			inside=$(apt-cache -c="$apt/apt.conf" show --no-all-versions "$package" |
				sed -n 's/^Depends: \([^ ,]*\).*/\1/p')
			echo "${inside:?$package: not in the archive}"
			;;
		all)
			apt-get -c="$apt/apt.conf" -qq --simulate install "$package" |
				sed -n 's/^Inst \([^ ]*\) .*/\1/p'
			;;
		esac
	done <"$list"
}

download() {
	local names
	local -a packages

	write_apt_conf
	say "asking Debian's archive for arm64 packages (private apt state in $apt)"
	apt-get -c="$apt/apt.conf" -qq update >&2
	names=$(package_names)
	mapfile -t packages <<<"$names"
	say "downloading $name: ${#packages[@]} packages"
	rm -rf "$apt/debs"
	mkdir "$apt/debs"
	(cd "$apt/debs" && apt-get -c="$apt/apt.conf" -qq download "${packages[@]}" >&2)
	rm -rf "$store"
	mv "$apt/debs" "$store"
}

sources=$("$here/sources.py")
store=$cache/$name-$(printf '%s\n' "$sources" | cat - "$list" | sha256sum | cut -c1-12)
mkdir -p "$cache" "$dir/packages"
exec 8>"$cache/lock"
flock 8
if [ -n "$refresh" ] || [ ! -d "$store" ]; then
	download
else
	say "Debian's arm64 packages are in the cache: $store"
fi
ln -sfn "$store" "$dir/packages/$name"
