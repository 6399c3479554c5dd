"""Programs that import Numba, run as they stand."""
import os
import subprocess
import sys

import pytest

HERE = os.path.dirname(__file__)
SCRIPT = '''
import sys
import numba
import numba.cuda as same
import numpy as np
from numba import cuda, float32, guvectorize, jit, njit, prange, types, vectorize
from numba.core.errors import NumbaPerformanceWarning, TypingError
from numba.cuda import libdevice, grid
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32

assert same is cuda and numba.cuda is cuda


@cuda.jit
def kernel(states, out):
    i = grid(1)
    if i < out.size:
        out[i] = xoroshiro128p_uniform_float32(states, i) + libdevice.sqrt(float32(0.0))


out = np.zeros(100, np.float32)
kernel[1, 128](create_xoroshiro128p_states(128, seed=1), out)
cuda.synchronize()
assert 0.3 < out.mean() < 0.7 and len(set(out)) > 90
exec("""
@cuda.jit
def made(x):
    x[0] = 42
""")
made[1, 1](out)
cuda.synchronize()
print(out[0], sys.argv[1:], __name__)
'''


def run(*arguments, **options):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, **options)


def test_script(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    done = run("-m", "pykc", str(path), "a", "b")
    assert done.stdout.strip() == "42.0 ['a', 'b'] __main__", done.stderr
    done = run("-m", "pykc", "-m", "script", "c", cwd=tmp_path)
    assert done.stdout.strip() == "42.0 ['c'] __main__", done.stderr


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "docs/cupy.md"])
def test_programs_of_the_pages(page):
    with open(os.path.join(HERE, "../..", page)) as file:
        programs = [part.split("```")[0] for part in file.read().split("```python\n")[1:]]
    programs = [program for program in programs if "from pykc import cuda" in program or "import pykc" in program]
    assert programs
    for program in programs:
        done = run("-c", program)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
@pytest.mark.parametrize("how", [(), ("-m",)])
def test_processes_of_a_script(tmp_path, method, how):
    path = tmp_path / "script.py"
    path.write_text("""
import multiprocessing
import sys
import numpy as np
from numba import cuda


@cuda.jit
def add_one(x):
    x[cuda.grid(1)] += 1


def child(n):
    made = {}
    exec("from numba import cuda\\n@cuda.jit\\ndef k(x):\\n    x[0] += 1", made)
    x = np.zeros(n)
    add_one[1, n](x)
    made["k"][1, 1](x)
    return int(x.sum())


if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(1, maxtasksperchild=1) as pool:
        print(pool.map(child, [3, 4]))
""")
    done = run("-m", "pykc", *how, "script" if how else str(path), method, cwd=tmp_path, timeout=60)
    assert done.stdout.strip() == "[4, 5]", done.stderr


def test_numbapro(tmp_path):
    path = tmp_path / "script.py"
    path.write_text("""
import numpy
from numbapro import cuda, vectorize


@vectorize(["float32(float32, float32)"], target="gpu")
def add(a, b):
    return a + b


x = cuda.to_device(numpy.arange(3, dtype=numpy.float32))
print(add(x, numpy.float32(1)).copy_to_host())
""")
    assert run("-m", "pykc", str(path)).stdout.strip() == "[1. 2. 3.]"


def test_cupy_where_it_is_not_installed(tmp_path):
    path = tmp_path / "script.py"
    path.write_text("import sys\nsys.modules['cupy'] = None\nimport cupy as cp\n")
    done = run("-m", "pykc", str(path))
    assert done.returncode == 1 and "`import pykc as cp` has its arrays and functions" in done.stderr


def test_usage():
    assert run("-m", "pykc").returncode == 2
    assert "python -m pykc script.py" in run("-m", "pykc", "--help").stdout


def test_what_is_not_public_says_so():
    done = run("-c", "import pykc; pykc.install_as_numba(); import numba.core.typing")
    assert done.returncode == 1 and "docs/python.md" in done.stderr


def test_programs_ask_for_a_device():
    done = run("-c", """if 1:
        import pykc
        pykc.install_as_numba()
        from numba import cuda
        from numba.cuda.cudadrv.error import CudaSupportError
        try:
            cuda.cudadrv.devices.gpus.current
        except CudaSupportError:
            print("none")
        print(cuda.cudadrv.error.CudaSupportError is CudaSupportError)""")
    assert done.stdout.strip() == "True", done.stderr


def in_place_of_numba(program: str) -> str:
    done = run("-c", "import pykc; pykc.install_as_numba()\n" + program)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_all_names_of_numba():
    in_place_of_numba("""
from numba import *
import numpy as np

@cuda.jit((float32[:], f8, intp, i2))
def kernel(z, x, n, k):
    z[n] = x + k

@vectorize([f4(f4, f4), double(double, double)])
def add(a, b):
    return a + b

@njit
def total(n):
    found = uint8(0)
    for i in prange(n):
        found += i
    return found

z = np.zeros(3, np.float32)
kernel[1, 1](z, 1.5, 2, 3)
cuda.synchronize()
assert z.tolist() == [0, 0, 4.5] and add(z, z).tolist() == [0, 0, 9] and total(4) == 6
assert void(boolean, c16, complex64, b1, u1, uintp).return_type == none
assert issubclass(TypingError, NumbaError)
assert issubclass(NumbaPerformanceWarning, NumbaWarning) and errors.NumbaWarning is NumbaWarning
""")


