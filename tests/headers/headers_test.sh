#!/usr/bin/env bash
# Compiles each public header alone, and twice, by GCC: what it needs is the same for all compilers. Then all of them in
# one file, and programs that use their templates, by every C++ compiler that is found: GCC, and clang from 14 on (Debian
# 12's); pykc.h as C99, too. The headers include nothing but the standard library.
# usage: headers_test.sh SOURCE_DIR
set -euo pipefail
source_dir=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

declare -A compilers  # by file: several names may be one compiler
for compiler in g++ clang++ clang++-14 clang++-22; do
  if file=$(command -v "$compiler"); then
    compilers[$(readlink -f "$file")]=$compiler
  else
    echo "$compiler is not installed"
  fi
done

flags=(-std=c++20 -Wall -Wextra -Wpedantic -Werror -I"$source_dir/include" -fsyntax-only)
together=("$work/all.cpp" "$source_dir"/examples/cpp/{vecadd,generic,kmeans}.cpp)
alone=()
for header in "$source_dir"/include/pykc.h "$source_dir"/include/pykc/*.h; do
  alone+=("$work/$(basename "$header").cpp")
  printf '#include <%s>\n' "${header#"$source_dir/include/"}" "${header#"$source_dir/include/"}" |
    tee -a "$work/all.cpp" >"${alone[-1]}"
done
foreign=$(g++ -std=c++20 -I"$source_dir/include" -M "$work/all.cpp" | grep -iE 'llvm|cuda' || true)
[ -z "$foreign" ] || { echo "FAILED: the headers include $foreign" >&2; exit 1; }
for compiler in gcc clang; do
  command -v "$compiler" >/dev/null || { echo "$compiler is not installed"; continue; }
  "$compiler" -std=c99 -Wall -Wextra -pedantic -Werror -I"$source_dir/include" -fsyntax-only -x c "$source_dir/include/pykc.h"
  echo "$compiler: pykc.h"
done
for compiler in "${compilers[@]}"; do
  sources=("${together[@]}")
  [ "$compiler" != g++ ] || sources+=("${alone[@]}")
  printf '%s\0' "${sources[@]}" | xargs -0 -P 2 -n 4 "$compiler" "${flags[@]}" || {
    echo "FAILED: $compiler" >&2
    exit 1
  }
  echo "$compiler: ${#sources[@]} files"
done
