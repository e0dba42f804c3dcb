#!/bin/sh
# Runs fuzz targets for some seconds each, starting from the corpus.
#   fuzz/run.sh BUILD TARGET SECONDS [SEED]     TARGET "" means all
# With SEED the same inputs are tried each time: a test says then whether the change broke something,
# not whether luck met what was broken before.  Without it every run looks elsewhere.
# Recordings of other projects, where they are there (PERFOLIO_CORPUS), give seeds too (seeds.py).
# What is found new stays in BUILD/fuzz/found/NAME; an input that fails in BUILD/fuzz/NAME-crash-*.
set -eu
build=$1 target=${2#fuzz-} seconds=$3 seed=${4:-0}
here=$(cd "$(dirname "$0")" && pwd)
recordings=${PERFOLIO_CORPUS:-$here/../../shared/corpus}
[ -d "$recordings" ] || recordings=$here/../../../shared/corpus

fuzz_one() {
  name=$1
  program=$build/fuzz/fuzz-$name
  [ -x "$program" ] || { echo "fuzz: no target is called '$name'" >&2; return 2; }
  found=$build/fuzz/found/$name
  mkdir -p "$found"
  longest=4096
  case $name in dwarf|perfdata|feature|sample|summary|tracing) longest=32768 ;; esac
  set -- -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=$longest \
    -artifact_prefix="$build/fuzz/$name-" -print_final_stats=1 -verbosity=1 \
    -seed="$seed"
  [ ! -f "$here/dict/$name.dict" ] || set -- "$@" -dict="$here/dict/$name.dict"
  seeds=$build/fuzz/seeds/$name
  mkdir -p "$seeds"
  [ ! -d "$recordings/perfdata" ] || "$here/seeds.py" "$recordings" "$name" "$seeds"
  echo "fuzz: $name for $seconds s"
  "$program" "$@" "$found" "$here/corpus/$name" "$seeds"
}

if [ -n "$target" ]; then
  fuzz_one "$target"
else
  for source in "$here"/fuzz-*.c; do
    name=$(basename "$source" .c)
    fuzz_one "${name#fuzz-}"
  done
fi
