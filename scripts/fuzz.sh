#!/usr/bin/env bash
# Builds the fuzz targets with clang and libFuzzer, and runs each for some seconds (default 60): ./scripts/fuzz.sh SECONDS [TARGET…]
# Each run draws a seed and prints it. With the same SEED, from the same corpus, it tries the same inputs in the same order,
# as far as its time goes: SEED=7 ./scripts/fuzz.sh 60 check
# What a run finds new is kept in build/fuzz/corpus; an input that crashes lies in build/fuzz/crashes. Put it, small, below
# tests/fuzz/corpus: from then on every build runs it.
set -uo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
shift || true
targets=("$@")
seed=${SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
[ ${#targets[@]} -gt 0 ] || targets=(lexer parser check ir npy artifact capi)
./scripts/install-dependencies.sh fuzz || exit 1
[ -f build/fuzz/build.ninja ] || cmake --preset fuzz >/dev/null || exit 1
cmake --build --preset fuzz --target "${targets[@]/%/_fuzz}" || exit 1

failed=0
for target in "${targets[@]}"; do
  case $target in
    lexer | parser | check) seeds=(tests/fuzz/corpus/source tests/conformance examples) options=(-dict=tests/fuzz/pyk.dict -max_len=4096) ;;
    *) seeds=("tests/fuzz/corpus/$target") options=(-max_len=8192) ;;
  esac
  mkdir -p "build/fuzz/corpus/$target" build/fuzz/crashes
  echo "== $target, seed $seed"
  "build/fuzz/bin/${target}_fuzz" -seed="$seed" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 -print_final_stats=1 -verbosity=0 \
    -artifact_prefix="build/fuzz/crashes/$target-" "${options[@]}" "build/fuzz/corpus/$target" "${seeds[@]}" || failed=$((failed + 1))
done
echo "fuzzers: $((${#targets[@]} - failed)) passed, $failed failed"
[ $failed -eq 0 ]
