"""The extension module by itself: what the layer above it is made of."""

import array
import gc
import threading
import weakref

import numpy as np
import pytest

from pykc import _native

HELPER = ("from numba import cuda as _c; import math\n@_c.jit(device=True)\ndef helper(a):\n"
          "    return math.sqrt(a) * 2\n", "helpers.py", 10, "")
KERNELS = """from numba import cuda as _c; from numba import cuda; from f1 import helper as twice_the_root; N = 3
@_c.jit
def roots(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = twice_the_root(x[i]) + N
@_c.jit("void(float32[:], float32)")
def fill(x, a):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = a
@_c.jit
def fails(x):
    assert x[0] > 1, "too small"
@_c.jit
def parts(x, c):
    i = cuda.grid(1)
    if i < x.size:
        x[i].a = i
        x[i].b = c.imag
"""


@pytest.fixture(scope="module")
def device():
    return _native.Device("cpu")


@pytest.fixture(scope="module")
def module(device):
    return _native.Module(device, KERNELS, "my.py", 41, "    ", import_={"f1": HELPER}.get)


def test_numpy_arrays_are_used_where_they_lie(module):
    x, y = np.arange(4, dtype=np.float32), np.zeros(4)
    module.kernel("roots").launch(1, 4, None, 0, (x, y))
    np.testing.assert_allclose(y, 2 * np.sqrt(np.arange(4)) + 3, rtol=1e-6)
    strided = np.zeros((4, 2))[:, 1]
    module.kernel("roots").launch((1,), (4, 1, 1), None, 0, (x[::-1], strided))
    np.testing.assert_allclose(strided, y[::-1], rtol=1e-6)


def test_numbers_become_what_the_signature_says(module):
    x = np.zeros(3, np.float32)
    for value in (3.14, 2, True, np.float64(2.5), np.int8(-1), np.array(7.0)):
        module.kernel("fill").launch(1, 3, None, 0, (x, value))
        assert (x == np.float32(value)).all()


def test_numbers_become_halves(device):
    text = """from numba import cuda
@cuda.jit("void(float16[:], float16)")
def fill(x, a):
    x[0] = a
"""
    fill = _native.Module(device, text).kernel("fill")
    x = np.zeros(1, np.float16)
    for value in (2.5, 3, True, 0.1, np.float32(0.1), np.float16(1.5), -65504):
        fill.launch(1, 1, None, 0, (x, value))
        assert x[0] == np.float16(value)
    with pytest.raises(_native.LaunchError):
        fill.launch(1, 1, None, 0, (x, 1e6))


def test_numbers_become_bfloats(device):
    text = """from pykc import *
@kernel
def fill(x: f32[:], a: bf16):
    x[0] = f32(a)
"""
    fill = _native.Module(device, text).kernel("fill")
    x = np.zeros(1, np.float32)
    for value, nearest in ((2.5, 2.5), (3, 3), (True, 1), (0.1, 0.10009765625), (257, 256), (259, 260),
                           (3.39e38, 3.3895314e38)):
        fill.launch(1, 1, None, 0, (x, value))
        assert x[0] == np.float32(nearest)
    with pytest.raises(_native.LaunchError):
        fill.launch(1, 1, None, 0, (x, 3.4e38))


def test_numbers_become_floats_of_eight_bits(device):
    text = """from pykc import *
@kernel
def fill(x: f32[:], a: f8e4m3, b: f8e5m2):
    x[0] = f32(a)
    x[1] = f32(b)
"""
    fill = _native.Module(device, text).kernel("fill")
    x = np.zeros(2, np.float32)
    for value, a, b in ((2.5, 2.5, 2.5), (3, 3, 3), (True, 1, 1), (0.1, 0.1015625, 0.09375), (1e6, 448, 57344)):
        fill.launch(1, 1, None, 0, (x, value, value))
        assert x.tolist() == [a, b]


def test_float8_arrays_of_ml_dtypes(device):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    text = """from pykc import *
@kernel
def convert(y, x):
    y[threadIdx.x] = x[threadIdx.x]
"""
    for dtype in (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2):
        x = np.linspace(-3, 400, 64, dtype=np.float32)
        y = np.zeros(64, dtype)
        _native.Module(device, text).kernel("convert").launch(1, 64, None, 0, (y, x))
        assert np.array_equal(y.view(np.uint8), x.astype(dtype).view(np.uint8))


def test_records_and_complex_numbers(module):
    x = np.zeros(3, dtype=[("a", "i4"), ("b", "f8")])
    module.kernel("parts").launch(1, 3, None, 0, (x, 2 + 1.5j))
    assert x.tolist() == [(0, 1.5), (1, 1.5), (2, 1.5)]
    module.kernel("parts").launch(1, 3, None, 0, (x, np.complex64(4j)))
    assert x["b"].tolist() == [4, 4, 4]


def test_other_memory(device, module):
    for memory in (array.array("f", [0, 0]), memoryview(bytearray(8)).cast("f")):
        module.kernel("fill").launch(1, 2, None, 0, (memory, 1.5))
        assert list(memory) == [1.5, 1.5]
    own = _native.allocate(device, "f4", (2,))
    module.kernel("fill").launch(1, 2, None, 0, (own, 2.5))
    assert np.from_dlpack(own).tolist() == np.asarray(own).tolist() == [2.5, 2.5]
    shared = np.zeros(2, np.float32)
    module.kernel("fill").launch(1, 2, None, 0, (_native.wrap(device, shared), 3))
    assert shared.tolist() == [3, 3]


