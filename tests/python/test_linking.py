"""Code that somebody else compiled, in kernels: `declare_device` and `link=`. What needs a GPU runs where there is one;
elsewhere a driver that launches nothing is asked what it was given."""
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest
from mock_driver import environment

from pykc import cuda
from pykc.cuda import _linking
from pykc.types import Array, float32, int32

ON_GPU = cuda.is_gpu()
gpu = pytest.mark.skipif(not ON_GPU, reason="needs a GPU")
PTXAS, NVCC = shutil.which("ptxas"), shutil.which("nvcc")

SOURCE = """
extern "C" __device__ int scaled(float* result, float x, int n) { *result = x * n; return 0; }
extern "C" __device__ int total(float* result, const float* x, long long n) {
  *result = 0;
  for (long long i = 0; i < n; ++i) *result += x[i];
  return 0;
}
extern "C" __device__ float twice(float x) { return 2 * x; }
extern "C" __device__ int marked(void*, int* x) { *x = 7; return 0; }
"""
PTX = """
.version 6.3
.target sm_75
.address_size 64
.visible .func (.param .b32 returned) twice(.param .b32 x)
{
  .reg .b32 %x;
  ld.param.b32 %x, [x];
  add.f32 %x, %x, %x;
  st.param.b32 [returned], %x;
  ret;
}
"""


def run(function, *arrays):
    """Launches a kernel that calls FUNCTION."""
    function[1, 32](*arrays)
    cuda.synchronize()


def doubled_by(twice):
    @cuda.jit
    def doubled(z, x):
        i = cuda.grid(1)
        if i < z.size:
            z[i] = twice(x[i])
    return doubled


@pytest.mark.parametrize("link, what", [
    ("bar", "file with no extension"), ("bar.cuh", "file with extension .cuh"), ("bar.ltoir", "extension .ltoir")])
def test_unknown_kinds(link, what):
    with pytest.raises(RuntimeError, match=what):
        cuda.declare_device("bar", "float32(float32)", link=link)


def test_missing_file():
    with pytest.raises(FileNotFoundError, match="missing.a"):
        cuda.jit(link=["missing.a"])


@pytest.mark.parametrize("signature", ["float32", "(float32[:],)", (float32,), float32])
def test_signature_without_result(signature):
    with pytest.raises(TypeError, match="Return type must be provided for device declarations"):
        cuda.declare_device("bar", signature)


@pytest.mark.parametrize("signature, what", [("int8(float32)", "not int8"), ("int32(float32[:])", "CPointer")])
def test_types_that_c_passes_differently(signature, what):
    with pytest.raises(TypeError, match=what):
        cuda.declare_device("bar", signature)


def test_other_arguments():
    with pytest.raises(ValueError, match="no symbol"):
        cuda.declare_device("a b", "int32()")
    with pytest.raises(NotImplementedError, match="abi='cpp'"):
        cuda.declare_device("bar", "int32()", abi="cpp")
    with pytest.raises(NotImplementedError, match="this_grid"):
        cuda.declare_device("bar", "int32()", use_cooperative=True)
    with pytest.raises(NotImplementedError, match="setup_callback"):
        cuda.PTXSource(PTX, setup_callback=print)
    with pytest.raises(RuntimeError, match="only kernels can call it"):
        cuda.declare_device("bar", "int32()")()


@pytest.mark.skipif(ON_GPU, reason="of the CPU device")
def test_the_cpu_device_says_what_to_write():
    twice = cuda.declare_device("twice", "float32(float32)", link=cuda.PTXSource(PTX, "twice.ptx"))
    with pytest.raises(NotImplementedError, match=r"twice.ptx.*@cuda.jit\(device=True\)"):
        run(doubled_by(twice), np.zeros(4, np.float32), np.ones(4, np.float32))


