"""What arrays and their functions take and refuse, beside NumPy's: one expression of both."""
import pickle
import warnings

import numpy as np
import pytest
from random_arrays import assert_same

import pykc


def outcome(expression, module):
    """What an expression of `xp` gives, or the error that it raises."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return eval(expression, {"xp": module})
    except Exception as error:
        return error


def agree(found, expected):
    if isinstance(expected, Exception):
        kinds = (TypeError, ValueError, IndexError, OverflowError, np.linalg.LinAlgError)
        kind = next((kind for kind in kinds if isinstance(expected, kind)), type(expected))
        assert isinstance(found, kind), (found, expected)
    elif isinstance(expected, (tuple, list)):
        assert type(found) is type(expected) and len(found) == len(expected)
        for one, other in zip(found, expected):
            agree(one, other)
    elif isinstance(found, pykc.ndarray):
        assert_same(found, expected, exact=False)
    else:
        assert not isinstance(found, Exception), found
        assert found == expected, (found, expected)


def same(expression):
    agree(outcome(expression, pykc), outcome(expression, np))


UNARY = "negative square invert absolute sign reciprocal conjugate positive logical_not bitwise_count".split()
BINARY = "add subtract multiply power left_shift floor_divide remainder gcd maximum equal".split()


@pytest.mark.parametrize("name", UNARY + BINARY)
def test_a_wider_out_does_not_change_what_is_computed(name):
    for dtype in ("u1", "i1", "u2", "?", "u4"):
        x = f"xp.asarray([100, 120, 30, 9]).astype('{dtype}')"
        operands = x if name in UNARY else f"{x}, {x}[::-1] * True" if name == "subtract" else f"{x}, {x}[3:] // 3"
        for out in ("i8", "f4"):
            same(f"xp.{name}({operands}, out=xp.zeros(4, '{out}'))")


@pytest.mark.parametrize("expression", [
    "xp.add(xp.asarray([1+1j]), 1, out=xp.zeros(1, 'f4'), casting='unsafe')",
    "xp.add(xp.asarray([1.5, 2]), xp.asarray([1+1j, 2]), dtype='i2', casting='unsafe')",
    "xp.add(xp.asarray([1+1j]), 1, out=xp.zeros(1, 'f4'))",
    "xp.divmod(xp.arange(3), 2, xp.zeros(3, int))",
    "xp.divmod(xp.arange(3), 2, None, xp.zeros(3, int))",
    "xp.arange(3) == type('Own', (int,), {})(2)",
    "xp.arange(3) + type('Own', (float,), {})(2.5)",
])
def test_functions_of_elements(expression):
    same(expression)


ORDERS = [f"{made}(order={order!r}).{fact}" for order in ("c", "f", "a", "k", None, "C", "F", "A", "K", "X", "", 1)
          for made, fact in (("xp.zeros((2, 3)).copy", "strides"), ("xp.zeros((3, 2)).T.flatten", "strides"),
                             ("xp.arange(6).reshape(2, 3).ravel", "tolist()"))] + [
    f"xp.{call}, order={order!r}).strides" for order in ("c", "f", "a", "k", None, "C", "F", "A", "K", "X")
    for call in ("zeros((2, 3)", "empty((2, 3)", "ones((2, 3)", "full((2, 3), 1", "eye(2, 3", "array([[1, 2], [3, 4]]",
                 "asarray(xp.zeros((2, 3))", "ones_like(xp.zeros((3, 2)).T", "zeros((3, 2)).T.astype('f4'",
                 "arange(6).reshape(2, 3", "copy(xp.zeros((3, 2)).T", "reshape(xp.arange(6), (2, 3)",
                 "empty_like(xp.zeros((2, 3, 4)).transpose(1, 0, 2)", "array(xp.zeros((2, 3, 4)).transpose(1, 0, 2)",
                 "zeros((2, 3, 4)).transpose(1, 2, 0)[::-1].astype('i2'", "zeros((2, 3, 4)).transpose(1, 0, 2).copy(",
                 "copy(xp.broadcast_to(xp.arange(3).reshape(1, 3, 1), (2, 3, 4))",
                 "zeros_like(xp.zeros((2, 3, 4)).transpose(1, 0, 2), shape=(3, 3, 5)",
                 "zeros_like(xp.zeros((2, 3, 4)).transpose(1, 0, 2), shape=(5, 6)",
                 "zeros_like(xp.zeros((2, 3, 4)).T, shape=(5, 6)")]


@pytest.mark.parametrize("expression", [one.replace("(, ", "(") for one in ORDERS])
def test_orders(expression):
    same(expression)


@pytest.mark.parametrize("order", "CFAKcfak")
@pytest.mark.parametrize("view", [
    "xp.broadcast_to(xp.arange(3), (2, 3))", "xp.broadcast_to(xp.arange(3).reshape(1, 3, 1), (2, 3, 4))",
    "xp.broadcast_to(xp.arange(6).reshape(2, 1, 3), (2, 4, 3)).T", "xp.arange(24).reshape(2, 3, 4).transpose(1, 0, 2)",
    "xp.arange(24).reshape(2, 3, 4)[:, ::-1]", "xp.arange(24).reshape(2, 3, 4).swapaxes(1, 2)[:, ::2]",
    "xp.arange(10)[::2]", "xp.asarray(3)", "xp.zeros((2, 0, 3)).T"])
def test_elements_as_they_lie(view, order):
    for method in ("ravel", "flatten"):
        same(f"{view}.{method}({order!r})")
        same(f"{view}.{method}({order!r}).flags['C_CONTIGUOUS']")


@pytest.mark.parametrize("expression", [
    "xp.arange(3) == [0, 5, 2]", "xp.arange(3) != (0, 5, 2)", "[0, 5, 2] == xp.arange(3)", "xp.arange(3) == [1, 2]",
    "xp.arange(3) == None", "xp.arange(3) != object()", "xp.arange(3) == 'a'", "{} != xp.arange(3)",
    "xp.array(1, copy=False)", "xp.array(xp.arange(3), 'f4', copy=False)", "xp.array(xp.arange(3), copy=None)",
    "xp.array(xp.zeros((2, 3)), copy=False, order='F')", "xp.asarray(xp.zeros((2, 3)), copy=False, order='f')",
    "xp.array(xp.zeros((2, 3)).T, copy=False, order='F')", "xp.array(xp.arange(3), copy=False, ndmin=3)",
    "xp.ascontiguousarray(xp.asarray(3))", "xp.asfortranarray(3)", "xp.require(3, None, 'C')",
    "xp.require(xp.zeros((2, 3)), 'f4', 'F').strides",
    "xp.arange(6).reshape(2, 3, copy=True)", "xp.arange(6).reshape(2, 3).T.reshape(6, copy=False)",
    "xp.arange(6).reshape(2, 3).T.reshape(3, 2, copy=False)", "xp.asarray(3).squeeze(axis=0)",
    "xp.asarray(3).squeeze(axis=1)", "xp.arange(3).squeeze(axis=0)", "xp.zeros((1, 2, 1)).squeeze(-1)",
    "[xp.zeros(shape, order=order).flags[name] for shape in ((2, 3), (3,)) for order in 'CF' for name in "
    "('FNC', 'FORC')]", "[xp.zeros((2, 3)).flags.fnc, xp.zeros((2, 3)).T.flags.forc]",
])
def test_what_is_made_of_arrays(expression):
    same(expression)


def test_flags_are_read():
    with pytest.raises(AttributeError):
        pykc.zeros(3).flags.c_contiguous = False


def test_objects_say_themselves_what_they_are_equal_to():
    class Own:
        def __eq__(self, other):
            return 7

    assert (pykc.arange(3) == Own()) == 7


@pytest.mark.parametrize("expression", [
    "bytes(xp.arange(3, dtype='i4'))", "bytes(xp.asarray(5.0))", "bytes(xp.arange(6.0).reshape(2, 3).T)",
    "xp.asarray([True, False]).conj()", "xp.conj(xp.asarray([True]))", "xp.asarray([1 + 2j]).conjugate()",
    "xp.arange(24, dtype='f4').reshape(2, 3, 4)[:, ::2].view('i2')",
    "xp.arange(24, dtype='i2').reshape(2, 3, 4)[:, ::2].view('i4')",
    "xp.arange(24, dtype='i2').reshape(2, 3, 4)[::-1, :, 2:].view('i4')",
    "xp.arange(24, dtype='i2').reshape(2, 3, 4)[:, :, 1:].view('i4')", "xp.arange(6, dtype='i2')[::2].view('i4')",
    "xp.arange(6, dtype='i2')[::2].view('u2')", "xp.asarray(3).view('i4')",
    "xp.arange(6).reshape(2, 3)[::-1].byteswap()", "xp.arange(3, dtype='u1').byteswap()",
    "xp.asarray([1 + 2j, 3], 'c8').byteswap().view('u4')", "xp.asarray(5).byteswap(True)",
    "(lambda x: (x[::2].byteswap(inplace=True), x))(xp.arange(4, dtype='i2'))",
    "(1j * xp.arange(6)).reshape(2, 3).T[::-1].imag", "xp.zeros((0, 3), complex).real",
])
def test_bytes_and_parts(expression):
    same(expression)


@pytest.mark.parametrize("index", ["...", "::2", "1", "[0, 5]", "None", "0, 1", "xp.arange(6) > 3", "3:3", "(2,)"])
@pytest.mark.parametrize("value", ["7", "[1, 2]", "xp.arange(6).reshape(2, 3)", "[]", "[4]", "2.5", "xp.arange(7)"])
def test_flat(index, value):
    for base in ("xp.zeros(6, int)", "xp.arange(6).reshape(3, 2).T"):
        same(f"(lambda x: (x.flat.__setitem__(xp.s_[{index}], {value}), x)[1])({base})")
    same(f"xp.arange(6).reshape(3, 2).T.flat[{index}]")


def test_going_through_flat():
    flat = pykc.arange(6).reshape(3, 2).T.flat
    assert next(flat) == 0 and next(flat) == 2 and list(flat) == [4, 1, 3, 5] and list(flat) == []


@pytest.mark.parametrize("value", ["3", "2.5", "xp.asarray(7)", "xp.asarray([7])", "xp.asarray([7, 8, 9])"])
def test_fill(value):
    same(f"(lambda x: (x.fill({value}), x)[1])(xp.arange(3))")


def test_complex_numbers_lose_their_imaginary_parts_with_a_warning():
    x = pykc.array([1 + 2j, 3])
    for function in (lambda: x.astype(float), lambda: x.astype("i4"), lambda: pykc.zeros(2).__setitem__(..., x),
                     lambda: pykc.concatenate([x, x], dtype=float, casting="unsafe"),
                     lambda: pykc.stack([x], dtype="f4", casting="unsafe"),
                     lambda: pykc.copyto(pykc.zeros(2), x, casting="unsafe")):
        with pytest.warns(np.exceptions.ComplexWarning):
            function()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x.astype(bool), x.astype("c8"), x.real.astype("f4"), abs(x), x.conj(), pykc.linalg.norm(x)


PLACES = [f"xp.unravel_index(xp.arange(6), (2, 3), order={order!r})" for order in ("C", "f", None, "V", "A", 1)] + [
    f"xp.ravel_multi_index({places}, (2, 3), mode={mode!r}, order={order!r})" for order in ("C", "F", None, "K")
    for mode in ("raise", "wrap", "clip", ("wrap", "clip"), "x")
    for places in ("(xp.asarray([0, 1]), xp.asarray([-1, 2]))", "(xp.asarray([0, 5]), xp.asarray([0, 2]))",
                   "(xp.asarray([0, 1]),)")]


@pytest.mark.parametrize("expression", PLACES)
def test_places(expression):
    same(expression)


@pytest.mark.parametrize("call", [
    "x.fill(xp.asarray([7, 8, 9]))", "xp.place(x, xp.asarray([True, False]), [1])", "xp.place(x, x > 0, [5, 6])",
    "xp.place(x, xp.asarray([[True], [False], [True]]), [9])", "xp.putmask(x, x > 0, xp.asarray([1.5, 2, 3]))",
    "xp.putmask(x, xp.asarray([True, False]), 4)", "xp.putmask(x, x[:, None] > 1, 7)", "xp.putmask(x, x > 1, 1.5)",
    "xp.putmask(x, x > 0, xp.asarray([4, 5], 'i2'))", "xp.copyto(x, 1, where=xp.asarray([1, 0, 1]))",
    "xp.copyto(x, 1, where=xp.asarray([True, False, True]))", "xp.copyto(x, xp.asarray([2.5 + 1j]), casting='unsafe')",
    "x.take(xp.asarray([1, 2]), out=xp.zeros(2, 'f4'))", "x.take(xp.asarray([1, 2]), out=xp.zeros(2, int))",
    "xp.dot(xp.ones((2, 2)), xp.ones((2, 2)), out=xp.zeros((2, 2), 'f4'))",
    "xp.dot(xp.ones((2, 2)), xp.ones((2, 2)), out=xp.zeros((2, 2)))",
    "xp.put_along_axis(x, xp.asarray([1]), 9, axis=None)", "xp.put(x, [1, -1], [5, 6], 'raise')",
    "xp.put(x, [1, 3], 5, 'raise')", "xp.put(x, [1, 3], 5, 'clip')",
])
def test_what_is_written(call):
    same(f"(lambda x: ({call}, x))(xp.arange(3))")


@pytest.mark.parametrize("expression", [
    f"xp.{name}(xp.asarray({values}), out=xp.zeros({shape}, {out!r}))"
    for values in ("[True, True, False]", "[2, 0, 5]", "[0.6, 0.6, 300]")
    for out in (("?", "i2", "f4") if "." not in values else ("?", "f4"))
    for name, shape in (("sum", "()"), ("prod", "()"), ("nansum", "()"), ("cumsum", 3), ("cumprod", 3),
                        ("nancumsum", 3), ("cumulative_sum", 3), ("cumulative_prod", 3))] + [
    "xp.cumulative_sum(xp.arange(3), include_initial=True, out=xp.zeros(4))",
    "xp.cumulative_prod(xp.arange(3), include_initial=True, out=xp.zeros(4, '?'))",
    "xp.cumsum(xp.asarray([0.6, 1.6, 2]), out=xp.zeros(3, 'i4'))",
    "xp.argmax(xp.asarray([[1, 3], [4, 2]]), 0)"])
def test_outputs_of_sums(expression):
    same(expression)


@pytest.mark.parametrize("expression", [
    *(f"xp.linalg.cond({x}, {p!r})" for p in (None, 1, -1, 2, -2, "fro", np.inf, "x") for x in (
        "xp.zeros((2, 2))", "xp.asarray([[2.0, 1], [1, 3]])", "xp.zeros((2, 3))",
        "xp.asarray([[[2.0, 1], [1, 3]], [[0, 0], [0, 0]]])")),
    "xp.linalg.cond(xp.ones((2, 2)), 1)", "xp.linalg.cond(xp.ones((2, 2)), 'fro')",
    "xp.linalg.cond(xp.asarray([[1, xp.nan], [1, 1]]), 1)", "xp.linalg.inv(xp.ones((2, 2)))",
    "xp.linalg.solve(xp.zeros((0, 0)), xp.zeros((0, 2)))",
    *(f"xp.linalg.lstsq(xp.zeros({a}), xp.zeros({b}), rcond=None)" for a, b in (
        ((0, 0), (0, 0)), ((0, 0), (0, 2)), ((3, 0), (3, 2)), ((3, 0), 3), ((0, 3), (0, 2)), ((3, 2), (3, 0)),
        ((3, 3), 3), ((3, 2), (3, 2)))),
    "xp.linalg.lstsq(xp.eye(3, 2), xp.ones(3), rcond=None)", "xp.poly(xp.asarray([[2.0, 1], [1, 3]]))",
    "xp.poly(xp.asarray([[2, 1j], [-1j, 3]]))", "xp.poly(xp.zeros((2, 3)))",
    "xp.polyfit(xp.arange(3.0), xp.arange(3.0) ** 2, 2.0)",
    "xp.cross(xp.asarray([1, 2]), xp.asarray([3, 4, 5]))", "xp.cross(xp.asarray([1, 2, 3]), xp.asarray([3, 4.0]))",
    "xp.cross(xp.arange(6).reshape(3, 2), xp.asarray([3, 4]))", "xp.cross(xp.arange(4), xp.arange(4))",
])
def test_linear_algebra(expression):
    same(expression)


def test_halves_have_eigenvalues():
    found = pykc.linalg.eigh(pykc.array([[2, 1], [1, 2]], "f2"))
    assert [one.dtype for one in found] == ["f2", "f2"] and found[0].tolist() == [1, 3]


@pytest.mark.parametrize("expression", [
    "xp.bincount(xp.asarray([], int), weights=xp.asarray([]))",
    "xp.bincount(xp.asarray([], int), weights=xp.asarray([]), minlength=3)",
    *(f"xp.histogram{of}({x}, {bins}{more})" for of, x in (
        ("", "xp.asarray([0.1, 0.7, 3], 'f4')"), ("", "xp.asarray([1, 5], 'f2')"), ("", "xp.asarray([True, False])"),
        ("", "xp.asarray([200, 3], 'u1')"), ("2d", "xp.asarray([0.1, 0.7], 'f4'), xp.asarray([0.3, 5], 'f4')"),
        ("dd", "xp.asarray([[0.1, 0.7], [3, 2]], 'f4')"), ("dd", "xp.asarray([[1, 7], [3, 2]])"))
        for bins in ("7", "[0, 1, 4]" if not of else "[xp.arange(3), xp.arange(4.0)]")
        for more in ("", ", density=True", f", range={[(0, 5)] * 2 if of else (0, 5)}")),
    "xp.histogram(xp.arange(3.0), 2, weights=xp.asarray([1j, 2, 3], 'c8'))",
    "xp.histogram(xp.arange(3.0), [0, 1, 2], weights=xp.asarray([1j, 2, 3]))",
    "xp.histogramdd(xp.zeros((3, 2)), 2, weights=xp.asarray([1j, 2, 3]))",
    "xp.histogram(xp.asarray([0.5, 2], 'f4'), 2, density=True, weights=xp.ones(2, 'f4'))",
    *(f"xp.digitize(xp.asarray([-1, 0.5, xp.nan, 9, xp.inf]), xp.asarray({bins}), {right})" for right in (False, True)
      for bins in ([0.0, 1, float("inf")], "[0.0, 1, xp.nan]", "[0.0, xp.nan, xp.nan]", "[xp.nan, xp.nan]", [2.0, 1, 0],
                   [1.0, 1, 1], [0.0, 2, 1], [2.0, 0, 1], [])),
    "xp.nan_to_num(xp.asarray([xp.nan, 1]), nan=xp.asarray([2.0, 3]))",
    "xp.nan_to_num(xp.asarray([xp.inf, -xp.inf, xp.nan]), posinf=xp.arange(3), neginf=xp.asarray(4))",
    *(f"xp.gradient({f}, {spacing}, edge_order={order})" for order in (1, 2, 3) for f, spacing in (
        ("xp.arange(5.0) ** 2", "2.0"), ("xp.arange(5.0) ** 3", "xp.asarray([0, 1, 3, 4, 7.0])"),
        ("xp.arange(12.0).reshape(3, 4) ** 2", "1.0, xp.asarray([0, 1, 3, 4.0])"), ("xp.arange(2.0)", "1.0"))),
])
def test_counts_and_samples(expression):
    same(expression)


@pytest.mark.parametrize("expression", [
    "xp.zeros(xp.asarray(3))", "xp.full(xp.asarray(2), 7)", "xp.empty(xp.asarray(3)).shape", "xp.tri(xp.asarray(2))",
    "xp.tri(3, xp.asarray(4), 1)", "xp.tril_indices(xp.asarray(3))", "xp.triu_indices(xp.asarray(3), 1, xp.asarray(4))",
    "xp.diag_indices(xp.asarray(3))", "xp.diag_indices(-3)", "xp.eye(xp.asarray(2), k=1)", "xp.arange(0, 5, None)",
    "xp.arange(10, dtype=bool)", "xp.arange(2, dtype=bool)", "xp.arange(xp.asarray(4))",
    "xp.mgrid[xp.asarray(0):xp.asarray(3):4j]", "xp.mgrid[xp.asarray(0):xp.asarray(3), 0:1:3j]",
    "xp.asarray_chkfinite([1, 2])", "xp.asarray_chkfinite([1, xp.inf], 'f4')", "xp.fromstring('1 2 3', sep=' ')",
    "xp.min_scalar_type(xp.asarray(5))", "xp.min_scalar_type(xp.arange(3))", "xp.min_scalar_type(-300)",
    "[xp.True_, xp.False_]", "xp.pad(xp.arange(3), 2, lambda v, w, a, k: None)",
    "xp.pad(xp.arange(6).reshape(2, 3), ((1, 2), (0, 1)), lambda v, w, a, k: v.__setitem__(slice(w[0]), k['by'] + a), "
    "by=7)", "xp.pad(xp.arange(3), 1, 'edge', by=3)",
])
def test_making(expression):
    same(expression)


def test_dumps_and_what_there_is(tmp_path, capsys):
    x = pykc.arange(6).reshape(2, 3)
    x.dump(tmp_path / "x")
    with open(tmp_path / "y", "wb") as file:
        x.dump(file)
    for found in (pickle.loads(x.dumps()), *(pykc.load(tmp_path / name, allow_pickle=True) for name in "xy")):
        assert_same(found, x.get())
    for view in (x, x[::-1, ::-2], x.T[1:], x[:0], pykc.array(3)):
        host = np.lib.array_utils.byte_bounds(view.get().reshape(-1)[:0])
        low, high = pykc.byte_bounds(view)
        assert high - low == (0 if not view.size else 8 + sum((extent - 1) * abs(stride) for extent, stride in
                                                               zip(view.shape, view.strides))) and host
    pykc.who({"x": x, "same": x, "n": 3})
    assert [line.split() for line in capsys.readouterr().out.splitlines()[2:4]] == [
        [name, "2", "x", "3", "48", "int64"] for name in ("x", "same")]
    pykc.who()
    assert capsys.readouterr().out == "\nUpper bound on total bytes  =       0\n"
    pykc.show_config()
    assert f"NumPy       : {np.__version__}" in capsys.readouterr().out


def test_sizes_and_names_of_kernels():
    kernel = pykc.ElementwiseKernel("T x", "T y", "y = x + 1", "kernel")
    for keywords in ({"size": 2}, {"block_size": 0}):
        with pytest.raises(ValueError):
            kernel(pykc.arange(4), **keywords)
    for kind, arguments in ((pykc.ElementwiseKernel, ("T x", "T y", "y = x")),
                            (pykc.ReductionKernel, ("T x", "T y", "x", "a + b", "y = a", "0"))):
        with pytest.raises(ValueError, match='Invalid kernel name: "a b"'):
            kind(*arguments, "a b")
