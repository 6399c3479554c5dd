#!/usr/bin/env bash
# Every call about files of a command fails, one after the other: the command does its work all the same, or says which
# file it was and why, and leaves what is whole or nothing. PYKC is the program, FAILING what is loaded before it.
set -euo pipefail
pykc=$1 failing=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export PYKC_CACHE_DIR=$work/run/cache PYKC_CACHE=on
failed=0 trials=0

mkdir -p source/package
printf 'def thrice(a):\n    return 3 * a\n' > source/package/thrice.pyk
touch source/package/__init__.pyk
cat > source/scale.pyk <<'PYK'
from pykc import *
from package.thrice import thrice


@kernel
def scale(x: f32[:]):
    i = grid(1)
    if i < len(x):
        x[i] = thrice(x[i])


def main():
    x = ones(1000, f32)
    scale[4, 256](x)
    save("x.npy", x)
    save_pgm("x.pgm", x.reshape(10, 100))
    print(load("x.npy").sum())


@test
def test_scale():
    x = ones(10, f32)
    scale[1, 32](x)
    assert x[0] == 3
PYK

# The faults of failing_files.h, and what is said of them.
reasons=("Input/output error" "No space left on device" "Too many open files" "" "")

prepare() {  # what the commands find
  rm -rf run && cp -r source run && cd run
  mkdir -m 700 cache
  for i in 1 2 3; do echo entry > "cache/llvmcache-$i"; done
}

tell() {
  failed=$((failed + 1))
  echo "FAILED: pykc $command, fault $fault, call $n: $1"
  cat ../errors
}

# Lets each call of a command fail. What it writes is compared with what it writes when nothing fails, but in the cache.
try() {
  command="$*"
  prepare
  "$pykc" "$@" > ../expected.out
  cd .. && rm -rf expected && mv run expected && rm -rf expected/cache
  for fault in 0 1 2 3 4; do
    for ((n = 1; ; n++)); do
      prepare
      rm -f ../unmet
      code=0
      LD_PRELOAD=$failing PYKC_FILE_FAULT="$fault $n" PYKC_FILE_FAULT_UNMET=$work/unmet \
        "$pykc" "$@" > ../out 2> ../errors || code=$?
      trials=$((trials + 1))
      [ "$code" != 77 ] || { echo "skipped: this system does not hand calls about files back"; exit 0; }
      case $code in
        0) cmp -s ../out ../expected.out || tell "something else came out" ;;
        1)
          if [ -z "${reasons[fault]}" ]; then
            tell "this can be gone on with"
          elif ! grep -q "${reasons[fault]}" ../errors ../out; then
            tell "no reason is given"
          elif ! grep -qE 'scale|thrice|package|cmath|x\.npy|x\.pgm|cache|exe|the output|cannot read \.:' ../errors ../out; then
            tell "no file is named"
          fi ;;
        *) tell "exit code $code" ;;
      esac
      for file in *; do
        [ "$file" != cache ] || continue
        diff -rq "$file" "../expected/$file" > /dev/null || tell "$file is left behind"
      done
      [ -z "$(find cache -name 'llvmcache-*.*')" ] || tell "half an entry is left in the cache"
      cd ..
      [ ! -e unmet ] || break
    done
  done
}

try compile scale.pyk --target cpu -o scale.o --depfile scale.d
try compile scale.pyk --emit c --target sm_80,cpu -o scale.c
try run scale.pyk --device cpu
try test scale.pyk --device cpu
try check package scale.pyk
try cache stat
try cache clear
echo "$trials trials, $failed failures"
[ "$failed" = 0 ]
