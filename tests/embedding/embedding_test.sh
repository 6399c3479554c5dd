#!/usr/bin/env bash
# Takes the C program out of docs/embedding.md, builds it with nothing but cuda.h, and runs it: with a driver whose
# launches run the kernel's object for the CPU, and on a GPU where there is one.
# usage: embedding_test.sh PYKC SOURCE_DIR MOCK_CUDA CUDA_INCLUDE
set -euo pipefail
pykc=$1 source_dir=$2 mock=$3 include=${4:-}
[ -f "$include/cuda.h" ] || { echo "skipped: no cuda.h"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

awk '/^```c$/ { inside = 1; text = ""; next } /^```$/ { if (inside && text ~ /cuda\.h/) printf "%s", text; inside = 0 }
     inside { text = text $0 "\n" }' "$source_dir/docs/embedding.md" > vecadd.c
grep -q cuLaunchKernel vecadd.c || { echo "FAILED: docs/embedding.md has no C program"; exit 1; }
"$pykc" compile "$source_dir/examples/vecadd.pyk" --target sm_80 -o vecadd.ptx
"$pykc" compile "$source_dir/examples/vecadd.pyk" --target cpu -o vecadd.o
run() { # run WHERE
  local output
  output=$(./vecadd)
  echo "$1: $output"
  [ "$output" = "z[999] = 1998" ] || { echo "FAILED: expected z[999] = 1998"; exit 1; }
}

mkdir driver
g++ -std=c++20 -Wall -Wextra -Werror -shared -fPIC -I"$source_dir" -I"$source_dir/include" \
  "$source_dir/tests/embedding/cpu_driver.cpp" vecadd.o "$mock" -o driver/libcuda.so
cc -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$include" vecadd.c -Ldriver -lcuda "$mock" \
  -Wl,-rpath,"$work/driver:$(dirname "$mock")" -o vecadd
run "kernel's object for the CPU"

if "$pykc" info | grep -q '^cuda:0'; then
  cc -std=c11 -I"$include" vecadd.c -l:libcuda.so.1 -o vecadd
  run "GPU"
fi
