#!/usr/bin/env bash
# Builds a preset (default: release) into build/PRESET. A second run rebuilds only what changed. Further arguments are
# CMake's: ./scripts/build.sh release -DPYKC_PYTHON=ON
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
options=("${@:2}")
[ ${#options[@]} -eq 0 ] && [ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" "${options[@]}" >/dev/null
cmake --build --preset "$preset"
