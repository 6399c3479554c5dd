#!/usr/bin/env bash
# Installs what is missing, builds everything and runs all tests. The Python package is built and tested in a virtual
# environment of its own, with packages from PyPI. A preset's name runs the tests there: ./scripts/test.sh asan
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
./scripts/install-dependencies.sh
options=()
if [ "$preset" = release ]; then
  ./scripts/install-dependencies.sh python
  if python=$(./scripts/python-environment.sh); then
    options=(-DPYKC_PYTHON=ON "-DPython_EXECUTABLE=$python")
  else
    echo "Python package: skipped: its environment cannot be made (is PyPI in reach?)"
  fi
fi
./scripts/build.sh "$preset" "${options[@]}"

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
