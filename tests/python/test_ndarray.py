"""Arrays with NumPy's operators and functions, beside NumPy's own."""
import operator
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
from random_arrays import ALL, COMPLEX, FLOATS, INTS, REAL, Arrays, assert_same

import pykc
from pykc._arrays.ufunc_table import NAMES

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::numpy.exceptions.ComplexWarning")

BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
          operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift, operator.eq, operator.ne,
          operator.lt, operator.le, operator.gt, operator.ge, divmod]
EXACT = {"add", "sub", "mul", "and_", "or_", "xor", "lshift", "rshift", "eq", "ne", "lt", "le", "gt", "ge"}
INEXACT_UFUNCS = """sin cos tan arcsin arccos arctan arctan2 hypot sinh cosh tanh arcsinh arccosh arctanh exp exp2 expm1
    log log2 log10 log1p cbrt power float_power logaddexp logaddexp2 sqrt divide reciprocal sign absolute square multiply
    deg2rad rad2deg radians degrees remainder floor_divide divmod fmod""".split()


def both(function, host_arguments, arguments):
    """What the function makes of both; the same exceptions count as the same."""
    try:
        with np.errstate(all="ignore"):
            expected = function(*host_arguments)
    except Exception as error:
        with pytest.raises(type(error) if type(error) in (ValueError, OverflowError, IndexError) else TypeError):
            function(*arguments)
        return None
    return function(*arguments), expected


def is_exact(function, *operands):
    """NumPy fuses a product of complex numbers or not, by the processor and the strides."""
    is_complex_product = function is operator.mul and any(map(np.iscomplexobj, operands))
    return function.__name__ in EXACT and not is_complex_product


def check(function, host_arguments, arguments, exact=True, scale=1.0):
    results = both(function, host_arguments, arguments)
    if results is None:
        return
    found, expected = results
    if isinstance(expected, tuple):
        for one, other in zip(found, expected):
            assert_same(one, other, exact, scale)
    else:
        assert_same(found, expected, exact, scale)


@pytest.mark.parametrize("function", BINARY)
@pytest.mark.parametrize("round_", range(6))
def test_operators_of_two_arrays(function, round_):
    arrays = Arrays(f"{function.__name__} {round_}")
    is_power = function is operator.pow
    x, dx = arrays.view(small=is_power)
    shape = tuple(arrays.one([1, extent]) for extent in x.shape)[arrays.random.integers(x.ndim + 1):]
    y, dy = arrays.pair(shape=shape, small=is_power)
    if is_power and y.dtype.kind in "iu":
        y, dy = abs(y), abs(dy)
    check(function, (x, y), (dx, dy), is_exact(function, x, y), 64)


@pytest.mark.parametrize("function", BINARY)
@pytest.mark.parametrize("number", [0, 1, 3, -2, 2.5, 300, 2 ** 40, True, 1 + 2j, np.float32(1.5), np.int8(7),
                                    np.uint64(2 ** 63), 10 ** 30])
def test_operators_with_numbers(function, number):
    arrays = Arrays(f"{function.__name__} {number}")
    is_power = function is operator.pow
    is_noise = is_power and isinstance(number, (int, np.integer)) and number > 99  # of complex numbers, the angle
    dtype = arrays.one([one for one in ALL[1:] if not (is_noise and one in COMPLEX)])
    x, dx = arrays.view(dtype, small=is_power)
    if is_power and dtype in INTS:
        x, dx = abs(x), abs(dx)
    check(function, (x, number), (dx, number), is_exact(function, x, number), 64)
    if not is_power:
        check(function, (number, x), (number, dx), is_exact(function, x, number), 64)


@pytest.mark.parametrize("function", [operator.iadd, operator.isub, operator.imul, operator.itruediv,
                                      operator.ifloordiv, operator.imod, operator.iand, operator.ior, operator.ixor])
@pytest.mark.parametrize("round_", range(4))
def test_in_place(function, round_):
    arrays = Arrays(f"{function.__name__} {round_}")
    x, dx = arrays.pair(arrays.one(REAL), small=True)
    y, dy = arrays.pair(arrays.one([x.dtype, *REAL]), x.shape[arrays.random.integers(x.ndim + 1):], small=True)
    found, kept = x.copy(), dx
    try:
        with np.errstate(all="ignore"):
            found = function(found, y)
    except TypeError:
        with pytest.raises(TypeError):
            function(dx, dy)
        return
    dx = function(dx, dy)
    assert dx is kept
    assert_same(dx, found, False, 8)


