#!/bin/sh
# Installs the packages that the page of `perfolio serve` is built and tested with: those of
# web/app/package-lock.json, below web/app/node_modules.
#
# Does nothing, and needs no network, when they are there.  Nothing of them is run while installing.
# Without npm or a network it says so and succeeds: perfolio is then built without the page.
set -eu

cd "$(dirname "$0")/../web/app"
mkdir -p node_modules

# Two builds at once must not install into the same folder.
exec 9>.lock
flock 9
if cmp -s package-lock.json node_modules/.installed; then
  exit 0
fi

if ! command -v npm >/dev/null 2>&1; then
  echo "page: there is no npm; perfolio is built without its page" >&2
  exit 0
fi
echo "page: installing the packages of web/app/package-lock.json with npm"
if npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2; then
  cp package-lock.json node_modules/.installed
else
  echo "page: npm could not install them; perfolio is built without its page" >&2
fi
