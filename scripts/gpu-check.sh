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

conformance() { # a process a file, since what hangs on a GPU ends with its process alone
  local files status=0 deep=tests/conformance/5_statements/recursion.pyk  # takes half of a GPU's memory for stacks, so it runs alone
  files=$(grep -rlE '^@test|# expect:' --include='*.pyk' tests/conformance | grep -v "^$deep$" | sort)
  echo "$(wc -l <<<"$files") files, and $deep"
  "$bin/pykc" test "$deep" --timeout 60 || status=1
  xargs -P "$(nproc)" -I{} sh -c '
      told=$("$0" test {} --timeout 60 --known-failures tests/conformance/known_failures.txt 2>&1) && exit
      printf "FAILED  %s\n%s\n" {} "$told"
      exit 1' "$bin/pykc" <<<"$files" || status=1
  return $status
}

random_kernels() { # fixed seeds by a process a core, since within one the driver compiles one module at a time; then fresh ones
  local log i
  log=$(mktemp -d)
  for ((i = 0; i < 40; i++)); do echo $((i * 50)):50; done |
    xargs -P "$(nproc)" -I{} sh -c '"$0" --seeds {} --jobs 1 --device cuda:0 >"$1/{}" 2>&1 || { cat "$1/{}"; exit 1; }' \
      "$bin/pykc_random_test" "$log"
  local status=$?
  echo "$(cat "$log"/* | grep -c ': 0 differ') of 40 runs of 50 kernels: no difference"
  rm -r "$log"
  BIN=$bin ./scripts/soak.sh 2 --device cuda:0 || status=1
  return $status
}

"$bin/pykc" info
"$bin/pykc" info | grep -q '^cuda:0' || { echo "skipped: no NVIDIA driver"; exit 1; }
step "examples on the GPU" "$bin/pykc" test examples --device cuda:0
step "examples on the CPU device" "$bin/pykc" test examples --device cpu
step "conformance suite on both" conformance
step "runtime against the real driver" "$bin/cuda_device_test"
step "generic kernels and reductions on the GPU" env PYKC_TEST_DEVICE=cuda:0 "$bin/jit_test"
step "benchmarks count on the GPU what they count on the CPU device" env PYKC_TEST_DEVICE=cuda:0 "$bin/measure_test"
step "pykc bench" "$bin/pykc" bench examples/vecadd.pyk::vecadd --sizes 1e4,1e6,1e8 --blocks 64..1024 --device cuda:0
step "README's C++ program" "$bin/vecadd_cpp" examples/vecadd.pyk
for example in embedded blur nbody heat kmeans equalize option_pricing fft_convolution gemm_cublas; do
  step "C++ example: $example" "$bin/${example}_cpp" cuda:0
done
step "C++ example: regression_nccl, on all GPUs" "$bin/regression_nccl_cpp"
if [ -x "$bin/sort_cub_cpp" ]; then step "C++ example: sort_cub" "$bin/sort_cub_cpp" cuda:0; fi  # where NVIDIA's compiler was
step "kernels in C++ source, and without one" "$bin/generic_cpp"
step "interpreter = CPU device = GPU" "$bin/pykc_differential_test"
step "random kernels, interpreter = GPU" random_kernels
if [ -x "$bin/pykc_accuracy" ]; then  # where GCC was, which has exact values
  step "math functions of f32, CPU device = GPU" "$bin/pykc_accuracy" --all-f32 all --every 601 --beside cuda:0
fi
printf '\n'
printf '%s\n' "${summary[@]}"
exit $failed
