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
