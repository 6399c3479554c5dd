"""Tensors of other libraries by DLPack's table of C functions: one made here, and PyTorch's where it is installed."""
import ctypes
import itertools

import numpy as np
import pytest

import mock_driver
import pykc
from pykc import cuda

NAME = b"dlpack_exchange_api"  # lives as long as the capsules
TYPE_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
DLPACK_CPU = 1


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


Describe = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(Tensor))
CurrentStream = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))


class Table(ctypes.Structure):
    pass


Table._fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("previous", ctypes.POINTER(Table)),
                  ("functions_for_owners", ctypes.c_void_p * 3), ("describe", Describe),
                  ("current_stream", ctypes.c_void_p)]


def capsule_of(table):
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return new(ctypes.addressof(table), NAME, None)


@Describe
def describe(wrapped, out):
    array, tensor = wrapped.array, out.contents
    tensor.data = wrapped.address - wrapped.byte_offset
    tensor.device_type, tensor.device_id = wrapped.device_type, 0
    tensor.ndim, tensor.code, tensor.lanes = array.ndim, TYPE_CODES[array.dtype.kind], 1
    tensor.bits = 8 * array.itemsize
    tensor.shape, tensor.strides = wrapped.shape, wrapped.strides
    tensor.byte_offset = wrapped.byte_offset
    return 0


TABLE = Table(major=1, minor=3, describe=describe)


