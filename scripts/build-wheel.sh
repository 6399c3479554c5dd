#!/usr/bin/env bash
# Makes a wheel of the Python package, for the interpreter that python3 is: ./scripts/build-wheel.sh [FOLDER=build/wheels]
# It takes what is built in build/release, so that nothing is compiled twice.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-build/wheels}
python=$(./scripts/python-environment.sh)
[ -f build/release/build.ninja ] || cmake --preset release -DPYKC_PYTHON=ON -DPython_EXECUTABLE="$python" >/dev/null
rm -rf "$folder"
"$python" -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps --wheel-dir "$folder" . \
  -C build-dir=build/release -C cmake.define.PYKC_TESTS=ON -C "cmake.define.Python_EXECUTABLE=$python"
ls -l "$folder"
