#!/usr/bin/env bash
# Installs what is missing, builds everything and runs all tests. A preset's name runs them there: ./scripts/test.sh asan
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
./scripts/install-dependencies.sh
./scripts/build.sh "$preset"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
ctest --preset "$preset" -j "$(nproc)" --no-tests=error 2>&1 | tee "$log" || status=$?
"build/$preset/bin/pykc" info | grep -q '^cuda:0' || echo "GPU tests: skipped: no NVIDIA driver"

# The closing line that programs read: ctest's own count.
summary=$(sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests? failed out of ([0-9]+)$/\1 \2/p' "$log")
read -r failed total <<<"${summary:-1 1}"
echo "$((total - failed)) passed, $failed failed"
exit "$status"