@pytest.mark.parametrize("name", NAMES)
def test_functions_of_elements(name):
    arrays = Arrays(name)
    function, expected = getattr(pykc, name), getattr(np, name)
    dtypes = arrays.random.permutation(ALL)
    for dtype in dtypes[:3]:
        pairs = [arrays.pair(dtype, small=name not in ("equal", "add", "maximum", "minimum"))]
        for _ in range(expected.nin - 1):
            pairs.append(arrays.pair("i4" if name == "ldexp" else dtype, pairs[0][0].shape, small=True))
        if name == "reciprocal":  # of 0 it is anything for integers
            pairs[0] = tuple(abs(one) + 1 if one.dtype.kind in "iu" else one for one in pairs[0])
        if name == "power" and pairs[1][0].dtype.kind in "iu":
            pairs[1] = tuple(map(abs, pairs[1]))
        hosts, devices = zip(*pairs)
        try:
            with np.errstate(all="ignore"):
                results = expected(*hosts)
        except TypeError:
            with pytest.raises(TypeError):
                function(*devices)
            continue
        found = function(*devices)
        for one, other in zip(*((found, results) if isinstance(results, tuple) else ((found,), (results,)))):
            assert_same(one, other, name not in INEXACT_UFUNCS, 64)


def test_special_values():
    values = np.array([0.0, -0.0, 1.5, -2.5, np.nan, np.inf, -np.inf, 1e308, 5e-324])
    x, y = np.meshgrid(values, values)
    for name in ("floor_divide", "remainder", "fmod", "maximum", "minimum", "fmax", "fmin", "copysign", "logaddexp",
                 "logaddexp2", "heaviside", "arctan2", "hypot", "nextafter"):
        check(lambda a, b: (np if isinstance(a, np.ndarray) else pykc).__getattribute__(name)(a, b), (x, y),
              (pykc.array(x), pykc.array(y)), name not in INEXACT_UFUNCS, 4)
    halves = x.astype("f2"), y.astype("f2")
    check(lambda a, b: (np if isinstance(a, np.ndarray) else pykc).nextafter(a, b), halves,
          tuple(map(pykc.array, halves)))
    for name in ("sign", "signbit", "modf", "frexp", "rint", "trunc", "floor", "square"):
        check(lambda a: (np if isinstance(a, np.ndarray) else pykc).__getattribute__(name)(a), (values,),
              (pykc.array(values),))


def test_large_remainders():
    for of in (np.int64, np.uint64):
        x, y = np.array([2 ** 60 + 1, 2 ** 62 + 3, 7, 5], of), np.array([10, 7, 2 ** 62, 1], of)
        check(lambda a, b: (np if isinstance(a, np.ndarray) else pykc).fmod(a, b), (x, y),
              (pykc.array(x), pykc.array(y)))


def test_signs_of_complex_zeros():
    x = np.array([0j, complex(-0.0, 0.0), complex(0.0, -0.0), complex(-0.0, -0.0)])
    assert not np.signbit(pykc.sign(pykc.array(x)).get().view(float)).any()


def test_out_and_dtype():
    x = pykc.arange(6).reshape(2, 3)
    out = pykc.empty((2, 3), np.float32)
    assert pykc.add(x, 1, out=out) is out and out.get().tolist() == [[1, 2, 3], [4, 5, 6]]
    assert pykc.add(x, x, dtype=np.float32).dtype == np.float32
    with pytest.raises(TypeError, match="same_kind"):
        pykc.add(x, 0.5, out=x)
    with pytest.raises(ValueError, match="broadcast shape"):
        pykc.add(x, 1, out=pykc.empty(3))
    quotients, rests = pykc.divmod(x, 4, out=(pykc.empty((2, 3), int), None))
    assert quotients.get().tolist() == [[0, 0, 0], [0, 1, 1]] and rests.get().tolist() == [[0, 1, 2], [3, 0, 1]]
    assert pykc.add.outer(pykc.arange(2), pykc.arange(3)).get().tolist() == [[0, 1, 2], [1, 2, 3]]


