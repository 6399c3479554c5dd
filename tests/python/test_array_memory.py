"""The pool of memory, benchmark, and kernels in CUDA C++."""
import ctypes
import os
import pathlib
import subprocess
import sys
import threading

import numpy as np
import pytest

import mock_driver
import pykc
from pykc import _native
from pykc._arrays import nvrtc

PACKAGE = pathlib.Path(pykc.__file__).parents[1]


def test_pool():
    pool = pykc.get_default_memory_pool()
    pool.free_all_blocks()
    used = pool.used_bytes()
    x = pykc.zeros(1 << 20, np.uint8)
    assert pool.used_bytes() >= used + (1 << 20) and pool.total_bytes() >= pool.used_bytes()
    address = x.address
    del x
    assert pool.used_bytes() == used and pool.free_bytes() >= 1 << 20
    assert pykc.empty(1 << 20, np.uint8).address == address or not pykc.device().is_cpu
    pool.free_all_blocks()
    assert pool.free_bytes() == 0 and "bytes are used" in repr(pool)
    pool.reset_peaks()
    pykc.empty(1 << 21, np.uint8)
    assert pool.peak_used_bytes() >= used + (1 << 21) > pool.used_bytes()


def test_limits_of_the_pool():
    pool = pykc.get_default_memory_pool()
    assert pool.get_limit() == 0
    try:
        pool.set_limit(pool.used_bytes() + (1 << 20))
        kept = pykc.empty(1 << 19, np.uint8)
        with pytest.raises(MemoryError, match="limit"):
            pykc.empty(1 << 20, np.uint8)
        assert pool.get_limit() >= 1 << 20 and kept.size == 1 << 19
        pool.set_limit(fraction=0.5)
        assert pool.get_limit() == int(pykc.device().info["memory_bytes"] * 0.5)
    finally:
        pool.set_limit(0)
    assert pykc.empty(1 << 22, np.uint8).size == 1 << 22
    for wrong in ({}, {"size": 1, "fraction": 0.1}, {"size": -1}, {"fraction": 2}):
        with pytest.raises(ValueError):
            pool.set_limit(**wrong)


def test_views_keep_memory():
    pool = pykc.get_default_memory_pool()
    used = pool.used_bytes()
    part = pykc.arange(1000)[10:20]
    pykc.zeros(1000)
    assert part.tolist() == list(range(10, 20)) and pool.used_bytes() > used


def test_threads_compute_at_once():
    def work(number):
        x = pykc.arange(1000.0) + number
        for _ in range(50):
            found[number].append(float((pykc.sin(x) * 0 + x)[x > 500 + number].sum()))

    found = [[] for _ in range(8)]
    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[sum(range(501, 1000)) + 499.0 * number] * 50 for number in range(8)]


