"""`@cuda.jit` in all its forms, launches, and what can be asked of a kernel."""
import collections
import copy
import ctypes
import gc
import os
import pathlib
import pickle
import sys
import typing
import warnings
import weakref

import numpy as np
import pytest

import mock_driver
import pykc
from pykc import _config as config
from pykc import _native
from pykc._modules import Program
from pykc import cuda, types
from pykc.numba.errors import NumbaPerformanceWarning
from pykc.types import float32, float64, int32, int64, void


PACKAGE = pathlib.Path(pykc.__file__).parents[1]


def add_body(z, x, y):
    i = cuda.grid(1)
    if i < z.size:
        z[i] = x[i] + y[i]


FORMS = {
    "bare": cuda.jit, "empty": cuda.jit(), "options": cuda.jit(fastmath=True, opt=False, lineinfo=True, cache=True),
    "string": cuda.jit("void(float64[:], float64[:], float64[:])"),
    "types": cuda.jit(void(float64[:], float64[:], float64[::1])),
    "tuple": cuda.jit((float64[:], float64[:], float64[:])),
    "list": cuda.jit([void(float32[:], float32[:], float32[:]), "void(float64[:], float64[:], float64[:])"]),
    "debug": cuda.jit(debug=True, opt=False), "bounds": cuda.jit(launch_bounds=(128, 2), max_registers=64),
    "inline": cuda.jit(inline="always", forceinline=False),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms(form):
    add = FORMS[form](add_body)
    x, z = np.arange(100.0), np.zeros(100)
    add[1, 128](z, x, x)
    cuda.synchronize()
    assert (z == 2 * x).all()


def test_jit_twice_and_py_func():
    kernel = cuda.jit(cuda.jit(add_body))
    assert kernel.py_func is add_body and kernel.__name__ == "add_body"


@pytest.mark.parametrize("what", [5, print, int])
def test_what_is_no_function(what):
    with pytest.raises(TypeError, match="is for functions of Python, or takes signatures"):
        cuda.jit(what)
    with pytest.raises(TypeError, match="only what `def` and `lambda` make is for kernels"):
        pykc.kernel(what)


def test_unknown_option():
    with pytest.raises(TypeError, match="no option 'fast_math'"):
        cuda.jit(fast_math=True)(add_body)


def test_signature_errors_show_at_the_decoration():
    with pytest.raises(pykc.CompileError):
        @cuda.jit("void(float32[:])")
        def kernel(x):
            x[0] = x.nothing


@cuda.jit
def count(out):
    cuda.atomic.add(out, 0, 1)


@pytest.mark.parametrize("grid, block, threads", [(2, 3, 6), ((2, 2), (3, 1, 2), 24), ((2, 1, 1), 4, 8)])
def test_configurations(grid, block, threads):
    out = np.zeros(1, np.int32)
    count[grid, block](out)
    count[grid, block, 0](out)
    count[grid, block, cuda.stream(), 16](out)
    cuda.synchronize()
    assert out[0] == 3 * threads


def test_configuration_errors():
    with pytest.raises(ValueError, match="griddim and blockdim"):
        count[1]
    with pytest.raises(ValueError, match="1, 2 or 3 integers"):
        count[(1, 2, 3, 4), 1]
    with pytest.raises(TypeError, match="sequence of integers"):
        count[1, (1.5,)]
    with pytest.raises(ValueError, match=r"count\[grid, block\]"):
        count(np.zeros(1))
    with pytest.raises(pykc.LaunchError):
        count[1, 4096](np.zeros(1, np.int32))


def test_device_functions_are_not_launched():
    @cuda.jit(device=True)
    def helper(x):
        return x

    with pytest.raises(RuntimeError, match="device function"):
        helper(1)
    with pytest.raises(RuntimeError, match="device function"):
        helper[1, 1](1)


def test_forall():
    x, z = np.arange(1000.0), np.zeros(1000)
    kernel = cuda.jit(add_body)
    kernel.forall(1000)(z, x, x)
    cuda.synchronize()
    assert (z == 2 * x).all()
    kernel.forall(0)(z, x, x)
    with pytest.raises(ValueError):
        kernel.forall(-1)


def test_arguments():
    @cuda.jit
    def kernel(out, i, f, b, c, s):
        out[0], out[1], out[2], out[3], out[4] = i, f, b, c.imag, s

    out = np.zeros(5)
    kernel[1, 1](out, 2 ** 40, 2.5, True, 1 + 3j, np.float32(0.5))
    cuda.synchronize()
    assert out.tolist() == [2 ** 40, 2.5, 1, 3, 0.5]


@pytest.mark.parametrize("make", [lambda: np.array(3, np.float32), lambda: cuda.mapped_array((), np.float32),
                                  lambda: cuda.managed_array((), np.float32)])
def test_arrays_of_no_axes(make):
    @cuda.jit
    def stored(z, x):
        z[()] = x[()] + z[()]

    @cuda.jit
    def scaled(z, x):
        z[0] *= x

    z, x = make(), np.array(4, np.float32)
    z[...] = 3
    x.flags.writeable = False
    for expected in (7, 11, 15):
        stored[1, 1](z, x)
        cuda.synchronize()
        assert z == expected and x == 4
    out = np.ones(1)
    scaled[1, 1](out, x)  # as a number
    scaled[1, 1](out, np.float32(2))
    cuda.synchronize()
    assert out[0] == 8
    with pytest.raises(pykc.CompileError, match="cannot be indexed"):
        stored[1, 1](np.float32(3), np.float32(4))


def test_defaults_of_parameters():
    @cuda.jit
    def kernel(out, n=3):
        out[0] = n

    out = np.zeros(1)
    kernel[1, 1](out)
    cuda.synchronize()
    assert out[0] == 3
    with pytest.raises(TypeError, match="takes 2 arguments, 0 given"):  # and not 3 for `out`
        kernel[1, 1]()


@pytest.mark.parametrize("decorator", [cuda.jit, pykc.kernel])
def test_kernels_of_any_number_of_arguments(decorator):
    @decorator
    def total(out, first=1, *others):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = first + len(others)
            for other in others:
                out[i] += other

    out = np.zeros(3)
    for others in ((), (1.5,), (1.5, 2), (2.5, 4), (1, 2, 3)):
        total[1, 4](out, 7, *others)
        cuda.synchronize()
        assert out.tolist() == [7 + len(others) + sum(others)] * 3
    total.forall(3)(out)
    cuda.synchronize()
    assert out[2] == 1

    @cuda.jit
    def added(out, *arrays):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = arrays[0][i] * arrays[1][i]

    device = cuda.to_device(np.arange(3.0))
    added[1, 4](out, device, np.arange(3, dtype=np.int8))
    cuda.synchronize()
    assert out.tolist() == [0, 1, 4]
    with pytest.raises(TypeError, match="needs the argument `out`"):
        added[1, 4]()


def test_arrays_of_any_strides():
    @cuda.jit
    def kernel(x):
        i, j = cuda.grid(2)
        if i < x.shape[0] and j < x.shape[1]:
            x[i, j] = 10 * i + j

    whole = np.zeros((6, 8))
    kernel[1, (8, 8)](whole[::2, 1::3].T)
    cuda.synchronize()
    assert (whole[::2, 1::3].T == np.add.outer(10 * np.arange(3), np.arange(3))).all()
    assert whole.sum() == whole[::2, 1::3].sum()


def test_records():
    record = np.dtype([("a", np.int32), ("b", np.float64)], align=True)

    @cuda.jit
    def kernel(x):
        x[0].b = x[0].a * 1.5

    x = np.array([(3, 0.0)], record)
    kernel[1, 1](x)
    cuda.synchronize()
    assert x[0]["b"] == 4.5


def test_in_out_wrappers():
    @cuda.jit
    def kernel(z, x, y):
        z[0] = x[0]
        y[0] += 1

    z, x, y = np.zeros(1), np.ones(1), np.ones(1)
    kernel[1, 1](cuda.Out(z), cuda.In(x), cuda.InOut(y))
    cuda.synchronize()
    assert (z[0], y[0]) == (1, 2)


def test_an_array_that_is_passed_twice_is_one():
    @cuda.jit
    def kernel(out, x, pair):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = x[i] + pair[0][i] + 1

    x = np.arange(8.0)
    kernel[1, 8](x, x, (x, 1))
    cuda.synchronize()
    assert x.tolist() == [2 * i + 1 for i in range(8)]


def test_tuples_records_and_other_arguments():
    Pair = collections.namedtuple("Pair", ["x", "y"])

    @cuda.jit
    def kernel(out, t, p, nothing, word, empty):
        out[0], out[1], out[2], out[3] = t[0][0] + t[1], p.y[0], len(word), 1 if nothing is None else 2

    out = np.zeros(4)
    kernel[1, 1](out, ((1, 2.5), 3), Pair(1, np.array([7.0])), None, "abc", ())
    cuda.synchronize()
    assert out.tolist() == [4, 7, 3, 1]

    @cuda.jit
    def assigns(record):
        record.a = 5

    records = np.zeros(2, [("a", np.int32), ("b", np.float32)])
    assigns[1, 1](records[1])
    cuda.synchronize()
    assert records["a"].tolist() == [0, 5]


def test_kernels_around_a_kernel_are_made_once(monkeypatch):
    loads, load = [], Program.load
    monkeypatch.setattr(Program, "load", lambda *arguments, **options: loads.append(1) or load(*arguments, **options))

    @pykc.kernel
    def combine(out: pykc.i64[:], pair, op, FACTOR: pykc.constexpr):
        out[0] = op(pair[0], pair[1]) * FACTOR

    out = np.zeros(1, np.int64)
    for offset, expected in ((0, 10), (0, 10), (1, 12), (0, 10), (1, 12)):
        combine[1, 1](out, (2, 3), lambda a, b: a + b + offset, 2)
        cuda.synchronize()
        assert out[0] == expected
    assert len(loads) == 2  # one around the kernel for each offset


def test_launches_for_constants():
    """A kernel around another is found again by the constants, and never by what only looks like them."""
    @pykc.kernel
    def fill(out: pykc.f64[:], value, of_none, C: pykc.constexpr):
        out[0] = value
        out[1] = 1 / C if of_none is None else 7

    out = np.zeros(2)
    record = np.zeros(1, [("x", "f8")])[0]
    for value, of_none, constant, expected in ((1, None, 0.5, 2), (2, None, 0.0, np.inf), (3, None, -0.0, -np.inf),
                                               (4, None, 2, 0.5), (5, None, True, 1), (6, 1, 2, 7), (7, None, 0.0, np.inf),
                                               (8.5, None, 2, 0.5), (np.float32(9), None, 2, 0.5)):
        fill[1, 1](out, value, of_none, constant)
        cuda.synchronize()
        assert out.tolist() == [value, expected]
    with pytest.raises(pykc.CompileError):
        fill[1, 1](out, record, None, 2)
    with pytest.raises(pykc.CompileError):
        fill[1, 1](out, 1, None)
    with pytest.raises(TypeError, match="a constant is a number, a text, a type or a function, not a list"):
        fill[1, 1](out, 1, None, [1])


def test_types_of_records_and_of_what_may_be_none():
    record = types.Record.make_c_struct([("place", types.NestedArray(dtype=float32, shape=(3,))), ("id", types.int8)])
    assert types.from_dtype(record.dtype.fields["place"][0]) == float32[3] and record.dtype.itemsize == 16

    @cuda.jit(void(record[:], types.Optional(float64)))
    def kernel(x, shift):
        own = cuda.local.array(2, record)
        own[1].place[2] = 5 if shift is None else shift
        x[0].place[1] = own[1].place[2]

    @cuda.jit("void(float64[:], optional(float64))")
    def spelled(x, shift):
        x[0] = 5 if shift is None else shift

    x, y = np.zeros(1, record.dtype), np.zeros(1)
    for shift, expected in ((None, 5), (2.5, 2.5)):
        kernel[1, 1](x, shift)
        spelled[1, 1](y, shift)
        cuda.synchronize()
        assert x["place"].tolist() == [[0, expected, 0]] and y[0] == expected


def test_records_and_tuples_beside_constants():
    @pykc.kernel
    def add(out: pykc.f64[:], pair, C: pykc.constexpr):
        out[0] = pair[0] + pair[1].x + C

    out = np.zeros(1)
    records = np.array([(5.0,), (7.0,)], [("x", "f8")])
    for record in (records[0], records[1], records[0]):
        add[1, 1](out, (1, record), 2)
        cuda.synchronize()
        assert out[0] == 3 + record["x"]


class Point(typing.NamedTuple):
    x: pykc.i64
    y: pykc.f32 = 2.5


class Line(typing.NamedTuple):
    points: pykc.f64[:]
    count: int


def test_named_tuples_under_pykc_kernel():
    Pair = collections.namedtuple("Pair", ["x", "y"])

    @pykc.kernel
    def of_any(out: pykc.f64[:], p, scale: pykc.f32):
        out[0] = (p.x + p[1]) * scale

    @pykc.kernel
    def of_points(out: pykc.f64[:], p: Point, line: Line):
        moved = Point(p.x + 1)
        out[0] = moved.x / 2 + moved.y + line.points[line.count]

    out = np.zeros(1)
    of_any[1, 1](out, Pair(1, 2.5), 2)
    assert out[0] == 7
    of_any.forall(1)(out, Point(np.int16(3), np.float64(0.5)), 2.0)
    assert out[0] == 7
    of_points[1, 1](out, Point(2), Line(np.array([1.0, 10.0]), 1))
    assert out[0] == 14
    with pytest.raises(pykc.CompileError, match="has no `z`"):
        @pykc.kernel
        def wrong(out: pykc.f64[:], p: Point):
            out[0] = p.z
        wrong[1, 1](out, Point(2, 2.5))


def test_numbers_where_some_parameters_have_types():
    @pykc.kernel
    def kernel(out: pykc.f64[:], x, n: pykc.i32, s: pykc.f32):  # by a name that the language has, too
        out[0] = x + n + s

    out = np.zeros(1)
    kernel[1, 1](out, 1, 2, 0.5)
    assert out[0] == 3.5
    kernel[1, 1](out, 1, np.int64(2), np.float64(0.25))
    assert out[0] == 3.25
    with pytest.raises(pykc.LaunchError, match="the i64 1099511627776 has no exact value as i32"):
        kernel[1, 1](out, 1, 2 ** 40, np.float32(0.5))


@pytest.mark.parametrize("wide", ["i8", "f8"])
@pytest.mark.parametrize("dtype", ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"])
def test_numbers_for_one_of_several_signatures(dtype, wide):
    @cuda.jit(["(int64[::1], int64)", "(float64[::1], float64)", "(complex64[::1], complex64)"])
    def kernel(r, x):
        r[0] = x

    x = np.dtype(dtype).type(1)
    for out in (np.zeros(1, wide), np.zeros(1, np.complex64)):
        if out.dtype.kind == "i" and x.dtype.kind == "f":
            continue
        kernel[1, 1](out, x)
        assert out[0] == 1
        kernel[1, 1](out, x.item())
        assert out[0] == 1


def test_arguments_that_no_kernel_takes():
    with pytest.raises(TypeError, match="not a `dict`"):
        count[1, 1]({})
    with pytest.raises(TypeError):
        cuda.jit("void(int32)")(lambda x: None)[1, 1](1j)
    for dtype in ([], "V0", [("x", []), ("y", "i4")]):
        with pytest.raises(TypeError, match="kernels have no elements of type"):
            count[1, 1](np.zeros(2, dtype))


def test_bytes_in_the_other_order():
    record = np.dtype([("x", ">i2"), ("y", "<i2")])
    for x in (np.arange(3, dtype=">f4"), np.arange(3, dtype=">u8"), np.zeros(3, record), np.array(["a"], ">U2")):
        with pytest.raises(TypeError, match="whose bytes stand in the other order"):
            count[1, 1](x)
    with pytest.raises(TypeError, match="whose bytes stand in the other order"):
        cuda.to_device(np.arange(3, dtype=">i4"))


@pytest.mark.parametrize("decorator", [cuda.jit, pykc.kernel])
def test_arrays_that_are_read_only(decorator):
    @decorator
    def copy(out, x):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = x[i]

    text = b"abcdefgh"
    shown = [memoryview(text), np.frombuffer(text, np.uint8), np.broadcast_to(np.uint8(7), 8)]
    for x in shown:
        out = np.zeros(8, np.uint8)
        copy[1, 8](out, x)
        assert bytes(out) == bytes(x)
        with pytest.raises(pykc.LaunchError, match="`out`: the array is read-only, and the kernel may write to it"):
            copy[1, 8](x, out)
        with pytest.raises(pykc.LaunchError, match="read-only"):
            copy.forall(8)(x, out)
    assert text == b"abcdefgh"


def test_read_only_memory_under_autotune(tmp_path):
    @pykc.autotune(configs=[pykc.config(TILE=32), pykc.config(TILE=64)])
    @pykc.kernel
    def copy(out: pykc.f32[:], x: pykc.f32[:], TILE: pykc.constexpr):
        i = pykc.grid(1)
        if i < len(x):
            out[i] = x[i]

    np.ones(100, np.float32).tofile(tmp_path / "ones")
    ones = np.memmap(tmp_path / "ones", np.float32, "r")  # the system ends who writes there
    launch = copy[lambda c: pykc.cdiv(100, c.TILE), lambda c: c.TILE]
    with pytest.raises(pykc.LaunchError, match="read-only"):
        launch(ones, np.zeros(100, np.float32))
    out = np.zeros(100, np.float32)
    launch(out, ones)
    assert (out == 1).all()


def test_records_that_are_read_only():
    @cuda.jit
    def change(out, r):
        r.x = out[0]

    records = np.zeros(2, [("x", np.int32), ("y", np.float64)])
    change[1, 1](np.ones(1), records[1])
    assert records["x"].tolist() == [0, 1]
    records.flags.writeable = False
    with pytest.raises(pykc.LaunchError, match="read-only"):
        change[1, 1](np.full(1, 5.0), records[1])
    assert records["x"].tolist() == [0, 1]


def test_an_array_interface_that_says_nonsense():
    class Shown:
        def __init__(self, **other):
            self.memory = np.zeros(8, np.float32)
            self.__array_interface__ = {"shape": (8,), "typestr": "<f4", "data": (self.memory.ctypes.data, False),
                                        "version": 3, **other}

    fill = cuda.jit("void(float32[:], int32)")(set_to)
    for fine in ({}, {"shape": [8]}, {"strides": [4]}):
        fill[1, 1](Shown(**fine), 2)
    for error, wrong in ((TypeError, {"shape": None}), (TypeError, {"shape": (8.0,)}), (OverflowError, {"shape": (2**80,)}),
                         (ValueError, {"shape": (-8,)}), (ValueError, {"strides": (4, 4)}), (TypeError, {"strides": "4"}),
                         (ValueError, {"data": (8,)}), (TypeError, {"data": ("8", False)}), (TypeError, {"data": None})):
        with pytest.raises(error):
            fill[1, 1](Shown(**wrong), 2)


def test_arrays_of_ctypes():
    @cuda.jit
    def fill(x, value):
        for i, j in ((0, 1), (1, 2)):
            x[i, j] = value

    x = ((ctypes.c_float * 3) * 2)()
    fill[1, 1](x, 2.5)
    assert np.array(x).tolist() == [[0, 2.5, 0], [0, 0, 2.5]]


def test_integers_that_do_not_fit():
    """Under `@cuda.jit` they wrap, as Numba's do."""
    for number in (300, 2.0**40, -129):
        out = np.zeros(1, np.int64)
        cuda.jit("void(int64[:], int8)")(set_to)[1, 1](out, number)
        assert out[0] == (int(number) + 128) % 256 - 128
        with pytest.raises(pykc.LaunchError, match="has no exact value as i8"):
            native_set_to[1, 1](out, number)
        with pytest.raises(pykc.LaunchError, match="has no exact value as i8"):
            native_set_to.forall(1)(out, number)
    native_set_to[1, 1](out, 127.0)
    assert out[0] == 127


def set_to(out, number):
    out[0] = number


@pykc.kernel
def native_set_to(out: pykc.i64[:], number: pykc.i8):
    out[0] = number


@pytest.mark.parametrize("decorator", [cuda.jit, pykc.kernel])
def test_text(decorator):
    @decorator
    def kernel(out, one, other, mode):
        out[0], out[1] = len(one), len(other)
        out[2] = 1 if mode == "fast" else 0
        if one == b"xyz":
            out[3] = 1

    for one in (b"xyz", np.bytes_(b"xyz"), np.array([b"xyz"], "S4")[0]):
        out = np.zeros(4, np.int32)
        kernel[1, 1](out, one, np.array(["öl"])[0], "fast")
        cuda.synchronize()
        assert out.tolist() == [3, 2, 1, 1]


def test_text_for_a_parameter_with_a_width():
    @pykc.kernel
    def kernel(out: pykc.i32[:], one: "S4", other: "U2"):
        out[0], out[1], out[2] = len(one), one == b"xyz", other == "öl"

    for text in (b"xyz", np.bytes_(b"xyz")):
        out = np.zeros(3, np.int32)
        kernel[1, 1](out, text, "ölig")
        cuda.synchronize()
        assert out.tolist() == [3, 1, 1]


def test_arguments_that_fit_no_signature():
    kernel = cuda.jit(["(int64[::1], int64)", "(float64[::1], float64)"])(lambda r, x: None)
    with pytest.raises(TypeError, match="no signature") as error:
        kernel[1, 1](np.zeros(1, np.complex128), 1j)
    assert isinstance(error.value, pykc.CompileError) and error.value.diagnostics[0]["code"] == "E0285"


@pytest.mark.parametrize("signature", ["void(float32[:], float64)", None])
@pytest.mark.parametrize("args", [
    (np.zeros(2, np.float32),), (np.zeros(2, np.float32), 1, 2), (cuda.In(np.zeros(2, np.float32)),),
    ((1, 2),), (np.zeros(2, np.float32), (1,), 2), (3, 3), (np.zeros(2), 3), (cuda.In(np.zeros(2)), 3),
    (np.zeros(2), (1, 2)), (np.zeros(2, np.float32), np.zeros(1, "f8, f8")[0])])
def test_arguments_that_do_not_fit_are_type_errors(signature, args):
    def first(x, y):
        x[0] = y

    if signature or len(args) != 2:
        with pytest.raises(TypeError) as error:
            cuda.jit(signature)(first)[1, 1](*args)
        assert isinstance(error.value, (pykc.LaunchError, pykc.CompileError))


@pytest.mark.parametrize("signature", ["float32[:], int64", " float32[::1], size_t", "float32[:], ssize_t",
                                       "types.float32[:], types.int64", ["float64[:], int64", "float32[:], int64"],
                                       "float32[:], UniTuple(int64, 1)", "(float32[:], bool)"])
def test_signatures_that_are_lists_of_types(signature):
    @cuda.jit(signature)
    def kernel(x, y):
        x[0] = 5

    x = np.zeros(1, np.float32)
    kernel[1, 1](x, (1,) if "Tuple" in signature else True if "bool" in signature else 1)
    assert x[0] == 5 and len(kernel.signatures[0]) == 2


@cuda.jit
def double_all(x):
    x[cuda.grid(1)] *= 2


@cuda.jit(device=True)
def twice(x):
    return 2 * x


def test_functions_are_pickled_by_their_names():
    for function in (double_all, twice):
        assert pickle.loads(pickle.dumps(function)) is function and copy.deepcopy(function) is function
    x = np.ones(3)
    pickle.loads(pickle.dumps(double_all[1, 3]))(x)
    assert x.tolist() == [2, 2, 2]

    @cuda.jit
    def inner(x):
        x[0] = 1

    with pytest.raises((AttributeError, pickle.PicklingError), match="local"):
        pickle.dumps(inner)


def test_shared_memory_barriers_and_warps():
    @cuda.jit
    def reverse(x):
        shared = cuda.shared.array(64, float32)
        i = cuda.threadIdx.x
        shared[i] = x[i]
        cuda.syncthreads()
        x[i] = shared[63 - i] + 0 * cuda.shfl_sync(0xffffffff, i, 0)

    x = np.arange(64, dtype=np.float32)
    reverse[1, 64](x)
    cuda.synchronize()
    assert (x == np.arange(64)[::-1]).all()


def test_dynamic_shared_memory():
    @cuda.jit
    def kernel(x):
        shared = cuda.shared.array(0, int32)
        shared[cuda.threadIdx.x] = 7
        cuda.syncthreads()
        x[cuda.threadIdx.x] = shared[cuda.threadIdx.x]

    x = np.zeros(32, np.int32)
    kernel[1, 32, 0, 128](x)
    cuda.synchronize()
    assert (x == 7).all()


def test_specialize():
    kernel = cuda.jit(add_body)
    special = kernel.specialize(np.zeros(1), np.zeros(1), np.zeros(1))
    assert special is kernel.specialize(float64[::1], float64[::1], float64[::1])
    assert special.specialized and not kernel.specialized
    with pytest.raises(RuntimeError, match="already specialized"):
        special.specialize(1)
    assert special.get_shared_mem_per_block() == 0
    assert special.get_regs_per_thread() >= 0
    assert special.get_max_threads_per_block() >= 32


def test_inspection(capsys):
    kernel = cuda.jit("void(float32[:], float32[:], float32[:])")(add_body)
    (ptx,) = kernel.inspect_asm().values()
    assert ".visible .entry add_body" in ptx
    assert "define" in next(iter(kernel.inspect_llvm().values()))
    kernel.inspect_types()
    assert "kernel add_body" in (shown := capsys.readouterr().out)
    kernel.inspect_types(signature=kernel.signatures[0])
    assert capsys.readouterr().out == shown


def test_compile_ptx():
    ptx, result = cuda.compile_ptx(add_body, (float32[:], float32[:], float32[:]), cc=(9, 0))
    assert ".target sm_90" in ptx and result == void
    ptx, _ = cuda.compile("def f(x):\n    x[0] = 1\n", "void(int64[:])")
    assert ".entry f" in ptx
    with pytest.raises(NotImplementedError):
        cuda.compile_ptx(add_body, (float32,), device=True)


def test_pointers():
    @cuda.jit(void(types.CPointer(int32), int64))
    def add_one(x, n):
        i = cuda.grid(1)
        if i < n:
            x[i] += 1

    x = cuda.to_device(np.arange(10, dtype=np.int32))
    add_one[1, 32](x.address, 8)
    assert x.copy_to_host().tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 8, 9]
    add_one[1, 32](x, 1)
    assert x.copy_to_host()[0] == 2


def test_moved_pointers():
    of_pointers = void(types.CPointer(int32), types.CPointer(int32))

    @cuda.jit(of_pointers)
    def take(x, out):
        y = x[4:]
        out[0] = y[0]
        out[1] = y[-1]
        out[2:4] = y[1:3]

    @cuda.jit(void(types.CPointer(int32)))
    def move(x):
        x += 1

    x = cuda.to_device(np.arange(10, dtype=np.int32))
    out = cuda.to_device(np.zeros(4, np.int32))
    for kernel in take, cuda.jit(of_pointers, debug=True, opt=False)(take.py_func):
        kernel[1, 1](x.address, out.address)
        assert out.copy_to_host().tolist() == [4, 3, 5, 6]
    with pytest.raises(pykc.CompileError, match="E0294"):
        move[1, 1](x.address)


def test_pointers_that_are_passed_on():
    @cuda.jit(device=True)
    def raised(a, n):
        for i in range(n):
            a[i] += 1
        return a[n:]

    @cuda.jit(device=True)
    def all_raised(a):
        a += 1

    @cuda.jit([void(types.CPointer(int32), int64), void(types.CPointer(float64), int64)])
    def in_parts(x, n):
        raised(raised(x, n), 1)

    @cuda.jit([void(types.CPointer(int32)), void(types.CPointer(float64))])
    def whole(x):
        all_raised(x)

    for dtype in np.int32, np.float64:
        x = cuda.to_device(np.zeros(4, dtype))
        in_parts[1, 1](x, 2)
        assert x.copy_to_host().tolist() == [1, 1, 1, 0]
    x = cuda.to_device(np.zeros(4, np.int32))
    with pytest.raises(pykc.CompileError, match="E0294"):
        whole[1, 1](x)


def test_a_warning_of_few_blocks(monkeypatch):
    @cuda.jit
    def nothing():
        pass

    monkeypatch.setattr(config, "CUDA_LOW_OCCUPANCY_WARNINGS", 1)
    with pytest.warns(NumbaPerformanceWarning, match="Grid size 6 .* low occupancy"):
        nothing[(2, 3), 32]()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nothing[256, 32]()


COPIES = """
import os, sys, warnings
import numpy as np
import pykc
from pykc import cuda
from pykc.numba.errors import NumbaPerformanceWarning

@cuda.jit
def add(z, x, n):
    z[0] = x[0] + n

@cuda.jit
def other(z):
    z[0] = 1

def places(*launches, **filters):
    "The lines that are warned of, and what is said there."
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default")
        if filters:
            warnings.filterwarnings("ignore", **filters)
        for launch in launches:
            launch()
    assert all(os.path.basename(one.filename) == "copies.py" for one in told), told
    return [str(one.message) for one in told]

host, own = np.ones(4, np.float32), cuda.to_device(np.ones(4, np.float32))
many = lambda: [other.forall(4)(host) for _ in range(3)]
(said,) = places(lambda: add[1, 32](host, own, 3))
assert said.startswith("Host array used in CUDA kernel will incur copy overhead to/from device") and "`z` there" in said
assert "`x`" not in said and "`add`" in said
assert places(many, lambda: other[1, 32](own), lambda: other[1, 32](cuda.InOut(host))) == places(many) != []
assert places(many, category=pykc.PykcWarning) == places(many, category=NumbaPerformanceWarning) == []
assert places(many, message="Host array used") == []
pykc.numba.config.CUDA_WARN_ON_IMPLICIT_COPY = 0
assert places(many) == []
"""


def test_a_warning_of_copies_on_gpus(tmp_path):
    mock_driver.run(tmp_path / "copies.py", COPIES)


def test_no_warning_of_copies_on_the_cpu():
    if not cuda.is_gpu():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            cuda.jit(add_body)[1, 32](np.zeros(3), np.ones(3), np.ones(3))


def test_names_of_kernels_outside_of_them():
    for use in (lambda: cuda.grid(1), lambda: cuda.shared.array(3, int64), lambda: int(cuda.threadIdx.x),
                lambda: cuda.libdevice.sqrt(2.0), lambda: cuda.blockDim.x * 2):
        with pytest.raises(RuntimeError, match="is for kernels"):
            use()
    with pytest.raises(AttributeError):
        cuda.no_such_name


def test_narrow_floats_compare_where_numpy_has_none(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    for narrow in (types.bfloat16, types.float8_e4m3fn, types.float8_e5m2):
        assert narrow == narrow and narrow != np.float32 and np.dtype("i1") != narrow
        with pytest.raises(TypeError, match="without the package ml_dtypes"):
            narrow.dtype


def test_types():
    assert str(void(float32[:], int32[:, ::1], int64)) == "void(float32[:], int32[:, ::1], int64)"
    assert types.i8 is int64 and types.float32[:, :].layout == "A" and types.float32[::1].layout == "C"
    assert types.typeof(np.zeros((2, 3), order="F")).layout == "F"
    assert types.typeof(1.0) == float64 and types.typeof((1, 2.0)) == types.Tuple((int64, float64))
    assert types.from_dtype("f4") is float32 and float32(3).dtype == np.float32
    assert float32 == np.float32 == float32 and np.dtype("i4") == int32 and types.boolean == np.bool_
    assert int64 != np.float64 and float32 != "float32" and void != np.float32 and float32[:] != np.float32
    assert isinstance(int32, types.Integer) and not isinstance(float32, types.Integer)
    assert types.parsed("(f4[:], i8)") == void(float32[:], int64)


def test_the_types_of_each_launch():
    @cuda.jit
    def doubled(x, y):
        x[0] = 2 * y

    assert doubled.signatures == [] and doubled.overloads == {}
    wide = np.zeros((2, 2), np.float64, order="F")
    doubled[1, 1](np.zeros(1, np.float32), 1.5)
    doubled[1, 1](np.zeros(1, np.float32), 2.5)
    doubled[1, 1](np.zeros(4, np.int32)[::2], 3)
    copied = types.Array(int32, 1, "A" if pykc.device().is_cpu else "C")  # copies for a GPU have no gaps
    assert doubled.signatures == [(float32[::1], float64), (copied, int64)]

    @cuda.jit
    def first(x, pair):
        x[0, 0] = pair[0]

    first[1, 1](wide, (1, 2.5))
    assert list(first.overloads) == [(types.Array(float64, 2, "F"), types.Tuple((int64, float64)))]
    records = [np.zeros(1, np.dtype([("a", np.int32), ("b", np.int32)], align=align)) for align in (False, True)]

    @cuda.jit
    def nothing(x):
        pass

    for one in records:
        nothing[1, 1](one)
    assert len(set(nothing.signatures)) == 2


def test_extensions():
    class Halves:
        def prepare_args(self, ty, val, stream, retr):
            if not isinstance(val, list):
                return ty, val
            array = np.array(val)
            retr.append(lambda: val.__setitem__(slice(None), array.tolist()))
            return types.typeof(array), array

    @cuda.jit(extensions=[Halves()])
    def halve(x, n):
        for i in range(n):
            x[i] /= 2

    numbers = [1.0, 2.0, 3.0]
    halve[1, 1](numbers, 2)
    assert numbers == [0.5, 1.0, 3.0]


def test_types_as_arguments():
    @cuda.jit
    def rounded(x, y, kind):
        x[0] = kind(y)

    x = np.zeros(1)
    for kind in (np.float32, float32):
        rounded[1, 1](x, 0.1, kind)
        assert x[0] == np.float32(0.1)


def test_options_are_looked_at():
    for options, message in (({"launch_bounds": (128, 2, 4, 8)}, "Got 4 launch bounds"),
                             ({"shared_memory_carveout": 101}, "between -1 and 100"),
                             ({"shared_memory_carveout": "most"}, "Invalid carveout value")):
        with pytest.raises(ValueError, match=message):
            cuda.jit(**options)(add_body)
    cuda.jit(shared_memory_carveout="MaxShared")(add_body)


def test_what_a_device_function_is_not():
    function = cuda.jit(device=True)(add_body)
    with pytest.raises(RuntimeError, match="Cannot compile a device function as a kernel"):
        function[1, 1](1, 2, 3)
    with pytest.raises(RuntimeError, match="Cannot inspect SASS of a device function"):
        function.inspect_sass((int32, int32, int32))


def test_whether_a_kernel_is_cooperative():
    @cuda.jit("void(int32[:])")
    def waits(x):
        cuda.cg.this_grid().sync()

    @cuda.jit("void(int32[:])")
    def does_not(x):
        x[0] = 1

    assert [next(iter(kernel.overloads.values())).cooperative for kernel in (waits, does_not)] == [True, False]


def test_arguments_by_name():
    @cuda.jit
    def kernel(out, a, b=2, *, c=3, d=4):
        out[0] = a + 10 * b + 100 * c + 1000 * d

    out = np.zeros(1)
    for launch, expected in ((lambda: kernel[1, 1](out, 1), 4321), (lambda: kernel[1, 1](out, 1, d=5), 5321),
                             (lambda: kernel[1, 1](c=9, a=1, out=out), 4921),
                             (lambda: kernel.forall(1)(out, b=7, a=1.5), 4371.5)):
        launch()
        cuda.synchronize()
        assert out[0] == expected
    for arguments, names, words in (((), {}, "missing a required argument: 'a'"), ((1,), {"e": 3}, "unexpected keyword"),
                                    ((1, 2, 3), {"d": 4}, "too many positional")):
        with pytest.raises(TypeError, match=words):
            kernel[1, 1](out, *arguments, **names)
    with pytest.raises(TypeError):
        _native.Launch.__new__(_native.Launch)()


def test_parameters_that_are_given_by_name_only():
    @cuda.jit("void(float64[:], float32)")
    def stated(out, *, x):
        out[0] = x

    @cuda.jit
    def of_a_tuple(out, *, t, factor=2):
        out[0] = t[0] + t[1] * factor

    out = np.zeros(1)
    stated[1, 1](out, x=0.1)
    cuda.synchronize()
    assert out[0] == np.float32(0.1)
    of_a_tuple[1, 1](out, t=(1, 2))
    cuda.synchronize()
    assert out[0] == 5
    with pytest.raises(TypeError, match="missing a required .*argument: 'x'"):
        stated[1, 1](out)


def test_any_number_of_arguments_with_signatures():
    @cuda.jit(["void(float32[:], float32, float32)", "void(float64[:], float64)"])
    def mean(out, *numbers):
        total = 0.0
        for number in numbers:
            total += number
        out[0] = total / len(numbers)

    single, double = np.zeros(1, np.float32), np.zeros(1)
    for last in (4, np.float32(5), np.float64(6)):
        mean[1, 1](single, 3, last)
        cuda.synchronize()
        assert single[0] == (3 + last) / 2
    mean[1, 1](double, 5)
    cuda.synchronize()
    assert double[0] == 5
    assert [len(types_) for types_ in mean.overloads] == [3, 2]
    assert ".entry mean" in mean.inspect_asm(mean.signatures[0])
    assert mean.get_max_threads_per_block(mean.signatures[1]) > 0
    with pytest.raises(TypeError, match="has no signature of 4 arguments"):
        mean[1, 1](single, 1, 2, 3)
    with pytest.raises(TypeError, match="expected"):
        mean[1, 1](double, 1, 2)
    with pytest.raises(pykc.CompileError, match="out of range for a tuple"):  # at the decoration
        @cuda.jit("void(float32[:], float32)")
        def wrong(out, *numbers):
            out[0] = numbers[1]


def test_numbers_for_what_may_be_none():
    @cuda.jit("void(float64[:], optional(int32), float32)")
    def kernel(out, count, scale):
        out[0] = -1 if count is None else count // 2 + scale

    out = np.zeros(1)
    for count, expected in ((3, 1), (np.uint8(5), 2), (None, -1), (True, 0)):
        kernel[1, 1](out, count, 0.1)
        cuda.synchronize()
        assert out[0] == (expected if count is None else np.float32(0.1) + np.int64(expected))
    with pytest.raises(TypeError, match="parameter of type int32"):
        kernel[1, 1](out, 3.7, 0)


def test_bytes_of_constant_memory():
    table, small = np.arange(10.0), np.arange(3, dtype=np.int8)

    @cuda.jit
    def kernel(out):
        out[0] = cuda.const.array_like(table)[cuda.threadIdx.x] + cuda.const.array_like(small)[cuda.threadIdx.y]

    @cuda.jit("void(float64[:])")
    def without(out):
        out[0] = 1

    kernel[1, 1](np.zeros(1))
    assert kernel.get_const_mem_size() == {kernel.signatures[0]: 83}
    assert kernel.get_const_mem_size(kernel.signatures[0]) == 83 and without.get_const_mem_size() == 0
    version = next(iter(kernel.overloads.values()))
    assert version.const_mem_size == 83 and version.argument_types == kernel.signatures[0] and not version.debug


def test_a_kernel_and_its_launches_are_collected():
    def made():
        value = 1

        @cuda.jit
        def kernel(x):
            x[0] = value

        kernel.launch = kernel[1, 1]
        kernel.launch(np.zeros(1))
        return weakref.ref(kernel)

    reference = made()
    gc.collect()
    assert reference() is None


def test_what_a_launch_captured_is_looked_at_each_time():
    value = 1

    @cuda.jit
    def kernel(x):
        x[0] = value

    launch, x = kernel[1, 1], np.zeros(1)
    for value in (2, 3, 3, 4):
        launch(x)
        assert x[0] == value


def test_vectors():
    @pykc.kernel
    def scaled(out: pykc.f32x4[:], x: pykc.float32x4[:], offset: pykc.f64x2):
        i = pykc.grid(1)
        out[i] = x[i] * 2 + pykc.f32x4(offset, offset)

    x, out = np.zeros(3, pykc.f32x4), np.zeros(3, pykc.float4.dtype)
    x["x"] = [1, 2, 3]
    scaled[1, 3](out, x, pykc.f64x2(0.5, 8))
    cuda.synchronize()
    assert out["x"].tolist() == [2.5, 4.5, 6.5] and (out["w"] == 8).all() and out[0].y == 8
    made = pykc.double3(pykc.i32x2(1, 2), 5)
    assert made.tolist() == (1.0, 2.0, 5.0) and made.z == 5 and made.dtype == pykc.f64x3.dtype


def test_fields_of_packed_records():
    """`p.x[i]` is `p[i].x`, also where no array of NumPy's strides would be the field."""
    packed = np.dtype([("place", np.float32, (3,)), ("mass", np.float64), ("number", np.int16)])
    assert packed.itemsize == 22

    @cuda.jit
    def move(p, out):
        i = cuda.grid(1)
        if i < p.size:
            p["mass"][i] = p["number"][i] * 2
            p.place[i, 1] += p.mass[i]
            out[i] = p.mass[i] + p.place[i][1] + p["place"][i, 2]

    p, out = np.zeros(10, packed), np.zeros(10)
    p["number"], p["place"] = np.arange(10), 1
    move[1, 32](p, out)
    assert (p["mass"] == 2 * np.arange(10)).all() and (p["place"][:, 1] == 1 + 2 * np.arange(10)).all()
    assert (out == 4 * np.arange(10) + 2).all()
