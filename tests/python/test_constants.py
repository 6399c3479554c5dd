"""`pykc.const.array`: constant memory that the host fills."""
import helper_module
import numpy as np
import pytest

import pykc
from pykc import const, cuda
from pykc.numba import vectorize

WEIGHTS = const.array(3, pykc.f32)
TABLE = pykc.const.array((2, 3), np.int16)
FLAGS = const.array(2, bool)
RECORDS = const.array(2, np.dtype([("a", np.int32), ("b", np.float32)]))


@pykc.struct
class Lens:
    power: pykc.f32
    index: pykc.i32


LENSES = const.array(2, Lens)


@pykc.device
def weighted(x, i):
    return WEIGHTS[0] * x[i] + WEIGHTS[1] * x[i + 1]


@pykc.kernel
def smooth(out: pykc.f32[:], x: pykc.f32[:]):
    i = pykc.grid(1)
    out[i] = weighted(x, i) + len(WEIGHTS)


@cuda.jit(device=True)
def picked(i):
    return TABLE[i // 3, i % 3]


@cuda.jit
def read(out):
    i = cuda.grid(1)
    out[i] = picked(i) + WEIGHTS[2] + FLAGS[1] + RECORDS[1].a + LENSES[1].index


@vectorize
def scaled(x):
    return x * WEIGHTS[2]


def smoothed():
    out = np.zeros(2, np.float32)
    smooth[1, 2](out, np.array([1, 10, 100], np.float32))
    return out.tolist()


def test_a_launch_takes_what_they_hold():
    assert smoothed() == [3, 3]  # zero at first
    WEIGHTS[:] = [1, 2, 0]
    assert smoothed() == smoothed() == [24, 213]
    WEIGHTS[1] = 0
    assert smoothed() == [4, 13]


def test_numbas_kernels_and_functions_of_arrays():
    TABLE[:] = [[1, 2, 3], [4, 5, 6]]
    WEIGHTS[2], FLAGS[1], RECORDS[1], LENSES[1] = 10, True, (100, 0), (0.5, 1000)
    for dtype in (np.float64, np.int32):
        out = np.zeros(6, dtype)
        read[1, 6](out)
        cuda.synchronize()
        assert out.tolist() == [1112, 1113, 1114, 1115, 1116, 1117]
    assert scaled(np.arange(3.0)).tolist() == [0, 10, 20]
    WEIGHTS[2] = 3
    assert scaled(np.arange(3.0)).tolist() == [0, 3, 6]


def test_another_name_another_constant_and_a_part(monkeypatch):
    one, other = const.array(2, pykc.i32), const.array(2, pykc.i32)
    same, part = one, one[1:]
    monkeypatch.setattr(helper_module, "FACTOR", other)

    @cuda.jit
    def kernel(out):
        out[0], out[1], out[2], out[3] = one[0], same[1], helper_module.FACTOR[0], part[0]

    def launched():
        out = np.zeros(4, np.int32)
        kernel[1, 1](out)
        cuda.synchronize()
        return out.tolist()

    one[:], other[:] = [1, 2], [3, 4]
    assert launched() == [1, 2, 3, 2]
    one[1] = 5
    assert launched() == [1, 5, 3, 5]  # of a part the kernel knows the value, and is compiled again
    monkeypatch.setattr(helper_module, "FACTOR", one)
    assert launched() == [1, 5, 1, 5]


def test_what_is_no_constant():
    assert getattr(TABLE[0], "_pykc_constant", None) is None and TABLE.copy()._pykc_constant is None
    with pytest.raises(RuntimeError, match="is for kernels"):
        const.array_like(np.zeros(3))
