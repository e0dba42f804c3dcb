#!/bin/sh
# Runs shellcheck over every shell script of the repository, found by its first line.
#   shell.sh SOURCE_ROOT
set -eu
cd "$1"
find . -type d \( -name 'build*' -o -name lab-cache -o -name node_modules -o -name .git \) -prune -o -type f -print | sort | while read -r file; do
  head -n 1 "$file" | tr -d '\0' | grep -qE '^#!.*\b(ba|da)?sh$' && echo "$file"
done | xargs shellcheck
