"""Sorting, searching, different elements, and random numbers of pykc's arrays."""
import math

import numpy as np
import pytest
from random_arrays import ALL, REAL, Arrays, assert_same

import pykc


@pytest.mark.parametrize("round_", range(14))
def test_sort(round_):
    arrays = Arrays(f"sort {round_}")
    x, d = arrays.pair(arrays.one(REAL), arrays.shape(1, 3))
    axis = int(arrays.random.integers(-x.ndim, x.ndim))
    assert_same(pykc.sort(d, axis), np.sort(x, axis))
    assert_same(pykc.argsort(d, axis), np.argsort(x, axis, stable=True))
    assert_same(d.argsort(axis), np.argsort(x, axis, stable=True))
    assert_same(pykc.sort(d, None), np.sort(x, None))
    numbers = x[np.isfinite(x)] if x.dtype.kind == "f" else x.ravel()
    assert_same(pykc.sort(pykc.array(numbers), descending=True), np.sort(numbers)[::-1])
    d.sort(axis)
    assert_same(d, np.sort(x, axis))
    if x.dtype.kind != "b":
        with np.errstate(all="ignore"):
            expected = np.median(x, axis)
        assert_same(pykc.median(d, axis), expected, False)


@pytest.mark.parametrize("n", [31, 32, 33, 64, 65, 1000, 100_003])
def test_sort_of_many(n):
    x = Arrays(n).random.integers(0, n // 3, n)
    d = pykc.array(x)
    assert_same(pykc.sort(d), np.sort(x))
    assert_same(pykc.argsort(d), np.argsort(x, stable=True))
    down = pykc.argsort(d, descending=True).get()
    assert (np.diff(x[down]) <= 0).all() and (np.diff(down)[np.diff(x[down]) == 0] > 0).all()


# So many are sorted by the library.
@pytest.mark.parametrize("dtype", ["?", "i1", "u4", "i8", "f2", "f4", "f8"])
def test_sort_of_very_many(dtype):
    random = Arrays(f"sort {dtype}").random
    x = (random.standard_normal(70_000) * 100).astype(dtype)
    if x.dtype.kind == "f":
        special = np.array([np.nan, -np.nan, 0.0, -0.0, np.inf, -np.inf], dtype)
        x[random.integers(0, x.size, 300)] = special[random.integers(0, special.size, 300)]
    d = pykc.array(x)
    assert_same(pykc.sort(d), np.sort(x))
    assert_same(pykc.argsort(d), np.argsort(x, stable=True))
    down = x.size - 1 - np.argsort(x[::-1], stable=True)[::-1]
    assert_same(pykc.argsort(d, descending=True), down)
    assert_same(pykc.sort(d, descending=True), x[down])


@pytest.mark.parametrize("round_", range(10))
def test_unique_and_search(round_):
    arrays = Arrays(f"unique {round_}")
    x, d = arrays.view(arrays.one(ALL))
    for one, other in zip(pykc.unique(d, True, True, True), np.unique(x, True, True, True)):
        assert_same(one, other)
    found = pykc.unique_all(d)
    for one, other in zip(found, np.unique_all(x)):
        assert_same(one, other)
    assert found.counts.sum() == x.size and pykc.unique(d).shape == np.unique(x).shape
    y, e = arrays.pair(x.dtype)
    if x.dtype.kind != "c":
        ordered = np.sort(x, None)
        for side in ("left", "right"):
            assert_same(pykc.searchsorted(pykc.array(ordered), e, side), np.asarray(np.searchsorted(ordered, y, side)))
    assert_same(pykc.isin(d, e), np.isin(x, y))


def test_nothing():
    empty = pykc.zeros((3, 0))
    assert pykc.sort(empty).shape == pykc.argsort(empty, 0).shape == (3, 0) and pykc.unique(empty).shape == (0,)
    assert pykc.sort(pykc.zeros(0)).shape == (0,) and pykc.unique(empty, axis=0).shape == (1, 0)


def test_random_numbers_depend_on_the_seed():
    draws = []
    for seed in (1, 1, 2):
        pykc.random.seed(seed)
        draws.append([pykc.random.random(5).tolist(), pykc.random.normal(0, 1, 3, dtype=np.float32).tolist(),
                      pykc.random.integers(0, 100, 7).tolist()])
    assert draws[0] == draws[1] != draws[2]
    assert pykc.random.default_rng().random(4).tolist() != pykc.random.default_rng().random(4).tolist()
    one = pykc.random.default_rng(3)
    whole = pykc.random.default_rng(3).random(8).tolist()
    assert one.random(4).tolist() + one.random(4).tolist() == whole


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_distributions(dtype):
    rng = pykc.random.default_rng(7)
    n = 200_001
    close = 5 / math.sqrt(n)
    x = rng.random(n, dtype).get()
    assert x.dtype == dtype and 0 <= x.min() and x.max() < 1 and abs(x.mean() - 0.5) < close / 3
    assert abs(x.var() - 1 / 12) < close / 10 and abs(np.corrcoef(x[:-1], x[1:])[0, 1]) < close
    x = rng.normal(2, 3, n, dtype).get()
    assert abs(x.mean() - 2) < 3 * close and abs(x.std() - 3) < 3 * close
    centred = (x - 2) / 3
    assert abs((centred ** 3).mean()) < 4 * close and abs((centred ** 4).mean() - 3) < 10 * close
    assert abs(np.corrcoef(x[:-1], x[1:])[0, 1]) < close
    x = rng.exponential(2, n, dtype).get()
    assert abs(x.mean() - 2) < 2 * close and x.min() >= 0
    x = rng.uniform(-1, pykc.array([1.0, 3.0]), (1000, 2), dtype).get()
    assert x.dtype == dtype and x[:, 0].max() <= 1 < x[:, 1].max() and x.min() >= -1


def test_other_distributions():
    """Means and deviations, as far as 5 standard errors."""
    random, gamma = pykc.random.default_rng(), math.gamma
    n = 20_000
    for name, given, mean, deviation in (
            ("lognormal", (0.1, 0.5), math.exp(0.225), math.exp(0.225) * math.sqrt(math.exp(0.25) - 1)),
            ("laplace", (2, 3), 2, 3 * math.sqrt(2)), ("logistic", (1, 2), 1, 2 * math.pi / math.sqrt(3)),
            ("gumbel", (1, 2), 1 + 2 * np.euler_gamma, 2 * math.pi / math.sqrt(6)),
            ("rayleigh", (2,), 2 * math.sqrt(math.pi / 2), 2 * math.sqrt(2 - math.pi / 2)),
            ("weibull", (2,), gamma(1.5), math.sqrt(gamma(2) - gamma(1.5) ** 2)), ("pareto", (5,), 1 / 4, 0.3227)):
        found = getattr(random, name)(*given, size=n).get()
        assert abs(found.mean() - mean) < 5 * deviation / math.sqrt(n), name
        assert abs(found.std() / deviation - 1) < 0.15, name
    state = pykc.random.RandomState(3)
    assert state.rand(2, 3).shape == state.randn(2, 3).shape == state.randint(5, size=(2, 3)).shape == (2, 3)


def test_random_integers():
    rng = pykc.random.default_rng(11)
    counts = np.bincount(rng.integers(0, 10, 100_000).get(), minlength=10)
    assert len(counts) == 10 and ((counts - 10_000) ** 2 / 10_000).sum() < 40
    for dtype in ("int8", "uint8", "int64", "uint64", "bool"):
        info = np.iinfo("uint8") if dtype == "bool" else np.iinfo(dtype)
        is_bool = dtype == "bool"
        x = rng.integers(max(info.min, -2 ** 63), 2 if is_bool else info.max, 4000, dtype, endpoint=not is_bool)
        assert x.dtype == dtype and len(np.unique(x.get())) >= (2 if is_bool else 250)
    assert rng.integers(5, size=(2, 3)).shape == (2, 3) and rng.integers(-3, -2).item() == -3
    with pytest.raises(ValueError, match="low >= high"):
        rng.integers(3, 3)
    with pytest.raises(ValueError, match="out of bounds"):
        rng.integers(0, 300, dtype="uint8")


def test_random_choices():
    rng = pykc.random.default_rng(5)
    assert sorted(rng.permutation(100).tolist()) == list(range(100))
    x = pykc.arange(12).reshape(6, 2)
    y = x.copy()
    rng.shuffle(y)
    assert (np.sort(y.get()[:, 0]) == x.get()[:, 0]).all() and (y.get()[:, 1] - y.get()[:, 0] == 1).all()
    assert len(set(rng.choice(10, 10, replace=False).tolist())) == 10
    drawn = rng.choice(pykc.array([1.5, 2.5]), 10_000, p=[0.9, 0.1]).get()
    assert abs((drawn == 1.5).mean() - 0.9) < 0.02
    with pytest.raises(ValueError, match="larger sample"):
        rng.choice(3, 4, replace=False)
    assert pykc.random.rand(2, 3).shape == (2, 3) and pykc.random.randn().shape == () and pykc.random.randint(9) < 9


def test_random_names_in_kernels():
    import pykc.random
    from pykc.random import philox_uniform

    @pykc.kernel
    def draw(x: pykc.f32[:]):
        i = pykc.grid(1)
        if i < len(x):
            x[i] = philox_uniform(pykc.u64(3), pykc.u64(i))

    x = pykc.zeros(100, np.float32)
    draw[1, 128](x)
    assert 0.3 < float(x.mean()) < 0.7 and float(x.min()) >= 0
    with pytest.raises(AttributeError, match="there are"):
        pykc.random.hypergeometric


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "f2", "f4", "f8", "c8", "c16"])
def test_sorted_as_complex_numbers(dtype):
    x = np.array([[3, 1, 2], [0, 5, 4]]).astype(dtype)
    found, expected = pykc.sort_complex(pykc.array(x)), np.sort_complex(x)
    assert found.dtype == expected.dtype and (found.get() == expected).all()


