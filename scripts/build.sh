#!/usr/bin/env bash
# Builds a preset (default: release) into build/PRESET. A second run rebuilds only what changed.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
[ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset"
