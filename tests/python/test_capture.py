"""What functions refer to: by value, and compiled again where it has changed."""
import builtins
import collections
import enum
import math
import operator
import pathlib
import random
import re
import time
import unittest.mock
from math import sqrt as root

import helper_module
import numpy as np
import pytest
from numpy import float32 as single

import pykc
from pykc import cuda, types


def run(kernel, *arguments, count=1, dtype=np.float64):
    out = np.zeros(count, dtype)
    kernel[1, 1](out, *arguments)
    cuda.synchronize()
    return out[0] if count == 1 else out.tolist()


class Color(enum.IntEnum):
    red = 3
    green = 4


class Shape(enum.Enum):
    round = 1
    square = 2


Point = collections.namedtuple("Point", ["x", "y"])
RECORD = np.dtype([("a", np.int32), ("b", np.float32)])
PARTS = np.dtype([("a", np.int8), ("b", np.int32, (2, 1))])
GAPS = np.dtype({"names": ["a", "b"], "formats": ["<i2", "<f8"], "offsets": [0, 16], "itemsize": 32})

VALUES = [
    (7, "x", 7), (-(2 ** 40), "x", -(2 ** 40)), (True, "x + 1", 2), (2.5, "x", 2.5), (float("inf"), "x", math.inf),
    (1 + 2j, "x.imag", 2), ("abc", "len(x)", 3), (None, "1 if x is None else 2", 1),
    (np.float32(1.5), "x", 1.5), (np.int8(-3), "x", -3), (np.bool_(True), "x + 1", 2), (np.complex64(1j), "x.imag", 1),
    ((1, (2.5, 3)), "x[1][0] + x[0]", 3.5), ((), "len(x)", 0), ([1, 2, 3], "x[1]", 2), (Point(1, 2), "x.y", 2),
    (np.arange(6, dtype=np.int16).reshape(2, 3), "x[1, 2]", 5), (np.zeros((0, 3)), "x.shape[1]", 3),
    (np.array([1.5, math.inf]), "x[0]", 1.5), (np.array([[1, 2], [3, 4]]).T, "x[0, 1]", 3),
    (np.array([(1, [[2], [3]])], PARTS), "x[0].b[1, 0]", 3), (np.array([(1, 2.5)], RECORD), "x[0].b", 2.5), (np.array([(1, 2.5), (3, 4.5)], GAPS), "x[1].b", 4.5),
    (np.array([True, False]), "x[0] + 1", 2), ((np.array([1.0]), np.array([2.0, 3.0])), "x[1][1]", 3),
    (Color.green, "x", 4), (Color, "x.green", 4), (Shape, "1 if x.round == x.round else 0", 1),
    (root, "x(16.0)", 4), (math, "x.sqrt(16.0)", 4), (operator.add, "x(1, 2)", 3), (np.sin, "x(0.0)", 0),
    (np, "x.float32(2.5)", 2.5), (single, "x(2.5)", 2.5), (types.int32, "x(2.5)", 2), (types, "x.int32(2.5)", 2),
    (int, "x(2.5)", 2), (abs, "x(-2)", 2), (cuda.grid, "x(1)", 0), (cuda.threadIdx, "x.x", 0),
    (np.dtype("f4"), "1 if out.dtype == x else 2", 2), (helper_module, "x.scaled(x.FACTOR) + x.plain(1)", 11),
    ((np.float32, types.int16, int), "x[0](0.5) + x[1](2.7) + x[2](1.5)", 3.5),
    ((helper_module.plain, math.sqrt, (abs, np.maximum)), "x[0](1) + x[1](16.0) + x[2][0](-1) + x[2][1](3, 1)", 10),
    (helper_module.plain, "x(1)", 2), (lambda a: a * 2, "x(4)", 8),
]


def name(value, expression, expected):
    """The same in every process: without the addresses of functions."""
    return re.sub(" at 0x[0-9a-f]+", "", f"{expression} of {value!r}")[:60]


@pytest.mark.parametrize("value, expression, expected", VALUES, ids=[name(*row) for row in VALUES])
def test_value(value, expression, expected, tmp_path):
    source = tmp_path / "made.py"
    source.write_text(f"def make(x):\n    def kernel(out):\n        out[0] = {expression}\n    return kernel\n")
    names = {}
    exec(compile(source.read_text(), str(source), "exec"), names)
    assert run(cuda.jit(names["make"](value))) == expected


N = 3
TABLE = np.array([1.0, 2.0])
helper = helper_module.plain


def test_a_global_that_changes_compiles_again(monkeypatch):
    @cuda.jit
    def kernel(out):
        out[0] = N

    assert run(kernel) == 3
    monkeypatch.setitem(globals(), "N", 5)
    assert run(kernel) == 5
    monkeypatch.setitem(globals(), "N", 3)
    assert run(kernel) == 3


def test_an_array_that_changes_in_place_compiles_again():
    @cuda.jit
    def kernel(out):
        out[0] = TABLE[0]

    assert run(kernel) == 1
    TABLE[0] = 9
    assert run(kernel) == 9
    TABLE[0] = 1


def test_a_closure_that_changes_compiles_again():
    n = 1

    @cuda.jit
    def kernel(out):
        out[0] = n

    assert run(kernel) == 1
    n = 2
    assert run(kernel) == 2


def test_a_module_attribute_and_a_helper_that_change(monkeypatch):
    @cuda.jit
    def kernel(out):
        out[0] = helper_module.scaled(1) + helper(1)

    assert run(kernel) == 5
    monkeypatch.setattr(helper_module, "FACTOR", 10)
    assert run(kernel) == 12
    monkeypatch.setitem(globals(), "helper", cuda.jit(device=True)(lambda a: a + 100))
    assert run(kernel) == 111


