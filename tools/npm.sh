#!/bin/sh
# Installs the packages of tools/npm.txt below FOLDER/node_modules, for tests only.
#
#   tools/npm.sh FOLDER
#
# Does nothing, and needs no network, when they are there.  Nothing of them is run while installing.
set -eu

list=$(dirname "$0")/npm.txt
[ $# -eq 1 ] || { echo "npm: which folder?" >&2; exit 2; }
mkdir -p "$1"

# Two tests at once must not install into the same folder.
exec 9>"$1/.lock"
flock 9
if cmp -s "$list" "$1/.installed"; then
  exit 0
fi

command -v npm >/dev/null 2>&1 || { echo "npm: there is no npm" >&2; exit 1; }
packages=$(awk '!/^#/ && NF { print $1 "@" $2 }' "$list")
# shellcheck disable=SC2086 # words on purpose
npm install --prefix "$1" --no-save --no-package-lock --no-audit --no-fund --ignore-scripts \
  --loglevel=error $packages >&2
cp "$list" "$1/.installed"