def test_overlapping_memory():
    x, d = np.arange(10), pykc.arange(10)
    x[1:] += x[:-1].copy()
    d[1:] += d[:-1]
    assert_same(d, x)
    x[:] = x[::-1].copy()
    d[:] = d[::-1]
    assert_same(d, x)
    x[2:8] = x[0:6].copy()
    d[2:8] = d[0:6]
    assert_same(d, x)


def test_other_arrays():
    x = pykc.arange(3)
    for bad in (lambda: x + np.arange(3), lambda: np.arange(3) + x, lambda: x + [1, 2, 3], lambda: x + "a",
                lambda: pykc.sin([1.0])):
        with pytest.raises(TypeError):
            bad()
    assert isinstance(np.sin(x), pykc.ndarray) and isinstance(np.float32(2) * x, pykc.ndarray)
    assert_same(pykc.cuda.to_device(np.arange(3)) + x, np.arange(3) * 2)


# --- conversions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ALL)
def test_astype(dtype):
    arrays = Arrays(dtype)
    for target in ALL:
        x, d = arrays.pair(dtype, small=True)
        if np.dtype(target).kind == "u":
            x, d = abs(x), abs(d)
        assert_same(d.astype(target), x.astype(target))
    assert d.astype(dtype, copy=False) is not None


def test_conversions_to_the_host():
    x = pykc.array([[1.5, 2.0]])
    assert x.tolist() == [[1.5, 2.0]] and x.item(1) == 2.0 and x.item(0, 0) == 1.5 and x[0, 0].item() == 1.5
    assert float(x[0, 0]) == 1.5 and int(x[0, 1]) == 2 and complex(x[0, 0]) == 1.5 and bool(x[0, 0])
    assert [5, 6, 7][pykc.array(2)] == 7 and f"{x[0, 0]:.2f}" == "1.50" and repr(x) == repr(x.get())
    with pytest.raises(ValueError, match="ambiguous"):
        bool(x)
    with pytest.raises(TypeError):
        hash(x)
    assert (np.asarray(x) == x.get()).all() and pykc.asnumpy([1, 2]).tolist() == [1, 2]
    assert_same(pickle.loads(pickle.dumps(x)), x.get())
    z = pykc.array([1 + 2j, 3 - 4j])
    assert_same(z.real, z.get().real)
    assert_same(z.imag, z.get().imag)
    z.real[:] = 0
    assert z.tolist() == [2j, -4j]


# --- views and indices ------------------------------------------------------------------------------------------------


def random_index(arrays, shape):
    index = []
    for extent in shape[:arrays.random.integers(len(shape) + 1)]:
        kind = arrays.random.integers(6)
        if kind == 0:
            index.append(int(arrays.random.integers(-extent, extent)))
        elif kind < 4:
            bounds = [None if arrays.random.integers(3) == 0 else int(n) for n in arrays.random.integers(-9, 9, 2)]
            index.append(slice(*bounds, arrays.one([None, 1, 2, -1, -3])))
        else:
            index.append(slice(None))
        if arrays.random.integers(5) == 0:
            index.append(None)
    if arrays.random.integers(3) == 0:
        index.insert(arrays.random.integers(len(index) + 1), Ellipsis)
    return tuple(index)


def random_arrays_index(arrays, shape):
    """An index in which arrays stand beside slices."""
    index = list(random_index(arrays, shape))
    names = [place for place, one in enumerate(index) if one is not None and one is not Ellipsis]
    places = {}
    axis = 0
    for place, one in enumerate(index):
        if one is Ellipsis:
            axis += len(shape) - len(names)
        elif one is not None:
            places[place] = axis
            axis += 1
    common = arrays.shape(0, 2)
    for place in names:
        extent = shape[places[place]]
        if arrays.random.integers(2):
            index[place] = arrays.random.integers(-extent, extent, tuple(arrays.one([1, n]) for n in common))
        elif arrays.random.integers(6) == 0 and len(common) < 1:
            index[place] = arrays.random.integers(0, 2, extent).astype(bool)
    return tuple(index)


