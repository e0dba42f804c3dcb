#!/bin/sh
# Checks that an installation is whole: program, manual pages, completion, each where it is looked for.
#   install.sh BUILD_ROOT
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
DESTDIR=$place meson install -C "$1" --no-rebuild --quiet
program=$(find "$place" -name perfolio -path '*/bin/*')
[ -x "$program" ] || { echo "no program"; exit 1; }
share=$(dirname "$(dirname "$program")")/share

faults=0
want() {
  [ -s "$1" ] || { echo "not installed: ${1#"$place"}"; faults=$((faults + 1)); }
}
want "$share/man/man1/perfolio.1"
for name in $("$program" | awk '/^  [a-z]/ { print $1 }'); do
  want "$share/man/man1/perfolio-$name.1"
done
want "$share/bash-completion/completions/perfolio"
want "$share/zsh/site-functions/_perfolio"
want "$share/fish/vendor_completions.d/perfolio.fish"
for name in perfolio.service perfolio.socket; do
  want "$(dirname "$share")/lib/systemd/system/$name"
done
[ "$faults" -eq 0 ]