@pytest.mark.parametrize("rows", [
    [[np.nan, 1], [np.nan, 0], [np.nan, 1], [0, 1], [0, 1]], [[1, np.nan], [0, np.nan], [1, np.nan], [1, 2.0]],
    [[1, np.nan, 2], [1, np.nan, 1], [1, np.nan, 1]]])
def test_rows_with_nans_differ(rows):
    found = pykc.unique(pykc.array(rows), True, True, True, axis=0)
    expected = np.unique(rows, True, True, True, axis=0)
    for one, other in zip(found, expected):
        np.testing.assert_array_equal(one.get(), other.reshape(one.shape))


@pytest.mark.parametrize("a, b", [([1, np.nan], [2, np.nan]), ([1.0, 3, 3], [3.0]), ([], []), ([[3, 1]], [2, 2, 3])])
def test_setxor1d(a, b):
    np.testing.assert_array_equal(pykc.setxor1d(pykc.array(a), pykc.array(b)).get(), np.setxor1d(a, b))


def test_searches_in_another_order():
    x, order = np.array([30.0, 10, 20]), np.array([1, 2, 0])
    for side in ("left", "right"):
        found = pykc.searchsorted(pykc.array(x), pykc.array([5.0, 20, 99]), side, pykc.array(order))
        assert found.tolist() == np.searchsorted(x, [5, 20, 99], side, order).tolist()
    for short in ([0], [0, 1, 2, 0]):
        with pytest.raises(ValueError, match="sorter.size must equal a.size"):
            pykc.searchsorted(pykc.array(x), 5.0, sorter=pykc.array(short))


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "i4", "u8", "?", "c16"])
@pytest.mark.parametrize("values", ["random", "few", "one", "nans", "ascending", "periodic"])
def test_partition_of_long_rows(dtype, values):
    arrays = Arrays(f"partition {dtype} {values}")
    n = int(arrays.random.integers(2_000, 60_000))
    x = {"random": lambda: arrays.random.standard_normal(n) * 50, "few": lambda: arrays.random.integers(0, 3, n),
         "one": lambda: np.full(n, 7), "ascending": lambda: np.arange(n) // 300, "periodic": lambda: np.arange(n) % 17,
         "nans": lambda: np.where(arrays.random.random(n) < 0.3, np.nan if dtype[0] in "fc" else 9, -np.arange(n)),
         }[values]()
    with np.errstate(invalid="ignore"):
        x = np.stack([x, x[::-1]]).astype(dtype)
    for kth in (int(arrays.random.integers(-n, n)), [0, n // 3, n - 1, n // 3 + 1], np.array([5, n // 2])):
        expected = np.sort(x)
        for found in (pykc.partition(pykc.array(x), kth).get(),
                      np.take_along_axis(x, pykc.argpartition(pykc.array(x), kth).get(), 1)):
            for place in np.atleast_1d(kth) % n:
                np.testing.assert_array_equal(found[:, place], expected[:, place])
                for part in (slice(place), slice(place, None)):
                    np.testing.assert_array_equal(np.sort(found[:, part]), expected[:, part])
    if dtype not in "?c16":
        for axis in (1, None):
            expected = np.quantile(x, [0.1, 0.5, 0.77], axis)
            assert_same(pykc.quantile(pykc.array(x), [0.1, 0.5, 0.77], axis), expected, False)