@pytest.mark.parametrize("round_", range(40))
def test_slices(round_):
    arrays = Arrays(f"slice {round_}")
    x, d = arrays.pair(shape=arrays.shape(1))
    index = random_index(arrays, x.shape)
    results = both(lambda a, i: a[i], (x, index), (d, index))
    if results is None:
        return
    assert_same(*results)
    x = x.copy()
    x[index] = 3
    d[index] = 3
    assert_same(d, x)
    value, dvalue = arrays.pair(x.dtype, x[index].shape)
    x[index] = value
    d[index] = dvalue
    assert_same(d, x)


@pytest.mark.parametrize("round_", range(40))
def test_arrays_as_indices(round_):
    arrays = Arrays(f"fancy {round_}")
    x, d = arrays.pair(shape=arrays.shape(1, 4))
    index = random_arrays_index(arrays, x.shape)
    found = tuple(pykc.array(one) if isinstance(one, np.ndarray) and arrays.random.integers(2) else one
                  for one in index)
    results = both(lambda a, i: a[i], (x, index), (d, found))
    if results is None:
        return
    assert_same(*results)
    x = x.copy()
    x[index] = 1
    d[found] = 1
    assert_same(d, x)


@pytest.mark.parametrize("round_", range(20))
def test_masks(round_):
    arrays = Arrays(f"mask {round_}")
    x, d = arrays.pair(shape=arrays.shape(1, 3))
    count = int(arrays.random.integers(1, x.ndim + 1))
    mask, dmask = arrays.pair("?", x.shape[:count])
    assert_same(d[dmask], x[mask])
    for one, other in zip(pykc.nonzero(dmask), np.nonzero(mask)):
        assert_same(one, other)
    x = x.copy()
    values = arrays.values(x[mask].shape, x.dtype)
    x[mask] = values
    d[dmask] = values
    assert_same(d, x)
    x[mask] = 2
    d[dmask] = 2
    assert_same(d, x)
    x[0, ...][mask[0] if count > 1 else ...] = 1
    d[0, ...][dmask[0] if count > 1 else ...] = 1
    assert_same(d, x)


def test_errors_of_indices():
    d = pykc.zeros((3, 4))
    for index in (3, (0, 4), (0, 0, 0), [5], ([0, 1], [0, 1, 2]), pykc.zeros(4, bool), pykc.zeros(2), "a", 1.5,
                  (..., ...)):
        with pytest.raises(IndexError):
            d[index]
    with pytest.raises(ValueError):
        d[::0]
    with pytest.raises(ValueError):
        d[0] = pykc.zeros(5)
    with pytest.raises(IndexError):
        d[[0, -4]] = 1
    with pytest.raises(NotImplementedError):
        d[True, [0]]


def test_where_the_axes_of_indices_go():
    x, d = np.arange(120).reshape(2, 3, 4, 5), pykc.arange(120).reshape(2, 3, 4, 5)
    i = np.array([0, 1])
    for index in ((0, i), (i, 0), np.s_[0, :, i], np.s_[:, 0, i], np.s_[:, i, None, 0], np.s_[0, ..., i],
                  np.s_[:, :, i, ..., 0], np.s_[..., i, 0], np.s_[i, :, i[:, None]], np.s_[:, i, :, i]):
        assert_same(d[index], x[index])


def test_masks_of_nothing():
    d = pykc.zeros((3, 4))
    assert d[pykc.zeros((3, 0), bool)].shape == d[pykc.zeros((0, 4), bool)].shape == (0,)
    assert d[pykc.zeros((3, 4), bool)].shape == (0,) and d[pykc.zeros(0, bool)].shape == (0, 4)
    d[pykc.zeros((0, 4), bool)] = 1
    assert not d.any()


def test_a_new_axis():
    x, d = np.arange(6).reshape(2, 3), pykc.arange(6).reshape(2, 3)
    for index in (None, (None,), (None, 1), (..., None), (slice(None), None, [1, 2])):
        assert_same(d[index], x[index])


def test_truth_as_an_index():
    x, d = np.arange(6).reshape(2, 3), pykc.arange(6).reshape(2, 3)
    for index in (True, False, np.True_, np.array(False)):
        assert_same(d[index], x[index])
    assert_same(pykc.array(5)[pykc.array(True)], np.array([5]))
    d[pykc.array(False)] = 9
    d[True] = d + 1
    assert_same(d, x + 1)


