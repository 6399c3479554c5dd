"""Reductions, running sums and products of pykc's arrays, beside NumPy's."""
import numpy as np
import pytest
from random_arrays import ALL, FLOATS, INTS, REAL, Arrays, assert_same

import mock_driver
import pykc

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::numpy.exceptions.ComplexWarning")


def random_axis(arrays, rank):
    kind = arrays.random.integers(3)
    if kind == 0 or rank == 0:
        return None
    if kind == 1:
        return int(arrays.random.integers(-rank, rank))
    return tuple(int(n) for n in arrays.random.permutation(rank)[:arrays.random.integers(rank + 1)])


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "std", "var", "min", "max", "ptp", "any", "all",
                                  "count_nonzero", "nansum", "nanprod", "nanmin", "nanmax", "nanmean"])
@pytest.mark.parametrize("round_", range(4))
def test_reductions(name, round_):
    arrays = Arrays(f"{name} {round_}")
    choices = FLOATS if name.startswith("nan") else REAL if name in ("min", "max", "ptp") else ALL
    for _ in range(2):
        dtype = arrays.one([one for one in choices if name != "ptp" or one != "?"])
        x, d = arrays.pair(dtype, small=name in ("sum", "prod", "mean", "std", "var"))
        axis, keepdims = random_axis(arrays, x.ndim), bool(arrays.random.integers(2))
        if name == "prod" and x.dtype.kind in "fc":
            x, d = x / 8 + x.dtype.type(1), d / 8 + d.dtype.type(1)
        expected = getattr(np, name)(x.astype("f4") if dtype == "f2" and name in ("sum", "mean", "var", "std", "prod",
                                     "nansum", "nanprod", "nanmean") else x, axis=axis, keepdims=keepdims)
        expected = np.asarray(expected).astype("f2") if dtype == "f2" and np.asarray(expected).dtype.kind == "f" \
            else expected
        found = getattr(pykc, name)(d, axis=axis, keepdims=keepdims)
        assert_same(found, expected, name in ("min", "max", "nanmin", "nanmax", "any", "all"), max(x.size, 8))
        if hasattr(d, name) and axis is not None:
            assert_same(getattr(d, name)(axis), getattr(np, name)(x, axis), name in ("min", "max"), 99 * max(x.size, 8))


@pytest.mark.parametrize("name", ["argmin", "argmax"])
def test_places_in_long_vectors(name):
    arrays = Arrays(name)
    for size in (65535, 65536, 100001, 131072):
        x = arrays.random.integers(-9, 9, size).astype("f4")
        places = np.sort(arrays.random.integers(0, size, 2))
        for values in ((9, 9), (-10, -10), (np.nan, np.nan), (0, np.nan)):
            x[places] = values
            expected = getattr(x, name)()
            assert_same(getattr(pykc.array(x), name)(), expected)
            assert_same(getattr(pykc.array(x), name)(0, keepdims=True), getattr(x, name)(0, keepdims=True))
            assert_same(getattr(pykc.array(x[::-1])[::-1], name)(), expected)


@pytest.mark.parametrize("name", ["argmin", "argmax"])
@pytest.mark.parametrize("round_", range(10))
def test_places(name, round_):
    arrays = Arrays(f"{name} {round_}")
    x, d = arrays.pair(arrays.one(REAL))
    axis = None if x.ndim == 0 or arrays.random.integers(3) == 0 else int(arrays.random.integers(-x.ndim, x.ndim))
    assert_same(getattr(pykc, name)(d, axis), np.asarray(getattr(np, name)(x, axis)))
    assert_same(getattr(d, name)(axis, keepdims=True), getattr(np, name)(x, axis, keepdims=True))


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
@pytest.mark.parametrize("round_", range(10))
def test_running(name, round_):
    arrays = Arrays(f"{name} {round_}")
    x, d = arrays.view(arrays.one(["?", *INTS, "f4", "f8", "c16"]), small=True)
    x, d = (x / 4, d / 4) if x.dtype.kind in "fc" else (x, d)
    axis = None if x.ndim == 0 or arrays.random.integers(3) == 0 else int(arrays.random.integers(-x.ndim, x.ndim))
    assert_same(getattr(pykc, name)(d, axis), getattr(np, name)(x, axis), False, max(x.size, 64))


def test_large():
    x = np.random.default_rng(1).random(1_000_003, np.float32)
    d = pykc.array(x)
    assert abs(float(d.sum()) - x.sum(dtype=float)) < 1 and abs(float(d.mean()) - x.mean(dtype=float)) < 1e-5
    assert int(d.argmax()) == x.argmax() and d.max() == x.max()
    counts = np.random.default_rng(1).integers(0, 9, 1_000_003)
    assert_same(pykc.array(counts).cumsum(), counts.cumsum())
    assert_same(pykc.flatnonzero(pykc.array(counts) == 3), np.flatnonzero(counts == 3))
    square = counts[:1_000_000].reshape(1000, 1000)
    for axis in (0, 1):
        assert_same(pykc.array(square).cumsum(axis), square.cumsum(axis))
        assert_same(pykc.array(square).sum(axis), square.sum(axis))
        assert_same(pykc.array(square).argmin(axis), square.argmin(axis))


