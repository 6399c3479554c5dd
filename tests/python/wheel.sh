#!/usr/bin/env bash
# The wheel in a fresh environment, with nothing but NumPy beside it: wheel.sh SOURCE_FOLDER
set -euo pipefail
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
./scripts/build-wheel.sh "$work/wheels"
bytes=$(stat -c %s "$work"/wheels/*.whl)
((bytes < 20 << 20)) || { echo "the wheel has $bytes bytes, more than 20 MiB"; exit 1; }
# A wheel that says that it serves later interpreters has a module that they find.
for wheel in "$work"/wheels/*-abi3-*.whl; do
  [ ! -f "$wheel" ] || python3 -m zipfile --list "$wheel" | grep -q '_native\.abi3\.so' ||
    { echo "$wheel has no module for the stable ABI"; exit 1; }
done
python3 -m venv "$work/fresh"
"$work/fresh/bin/pip" install --quiet --disable-pip-version-check "$work"/wheels/*.whl numpy
source=$PWD
cd "$work"
cat >script.py <<'PYTHON'
import numpy as np
from pykc import cuda

FACTOR = 3

@cuda.jit(device=True)
def scaled(a):
    return FACTOR * a

@cuda.jit
def add_scaled(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += scaled(x[i])

x, y = np.arange(1000.0), np.ones(1000)
add_scaled[4, 256](x, y)
assert (y == 3 * np.arange(1000.0) + 1).all()
PYTHON
PYKC_DEVICE=cpu fresh/bin/python script.py
sed 's/from pykc import cuda/from numba import cuda/' script.py >numba_script.py
PYKC_DEVICE=cpu fresh/bin/python -m pykc numba_script.py
awk '/^import numpy/ {shown = 1} /^```/ {shown = 0} shown' "$source/README.md" >first.py
PYKC_DEVICE=cpu fresh/bin/python first.py
for lesson in adding_vectors reductions; do
  PYKC_DEVICE=cpu fresh/bin/python "$source/examples/python/$lesson.py" >/dev/null
done
echo "$bytes bytes; the scripts, the README's and two lessons ran"