def test_views_and_copies(device):
    host = np.arange(24, dtype=np.int16).reshape(2, 3, 4)
    own = _native.allocate(device, np.dtype("i2"), host.shape)
    own.copy_from(host)
    assert (own.shape, own.strides, own.typestr, own.nbytes, own.ndim) == ((2, 3, 4), (24, 8, 2), "<i2", 48, 3)
    for key in ((1,), (slice(None), 2), (Ellipsis, slice(None, None, -2)), (None, -1, slice(1, 9))):
        view, wanted = own[key], host[key]
        assert view.shape == wanted.shape
        out = np.empty(wanted.shape, np.int16)
        view.copy_to(out)
        assert (out == wanted).all()
    assert (np.asarray(own.reshaped((6, 4))) == host.reshape(6, 4)).all()
    assert (np.asarray(own.transposed()) == host.T).all()
    assert (np.asarray(own.permuted([1, 0, 2])) == host.transpose(1, 0, 2)).all()
    assert np.asarray(own.strided((2, 5), (12, 0))).tolist() == [[0] * 5, [12] * 5]
    for wrong in (lambda: own[2], lambda: own.strided((100,), (1,)), lambda: own.reshaped((5,)),
                  lambda: own.copy_from(host[0]), lambda: _native.allocate(device, "f4", -1)):
        with pytest.raises((ValueError, IndexError)):
            wrong()
    with pytest.raises(TypeError):
        own.copy_from(host.astype("f4"))


def test_what_no_kernel_takes(device, module):
    fill = module.kernel("fill")
    for wrong in ("text", object(), [1.0], None):
        with pytest.raises(TypeError):
            fill.launch(1, 1, None, 0, (wrong, 1))
    with pytest.raises(TypeError):
        fill.launch(1, 1, None, 0, [np.zeros(1, np.float32), 1])  # a list in the place of the tuple
    with pytest.raises(_native.LaunchError, match="takes 2 arguments"):
        fill.launch(1, 1, None, 0, (np.zeros(1, np.float32),))
    with pytest.raises(_native.LaunchError):
        fill.launch(1, 5000, None, 0, (np.zeros(1, np.float32), 1))
    for grid in ((), (1, 1, 1, 1), 1.5):
        with pytest.raises((ValueError, TypeError)):
            fill.launch(grid, 1, None, 0, (np.zeros(1, np.float32), 1))
    with pytest.raises(TypeError):
        _native.allocate(device, "M8[s]", 3)
    with pytest.raises(OverflowError):
        fill.launch(1 << 80, 1, None, 0, (np.zeros(1, np.float32), 1))


def test_errors_name_the_python_file(device):
    broken = KERNELS.replace("x[i]) + N", "q) + N")
    module = _native.Module(device, broken, "my.py", 41, "    ", import_={"f1": HELPER}.get)
    with pytest.raises(_native.CompileError) as caught:
        module.kernel("roots").launch(1, 1, None, 0, (np.zeros(1), np.zeros(1)))
    first = caught.value.diagnostics[0]
    assert (first["file"], first["line"], first["column"], first["code"]) == ("my.py", 46, 35, "E0201")  # 4 of them were taken off
    assert "^" in str(caught.value)

    def refuse(name):
        raise KeyError(name)
    with pytest.raises(_native.CompileError, match="f1"):
        _native.Module(device, KERNELS, "my.py", import_=refuse)


def test_faults(module):
    with pytest.raises(_native.KernelFault, match="too small"):
        module.kernel("fails").launch(1, 1, None, 0, (np.zeros(1),))
    module.kernel("fails").launch(1, 1, None, 0, (np.ones(1) * 2,))


def test_info_and_text(module):
    info = module.kernel("roots").info(np.zeros(1, np.float32), np.zeros((1, 1)).T[0])
    assert info["types"] == ["f32[:]", "f64[:]"] and info["parameters"] == ["x", "y"]
    text = _native.compile(KERNELS, "my.py", emit="asm", target="sm_90", import_={"f1": HELPER}.get,
                           signatures=[f"roots({', '.join(info['types'])})"])
    assert ".entry roots" in text


def test_threads_share_a_kernel(module):
    roots = module.kernel("roots")
    results = [np.zeros(1000) for _ in range(8)]

    def work(out):
        for _ in range(50):
            roots.launch(4, 256, None, 0, (np.arange(1000, dtype=np.float32), out))
    threads = [threading.Thread(target=work, args=(out,)) for out in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for out in results:
        np.testing.assert_allclose(out, 2 * np.sqrt(np.arange(1000)) + 3, rtol=1e-6)


def test_memory_is_let_go(device):
    class Memory(bytearray):
        pass
    memory = Memory(8)
    watched = weakref.ref(memory)
    wrapped = _native.wrap(device, memory)[::2]
    del memory
    assert watched() is not None
    del wrapped
    gc.collect()
    assert watched() is None
    free, total = device.memory_info()
    assert 0 < free <= total
    assert len(memoryview(device.pinned(64))) == 64


def test_interpreters_beside_the_main_one_are_refused():
    interpreters = pytest.importorskip("_xxsubinterpreters")
    other = interpreters.create()
    try:
        with pytest.raises(interpreters.RunFailedError, match="main interpreter"):
            interpreters.run_string(other, "import pykc._native")
    finally:
        interpreters.destroy(other)
    assert _native.Device("cpu").name == "cpu"