@pytest.mark.parametrize("round_", range(10))
def test_shapes(round_):
    arrays = Arrays(f"shape {round_}")
    x, d = arrays.pair(shape=arrays.shape(2, 4))
    axis, other = (int(n) for n in arrays.random.integers(-x.ndim, x.ndim, 2))
    assert_same(d.T, x.T)
    assert_same(d.mT, x.mT)
    assert_same(d.reshape(-1), x.reshape(-1))
    assert_same(d.reshape(x.shape[::-1]), x.reshape(x.shape[::-1]))
    assert_same(d.reshape(x.shape[::-1], order="F"), x.reshape(x.shape[::-1], order="F"))
    assert_same(d.flatten("F"), x.flatten("F"))
    assert_same(d.swapaxes(axis, other), x.swapaxes(axis, other))
    assert_same(d.diagonal(1), x.diagonal(1))
    assert_same(d.copy("F"), x)
    for name, arguments in {
            "squeeze": (), "moveaxis": (axis, other), "expand_dims": (axis,), "flip": (axis,), "roll": (3, axis),
            "rot90": (int(arrays.random.integers(5)),), "repeat": (2, axis), "tile": ((2, 1, 3),), "ravel": (),
            "atleast_2d": (), "tril": (int(arrays.random.integers(-2, 3)),), "trace": (), "fliplr": ()}.items():
        assert_same(getattr(pykc, name)(d, *arguments), getattr(np, name)(x, *arguments), x.dtype.kind in "biu", 64)
    assert pykc.repeat(pykc.zeros((1, 0)), 2, 0).shape == (2, 0)
    assert_same(pykc.roll(d, (1, -2), (0, 1)), np.roll(x, (1, -2), (0, 1)))
    assert_same(pykc.repeat(d, np.arange(x.shape[axis]), axis), np.repeat(x, np.arange(x.shape[axis]), axis))
    for one, two in zip(pykc.array_split(d, 3, axis), np.array_split(x, 3, axis)):
        assert_same(one, two)
    y, e = arrays.pair(shape=x.shape)
    for name in ("concatenate", "stack", "vstack", "hstack"):
        assert_same(getattr(pykc, name)([d, e, d]), getattr(np, name)([x, y, x]))
    assert_same(pykc.concatenate([d, e], axis=None), np.concatenate([x, y], axis=None))
    assert_same(pykc.stack([d, e], axis), np.stack([x, y], axis))


# --- making arrays ----------------------------------------------------------------------------------------------------


def test_creation():
    for dtype in ALL:
        for name in ("zeros", "ones", "eye"):
            shape = 3 if name == "eye" else (2, 3)
            assert_same(getattr(pykc, name)(shape, dtype=dtype), getattr(np, name)(shape, dtype=dtype))
        assert_same(pykc.full((2, 2), 1, dtype), np.full((2, 2), 1, dtype))
    like = pykc.zeros((3, 2), np.int16, order="F")
    assert pykc.empty_like(like).flags.f_contiguous and pykc.ones_like(like).dtype == np.int16
    assert_same(pykc.full_like(like, 7), np.full((3, 2), 7, np.int16))
    for arguments in [(5,), (2, 7), (1, 10, 3), (5, 1, -2), (0.0, 1.0, 0.1), (3, 3), (1, 2, 0.25)]:
        assert_same(pykc.arange(*arguments), np.arange(*arguments), False)
    assert_same(pykc.arange(4, dtype=np.float32), np.arange(4, dtype=np.float32))
    for arguments in [(0, 1), (1, 9, 5), (2.0, -3.0, 7), (1, 1, 1), (0, 1, 0)]:
        assert_same(pykc.linspace(*arguments), np.linspace(*arguments), False)
        assert_same(pykc.linspace(*arguments, endpoint=False), np.linspace(*arguments, endpoint=False), False)
    assert_same(pykc.linspace(0, 9, 4, dtype=np.int32), np.linspace(0, 9, 4, dtype=np.int32))
    assert_same(pykc.tri(3, 5, 1), np.tri(3, 5, 1))
    for one, other in zip(pykc.meshgrid(pykc.arange(3), pykc.arange(4)), np.meshgrid(np.arange(3), np.arange(4))):
        assert_same(one, other)
    assert_same(pykc.diag(pykc.arange(3), 1), np.diag(np.arange(3), 1))
    assert_same(pykc.array([[1, 2], [3, 4]], ndmin=3), np.array([[1, 2], [3, 4]], ndmin=3))
    assert_same(pykc.array([pykc.arange(2), [5, 6]]), np.array([[0, 1], [5, 6]]))
    x = pykc.arange(3)
    assert pykc.asarray(x) is not None and pykc.asarray(x).address == x.address and pykc.array(x).address != x.address
    assert pykc.asarray(x, np.float32).dtype == np.float32
    with pytest.raises(TypeError, match="no elements of"):
        pykc.array(["text"])
    with pytest.raises(OverflowError):
        pykc.full(3, 300, np.uint8)
    assert pykc.array(np.arange(3, dtype=">i4")).get().tolist() == [0, 1, 2]
    assert pykc.array(np.zeros((0, 3))).shape == (0, 3) and (pykc.zeros((0, 3)) + 1).shape == (0, 3)