@pytest.mark.skipif(shutil.which("clang-22") is None and shutil.which("clang") is None, reason="needs clang")
def test_bitcode_runs_on_the_cpu_device(tmp_path):
    if ON_GPU:
        pytest.skip("of the CPU device")
    source = tmp_path / "twice.c"
    source.write_text("float twice(float x) { return 2 * x; }\n")
    clang = shutil.which("clang-22") or shutil.which("clang")
    subprocess.run([clang, "-c", "-emit-llvm", "-O1", str(source), "-o", str(tmp_path / "twice.bc")], check=True)
    twice = cuda.declare_device("twice", "float32(float32)", link=tmp_path / "twice.bc", abi="c")
    z = np.zeros(4, np.float32)
    run(doubled_by(twice), z, np.arange(4, dtype=np.float32))
    assert (z == [0, 2, 4, 6]).all()


def test_a_pointer_of_cffi_is_the_array():
    ffi = pytest.importorskip("cffi").FFI()

    @cuda.jit(device=True)
    def mark(x):
        x[0] = 7

    @cuda.jit
    def kernel(x):
        i = cuda.grid(1)
        if i < x.size:
            mark(ffi.from_buffer(x[i:]))

    x = np.zeros(4, np.int32)
    run(kernel, x)
    assert (x == 7).all()


@pytest.mark.skipif(PTXAS is None, reason="needs ptxas")
@pytest.mark.parametrize("abi", ["numba", "c"])
@pytest.mark.parametrize("signature", ["void(CPointer(uint8))", "float32(float32, CPointer(float64), int64)",
                                       "int64(CPointer(int8))",
                                       "float64(int32, uint32, uint64, CPointer(int32))"])
def test_bridges_assemble(signature, abi, tmp_path):
    declared = _linking.Declared("bar", _linking.parsed(signature), (), abi)
    (tmp_path / "bridge.ptx").write_text(declared._bridge())
    subprocess.run([PTXAS, "-c", "-arch=sm_90", str(tmp_path / "bridge.ptx"), "-o", str(tmp_path / "bridge.cubin")],
                   check=True)


def kernels():
    """A kernel of all of SOURCE, with the arrays that show it."""
    scaled = cuda.declare_device("scaled", float32(float32, int32))
    total = cuda.declare_device("total", "float32(CPointer(float32), int64)")
    twice = cuda.declare_device("twice", "float32(float32)", abi="c")
    marked = cuda.declare_device("marked", "void(CPointer(int32))")
    return scaled, total, twice, marked


def body(scaled, total, twice, marked, link):
    @cuda.jit(link=link)
    def kernel(z, marks, x):
        z[0] = scaled(x[1], 3)
        z[1] = total(x[1:], x.size - 1)
        z[2] = twice(x[2])
        marked(marks[2:])
    return kernel


@pytest.mark.skipif(PTXAS is None or NVCC is None, reason="needs nvcc")
@pytest.mark.parametrize("option, ending", [("-ptx", "ptx"), ("-cubin", "cubin"), ("-fatbin", "fatbin"), ("-dc", "o")])
def test_linked_by_nvcc(option, ending, tmp_path):
    """What the driver would link: the kernel's PTX, that of the bridges, and the code; here by nvlink."""
    (tmp_path / "code.cu").write_text(SOURCE)
    code = tmp_path / f"code.{ending}"
    rdc = [] if option == "-dc" else ["-rdc=true"]
    subprocess.run([NVCC, "-arch=sm_90", *rdc, option, str(tmp_path / "code.cu"), "-o", str(code)], check=True)
    kernel = body(*kernels(), [code])
    from pykc._modules import program_of
    signature = tuple(Array(type_, 1, "C") for type_ in (float32, int32, float32))
    ptx = kernel.text_of("asm", signature, "sm_90")
    files = [code] if ending != "ptx" else []
    for number, (name, data) in enumerate([("kernel", ptx.encode() if isinstance(ptx, str) else ptx),
                                           *program_of(kernel).libraries("sm_90")]):
        if name == str(code) and ending != "ptx":
            continue
        text, cubin = tmp_path / f"{number}.ptx", tmp_path / f"{number}.cubin"
        text.write_bytes(data)
        subprocess.run([PTXAS, "-c", "-arch=sm_90", str(text), "-o", str(cubin)], check=True)
        files.append(cubin)
    if ending != "fatbin":  # which nvlink takes from the driver alone
        linked = subprocess.run([str(pathlib.Path(NVCC).parent / "nvlink"), "-arch=sm_90", *map(str, files), "-o",
                                 str(tmp_path / "all.cubin")], capture_output=True, text=True)
        assert linked.returncode == 0 and "rototype" not in linked.stderr, linked.stderr


