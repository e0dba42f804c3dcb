#!/bin/sh
# Runs fuzz targets for some seconds each, starting from the corpus.
#   fuzz/run.sh BUILD TARGET SECONDS     TARGET "" means all
# What is found new stays in BUILD/fuzz/found/NAME; an input that fails in BUILD/fuzz/NAME-crash-*.
set -eu
build=$1 target=${2#fuzz-} seconds=$3
here=$(cd "$(dirname "$0")" && pwd)

fuzz_one() {
  name=$1
  program=$build/fuzz/fuzz-$name
  [ -x "$program" ] || { echo "fuzz: no target is called '$name'" >&2; return 2; }
  found=$build/fuzz/found/$name
  mkdir -p "$found"
  set -- -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=4096 \
    -artifact_prefix="$build/fuzz/$name-" -print_final_stats=1 -verbosity=1
  [ ! -f "$here/dict/$name.dict" ] || set -- "$@" -dict="$here/dict/$name.dict"
  echo "fuzz: $name for $seconds s"
  "$program" "$@" "$found" "$here/corpus/$name"
}

if [ -n "$target" ]; then
  fuzz_one "$target"
else
  for source in "$here"/fuzz-*.c; do
    name=$(basename "$source" .c)
    fuzz_one "${name#fuzz-}"
  done
fi
