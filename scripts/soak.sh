#!/usr/bin/env bash
# Random kernels that nobody has seen, for some minutes: ./scripts/soak.sh MINUTES [OPTIONS OF pykc_random_test…]
# A process a core; the seeds come from the clock and are printed. Where there is a GPU, a third of the processes run code
# for sm_80 there in the place of the chip's own. At the end each seed that differs is shrunk to a small kernel, with the
# stage of the compiler that is to blame, and the script fails. BIN names the folder of the binaries (build/release/bin),
# JOBS the number of processes.
set -uo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 1 ] || { sed -n '2,6s/^# //p' "$0"; exit 2; }
seconds=$(($1 * 60))
shift
bin=${BIN:-build/release/bin}
for program in pykc pykc_random_test; do [ -x "$bin/$program" ] || { echo "no $bin/$program"; exit 2; }; done
export PYKC_CACHE=off PYKC_THREADS=1
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT
jobs=${JOBS:-$(nproc)}
first=$(($(date +%s%N) / 1000 + $$ * 1000000))  # two that start at once meet no seed twice
per_run=20
gpu=no
"$bin/pykc" info | grep -q '^cuda:0' && gpu=yes && per_run=200  # a driver takes seconds to start
# Each may take gigabytes of the GPU for the stacks of its threads.
[ $gpu = yes ] && [ -z "${JOBS:-}" ] && [ "$jobs" -gt 12 ] && jobs=12
echo "seeds from $first on, $per_run a run; on a GPU: $gpu"

worker() { # worker NUMBER OPTIONS…: runs until the time is over; worker N takes the runs N, N + jobs, …
  local number=$1 run=$1
  shift
  local options=("$@")
  [ $gpu = yes ] && [ $((number % 3)) = 2 ] && options+=(--target sm_80)
  while [ $SECONDS -lt "$seconds" ]; do
    timeout 600 "$bin/pykc_random_test" --seeds $((first + run * per_run)):$per_run --jobs 1 "${options[@]}" >"$log/run.$run" 2>&1
    local status=$?
    [ $status -le 1 ] || echo "run of $((first + run * per_run)):$per_run ended with status $status" >>"$log/run.$run"
    run=$((run + jobs))
  done
  printf '%s\n' "${options[@]}" >"$log/options.$number"
}

for ((i = 0; i < jobs; i++)); do worker $i "$@" & done
wait
kernels=$(sed -nE 's/^([0-9]+) random kernels.*/\1/p' "$log"/run.* | awk '{ sum += $1 } END { print sum + 0 }')
broken=$(grep -hE 'ended with status|^seed [0-9]+: under way' "$log"/run.*)  # what never ends is not shrunk
mapfile -t differing < <(sed -nE '/: under way/d; s/^seed ([0-9]+):.*/\1/p' "$log"/run.* | sort -u)
for seed in "${differing[@]}"; do
  number=$(((seed - first) / per_run % jobs))
  mapfile -t options < <(grep . "$log/options.$number")
  echo "== seed $seed ${options[*]}"
  timeout 900 "$bin/pykc_random_test" --seeds "$seed:1" --jobs 1 --reduce 120 "${options[@]}"
done
[ -z "$broken" ] || echo "$broken"
echo "$kernels kernels, seeds from $first on: ${#differing[@]} differ${differing[*]:+: ${differing[*]}}"
[ ${#differing[@]} -eq 0 ] && [ -z "$broken" ] && [ "$kernels" -gt 0 ]