def test_modules_that_programs_import():
    assert in_place_of_numba("""
import numba, numpy as np
from numba import cuda, float32
from numba.core.errors import NumbaPerformanceWarning
from numba.cuda.cudadrv.devicearray import DeviceNDArray, auto_device, is_cuda_ndarray
from numba.cuda.cudadrv.driver import CudaAPIError
from numba.cuda.dispatcher import CUDADispatcher
from numba.cuda.kernels.reduction import Reduce
from numba.cuda.kernels.transpose import transpose
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_dtype, xoroshiro128p_type
from numba.cuda.random import xoroshiro128p_uniform_float32
from numba.core.errors import NumbaPedanticWarning
from numba.cuda.testing import ContextResettingTestCase, CUDATestCase, skip_on_cudasim, skip_unless_cudasim, unittest
from numba.extending import is_jitted, register_jitable

@register_jitable
def twice(x):
    return 2 * x

@register_jitable(inline="always")
def thrice(x):
    return 3 * x

@cuda.jit((xoroshiro128p_type[:], float32[:]))
def kernel(states, z):
    z[0] = twice(z[0]) + thrice(z[0])
    z[1] = xoroshiro128p_uniform_float32(states, 0)

z = np.ones(2, np.float32)
states = create_xoroshiro128p_states(1, seed=1)
kernel[1, 1](states, z)
cuda.synchronize()
assert z[0] == 5 and 0 < z[1] < 1 and twice(2) == 4 and states.dtype == xoroshiro128p_dtype
assert isinstance(kernel, CUDADispatcher) and is_jitted(kernel) and not is_jitted(twice)
assert issubclass(CudaAPIError, RuntimeError) and cuda.CudaSupportError is CudaAPIError
d, new = auto_device(z)
assert isinstance(d, DeviceNDArray) and new and is_cuda_ndarray(d) and not is_cuda_ndarray(z)
m = cuda.to_device(np.arange(6.0).reshape(2, 3))
assert transpose(m).copy_to_host().tolist() == [[0, 3], [1, 4], [2, 5]] and Reduce is cuda.Reduce
assert transpose(m, transpose(m)).is_c_contiguous() and cuda.kernels.reduction.Reduce is Reduce
assert auto_device(d) == (d, False) and auto_device(z, copy=False)[0].shape == (2,)
assert cuda.runtime.get_version() >= (11, 0) and cuda.runtime.is_supported_version()
assert issubclass(ContextResettingTestCase, CUDATestCase) and issubclass(NumbaPedanticWarning, numba.NumbaWarning)
assert numba.NumbaPerformanceWarning is NumbaPerformanceWarning and numba.extending.register_jitable

class Tests(ContextResettingTestCase):
    @skip_on_cudasim("needs a GPU")
    def test_it(self):
        self.assertEqual(cuda.config.CUDA_WARN_ON_IMPLICIT_COPY, 0)

    @skip_unless_cudasim("of the simulator")
    def test_not(self):
        raise ValueError

tests = unittest.defaultTestLoader.loadTestsFromTestCase(Tests)
found = unittest.TextTestRunner(stream=open("/dev/null", "w")).run(tests)
print(found.testsRun, len(found.skipped), found.wasSuccessful(), cuda.config.CUDA_WARN_ON_IMPLICIT_COPY)
""") == "2 1 True 1"


def test_what_numba_says_of_itself():
    in_place_of_numba("""
import numba
import numpy as np
from numba import cuda, size_t, ssize_t
from numba.core.errors import TypingError
from numba.cuda.cudadrv.driver import driver
assert numba.version_info.short == (0, 62) and numba.version_info.full == (0, 62, 1)
assert numba.version_info.string == numba.__version__ and numba.version_info.major == 0
assert size_t == numba.uint64 and ssize_t == numba.int64
numba.set_num_threads(1)
assert numba.get_num_threads() == 1
for wrong, error in ((0, ValueError), (10 ** 6, ValueError), (1.5, TypeError)):
    try:
        numba.set_num_threads(wrong)
        assert False
    except error:
        pass
assert driver.get_device_count() == len(cuda.gpus) and driver.get_version() == cuda.runtime.get_version()
assert cuda.devices.get_context().device == cuda.devices.get_context(0).device == cuda.gpus[0]
assert cuda.driver.driver is driver

@cuda.jit
def kernel(x):
    x[0] = names["a"]

names = {"a": 1}
for kind in (TypingError, TypeError):
    try:
        kernel[1, 1](np.zeros(1))
        assert False
    except kind as error:
        assert "cannot use `names`, a dict" in str(error)
""")


def test_too_late():
    done = run("-c", "import sys, types; sys.modules['numba'] = types.ModuleType('numba')\n"
                     "import pykc; pykc.install_as_numba()")
    assert "Numba is imported already" in done.stderr


def test_a_launch_without_numpy():
    done = run("-c", "import array, sys\nfrom pykc import cuda\n@cuda.jit\ndef f(x):\n    x[0] = 42\n"
                     "x = array.array('f', [0.0])\nf[1, 1](x)\nf[1, 1](x)\nprint(x[0], 'numpy' in sys.modules)")
    assert done.stdout.strip() == "42.0 False", done.stderr


def test_import_is_light():
    done = run("-c", "import sys; before = set(sys.modules); import pykc; "
                     "print(sorted({'numpy', 'ast', 'pykc._native'} & (set(sys.modules) - before)))")
    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.parametrize("example", sorted(name for name in os.listdir(os.path.join(HERE, "../../examples/numba"))
                                           if name.endswith(".pyk")))
def test_examples_of_numbas_documentation(example):
    done = run(os.path.join(HERE, "run_pyk.py"), os.path.join(HERE, "../../examples/numba", example))
    assert done.returncode == 0, done.stderr