MOCKED = """
import numpy as np
import mock_driver
mock = mock_driver.load()
from pykc import cuda
from test_linking import PTX, doubled_by
twice = cuda.declare_device("twice", "float32(float32)", link=cuda.PTXSource(PTX))
kernel = doubled_by(twice)
kernel[1, 32](cuda.device_array(4, np.float32), cuda.device_array(4, np.float32))
kernel[1, 32](cuda.device_array(4, np.float32), cuda.device_array(4, np.float32))
print(mock.mock_calls(b"cuLinkAddData"), mock.mock_calls(b"cuLinkComplete"))
"""


def test_the_driver_links_once():
    """The kernel, the code and the bridge."""
    told = subprocess.run([sys.executable, "-c", MOCKED], env=environment("cuda:0"), capture_output=True, text=True)
    assert told.stdout.split() == ["3", "1"], told.stderr


@gpu
def test_ptx_on_a_gpu():
    twice = cuda.declare_device("twice", "float32(float32)", link=cuda.PTXSource(PTX), abi="c")
    z = np.zeros(4, np.float32)
    run(doubled_by(twice), z, np.arange(4, dtype=np.float32))
    assert (z == [0, 2, 4, 6]).all()


def has_nvrtc() -> bool:
    from pykc._arrays import nvrtc
    try:
        return bool(nvrtc._opened())
    except NotImplementedError:
        return False


@gpu
@pytest.mark.skipif(not has_nvrtc(), reason="needs NVRTC")
def test_cuda_source_on_a_gpu():
    z, marks = np.zeros(3, np.float32), np.zeros(4, np.int32)
    body(*kernels(), [cuda.CUSource(SOURCE)])[1, 1](z, marks, np.arange(5, dtype=np.float32))
    assert (z == [3, 10, 4]).all() and (marks == [0, 0, 7, 0]).all()


@gpu
@pytest.mark.skipif(NVCC is None, reason="needs nvcc")
@pytest.mark.parametrize("option, ending", [("-ptx", "ptx"), ("-cubin", "cubin"), ("-fatbin", "fatbin"), ("-dc", "o"),
                                            ("-lib", "a")])
def test_compiled_code_on_a_gpu(option, ending, tmp_path):
    (tmp_path / "code.cu").write_text(SOURCE)
    code = tmp_path / f"code.{ending}"
    major, minor = cuda.get_current_device().compute_capability
    subprocess.run([NVCC, f"-arch=sm_{major}{minor}", "-rdc=true", option, str(tmp_path / "code.cu"), "-o", str(code)],
                   check=True)
    z, marks = np.zeros(3, np.float32), np.zeros(4, np.int32)
    body(*kernels(), [code])[1, 1](z, marks, np.arange(5, dtype=np.float32))
    assert (z == [3, 10, 4]).all() and (marks == [0, 0, 7, 0]).all()


@gpu
@pytest.mark.skipif(not has_nvrtc(), reason="needs NVRTC")
def test_a_pointer_of_cffi_on_a_gpu():
    ffi = pytest.importorskip("cffi").FFI()
    marked = cuda.declare_device("marked", "void(CPointer(int32))", link=cuda.CUSource(SOURCE))

    @cuda.jit
    def kernel(x):
        marked(ffi.from_buffer(x))

    x = np.zeros(2, np.int32)
    run(kernel, x)
    assert (x == [7, 0]).all()