@pytest.mark.skipif(pykc.cuda.is_gpu(), reason="the driver of a GPU does not survive a fork")
def test_the_child_of_a_fork_computes():
    assert float(pykc.arange(10_000.0).sum()) == 49_995_000
    child = os.fork()
    if child == 0:
        os._exit(0 if float(pykc.arange(20_000.0).sum()) == 199_990_000 else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_memory_does_not_grow():
    def resident():
        return int(pathlib.Path("/proc/self/statm").read_text().split()[1])

    x = pykc.ones(10_000)
    for number in range(1000):
        x + number
    before = resident()
    for number in range(20_000):
        x + number
    assert resident() - before < 1000  # pages


def test_benchmark():
    x = pykc.ones(1000)
    result = pykc.benchmark(pykc.sin, (x,), n_repeat=20, n_warmup=2)
    assert result.cpu_times.shape == (20,) and result.gpu_times.shape == (1, 20) and (result.cpu_times > 0).all()
    assert "sin" in str(result) and "CPU:" in str(result) and pykc.device().name in str(result)
    assert len(pykc.benchmark(lambda: None, n_repeat=10 ** 9, max_duration=0.01).cpu_times) < 10 ** 6
    with pytest.raises(ValueError):
        pykc.benchmark(pykc.sin, x)


# --- CUDA C++ ---------------------------------------------------------------------------------------------------------

CODE = r"""
extern "C" __global__ void add(const float* x, float* y, int n, double d, bool b) { y[0] = x[n] + d + b; }
struct Pair { float x, y; };
struct Large { float x[5]; };
extern "C" __global__ void pairs(Pair p, float* y) { y[0] = p.x; }
extern "C" __global__ void large(Large p, float* y) { y[0] = p.x[4]; }
template <typename T> __global__ void fill(T* y) { y[threadIdx.x] = 1; }
"""


def has_nvrtc():
    try:
        return bool(nvrtc._opened())
    except NotImplementedError:
        return False


needs_nvrtc = pytest.mark.skipif(not has_nvrtc(), reason="no NVRTC")


@needs_nvrtc
def test_entries():
    ptx, names = nvrtc.compiled(CODE, "raw.cu", (), "sm_90", ("fill<float>",))
    entries = dict(nvrtc.entries_of(ptx))
    assert entries["add"] == ("u64", "u64", "u32", "f64", "u8") and entries["pairs"] == ("struct8", "u64")
    assert entries["large"] == ("struct20", "u64") and entries[names["fill<float>"]] == ("u64",)
    with pytest.raises(_native.CompileError, match="raw.cu"):
        nvrtc.compiled("__global__ void f(int) { return 1 }", "raw.cu", (), "sm_90")


def test_entries_of_other_ptx():
    assert nvrtc.entries_of(".visible .entry k()\n{ ret; }")[0] == ("k", ())
    assert nvrtc.entries_of(".entry f (.param .u64 .ptr .global .align 4 x, .param .s16 n){}")[0].types == ("u64", "i16")


@pytest.mark.skipif(pykc.cuda.is_gpu(), reason="for the CPU device")
def test_the_cpu_device_says_what_to_write():
    with pytest.raises(NotImplementedError, match="under @cuda.jit"):
        pykc.RawKernel(CODE, "add")((1,), (1,), (1,))
    with pytest.raises(NotImplementedError, match="jitify"):
        pykc.RawModule(code=CODE, jitify=True)
    with pytest.raises(TypeError, match="`code` and `path`"):
        pykc.RawModule()


LAUNCH = f"""
import numpy as np
import pykc
import mock_driver

mock = mock_driver.load()
kernel = pykc.RawKernel(r'''{CODE}'''.replace("template <typename T> __global__ void fill(T* y)", "// "), "add")
x, y = pykc.ndarray(8, "f4"), pykc.ndarray(8, "f4")
mock.mock_set_words(5)
kernel((2, 3), (32,), (x, y, np.int32(-5), 2.5, True), shared_mem=64)
launch = mock.mock_last_launch().contents
assert launch.function == b"add" and list(launch.grid) == [2, 3, 1] and list(launch.block) == [32, 1, 1]
assert launch.shared == 64 and list(launch.words)[:2] == [x.address, y.address]
assert launch.words[2] % 2 ** 32 == 2 ** 32 - 5 and launch.words[3] == 0x4004000000000000 and launch.words[4] % 256 == 1
for bad in ((x, y, 1, 2.5), (x, y, np.float64(1), 2.5, 1), (x, y, x, 2.5, 1), (x, y, 1, "a", 1)):
    try:
        kernel((1,), (1,), bad)
    except TypeError:
        continue
    raise AssertionError(bad)
mock.mock_set_words(1)
pairs = pykc.RawModule(code=kernel.code).get_function("pairs")
mock.mock_set_words(2)
pairs((1,), (1,), (np.complex64(1 + 2j), y))
assert mock.mock_last_launch().contents.words[0] == 0x400000003f800000
try:
    pykc.RawModule(code=kernel.code).get_function("large")((1,), (1,), (1, y))
except NotImplementedError as error:
    assert "20 bytes" in str(error)
try:
    pykc.RawModule(code=kernel.code).get_function("other")((1,), (1,), ())
except AttributeError as error:
    assert "there are add" in str(error)
print(kernel.max_threads_per_block)
"""


@needs_nvrtc
def test_launches_of_raw_kernels():
    done = subprocess.run([sys.executable, "-c", LAUNCH], capture_output=True, text=True, timeout=120,
                          env=mock_driver.environment(""))
    assert done.returncode == 0 and int(done.stdout) >= 1, done.stderr


@pytest.mark.skipif(not pykc.cuda.is_gpu() or not has_nvrtc(), reason="for a GPU")
def test_raw_kernels_on_a_gpu():
    x, y = pykc.arange(8, dtype=np.float32), pykc.zeros(8, np.float32)
    pykc.RawKernel(CODE, "add")((1,), (1,), (x, y, 3, 0.5, True))
    assert y[0].item() == 4.5
    pykc.RawModule(code=CODE, name_expressions=["fill<float>"]).get_function("fill<float>")((1,), (8,), (y,))
    assert y.tolist() == [1.0] * 8
    pykc.RawModule(code=CODE).get_function("pairs")((1,), (1,), (np.complex64(7 + 2j), y))
    assert y[0].item() == 7


# --- pointers, and what allocates -------------------------------------------------------------------------------------


def test_pointers():
    x = pykc.arange(12.0).reshape(3, 4)
    pointer = x.data
    assert pointer.ptr == int(pointer) == x.address == pointer.mem.ptr and pointer.mem.size == 96
    assert x[1:, 2:].data.ptr == (pointer + 48).ptr == (64 + pointer - 16).ptr and "0x" in repr(pointer)
    assert x[::-1].data.mem.ptr == x.T.data.mem.ptr == pointer.ptr and pointer.device == pykc.cuda.Device()
    assert pointer.device_id == pointer.mem.device_id == 0


def test_arrays_at_pointers():
    x = pykc.arange(12.0).reshape(3, 4)
    part = pykc.ndarray((2, 2), float, x.data + 8)
    assert part.tolist() == [[1, 2], [3, 4]] and not part.flags.owndata
    part[...] = 7
    assert x.ravel()[:6].tolist() == [0, 7, 7, 7, 7, 5]
    assert pykc.ndarray(3, memptr=x.data + 88, strides=(-8,)).tolist() == [11, 10, 9]
    assert pykc.ndarray((4, 3), float, x.data, strides=(8, 32)).tolist() == x.T.tolist()
    by_columns = pykc.ndarray((2, 3, 2), order="F", memptr=x.data)
    assert by_columns.strides == np.empty((2, 3, 2), order="F").strides
    assert pykc.ndarray((), "f8", x.data + 8).item() == 7 and pykc.ndarray((0, 3), "f8", x.data).shape == (0, 3)
    assert pykc.ndarray(24, "i4", x.T.data).nbytes == 96
    for wrong in ({"shape": 13}, {"shape": 2, "strides": (3,)}, {"shape": 2, "memptr": x.data + 4},
                  {"shape": 2, "strides": (-8,)}):
        with pytest.raises(ValueError):
            pykc.ndarray(**{"memptr": x.data, **wrong})
    address = part.address
    del x
    pykc.empty(12)
    assert part.address == address and part.tolist() == [[7, 7], [7, 7]]


def test_memory_of_others():
    owner = pykc.ones(5)
    memory = pykc.cuda.UnownedMemory(owner.address, owner.nbytes, owner)
    found = pykc.ndarray(5, float, pykc.cuda.MemoryPointer(memory, 0))
    found += 1
    assert owner.tolist() == [2] * 5


def test_bytes_at_pointers():
    pointer, managed = pykc.cuda.alloc(100), pykc.cuda.malloc_managed(20)
    assert pointer.mem.size == 100 and isinstance(managed.mem, pykc.cuda.ManagedMemory) and managed.mem.size == 20
    pointer.memset(7, 100)
    assert pykc.ndarray(100, "u1", pointer).tolist() == [7] * 100
    host, back = np.arange(10, dtype="u1"), np.zeros(10, "u1")
    pointer.copy_from(host.ctypes.data, 10)
    (managed + 5).copy_from(pointer, 10)
    (managed + 5).copy_to_host(ctypes.c_void_p(back.ctypes.data), 10)
    assert back.tolist() == host.tolist()
    with pytest.raises(ValueError, match="not within"):
        (managed + 15).memset(0, 6)


def test_allocators():
    pool, used = pykc.cuda.MemoryPool(), pykc.get_default_memory_pool().used_bytes()
    pointer = pool.malloc(1 << 20)
    assert pool.used_bytes() == pykc.get_default_memory_pool().used_bytes() == used + (1 << 20)
    del pointer
    assert pool.used_bytes() == used
    managed = pykc.cuda.MemoryPool(pykc.cuda.malloc_managed).malloc
    try:
        pykc.cuda.set_allocator(managed)
        assert pykc.cuda.get_allocator() == managed and pykc.ones(3).sum() == 3
        assert isinstance(pykc.cuda.alloc(9).mem, pykc.cuda.ManagedMemory)
        with pykc.cuda.using_allocator(None):
            assert isinstance(pykc.cuda.alloc(9).mem, pykc.cuda.Memory)
        assert pykc.cuda.get_allocator() == managed
    finally:
        pykc.cuda.set_allocator()
    assert isinstance(pykc.cuda.alloc(0).mem, pykc.cuda.Memory)
    pykc.get_default_memory_pool().set_limit(1 << 40)
    assert pool.get_limit() == 1 << 40
    pool.set_limit(0)


def test_pinned_memory():
    for allocate in (pykc.cuda.alloc_pinned_memory, pykc.cuda.PinnedMemoryPool().malloc):
        memory = allocate(80)
        host = np.frombuffer(memory, float, 10)
        host[:] = np.arange(10)
        assert memory.ptr == int(memory) == host.ctypes.data and memory.size() >= 80 and memory.mem.ptr == memory.ptr
        assert isinstance(memory, pykc.cuda.PinnedMemoryPointer)
        assert pykc.asarray(host).sum() == 45
    pykc.cuda.set_pinned_memory_allocator(pykc.cuda.PinnedMemoryPool().malloc)
    assert np.frombuffer(allocate(0), "u1", 0).size == 0