@pytest.mark.parametrize("size", [1, 4095, 4096, 4097, 100001])
def test_places_of_what_is_not_zero(size):
    for share in (0, 0.01, 0.5, 1):
        x = np.random.default_rng(1).random(2 * size) < share
        for one, other in ((pykc.array(x[::2]), x[::2]), (pykc.array(x)[::-2], x[::-2])):
            assert_same(pykc.flatnonzero(one), np.flatnonzero(other))
            assert_same(pykc.arange(size)[one], np.arange(size)[other])


def test_nothing():
    empty = pykc.zeros((0, 3))
    assert_same(empty.sum(), np.float64(0))
    assert_same(empty.sum(0), np.zeros(3))
    assert_same(empty.sum(1), np.zeros(0))
    assert_same(empty.max(1), np.zeros(0))
    assert_same(empty.argmax(1), np.zeros(0, int))
    assert np.isnan(float(empty.mean())) and bool(empty.all()) and not bool(empty.any())
    for name in ("max", "argmin"):
        with pytest.raises(ValueError):
            getattr(empty, name)()
        with pytest.raises(ValueError):
            getattr(empty, name)(0)
    assert_same(empty.cumsum(0), np.zeros((0, 3)))


def test_arguments():
    x = pykc.arange(6.0).reshape(2, 3)
    out = pykc.empty(3, np.float32)
    assert x.sum(0, out=out) is out and out.tolist() == [3, 5, 7]
    assert x.sum(dtype=np.float32).dtype == np.float32 and x.astype("i4").sum().dtype == np.int64
    assert_same(x.var(ddof=1), np.arange(6.0).var(ddof=1))
    assert_same(pykc.std(x, 1, correction=0.5), np.std(np.arange(6.0).reshape(2, 3), 1, correction=0.5), False)
    assert_same(pykc.average(x, 0, pykc.array([1.0, 3.0])), np.average(np.arange(6.0).reshape(2, 3), 0, [1, 3]))
    with pytest.raises(np.exceptions.AxisError):
        x.sum(2)
    with pytest.raises(ValueError, match="duplicate"):
        x.sum((0, 0))


@pytest.mark.parametrize("round_", range(24))
def test_products_of_matrices(round_):
    arrays = Arrays(f"matmul {round_}")
    dtype = arrays.one(["?", "i4", "u1", "f2", "f4", "f4", "f8", "c8", "c16"])
    m, k, n = (int(one) for one in arrays.random.choice(arrays.one([[0, 1, 2, 7, 33, 130], [16, 17, 33, 70]]), 3))
    front = arrays.shape(0, 2)
    shapes = arrays.one([((m, k), (k, n)), ((k,), (k, n)), ((m, k), (k,)), ((k,), (k,)), ((*front, m, k), (k, n)),
                         ((m, k), (*front, k, n)), ((*front, 3, k), (*front, k, 2)),
                         ((*front, m, k), (*front, k, n)), ((2, 1, m, k), (3, k, n))])
    (x, d), (y, e) = (arrays.pair(dtype, shape, small=True) for shape in shapes)
    exact = x.astype("f4") @ y.astype("f4") if dtype == "f2" else x @ y
    assert_same(d @ e, np.asarray(exact).astype(x.dtype), False, 8 * k)
    assert_same(pykc.matmul(d, e), np.asarray(exact).astype(x.dtype), False, 8 * k)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_products_across_blocks(dtype):
    random = np.random.default_rng(1)
    for m, k, n in ((144, 256, 24), (145, 257, 25), (290, 600, 47), (147, 513, 12), (16, 1030, 61)):
        x, y = random.integers(-9, 9, (2, m, k)).astype(dtype), random.integers(-9, 9, (k, n)).astype(dtype)
        assert_same(pykc.array(x) @ pykc.array(y), x @ y)
        assert_same(pykc.array(x.swapaxes(1, 2)).swapaxes(1, 2) @ pykc.array(y[::-1]), x @ y[::-1])


def test_products_of_a_gpu(tmp_path):
    mock_driver.run(tmp_path / "products.py", """
import mock_driver
import pykc
mock = mock_driver.load()
for dtype, kernel in (("f4", "gemm"), ("f8", "gemm_doubles"), ("f2", "gemm_tiles"), ("i4", "product_tiled")):
    x = pykc.zeros((256, 256), dtype)
    x @ x
    assert mock.mock_last_launch().contents.function.decode() == kernel
    pykc.zeros((3, 256, 256), dtype) @ x
    assert mock.mock_last_launch().contents.function.decode() == kernel
pykc.argsort(pykc.zeros(10_000, "f4"))
assert mock.mock_last_launch().contents.function == b"sort_by_digit"
""")


