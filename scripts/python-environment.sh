#!/usr/bin/env bash
# Makes the virtual environment in which the Python package is built and tested, build/python-environment, and prints its
# interpreter. Packages come from PyPI: python/requirements.txt.
set -euo pipefail
cd "$(dirname "$0")/.."
environment=build/python-environment
if ! cmp -s python/requirements.txt "$environment/requirements.txt"; then
  rm -rf "$environment"
  python3 -m venv "$environment"
  "$environment/bin/pip" install --quiet --disable-pip-version-check -r python/requirements.txt
  cp python/requirements.txt "$environment"
fi
echo "$PWD/$environment/bin/python"