class Wrapped:
    """An array of NumPy behind the table alone."""
    __dlpack_c_exchange_api__ = capsule_of(TABLE)

    def __init__(self, array, device_type=DLPACK_CPU, byte_offset=0, is_negated=False):
        self.array, self.device_type, self.byte_offset, self.is_negated = array, device_type, byte_offset, is_negated
        self.address = array.ctypes.data
        extents = ctypes.c_int64 * max(array.ndim, 1)
        self.shape = extents(*array.shape)
        self.strides = extents(*(step // array.itemsize for step in array.strides))

    def is_neg(self):
        return self.is_negated


@cuda.jit
def add_index(x):
    i, j = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        x[i, j] += 10 * i + j


@pytest.fixture
def on_cpu():
    if not pykc.device().is_cpu:
        pytest.skip("the tensors of this file lie on the host")


@cuda.jit
def convert_elements(y, x):
    y[cuda.grid(1)] = x[cuda.grid(1)]


def added(shape, dtype):
    return np.add.outer(10 * np.arange(shape[0]), np.arange(shape[1])).astype(dtype)


@pytest.mark.parametrize("dtype, byte_offset", list(itertools.product(("f4", "f8", "i2", "u4", "c16"), (0, 16))))
def test_tensors_are_used_where_they_lie(on_cpu, dtype, byte_offset):
    x = np.zeros((3, 5), dtype)
    add_index[1, (4, 8)](Wrapped(x, byte_offset=byte_offset))
    assert (x == added((3, 5), dtype)).all()
    part = np.zeros((6, 10), dtype)
    add_index[1, (4, 8)](Wrapped(part[::2, ::-2], byte_offset=byte_offset))
    assert (part[::2, ::-2] == added((3, 5), dtype)).all() and (part[1::2] == 0).all() and (part[:, ::2] == 0).all()


def test_a_class_made_of_it_and_older_tables(on_cpu):
    class Derived(Wrapped):
        pass

    class OfNextVersion(Wrapped):
        table = Table(major=2, previous=ctypes.pointer(TABLE))
        __dlpack_c_exchange_api__ = capsule_of(table)

    for kind in (Derived, OfNextVersion):
        x = np.zeros((3, 5), np.float32)
        add_index[1, (4, 8)](kind(x))
        assert (x == added((3, 5), "f4")).all()


def test_types_that_come_and_go(on_cpu):
    for _ in range(40):
        kind = type("Kind", (Wrapped,), {})
        x = np.zeros((3, 5), np.float32)
        add_index[1, (4, 8)](kind(x))
        assert (x == added((3, 5), "f4")).all()


def test_refusals(on_cpu):
    class OfNoVersion(Wrapped):
        table = Table(major=2)
        __dlpack_c_exchange_api__ = capsule_of(table)

    class NoCapsule(Wrapped):
        __dlpack_c_exchange_api__ = 5

    x = np.zeros((3, 5), np.float32)
    for kind in (OfNoVersion, NoCapsule):
        with pytest.raises(TypeError, match="a kernel takes numbers, arrays"):
            add_index[1, (4, 8)](kind(x))
    with pytest.raises(ValueError, match="it lies on cuda:0"):
        add_index[1, (4, 8)](Wrapped(x, device_type=2))
    with pytest.raises(BufferError, match="negated or conjugated lazily"):
        add_index[1, (4, 8)](Wrapped(np.zeros((3, 10), np.float32)[:, ::2], is_negated=True))
    with pytest.raises(TypeError, match="no elements of this DLPack type"):
        add_index[1, (4, 8)](Wrapped(np.zeros((3, 5), np.longdouble)))
    assert (x == 0).all()


ON_A_GPU = """
import ctypes
import numpy as np
from pykc import cuda
import mock_driver
from test_exchange import CurrentStream, Describe, Table, capsule_of, describe

mock = mock_driver.load()
theirs = 0

@CurrentStream
def current_stream(device_type, number, out):
    assert (device_type, number) == (2, 0)
    out[0] = theirs
    return 0

class Tensor:
    table = Table(major=1, describe=describe, current_stream=ctypes.cast(current_stream, ctypes.c_void_p))
    __dlpack_c_exchange_api__ = capsule_of(table)
    device_type, byte_offset = 2, 0

    def __init__(self, own):
        self.array, self.address = np.empty(own.shape, own.dtype), own.address
        self.shape, self.strides = (ctypes.c_int64 * 1)(*own.shape), None

@cuda.jit
def fill(x, y):
    x[0] = y[0]

def calls(*names):
    return [mock.mock_calls(name.encode()) for name in names]

own, stream = cuda.to_device(np.ones(4, np.float32)), cuda.stream()
tensor = Tensor(own)
for _ in range(2):
    fill[1, 1](tensor, own)
assert calls("cuStreamWaitEvent", "cuLaunchKernel") == [0, 2]  # their default stream is ours
theirs = stream.handle
fill[1, 1](tensor, tensor)
assert calls("cuStreamWaitEvent", "cuLaunchKernel") == [2, 3]  # ours waits for theirs, and theirs for ours
assert mock.mock_last_launch().contents.stream is None
fill[1, 1, stream](tensor, own)
assert calls("cuStreamWaitEvent", "cuLaunchKernel") == [2, 4]
assert mock.mock_last_launch().contents.stream == theirs
with cuda.stream() as current:
    waits = calls("cuStreamWaitEvent")[0]
    fill[1, 1](tensor, own)
    assert mock.mock_last_launch().contents.stream == current.handle
    assert calls("cuStreamWaitEvent") == [waits + 2]
    theirs = 0
    fill[1, 1](tensor, own)  # nor is their default stream this one
    assert calls("cuStreamWaitEvent") == [waits + 4]
    theirs = current.handle
    fill[1, 1](tensor, own)
    assert calls("cuStreamWaitEvent") == [waits + 4]
    assert own.__cuda_array_interface__["stream"] == current.handle

@cuda.jit
def both(x, y):
    x[0] = y[0]

mock.mock_set_words(4)
host = np.ones(4, np.float32)
cuda.jit("void(float32[::1], float32[::1])")(both)[1, 1](host, host)  # copied once: else one would undo the other
words = mock.mock_last_launch().contents.words
assert words[0] == words[2] != host.ctypes.data and words[1] == words[3] == 4, list(words)
seen = host.view()
seen.flags.writeable = False  # not copied back, and so no stand-in for one that is
cuda.jit("void(float32[::1], float32[::1])")(both)[1, 1](host, seen)
words = mock.mock_last_launch().contents.words
assert words[0] != words[2], list(words)
"""


def test_arrays_of_gpus(tmp_path):
    mock_driver.run(tmp_path / "streams.py", ON_A_GPU, "-W", "ignore")


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch")


@pytest.fixture(scope="module")
def place(torch):
    if pykc.device().is_cpu:
        return "cpu"
    if not torch.cuda.is_available():
        pytest.skip("this PyTorch knows no GPU")
    return "cuda"


class TestTorch:
    def test_tensors(self, torch, place):
        for dtype in (torch.float32, torch.float64, torch.int16, torch.bfloat16, torch.complex64):
            x = torch.zeros((3, 5), dtype=dtype, device=place)
            add_index[1, (4, 8)](x)
            part = torch.zeros((5, 9), dtype=dtype, device=place)
            add_index[1, (4, 8)](part.T[::3, ::2][:3, :5])
            cuda.synchronize()
            wanted = torch.from_numpy(added((3, 5), "i8")).to(dtype)
            assert torch.equal(x.cpu(), wanted)
            rows = part.T[::3, ::2].cpu()
            assert torch.equal(rows, wanted[:rows.shape[0], :rows.shape[1]])

    def test_floats_of_eight_bits(self, torch, place):
        for dtype, name in ((torch.float8_e4m3fn, "f8e4m3"), (torch.float8_e5m2, "f8e5m2")):
            x = torch.linspace(-3, 500, 32, device=place)
            y = torch.zeros(32, dtype=torch.float8_e4m3fn, device=place).to(dtype)
            convert_elements[1, 32](y, x)
            cuda.synchronize()
            largest = torch.finfo(dtype).max
            assert torch.equal(y.to(torch.float32), x.clamp(-largest, largest).to(dtype).to(torch.float32))

    def test_lazy_tensors_are_refused(self, torch, place):
        x = torch.zeros((3, 5), dtype=torch.complex64, device=place)
        for lazy in (x.conj(), x.conj().imag, x.conj().imag.T, x.conj().imag[:1, :1]):
            with pytest.raises(BufferError, match="lazily"):
                add_index[1, (4, 8)](lazy)

    def test_parameters(self, torch, place):
        weights = torch.nn.Parameter(torch.zeros((3, 5), device=place))
        add_index[1, (4, 8)](weights)
        cuda.synchronize()
        assert np.array_equal(weights.detach().cpu().numpy(), added((3, 5), "f4"))

    def test_order_with_the_stream_of_torch(self, torch, place):
        """Each step reads what the one before wrote, on a stream that the default one does not wait for."""
        if place == "cpu":
            pytest.skip("PyTorch has streams on GPUs alone")
        n = 1 << 22
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            x = torch.zeros((n, 1), device=place)
            for _ in range(20):
                x += 1
                add_one[(n + 255) // 256, 256](x)
                x *= 1
            total = x.double().sum().item()
        assert total == 40 * n


@cuda.jit
def add_one(x):
    i = cuda.grid(1)
    if i < x.shape[0]:
        x[i, 0] += 1