def test_arrays_of_a_device_that_is_not_in_use(tmp_path):
    mock_driver.run(tmp_path / "devices.py", """
import numpy as np
import pykc
host = np.random.default_rng(1).random((300, 300))
x = pykc.array(host, device=pykc._devices.device("cpu"))
assert not pykc.device().is_cpu and x.device.is_cpu
assert np.allclose((x @ x).get(), host @ host)
assert np.array_equal(pykc.sort(x, None).get(), np.sort(host, None))
assert np.array_equal(pykc.argsort(x, None).get(), np.argsort(host, None))
assert np.allclose(pykc.fft.fft(x[:64]).get(), np.fft.fft(host[:64]))
assert np.allclose(pykc.linalg.svdvals(x[:9, :9]).get(), np.linalg.svd(host[:9, :9])[1])
assert np.allclose(pykc.linalg.inv(x).get() @ host, np.eye(300))
assert not pykc.device().is_cpu
""")


def test_other_products():
    random = np.random.default_rng(1)
    x, y = random.random((3, 4, 5)), random.random((5, 4, 2))
    d, e = pykc.array(x), pykc.array(y)
    assert_same(pykc.dot(d, e.swapaxes(0, 1)), np.dot(x, y.swapaxes(0, 1)), False, 9)
    assert_same(pykc.tensordot(d, e, ((2, 1), (0, 1))), np.tensordot(x, y, ((2, 1), (0, 1))), False, 9)
    assert_same(pykc.tensordot(d, e, 1), np.tensordot(x, y, 1), False, 9)
    assert_same(pykc.inner(d, d[0]), np.inner(x, x[0]), False, 9)
    assert_same(pykc.outer(d[0, 0], e[0, 0]), np.outer(x[0, 0], y[0, 0]))
    assert_same(pykc.vdot(1j * d, d), np.vdot(1j * x, x), False, 99)
    assert_same(pykc.vecdot(1j * d, d), np.vecdot(1j * x, x), False, 99)
    assert_same(pykc.vecdot(d, d, axis=0), np.vecdot(x, x, axis=0), False, 99)
    with pytest.raises(ValueError, match="do not fit"):
        d @ d
    with pytest.raises(ValueError, match="no dimension"):
        d @ pykc.array(2)
    square = d[0, :4, :4].copy()
    found = square.get() @ square.get()
    square @= square
    assert_same(square, found, False, 9)


@pytest.mark.parametrize("round_", range(10))
def test_along_axes(round_):
    arrays = Arrays(f"along {round_}")
    x, d = arrays.pair(shape=arrays.shape(1, 3))
    axis = int(arrays.random.integers(-x.ndim, x.ndim))
    extent = x.shape[axis]
    places = arrays.random.integers(-extent, extent, (2, 3))
    assert_same(pykc.take(d, places, axis), np.take(x, places, axis))
    assert_same(pykc.take(d, places % x.size), np.take(x, places % x.size))
    shape = list(x.shape)
    shape[axis] = 4
    along = arrays.random.integers(0, extent, shape)
    assert_same(pykc.take_along_axis(d, along, axis), np.take_along_axis(x, along, axis))
    mask = arrays.random.integers(0, 2, extent).astype(bool)
    assert_same(pykc.compress(mask, d, axis), np.compress(mask, x, axis))
    assert_same(d.compress(mask, axis), x.compress(mask, axis))
    assert_same(d.compress([True, False]), x.compress([True, False]))
    assert_same(pykc.extract(d > 0, d), np.extract(x > 0, x))
    assert_same(pykc.argwhere(d), np.argwhere(x))


def test_types_that_are_asked_for():
    x, mask = np.arange(4), np.array([True, True, False, True])
    z = np.array([1j, 2, 0], np.complex64)
    assert_same(pykc.mean(pykc.array(x), dtype=int, where=pykc.array(mask)), np.array(np.mean(x, dtype=int, where=mask)))
    for name in ("var", "std"):
        for values in (x, z):
            for dtype in (None, complex):
                assert_same(getattr(pykc, name)(pykc.array(values), dtype=dtype),
                            np.array(getattr(np, name)(values, dtype=dtype)), False, 4)
    for values in (z, 0 * z, x / 4):
        assert_same(pykc.sum(pykc.array(values), dtype=bool), np.array(np.sum(values, dtype=bool)))


def test_spread_of_what_a_mask_says():
    x, mask = np.random.default_rng(1).random((4, 5)), np.random.default_rng(2).random((4, 5)) < 0.7
    for values in (x, x + 1j * x[::-1], (9 * x).astype(int)):
        for keywords in ({}, {"axis": 0}, {"axis": 1, "ddof": 1, "keepdims": True}):
            for name in ("var", "std"):
                found = getattr(pykc, name)(pykc.array(values), where=pykc.array(mask), **keywords)
                assert_same(found, np.asarray(getattr(np, name)(values, where=mask, **keywords)), False, 9)
