#!/bin/sh
# Installs the Debian packages of tools/packages.txt that this machine lacks.
#
#   tools/setup.sh GROUP...      build, test, lab, bench, coverage
#
# Says what it does; does nothing, and needs no network, when everything is there.
set -eu

list=$(dirname "$0")/packages.txt
[ $# -gt 0 ] || set -- build

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "setup: not a Debian system; see $list for what is needed"
  exit 0
fi

wanted=
for group; do
  names=$(awk -v group="$group" '$1 == group { print $2 ($3 ? "=" $3 : "") }' "$list")
  [ -n "$names" ] || { echo "setup: $list knows no group '$group'" >&2; exit 2; }
  wanted="$wanted $names"
done

missing=
for name in $wanted; do
  program=${name#*=}
  if [ "$program" != "$name" ] && command -v "$program" >/dev/null 2>&1; then
    continue
  fi
  name=${name%%=*}
  status=$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null) || status=none
  [ "$status" = installed ] || missing="$missing $name"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null 2>&1 || {
    echo "setup: these packages are missing and there is no sudo; as root:" >&2
    echo "  apt-get install --no-install-recommends$missing" >&2
    exit 1
  }
  as_root=sudo
fi

export DEBIAN_FRONTEND=noninteractive
install() {
  # shellcheck disable=SC2086 # words on purpose
  $as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -qq -y --no-install-recommends $missing >"$log" 2>&1
}

echo "setup: installing with ${as_root:+$as_root }apt-get:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# The package lists may be absent or old; fetch them only when the first try shows that.
if ! install; then
  echo "setup: fetching the package lists first (apt-get update)"
  $as_root apt-get update -qq >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
  install || { cat "$log" >&2; exit 1; }
fi
