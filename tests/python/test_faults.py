"""What goes wrong in a kernel reaches Python as an exception, with the place in the file."""
import linecache

import numpy as np
import pytest

import pykc
from pykc import cuda


def line_of(text):
    return next(number for number, line in enumerate(linecache.getlines(__file__), 1) if line.strip() == text)


def test_assert():
    @cuda.jit
    def kernel(x):
        assert x[0] > 0, "must be positive"

    with pytest.raises(pykc.KernelFault, match="must be positive") as fault:
        kernel[1, 1](np.zeros(1))
        cuda.synchronize()
    assert f"test_faults.py:{line_of('assert x[0] > 0, ' + chr(34) + 'must be positive' + chr(34))}" in str(fault.value)


def test_raise():
    @cuda.jit
    def kernel(x):
        if cuda.threadIdx.x == 3:
            raise ValueError("bad value")

    with pytest.raises(pykc.KernelFault, match="bad value"):
        kernel[1, 32](np.zeros(1))
        cuda.synchronize()


def test_index_out_of_bounds():
    @cuda.jit(debug=True, opt=False)
    def kernel(x):
        x[cuda.threadIdx.x] = 1

    with pytest.raises(pykc.KernelFault, match="x"):
        kernel[1, 32](np.zeros(8))
        cuda.synchronize()


def test_the_device_can_be_used_after_a_fault():
    @cuda.jit
    def fails(x):
        assert x[0] == 1

    @cuda.jit
    def works(x):
        x[0] = 5

    x = np.zeros(1)
    with pytest.raises(pykc.KernelFault):
        fails[1, 1](x)
        cuda.synchronize()
    works[1, 1](x)
    cuda.synchronize()
    assert x[0] == 5


class OwnError(Exception):
    pass


def test_faults_are_the_exceptions_that_kernels_raise():
    @cuda.jit
    def kernel(x, which):
        assert which != 0
        if which == 1:
            raise OwnError("own")
        if which == 2:
            raise IndexError

    for which, kind in enumerate((AssertionError, OwnError, IndexError)):
        with pytest.raises(kind) as error:
            kernel[1, 1](np.zeros(1), which)
            cuda.synchronize()
        assert isinstance(error.value, pykc.KernelFault) and "test_faults.py" in str(error.value)


def test_all_errors_have_one_base():
    for kind in (pykc.CompileError, pykc.LaunchError, pykc.KernelFault, pykc.DeviceError):
        assert issubclass(kind, pykc.Error)
    assert issubclass(pykc.LaunchError, ValueError) and issubclass(pykc.KernelFault, RuntimeError)


@pytest.mark.skipif(cuda.is_gpu(), reason="a GPU does not watch")
def test_a_race_names_both_lines():
    @cuda.jit(sanitize=True)
    def races(x):
        x[0] = cuda.threadIdx.x

    with pytest.raises(pykc.KernelFault, match="E0601: `x.0.`: thread .* writes what thread .* writes") as error:
        races[1, 32](np.zeros(1, np.int32))
        cuda.synchronize()
    assert str(error.value).count("x[0] = cuda.threadIdx.x") == 2