def test_closures_of_one_function_are_kernels_of_their_own():
    def make(n, function):
        @cuda.jit
        def kernel(out):
            out[0] = function(n)
        return kernel

    first, second = make(1, helper_module.plain), make(2, helper_module.scaled)
    assert (run(first), run(second), run(first)) == (2, 6, 2)


def test_recursion():
    @cuda.jit(device=True)
    def factorial(n):
        if n < 2:
            return 1
        return n * factorial(n - 1)

    @cuda.jit
    def kernel(out, n):
        out[0] = factorial(n)

    assert run(kernel, 5) == 120


def even(n) -> types.boolean:
    if n == 0:
        return True
    return odd(n - 1)


def odd(n) -> types.boolean:
    if n == 0:
        return False
    return even(n - 1)


def test_functions_that_call_one_another():
    @cuda.jit
    def kernel(out, n):
        out[0] = even(n) + 2 * odd(n)

    assert (run(kernel, 4), run(kernel, 5)) == (1, 2)


def test_kernels_call_kernels_and_functions_of_both_dialects():
    @pykc.device
    def native(x):
        return x * 2

    @cuda.jit
    def inner(x):
        return native(x) + 1

    @cuda.jit
    def kernel(out):
        out[0] = inner(np.float32(20))

    assert run(kernel) == 41


def test_native_rules_hold_under_pykc_kernel():
    @pykc.kernel
    def native(out: pykc.f64[:], x: pykc.f32[:]):
        out[0] = x[0] * 1.1

    @cuda.jit
    def numba(out, x):
        out[0] = x[0] * 1.1

    x = np.array([1.0], np.float32)
    assert run(native, x) == float(np.float32(1.1))
    assert run(numba, x) == 1.1


def test_names_of_kernels_stand_in_the_package():
    """Those of the prelude, as docs/builtins.md lists them, that Python has not itself."""
    pages = pathlib.Path(__file__, "../../../docs/builtins.md").resolve().read_text()
    names = set(re.findall(r"^\| `([a-z]\w*)\(", pages, re.M)) - {*dir(builtins), "breakpoint"}
    assert len(names) > 100 and not [name for name in names if not hasattr(pykc, name)]

    @pykc.kernel
    def bits(out: pykc.i32[:], x: pykc.f32[:]):
        out[0] = pykc.float_as_int(pykc.add_ru(x[0], 0.5)) + pykc.funnelshift_l(1, 1, 4)

    out = np.zeros(1, np.int32)
    bits[1, 1](out, np.ones(1, np.float32))
    assert out[0] == np.float32(1.5).view(np.int32) + 16

    @pykc.kernel
    def unknown(out: pykc.i32[:]):
        out[0] = pykc.float_to_int(1.5)

    with pytest.raises(pykc.CompileError, match="module `pykc` has no `float_to_int`"):
        unknown[1, 1](out)


def test_another_thread_selects_another_device():
    @cuda.jit
    def kernel(out):
        out[0] = 7

    assert run(kernel) == run(kernel) == 7
    with cuda.gpus[0]:
        assert run(kernel) == 7


class Endless:
    """Has every attribute."""

    def __getattr__(self, name):
        return Endless()


@pytest.mark.parametrize("what", [Endless(), unittest.mock.MagicMock(), unittest.mock.Mock(), (unittest.mock.Mock(),)])
def test_what_has_every_attribute(what):
    @cuda.jit
    def kernel(out):
        out[0] = what.size

    with pytest.raises(pykc.CaptureError, match="cannot use `what`, a (Endless|Mock|MagicMock)"):
        run(kernel)


@pytest.mark.parametrize("function, said", [(random.random, "xoroshiro"), (random.Random(1).gauss, "xoroshiro"),
                                            (time.time, "event_elapsed_time")])
def test_functions_of_the_host_that_kernels_have_otherwise(function, said):
    @cuda.jit
    def kernel(out):
        out[0] = function()

    with pytest.raises(pykc.CaptureError, match=said):
        run(kernel)


def test_a_list_that_holds_itself():
    endless = [1]
    endless.append(endless)

    @cuda.jit
    def kernel(out):
        out[0] = endless[0]

    with pytest.raises(pykc.CaptureError, match="cannot use `endless`, a list: what it holds never ends"):
        run(kernel)


def test_a_device_array_is_no_constant():
    array = cuda.to_device(np.zeros(3))

    @cuda.jit
    def kernel(out):
        out[0] = array[0]

    with pytest.raises(pykc.CaptureError, match="takes it as an argument"):
        run(kernel)


@pytest.mark.parametrize("align", [False, True])
def test_records_keep_their_layout(align):
    dtype = np.dtype([("flag", np.uint8), ("value", np.float64), ("parts", np.int16, (3,))], align=align)
    x = np.zeros(2, dtype)
    x[1] = (3, 4.5, (5, 6, 7))

    @cuda.jit
    def through_shared_memory(x, out):
        shared = cuda.shared.array(2, dtype)
        shared[1] = x[1]
        out[0] = shared[1]
        out[0].parts[2] += 1

    out = np.zeros(1, dtype)
    through_shared_memory[1, 1](x, out)
    assert out[0].tolist()[:2] == (3, 4.5) and out[0]["parts"].tolist() == [5, 6, 8]


def test_named_tuple_of_types():
    Kinds = collections.namedtuple("Kinds", "real count")
    kinds = Kinds(types.float32, 3)

    @cuda.jit
    def kernel(r):
        part = cuda.local.array(kinds.count, kinds.real)
        part[0] = 0.1
        r[0] = part[0]

    r = np.zeros(1)
    kernel[1, 1](r)
    assert r[0] == np.float32(0.1)
