#!/usr/bin/env bash
# Makes the pages of docs/ and the reference of the Python package a site: ./scripts/build-docs.sh [FOLDER=build/docs]
# A reference, link or anchor that leads nowhere is an error. Sphinx comes from PyPI, with what the package takes.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-build/docs}
python=$(./scripts/python-environment.sh)
if ! ls build/release/python/pykc/_native.*.so >/dev/null 2>&1; then
  cmake --preset release -DPYKC_PYTHON=ON -DPython_EXECUTABLE="$python" >/dev/null
  cmake --build build/release --target pykc_python
fi
# -E: all pages are read each time, so that what is wrong is told each time.
PYTHONPATH=build/release/python "$python" -m sphinx -q -E -W --keep-going -c docs/site docs "$folder"
echo "$folder/index.html"
