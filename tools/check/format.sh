#!/bin/sh
# Checks that all C files are as clang-format leaves them (`make format`), and that no text file has
# spaces at the ends of lines or lacks its last newline.
#   format.sh SOURCE_ROOT
set -eu
cd "$1"
sources() {
  find . -type d \( -name 'build*' -o -name lab-cache -o -name node_modules -o -name .git \) -prune -o -type f "$@" -print | sort
}

files=$(sources -name '*.[ch]')
# shellcheck disable=SC2086 # words on purpose
clang-format --dry-run --Werror $files

sources \( -name '*.[ch]' -o -name '*.py' -o -name '*.sh' -o -name '*.md' -o -name '*.txt' \
  -o -name meson.build -o -name Makefile \) | {
  faults=0
  while read -r file; do
    if grep -nE '[[:blank:]]+$' "$file" /dev/null; then
      faults=1
    fi
    if [ -s "$file" ] && [ -n "$(tail -c 1 "$file")" ]; then
      echo "$file: no newline at its end"
      faults=1
    fi
  done
  exit "$faults"
}
