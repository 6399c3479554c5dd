"""Modules of the language in Python programs: the library's, and .pyk files beside a script."""
import subprocess
import sys

import numpy as np
import pytest

import mock_driver
import pykc
from pykc import cuda

LENSES = '''"""Of lenses."""
from pykc import *

POWER = 3


@device
def bent(x):
    return x * POWER


def focal(x):
    return cdiv(x, POWER)


@kernel
def bend_all(out: f32[:], x: f32[:]):
    i = grid(1)
    if i < len(x):
        out[i] = bent(x[i])


@test
def test_nothing():
    raise ValueError


def main():
    print(zeros(2, f32).get())
'''


@pytest.fixture
def lenses(tmp_path, monkeypatch):
    (tmp_path / "optics").mkdir()
    (tmp_path / "optics" / "lenses.pyk").write_text(LENSES)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in ("optics", "optics.lenses"):
        sys.modules.pop(name, None)


def test_files(lenses):
    from optics.lenses import POWER, bend_all, bent, focal, main

    @cuda.jit
    def kernel(out):
        out[0] = bent(2) + POWER

    out = np.zeros(3, np.float32)
    kernel[1, 1](out)
    cuda.synchronize()
    assert out[0] == 9 and focal(7) == 3
    bend_all[1, 3](out, np.arange(3, dtype=np.float32))
    cuda.synchronize()
    assert out.tolist() == [0, 3, 6]
    main()


def test_errors_name_the_file(lenses):
    (lenses / "wrong.pyk").write_text("from pykc import *\n\n\n@kernel\ndef f(x: f32[:]):\n    x[0] = nothing\n")
    from wrong import f
    with pytest.raises(pykc.CompileError, match=r"wrong\.pyk:6:12"):
        f[1, 1](np.zeros(1, np.float32))
    with pytest.raises(ModuleNotFoundError, match="nowhere_at_all"):
        import nowhere_at_all  # noqa: F401


def test_python_comes_first(lenses):
    (lenses / "both.pyk").write_text("VALUE = 1\n")
    (lenses / "both.py").write_text("VALUE = 2\n")
    import both
    assert both.VALUE == 2


def test_the_library():
    from pykc.reduce import REDUCE_BLOCK, add, block_reduce, reduce_all
    from pykc.transpose import transpose
    import pykc.matmul

    @cuda.jit
    def kernel(out, x):
        partial = cuda.shared.array(REDUCE_BLOCK, np.float64)
        out[0] = block_reduce(partial, x[cuda.threadIdx.x], lambda a, b: a + b)

    x = np.arange(64.0)
    out = np.zeros(1)
    kernel[1, 64](out, x)
    total = pykc.zeros(1, "int64")
    reduce_all(total, pykc.arange(1000), add, 0)
    a = pykc.arange(6, dtype="float32").reshape(2, 3)
    b = pykc.zeros((3, 2), "float32")
    transpose(b, a)
    assert out[0] == x.sum() and total.get() == [499500] and np.array_equal(b.get(), a.get().T)
    assert pykc.matmul(a, b).shape == (2, 2)  # the function of arrays, too
    with pytest.raises(ModuleNotFoundError):
        import pykc.unheard_of  # noqa: F401


@pykc.autotune(configs=[pykc.config(TILE=32, STEP=2), pykc.config(TILE=64, STEP=3)])
@pykc.kernel(wraparound=False)
def strided(x: pykc.i64[:], op, TILE: pykc.constexpr, STEP: pykc.constexpr):
    i = pykc.blockIdx.x * TILE + pykc.threadIdx.x
    if i < len(x):
        x[i] = op(x[i], i)


def test_autotune():
    for op, expected in ((lambda a, b: a + b, 1), (lambda a, b: a - b, 0)):
        x = np.ones(100, np.int64) if expected else x  # noqa: F821
        strided[lambda c: pykc.cdiv(len(x), c.TILE), lambda c: c.TILE](x, op)
        cuda.synchronize()
        assert x.tolist() == [1 + expected * i for i in range(100)]
    with pytest.raises(ValueError, match="a grid, a block"):
        strided[1]
    with pytest.raises(ValueError, match="a grid, a block"):
        strided[1, 2, 3, 4]


ON_A_GPU = """
import numpy as np
import mock_driver
mock = mock_driver.load()
from test_imports import strided

x = np.ones(100, np.int64)
strided[4, 32](x, lambda a, b: a + b)
print(mock.mock_calls(b"cuMemcpyDtoH") + mock.mock_calls(b"cuMemcpyDtoHAsync"))
"""


def test_what_a_tuned_kernel_writes_comes_back():
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", ON_A_GPU], capture_output=True, text=True,
                          timeout=120, env=mock_driver.environment("cuda:0"))
    assert done.returncode == 0 and int(done.stdout) == 1, done.stdout + done.stderr


def test_functions_and_types_as_arguments():
    @pykc.kernel
    def fold(out: pykc.f64[:], op, start: pykc.constexpr):
        out[0] = op(start, out[0])

    out = np.full(1, 2.0)
    fold[1, 1](out, lambda a, b: a * b, 5)
    fold[1, 1](out, lambda a, b: a - b, 4)
    fold[1, 1](out, lambda a, b: a - b, np.float32(0.5))

    @cuda.jit
    def converted(out, kind):
        out[0] = kind(2.75)

    cuda.synchronize()
    assert out[0] == 0.5 - (4 - 10)
    for kind, expected in ((np.int32, 2), (np.float64, 2.75)):
        converted[1, 1](out, kind)
        cuda.synchronize()
        assert out[0] == expected


def test_import_of_a_file_is_all_it_takes(lenses):
    done = subprocess.run([sys.executable, "-c", "import pykc; from optics.lenses import POWER; print(POWER)"],
                          capture_output=True, text=True, cwd=lenses)
    assert done.stdout.strip() == "3", done.stderr