def test_interchange():
    x = np.arange(6.0).reshape(2, 3)
    d = pykc.asarray(x, device="cpu")
    assert_same(pykc.from_dlpack(d), x)
    shared = np.from_dlpack(d)
    d[0, 0] = 9
    assert shared[0, 0] == 9 and d.__dlpack_device__() == (1, 0)
    back = pykc.from_dlpack(x, device="cpu")
    x[1, 1] = 7
    assert float(back[1, 1]) == 7
    copied = np.from_dlpack(d, copy=True)
    d[0, 0] = 5
    assert copied[0, 0] == 9 and shared[0, 0] == 5
    assert d.__array_namespace__() is pykc and d.device.name == "cpu" and d.to_device("cpu") is d

    @pykc.cuda.jit
    def double(x):
        i, j = pykc.cuda.grid(2)
        if i < x.shape[0] and j < x.shape[1]:
            x[i, j] *= 2

    if pykc.device().is_cpu:
        double[1, (4, 4)](d)
        assert_same(d, shared)


def test_where_and_comparisons():
    arrays = Arrays("where")
    for _ in range(10):
        c, dc = arrays.pair("?")
        x, dx = arrays.pair(shape=c.shape)
        y, dy = arrays.pair(shape=c.shape[1:])
        assert_same(pykc.where(dc, dx, dy), np.where(c, x, y))
        assert_same(pykc.where(dc, dx, 3), np.where(c, x, 3))
        if x.dtype.kind not in "c":
            lower, upper = sorted(arrays.values((2,), "i1", True).tolist())
            results = both(lambda a: (np if isinstance(a, np.ndarray) else pykc).clip(a, lower, upper), (x,), (dx,))
            if results is not None:
                assert_same(*results)
        assert_same(pykc.isclose(dx, dx * 1), np.isclose(x, x))
        assert_same(pykc.isclose(dx, dx * 1, equal_nan=True), np.isclose(x, x, equal_nan=True))
    x = np.array([1.5, 2.5, np.nan, np.inf, -np.inf, -0.125])
    d = pykc.array(x)
    assert_same(pykc.nan_to_num(d), np.nan_to_num(x))
    assert_same(pykc.round(d, 2), np.round(x, 2))
    assert_same(d.round(), x.round())
    assert bool(pykc.array_equal(d, d)) is False and bool(pykc.array_equal(d, d, equal_nan=True))
    assert bool(pykc.allclose(d[:2], d[:2]))


def test_shared_memory():
    x = np.zeros((6, 8))
    d = pykc.array(x)
    views = [(slice(None),), (slice(0, 2),), (slice(2, None),), (slice(None), slice(0, 4)), (slice(None), slice(4, 8)),
             (slice(None, None, -2),), (slice(1, None, 2), slice(1, None, 2)), (slice(0, 0),)]
    for one in views:
        for other in views:
            assert pykc.shares_memory(d[one], d[other].T) == np.shares_memory(x[one], x[other].T), (one, other)
    assert not pykc.shares_memory(d, pykc.array(x)) and pykc.shares_memory(x, x[1:])


