"""Arrays that host and kernels see, `mapped_array` and `managed_array`, on the device in use and on a driver that
launches nothing; and the profiler."""
import gc
import subprocess
import sys

import numpy as np
import pytest
from mock_driver import environment

from pykc import cuda

MAKERS = {"mapped": cuda.mapped_array, "managed": cuda.managed_array}


@cuda.jit
def add_one(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_kernels_and_the_host_see_one_array(make):
    x = make(100, np.float32)
    assert isinstance(x, np.ndarray) and x.shape == (100,) and x.dtype == np.float32
    x[:] = np.arange(100)
    add_one[1, 128](x)
    add_one[1, 128](x[50:])
    cuda.synchronize()
    assert (x[:50] == np.arange(50) + 1).all() and (x[50:] == np.arange(50, 100) + 2).all()


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_shapes_and_orders(make):
    assert make((3, 4), order="F").flags.f_contiguous
    assert make((3, 0)).size == 0 and not hasattr(make(0), "__cuda_array_interface__")
    assert make(()).shape == ()
    with pytest.raises(NotImplementedError, match="slice it"):
        make(3, strides=(8,))


def test_options_and_likes():
    like = cuda.mapped_array_like(np.zeros((2, 3), np.int16, order="F"), portable=True, wc=True)
    assert like.shape == (2, 3) and like.dtype == np.int16 and like.flags.f_contiguous
    assert cuda.managed_array(3, attach_global=False).shape == (3,)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_results_are_the_hosts(make):
    x = make(4)
    x[:] = 1
    assert hasattr(x[1:], "__cuda_array_interface__") and not hasattr(x + 1, "__cuda_array_interface__")


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_device_arrays_take_them(make):
    x = make(4, np.int32)
    x[:] = [1, 2, 3, 4]
    device = cuda.as_cuda_array(x[1:])
    assert device.copy_to_host().tolist() == [2, 3, 4] and cuda.to_device(x).copy_to_host().tolist() == [1, 2, 3, 4]
    x.copy_to_device(np.array([5, 6, 7, 8], np.int32))
    assert x.copy_to_host().tolist() == [5, 6, 7, 8]


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_they_outlive_the_handle_of_the_device(make):
    part = make(4, np.int32)[2:]
    cuda.close()
    gc.collect()
    part[:] = 3
    assert part.tolist() == [3, 3]


def test_profiling():
    with cuda.profiling():
        add_one[1, 32](cuda.device_array(4, np.float32))
    cuda.profile_start()
    cuda.profile_stop()


MOCKED = """
import gc
import warnings
import numpy as np
import mock_driver
mock = mock_driver.load()
from pykc import cuda
from test_shared_arrays import MAKERS, add_one
warnings.simplefilter("error")

def calls(*names):
    return [mock.mock_calls(name.encode()) for name in names]

mock.mock_set_words(1)
add_one[1, 32](cuda.device_array(4, np.float32))
before = mock.mock_live_objects()
for make in MAKERS.values():
    x = make(8, np.float32)
    copies = calls("cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync")
    add_one[1, 32](x[2:])
    assert mock.mock_last_launch().contents.words[0] == x[2:].__cuda_array_interface__["data"][0] == x.ctypes.data + 8
    assert calls("cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync") == copies
    part = x[3:]
    del x
    gc.collect()
    assert mock.mock_live_objects() == before + 1
    part[:] = 2
    del part
    gc.collect()
    assert mock.mock_live_objects() == before
assert calls("cuMemAllocManaged", "cuMemHostAlloc", "cuMemFreeHost") == [1, 1, 1]

mock.mock_fail(b"cuMemAllocManaged", 1, 2)
try:
    cuda.managed_array(4)
except MemoryError:
    print("no room")

with cuda.profiling():
    assert calls("cuProfilerStart", "cuProfilerStop") == [1, 0]
assert calls("cuProfilerStart", "cuProfilerStop") == [1, 1]
"""


def test_the_driver_copies_nothing():
    told = subprocess.run([sys.executable, "-c", MOCKED], env=environment("cuda:0"), capture_output=True, text=True)
    assert told.returncode == 0 and told.stdout == "no room\n", told.stderr
