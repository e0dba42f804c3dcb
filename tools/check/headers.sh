#!/bin/sh
# Checks that every header of src/ can be included alone, first and twice.
#   headers.sh SOURCE_ROOT COMPILER...
set -eu
root=$1
shift
faults=0
for header in $(cd "$root/src" && find . -name '*.h' | sed 's,^\./,,' | sort); do
  printf '#include "%s"\n#include "%s"\n' "$header" "$header" |
    "$@" -std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Werror -I"$root/src" -fsyntax-only -x c - || {
    echo "src/$header does not stand alone"
    faults=$((faults + 1))
  }
done
[ "$faults" -eq 0 ]
