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


@cuda.jit(sanitize=True)
def copy_elements(y, x):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = x[i]


def copy_watched(x):
    y = cuda.device_array(x.size, x.dtype)
    copy_elements[2, 32](y, x)
    cuda.synchronize()
    return y


@pytest.mark.skipif(cuda.is_gpu(), reason="a GPU does not watch")
def test_what_nobody_has_written():
    with pytest.raises(pykc.KernelFault, match="E0602: `x.0.` is read by thread .*, and nothing has written it"):
        copy_watched(cuda.device_array(64, np.float32))
    half = cuda.device_array(64, np.float32)
    half[:32] = 1
    with pytest.raises(pykc.KernelFault, match="E0602: `x.32.` is read"):
        copy_watched(half)
    half[32:] = np.ones(32, np.float32)
    copy_watched(half)


@pytest.mark.skipif(cuda.is_gpu(), reason="a GPU does not watch")
def test_what_others_than_watched_kernels_have_written():
    @cuda.jit
    def unwatched(x):
        x[cuda.grid(1)] = 1

    copied = cuda.device_array(64, np.float32)
    copied.copy_to_device(np.ones(64, np.float32))
    by_kernel = cuda.device_array(64, np.float32)
    unwatched[2, 32](by_kernel)
    computed = pykc.empty(64, np.float32)
    computed[:] = pykc.sqrt(pykc.arange(64, dtype=np.float32))
    by_out = pykc.empty(64, np.float32)
    pykc.add(computed, computed, out=by_out)
    joined = pykc.concatenate([pykc.ones(32, np.float32), pykc.zeros(32, np.float32)])
    shown = cuda.device_array(64, np.float32)
    shown.__cuda_array_interface__  # whoever has the address may write there
    lent = np.from_dlpack(pykc.empty(64, np.float32))
    for x in (copied, by_kernel, computed, by_out, joined, shown, lent, pykc.random.rand(64), np.ones(64),
              cuda.to_device(np.ones(64)), cuda.pinned_array(64), cuda.mapped_array(64), copy_watched(copied)):
        copy_watched(x)


def test_values_in_messages():
    @cuda.jit
    def kernel(x):
        i = cuda.threadIdx.x
        if x[i] > 1:
            raise ValueError("too large", i, x[i])

    with pytest.raises(ValueError, match=r"ValueError: \('too large', 2, 2.5\), in kernel"):
        kernel[1, 3](np.array([0, 1, 2.5]))


@pytest.mark.parametrize("call, kind, advice", [
    (lambda: pykc.zeros(3) + np.zeros(3), TypeError, r"`pykc.asarray\(x\)` copies"),
    (lambda: np.zeros(3) + pykc.zeros(3), TypeError, r"`pykc.asarray\(x\)` copies"),
    (lambda: cuda.select_device(77), IndexError, "there is no device 77"),
    (lambda: cuda.jit(lambda x: None)[1, 1]([1, 2]), TypeError, r"`np.array\(x\)` makes an array"),
    (lambda: pykc.ElementwiseKernel("T x", "T y", "y = f(x)", "k")(pykc.zeros(3)), NotImplementedError,
     "the function `f`, which `math.h` has not, in `y = .*: define it in `preamble`"),
    (lambda: pykc.ReductionKernel("T x", "T y", "x", "a +", "y = a", "0", "k")(pykc.zeros(3)), NotImplementedError,
     "the end in `a .*: it goes on there"),
])
def test_what_to_write_instead(call, kind, advice):
    with pytest.raises(kind, match=advice):
        call()
