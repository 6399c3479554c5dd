#!/usr/bin/env bash
# What the shared libraries show, and programs that have an LLVM of their own beside them: by its shared library or its
# archives, named to the linker before pykc or after it. Of LLVM's versions, those that are installed.
# usage: hosts_test.sh LIBRARY_DIR
set -euo pipefail
libraries=$1
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

# Every name is pykc.h's, or begins with one that a public header has; none is unique, which would forbid to unload.
cat "$source_dir"/include/pykc.h "$source_dir"/include/pykc/*.h | grep -oE '\w+' | sort -u >"$work/words"
for library in pykc pykc_runtime; do
  nm -D --defined-only "$libraries/lib$library.so" >"$work/symbols"
  if grep -E ' u ' "$work/symbols"; then fail "lib$library.so cannot be unloaded"; fi
  sed 's/^[0-9a-f]* . //' "$work/symbols" | c++filt | grep -vE '^pykc::\w' | grep -vxFf "$work/words" &&
    fail "lib$library.so shows these"
  sed 's/^[0-9a-f]* . //' "$work/symbols" | c++filt | sed -nE 's/^pykc::(detail::|literals::)?(operator|~?\w+).*/\2/p' |
    sort -u | comm -23 - "$work/words" >"$work/foreign"
  [ ! -s "$work/foreign" ] || fail "lib$library.so shows $(tr '\n' ' ' <"$work/foreign")"
  echo "lib$library.so shows $(wc -l <"$work/symbols") names"
done

try_llvm() { # try_llvm VERSION KIND LINK…
  local version=$1 kind=$2 config=llvm-config-$1
  shift 2
  local flags=(-std=c++20 -I"$source_dir" -I"$source_dir/include" -I"$("$config" --includedir)")
  g++ "${flags[@]}" -c "$source_dir/tests/hosts/llvm_host.cpp" -o "$work/llvm_host.o"
  # What the program has of LLVM is visible to all libraries.
  for order in pykc_first llvm_first; do
    local links=("$libraries/libpykc.so" "$@")
    [ $order = pykc_first ] || links=("$@" "$libraries/libpykc.so")
    g++ -rdynamic "$work/llvm_host.o" "${links[@]}" -Wl,-rpath,"$libraries" -o "$work/llvm_host" 2>"$work/log" || {
      echo "LLVM $version, $kind: cannot be linked here: $(tail -1 "$work/log")"
      return
    }
    for first in "" first; do
      printf 'LLVM %s, %s, linked %s, used %s: ' "$version" "$kind" "$order" "${first:-second}"
      # shellcheck disable=SC2086
      timeout 120 "$work/llvm_host" "$version" $first || fail "LLVM $version, $kind, $order"
    done
  done
}
for version in 14 15 19 22; do
  config=llvm-config-$version
  if ! command -v "$config" >/dev/null; then
    echo "LLVM $version is not installed"
    continue
  fi
  folder=$("$config" --libdir)
  # shellcheck disable=SC2046
  [ -e "$folder/libLLVM-$version.so" ] && try_llvm "$version" shared "$folder/libLLVM-$version.so"
  # shellcheck disable=SC2046
  try_llvm "$version" static $("$config" --link-static --ldflags --libs --system-libs core x86)
done