def test_numbers_in_kernels():
    """Names that kernels have, too, are still those there."""
    from pykc import cbrt, cuda

    @cuda.jit
    def kernel(x):
        x[0] = cbrt(27.0)

    x = np.zeros(1)
    kernel[1, 1](x)
    cuda.synchronize()
    assert x[0] == 3.0 and abs(float(cbrt(pykc.array(27.0))) - 3) < 1e-12


def test_what_the_array_api_asks():
    info = pykc.__array_namespace_info__()
    assert pykc.device() in info.devices() and info.default_device() == pykc.device()
    assert info.dtypes(kind="complex floating") == {"complex64": np.complex64, "complex128": np.complex128}
    assert info.default_dtypes()["real floating"] == np.float64 and info.capabilities()["max dimensions"] == 8
    with pytest.raises(ValueError, match="there is no kind"):
        info.dtypes(kind="text")
    assert pykc.__array_api_version__ == "2025.12" and pykc.isdtype(pykc.zeros(1).dtype, "real floating")
    x = np.array([1, 4, 9, 16])
    assert_same(pykc.diff(pykc.array(x), 2), np.diff(x, 2))
    assert_same(pykc.diff(pykc.array(x), prepend=0, append=pykc.array([5, 6])), np.diff(x, prepend=0, append=[5, 6]))
    assert_same(pykc.diff(pykc.array([True, False, False])), np.diff([True, False, False]))


def test_without_numpy():
    program = ("import sys; sys.modules['numpy'] = None; import pykc; assert not hasattr(pykc, 'array'); "
               "pykc.grid; assert 'cuda' in dir(pykc)")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert pykc.get_array_module(1, pykc.zeros(1)) is pykc and pykc.get_array_module(np.zeros(1)) is np


def test_names():
    assert "array" in dir(pykc) and "sin" in dir(pykc)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        pykc.nothing
    assert COMPLEX and FLOATS
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pykc.float32 is np.float32 and pykc.pi > 3


@pytest.mark.parametrize("make", [np.copy, lambda x: np.copy(x).T, lambda x: np.copy(x)[::-1, ::2], lambda x: x[:0]])
def test_flat(make):
    x = make(np.arange(12.0).reshape(3, 4))
    d = pykc.zeros(x.shape[::-1]).T
    d[...] = pykc.array(x)
    assert list(d.flat) == list(x.flat) and len(d.flat) == len(x.flat)
    assert_same(d.flat.copy(), x.flatten())
    assert_same(d.flat[1:4], x.flat[1:4])
    d.flat[::2] = x.flat[::2] = 7
    assert_same(d, x)
    if x.size:
        assert d.flat[1].item() == x.flat[1]
        d.flat[[0, 2]] = x.flat[[0, 2]] = [8, 9]
        d.flat[-1] = x.flat[-1] = 5
        assert_same(d, x)


def test_methods_that_change_the_array():
    x = np.array([5, 3, 1, 4, 2])
    d = pykc.array(x)
    d.put([0, -1], [6, 7])
    x.put([0, -1], [6, 7])
    assert_same(d, x)
    assert_same(pykc.array([1, 0]).choose([d[:2], d[2:4]]), np.array([1, 0]).choose([x[:2], x[2:4]]))
    places = d.argpartition(2)
    d.partition(2)
    assert d[2].item() == 4 and x[places[2].item()] == 4 and d[:2].max() < 4 < d[3:].min()


def test_arrays_of_bytes_and_iterators(tmp_path):
    assert_same(pykc.frombuffer(b"\1\0\2\0\3\0", np.int16, offset=2), np.array([2, 3], np.int16))
    assert_same(pykc.frombuffer(b"\0\1\0\2", ">u2"), np.array([1, 2], np.uint16))
    assert_same(pykc.frombuffer(b"\1\2", pykc.types.uint8), np.array([1, 2], np.uint8))
    with pytest.raises(TypeError, match="the other order"):
        pykc.array([1, 2], np.int16).view(">i2")
    assert_same(pykc.fromiter((i * i for i in range(4)), float), np.array([0.0, 1, 4, 9]))
    pykc.savez(tmp_path / "two.npz", pykc.arange(3), other=pykc.ones(2))
    with np.load(tmp_path / "two.npz") as found:
        assert found["arr_0"].tolist() == [0, 1, 2] and found["other"].tolist() == [1, 1]


