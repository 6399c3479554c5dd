#!/usr/bin/env bash
# Runs everything that needs a GPU from a finished build (default build/release), and prints a summary. It needs no compiler, so a
# machine with nothing but a driver can run it.
set -uo pipefail
cd "$(dirname "$0")/.."
bin=${1:-build/release/bin}
export PYKC_SOURCE_DIR=$PWD
failed=0
summary=()
step() { # step NAME COMMAND…: runs it, keeps its verdict
  local name=$1 start=$SECONDS
  shift
  echo "== $name"
  if "$@"; then summary+=("ok      $name ($((SECONDS - start)) s)"); else summary+=("FAILED  $name"); failed=1; fi
}

"$bin/pykc" info
"$bin/pykc" info | grep -q '^cuda:0' || { echo "skipped: no NVIDIA driver"; exit 1; }
step "examples on the GPU" "$bin/pykc" test examples --device cuda:0
step "examples on the CPU device" "$bin/pykc" test examples --device cpu
step "conformance suite on both" "$bin/pykc" test tests/conformance --known-failures tests/conformance/known_failures.txt
step "runtime against the real driver" "$bin/cuda_device_test"
step "README's C++ program" "$bin/vecadd_cpp" examples/vecadd.pyk
step "a program with its kernels inside" "$bin/embedded_cpp"
step "interpreter = CPU device = GPU" "$bin/pykc_differential_test"
step "random kernels, all three" "$bin/pykc_random_test" --seeds 0:2000 --fresh 500
printf '\n'
printf '%s\n' "${summary[@]}"
exit $failed