def test_comparison_with_none():
    x = pykc.arange(6).reshape(2, 3)
    assert_same(x == None, np.zeros((2, 3), bool))  # noqa: E711
    assert_same(x != None, np.ones((2, 3), bool))  # noqa: E711


def test_device_of_an_array():
    x = pykc.arange(2)
    device = x.device
    assert device == pykc.cuda.Device(device.id) and pykc.cuda.Device(device.id) == device and device != 0
    assert int(device) == device.id == int(pykc.cuda.Device()) and {pykc.cuda.Device(): 1}[device] == 1
    with pykc.device("cpu"), x.device as entered:
        assert entered is not None and pykc.zeros(1).device == device
    x.device.use()
    assert (x + 1).tolist() == [1, 2]


def test_names_of_errors():
    pool = pykc.get_default_memory_pool()
    pool.set_limit(1)
    try:
        with pytest.raises(pykc.cuda.memory.OutOfMemoryError):
            pykc.zeros(10_000)
    finally:
        pool.set_limit(0)
    for error in (pykc.DeviceError, pykc.LaunchError, pykc.KernelFault):
        assert issubclass(error, pykc.cuda.runtime.CUDARuntimeError)


def test_casting_of_functions_of_elements():
    x, y = np.array([1.5, -2.5, 3.75]), np.array([1, 2, 3])
    d, e = pykc.array(x), pykc.array(y)
    for dtype in (None, np.int32, np.float32):
        out, expected = pykc.zeros(3, np.int16), np.zeros(3, np.int16)
        assert np.add(x, y, out=expected, dtype=dtype, casting="unsafe") is expected
        assert pykc.add(d, e, out=out, dtype=dtype, casting="unsafe") is out
        assert_same(out, expected)
    mask = np.array([True, False, True])
    out = pykc.zeros(3, int)
    assert_same(pykc.multiply(d, e, out=out, where=pykc.array(mask), casting="unsafe"), np.array([1, 0, 11]))
    for keywords in ({}, {"casting": "same_kind"}, {"casting": "safe"}, {"casting": "no"}):
        with pytest.raises(TypeError):
            pykc.add(d, e, out=out, **keywords)
    with pytest.raises(TypeError):
        pykc.add(d, e, casting="no")
    assert_same(pykc.add(d, e, casting="safe"), x + y)
    assert_same(np.add(d, e, out=out, casting="unsafe"), (x + y).astype(int))


def test_elements_and_files(tmp_path):
    x = np.arange(6.0).reshape(2, 3)
    d = pykc.array(x)
    assert d.item((1, 2)) == d.item(1, 2) == d.item(5) == 5 and pykc.array(7).item(()) == 7
    d.T.tofile(tmp_path / "elements")
    assert np.fromfile(tmp_path / "elements").tolist() == x.T.ravel().tolist()


def test_a_shape_is_assigned():
    x = np.arange(6.0)
    d = pykc.array(x)
    view = d[::2]
    for shape, given in (((2, 3), (2, 3)), ((3, 2), (3, -1)), ((6,), 6), ((1, 6, 1), [1, 6, 1])):
        d.shape = given
        assert d.shape == shape and (d + 1).tolist() == (x.reshape(shape) + 1).tolist()
    d.shape = 2, 3
    d[1] = 7
    assert view.tolist() == [0, 2, 7]
    view.shape = 3, 1  # strides reach it
    assert view.tolist() == [[0], [2], [7]]
    for other in (d.T, pykc.arange(6).reshape(2, 3)[:, ::-1]):
        with pytest.raises(AttributeError, match="reshape"):
            other.shape = 6
    with pytest.raises(ValueError, match="cannot reshape|elements"):
        d.shape = 5


def test_reduced_views():
    x = np.arange(24.0).reshape(2, 3, 4)
    for key, shape in ((slice(None), (24,)), ((slice(None), slice(2)), (2, 8)), ((..., slice(0, 2)), (6, 2)),
                       ((slice(1), 1), (4,)), ((0, 0, 0), ()), (slice(0), (0,))):
        found = pykc.array(x)[key].reduced_view()
        assert found.shape == shape and found.ravel().tolist() == x[key].ravel().tolist()
    d = pykc.array(x)
    d.reduced_view()[...] = 3
    assert d.sum() == 72
