"""Functions of arrays beside NumPy's, of random values: statistics, sampled functions, einsum, joining, choosing."""
import itertools

import numpy as np
import pytest
from random_arrays import SEED, Arrays, assert_same

import pykc


def on_device(value):
    """The arguments with pykc's arrays in place of NumPy's."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(on_device, value))
    return pykc.array(value) if isinstance(value, np.ndarray) else value


def check(name, *args, scale=1.0, **keywords):
    """The function gives what NumPy's gives, or the same kind of error."""
    own, theirs = pykc, np
    for part in name.split("."):
        own, theirs = getattr(own, part), getattr(theirs, part)
    given = on_device(args), {key: on_device(value) for key, value in keywords.items()}
    try:
        with np.errstate(all="ignore"):
            expected = theirs(*args, **keywords)
    except Exception as error:
        with pytest.raises(type(error)):
            own(*given[0], **given[1])
        return
    found = own(*given[0], **given[1])
    if not isinstance(expected, (tuple, list)):
        found, expected = [found], [expected]
    assert len(found) == len(expected)
    for one, other in zip(found, expected):
        assert_same(one, other, exact=False, scale=scale)


@pytest.fixture
def random():
    print(f"PYKC_SEED={SEED}")
    return Arrays("functions")


def test_counts(random):
    x = random.random.integers(0, 9, 40)
    check("bincount", x)
    check("bincount", x.astype("u1"), minlength=20)
    check("bincount", x, weights=random.random.random(40))
    check("bincount", np.array([], int))
    check("bincount", np.array([1, -1]))
    check("bincount", x, minlength=-1)
    for bins, right in itertools.product(([1, 4, 4], [7, 3, 2]), (False, True)):
        check("digitize", x, np.array(bins), right=right)
    check("digitize", x, np.array([1, 3, 2]))


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4"])
def test_histograms(random, dtype):
    x = random.values(200, dtype, small=True)
    for keywords in ({}, {"bins": 7, "density": True}, {"range": (0, 1)}, {"bins": np.array([-2.0, 0, 0.5, 3])},
                     {"weights": random.random.random(200)}):
        check("histogram", x, scale=1 if dtype == "f8" else 1e9, **keywords)  # edges are of the type of the elements
    check("histogram", np.ones(5, dtype), 3)
    check("histogram", np.repeat(x, 9000), 7)  # parts of which are counted apart
    check("bincount", np.arange(20_000) % 77, np.arange(20_000.0))
    check("histogram", x, [])
    check("histogram", np.array([1, 1.0000001], "f4"), 10)  # too many bins
    check("histogram", x, 0)
    check("histogram", x, range=(1, 0))
    counts, *edges = pykc.histogram2d(*on_device((x, x[::-1].copy())), [3, np.array([0, 1, 4])])
    expected, *theirs = np.histogram2d(x, x[::-1], [3, np.array([0, 1, 4])])
    assert_same(counts, expected)
    assert all(np.allclose(one.get(), other) for one, other in zip(edges, theirs))
    counts, edges = pykc.histogramdd(pykc.array(np.stack([x, x, x * x], 1)), (2, 3, 4), density=True)
    expected, _ = np.histogramdd(np.stack([x, x, x * x], 1), (2, 3, 4), density=True)
    assert len(edges) == 3
    np.testing.assert_allclose(counts.get(), expected, 1e-5)


METHODS = """linear lower higher midpoint nearest inverted_cdf averaged_inverted_cdf closest_observation
    interpolated_inverted_cdf hazen weibull median_unbiased normal_unbiased""".split()


@pytest.mark.parametrize("method", METHODS)
def test_quantiles(random, method):
    for dtype in ("f4", "f8", "i2"):
        x = random.values((4, 7), dtype, small=True)
        check("percentile", x, random.random.integers(0, 101), method=method)
        check("quantile", x, [0, 0.25, random.random.random()], axis=-1, method=method)
        if dtype[0] == "f":
            x[0, 1] = x[2] = np.nan
        check("quantile", x, 0.5, axis=1, keepdims=True, method=method)
        check("nanquantile", x, np.array([[0.3, 0.9]]), axis=0, method=method)
    check("percentile", random.random.random((2, 3, 4)), [25, 75], axis=(0, 2), method=method)
    check("percentile", np.zeros((0, 3)), [25, 75], axis=1, method=method)


def test_medians_but_for_nans(random):
    x = random.random.random((5, 6))
    x[random.random.random((5, 6)) < 0.3] = np.nan
    check("nanmedian", x, axis=1)
    check("nanmedian", x, keepdims=True)
    check("nanpercentile", x, 40)
    check("percentile", x, 120)
    check("quantile", x > 0, 0.5)
    with pytest.raises(ValueError, match="there are linear"):
        pykc.quantile(pykc.ones(3), 0.5, method="least")


@pytest.mark.parametrize("method", METHODS)
def test_quantiles_at_the_ends_and_at_elements(method):
    x = np.array([3.0, 1, 2, 7, 5])
    check("quantile", x, np.arange(11) / 10, method=method)
    check("quantile", x[:1], np.arange(11) / 10, method=method)
    check("percentile", x.astype("f4"), np.array([0, 40, 70, 100], "f4"), method=method)
    check("quantile", x.astype("f4"), np.array([0.25, 0.5], "f4"), method=method)
    check("percentile", x.astype("i2"), np.array([30, 60], "f4"), method=method)


def test_of_several_variables(random):
    x, v = random.random.standard_normal((4, 9)), random.random.standard_normal(9)
    for name in ("cov", "corrcoef"):
        for given in ((x,), (x.astype("f4"),), (v, v * v), (v,), (x + 1j * x[::-1],)):
            check(name, *given, scale=100)
        check(name, x, rowvar=False, scale=100)
    check("cov", random.random.integers(0, 9, 10), bias=True)


SUMS = {"ij,jk->ik": ((4, 5), (5, 3)), "ij,jk": ((4, 5), (5, 3)), "ij->ji": ((4, 5),), "ii": ((4, 4),),
        "ii->i": ((4, 4),), "iij->ji": ((3, 3, 4),), "ij->": ((4, 5),), "ij,ij->i": ((4, 5), (4, 5)),
        "i,j->ij": ((4,), (5,)), "i,i": ((7,), (7,)), "bij,bjk->bik": ((3, 4, 5), (3, 5, 2)),
        "...ij,...jk->...ik": ((3, 2, 4, 5), (2, 5, 3)), "i...->...": ((2, 3, 4),), "...,...": ((4, 5), (4, 5)),
        "ij,kj,kl": ((4, 5), (4, 5), (4, 2)), "ij,ij,ij->i": ((4, 5),) * 3, "ab,ab,c->c": ((4, 5), (4, 5), (3,)),
        "ijk,ilm,njm,nlk,abc->": ((2, 2, 2),) * 5, "ij,kj->ik": ((4, 5), (4, 1)),
        "a,b->c": ((2,), (2,)), "ij->ii": ((3, 3),), "ij,jk->": ((4, 5), (4, 5)), "ijk": ((2, 2),), "i,i->i": ((3,),)}


@pytest.mark.parametrize("text", SUMS)
def test_einsum(random, text):
    dtype = random.one(["i1", "i8", "f4", "f8", "c16"])
    check("einsum", text, *(random.values(shape, dtype, small=True) for shape in SUMS[text]), scale=100)


def test_einsum_by_lists_and_options(random):
    x, y = random.random.random((4, 5)), random.random.random((5, 3))
    check("einsum", x, [0, 1], y, [1, 2], [0, 2])
    check("einsum", "ij,jk,kl->il", x, y, y.T, optimize=False)
    check("einsum", "ij,ij", x > 0.5, x < 0.7)
    check("einsum", "ij->j", x, dtype="c16")
    check("einsum", "ij->j", x, dtype="f4")
    out = pykc.zeros((4, 3), np.float32)
    assert pykc.einsum("ij,jk", *on_device((x, y)), out=out) is out
    np.testing.assert_allclose(out.get(), x @ y, 1e-6)


def test_products(random):
    x = random.random.standard_normal((4, 3))
    check("kron", x, x[:2].astype("f4"))
    check("kron", x[0], x)
    check("cross", x, x[::-1].copy())
    check("cross", x[:3], x[1:], axis=0)


def test_sampled_functions(random):
    v, points = random.random.standard_normal(30), np.sort(random.random.standard_normal(12))
    for mode, (one, other) in itertools.product(("full", "same", "valid"), ((v, points[:6]), (points[:5], v))):
        check("convolve", one, other, mode, scale=10)
        check("correlate", one, other, mode, scale=10)
        check("correlate", one + 1j, other * 1j, mode, scale=10)
    assert pykc.correlate(pykc.array(v[:3]), pykc.array(v)).flags.c_contiguous
    check("convolve", v.astype("i4"), v[:3].astype("i2"))
    check("convolve", v, v[:0])
    check("interp", v, points, points ** 2)
    check("interp", v, points, points ** 2, left=-7, right=np.nan)
    check("interp", v, np.array([0.0, 0.5, 0.9]), np.array([1.0, 2, 3]), period=1)
    check("interp", v.reshape(5, 6), np.array([0.5]), np.array([2.0]))
    infinities = np.array([np.inf, 1, -np.inf, -np.inf, np.inf, 2])
    check("interp", np.linspace(-0.5, 5.5, 49), np.arange(6.0), infinities)
    for given in ((v,), (v, 2.0), (v, np.sort(v)), (v.reshape(5, 6),), (v.reshape(5, 6), 1.0, 0.5),
                  (v.astype("f4"),), (v.astype("i4"),), (v[:2], 3.0), (v[:1],)):
        check("gradient", *given, scale=1000)
    check("gradient", v.reshape(5, 6), 2.0, axis=1)
    check("trapezoid", v.reshape(5, 6), axis=0, dx=0.5)
    check("trapezoid", v, np.sort(v))
    check("ediff1d", v, to_begin=9, to_end=np.array([1, 2]))
    check("polyval", np.array([1.0, 2, 3]), v)


def test_joined_and_made(random):
    x, v = random.random.random((4, 5)), random.random.random(12)
    for mode, width in itertools.product(("constant", "edge", "reflect", "symmetric", "wrap"),
                                         (2, (1, 3), ((1, 0), (2, 4)), 0)):
        check("pad", x, width, mode=mode)
    check("pad", x, ((1, 2), (3, 4)), constant_values=((1, 2), (3, 4)))
    check("pad", x, -1)
    check("append", x, x[:2], axis=0)
    check("append", x, v)
    for place, values, axis in ((1, 9, None), (1, [7, 8, 9], None), ([1, 3], [7, 8], None), (slice(1, 3), 5, 0)):
        check("insert", v, place, values, axis)
    for axis in (0, 1):
        check("insert", x, 1, 9, axis)
        check("insert", x, 2, x[0, :1] if axis else x[0], axis)
        check("insert", x, [0, 2], x[:2] if not axis else x[:, :2], axis)
        check("apply_along_axis", lambda row: row.sum(), axis, x)
        check("apply_along_axis", lambda row: row[:3] + row[0], axis, x)
    check("delete", v, [3, -1])
    check("delete", x, slice(1, 3), 0)
    check("delete", v, 12)
    for name, given in (("dstack", ([x, x],)), ("atleast_3d", (v,)), ("rollaxis", (np.zeros((2, 3, 4)), 2)),
                        ("rollaxis", (np.zeros((2, 3, 4)), 0, 3)), ("hsplit", (v, 4)), ("vsplit", (x, 2)),
                        ("dsplit", (np.zeros((2, 3, 4)), [1])), ("logspace", (0, 3, 7)), ("geomspace", (1, 1000, 4)),
                        ("indices", ((2, 3),)), ("fromfunction", (lambda i, j: i + j, (3, 4))), ("vander", (v[:4], 3)),
                        ("diagflat", (x, 1)), ("tril_indices", (4, 1)), ("triu_indices", (4, -1, 5)),
                        ("diag_indices", (3,)), ("ix_", (np.array([0, 2]), np.array([True, False, True])))):
        check(name, *given)
    for found, expected in ((pykc.mgrid[0:3, 1:9:2], np.mgrid[0:3, 1:9:2]),
                            (pykc.mgrid[-1:1:5j, 0:2:3j], np.mgrid[-1:1:5j, 0:2:3j]), (pykc.mgrid[2:5], np.mgrid[2:5])):
        assert_same(found, expected, exact=False)
    assert [one.shape for one in pykc.ogrid[0:3, 0:1:4j]] == [(3, 1), (1, 4)]
    assert pykc.asfortranarray(pykc.array(x)).flags.f_contiguous


def test_places_and_choices(random):
    i = random.random.integers(0, 15, 30)
    i[:2] = 0, 14
    v = random.random.standard_normal(30)
    check("unravel_index", i, (3, 5))
    check("unravel_index", i, (3, 5), order="F")
    check("ravel_multi_index", (i % 3, i % 4), (3, 4), order=random.one("CF"))
    check("unravel_index", i, (3, 4))
    check("unravel_index", i - 20, (3, 5))
    with pytest.raises(IndexError, match="out of bounds"):
        pykc.put(pykc.zeros(5), [1, 5], 1, mode="raise")
    check("choose", i % 3, [v, v + 1, -v])
    check("choose", i, [v, v])
    check("select", [v > 1, v < 0], [v, v * 10], default=5)
    check("lexsort", (i, i[::-1].copy() % 3))
    for name in ("union1d", "intersect1d", "setdiff1d", "setxor1d"):
        check(name, i, np.array([1, 2, 77]))
    assert pykc.partition(pykc.array(v), 7)[7].item() == np.sort(v)[7]
    assert v[pykc.argpartition(pykc.array(v), 7).get()[7]] == np.sort(v)[7]
    for name, *given in (("put", [0, 3, -1], [7.0, 8.0]), ("put", [1, 31], 5),
                         ("putmask", v > 0, np.array([1.0, 2, 3])), ("place", v > 0, np.array([1.0, 2, 3])),
                         ("copyto", 9)):
        host, device = v.reshape(5, 6).copy(), pykc.array(v.reshape(5, 6))
        given = [one.reshape(5, 6) if isinstance(one, np.ndarray) and one.dtype == bool else one for one in given]
        keywords = {"put": {"mode": "wrap"}, "copyto": {"where": host < 0}}.get(name, {})
        getattr(np, name)(host, *given, **keywords)
        getattr(pykc, name)(device, *on_device(given), **{key: on_device(one) for key, one in keywords.items()})
        assert_same(device, host)


def test_reductions_but_for_nans(random):
    x = random.random.standard_normal((4, 6))
    x[:, 1:][random.random.random((4, 5)) < 0.3] = np.nan
    for name, dtype in itertools.product(("nanvar", "nanstd"), ("f4", "f8", "c16")):
        check(name, x.astype(dtype), axis=1, scale=100)
        check(name, x.astype(dtype), ddof=1, keepdims=True, scale=100)
    check("nanvar", random.random.integers(0, 9, 10), ddof=1)
    for name in ("nanargmin", "nanargmax", "nancumsum", "nancumprod"):
        check(name, x, axis=1)
        check(name, x)


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "all", "any", "min", "max"])
def test_masked_reductions(random, name):
    first = {"initial": 1} if name in ("min", "max") else {}
    for dtype in (random.one(["i4", "u8", "i1"]), random.one(["f4", "f8"])):
        x = random.values((4, 5), dtype, small=True)
        check(name, x, axis=1, where=x > 0, scale=10, **first)
        check(name, x, where=np.array([True, False, True, True, False]), keepdims=True, scale=10, **first)
        if name not in ("mean", "all", "any"):
            check(name, x, axis=0, initial=3, scale=10)
            check(name, x[:0], axis=0, initial=3)
    check(name, x, where=x > 0, scale=10)
    check(name, x, nothing=1)


def test_masked_functions_of_elements(random):
    x, mask = random.random.random((4, 5)), random.random.random((4, 5)) < 0.5
    for name, *given in (("add", x, 1.0), ("sqrt", x), ("greater", x, 0.5)):
        host = np.full((4, 5), 7.0)
        if name == "greater":
            host = host > 9
        device = pykc.array(host)
        assert getattr(pykc, name)(*on_device(given), out=device, where=pykc.array(mask)) is device
        assert_same(device, getattr(np, name)(*given, out=host, where=mask), exact=False)
    assert (pykc.sin(pykc.array(x), where=pykc.array(mask)).get()[mask] == pykc.sin(pykc.array(x)).get()[mask]).all()
    with pytest.raises(TypeError, match="no order="):
        pykc.add(1, 2, order="C")


@pytest.mark.parametrize("name", ["add", "multiply", "minimum", "maximum", "logical_and", "logical_or", "bitwise_and",
                                  "bitwise_or", "bitwise_xor", "gcd", "hypot", "logaddexp"])
def test_reduce_of_a_ufunc(random, name):
    dtype = random.one(["i4", "u1", "i8"] if name[0] in "bg" else ["f4", "f8"])
    x = random.values((3, 4), dtype, small=True)
    check(f"{name}.reduce", x, scale=100)
    check(f"{name}.reduce", x, axis=(0, 1), keepdims=True, scale=100)


def test_accumulate_of_a_ufunc(random):
    x = random.random.random((3, 4))
    check("add.accumulate", x)
    check("multiply.accumulate", x, axis=1)
    with pytest.raises(NotImplementedError, match="add.accumulate and"):
        pykc.maximum.accumulate(pykc.array(x))


@pytest.mark.parametrize("name", ["add", "subtract", "minimum", "maximum"])
def test_at_of_a_ufunc(random, name):
    """An element that is indexed several times takes part in each."""
    for dtype in ("i4", "u8", "f4", "f8", "i1", "c8")[:6 if name in ("add", "subtract") else 5]:
        host = random.values((3, 9), dtype, small=True)
        device = pykc.array(host)
        values = random.random.integers(0, 4, 30).astype(dtype)
        places = random.random.integers(-9, 9, 30)
        for index, value in (((1, places), values), ((slice(None), [0, 0, 2]), 1), (0, 2), ((2, 2), 1),
                             (host.real > 0, 1)):
            getattr(np, name).at(host, index, dtype_of(host, value))
            getattr(pykc, name).at(device, on_device(index), on_device(dtype_of(host, value)))
        assert_same(device, host, exact=False)
    with pytest.raises(NotImplementedError, match="there are add"):
        pykc.power.at(device, 0, 1)
    pykc.scatter_add(device, [0, 0], 1)


def dtype_of(host, value):
    return np.asarray(value, host.dtype)[()]


def test_files_and_addresses(tmp_path):
    x = pykc.arange(6.0).reshape(2, 3)
    pykc.save(tmp_path / "x.npy", x)
    assert_same(pykc.load(tmp_path / "x.npy"), x.get())
    assert x[0, 1:].data.ptr == x.data.ptr + 8
    assert 5 in x and 7 not in x


NUMBER = np.array(2)
MASK, ROWS, HALF = np.array([True, False, True]), np.arange(6.0).reshape(2, 3), np.array([1, 2j, 0, 0])
EDGES = {
    "an axis of one element": [("sum", np.array(3), 0), ("max", np.array(3), -1), ("sum", np.array(3), 1),
                               ("argmin", np.array(3), 0), ("argmin", np.array(3), 1), ("add.reduce", np.array(3))],
    "reduce computes in the type": [("maximum.reduce", np.array([3, -4], "i1"), 0, "f8"),
                                    ("logaddexp.reduce", np.array([[5], [4]], "u1")),
                                    ("logaddexp.reduce", np.zeros(0, "u4"))],
    "no numbers": [("nanargmin", np.array([[np.nan, 1], [np.nan, np.nan]]), 1), ("nanargmax", np.full(2, np.nan)),
                   ("nanargmax", np.array([np.nan, 2])), ("average", ROWS, 1, np.zeros(3)), ("median", np.zeros(0)),
                   ("average", ROWS, 1, np.ones(2)), ("median", np.zeros((0, 3)), 1),
                   ("nanmedian", np.zeros((0, 2)), 0)],
    "medians": [("median", ROWS, (0, 1), None, False, True), ("nanmedian", np.array([1, np.inf, np.nan])),
                ("median", MASK), ("median", HALF), ("median", np.array([6e4, 6e4], "f2"))],
    "quantiles that are elements": [("quantile", np.array([3, 1], "u1"), 1), ("quantile", np.array([3, 1]), [0, 1])],
    "counts": [("bincount", MASK), ("bincount", np.arange(2), np.ones(1)),
               ("bincount", np.arange(2), np.array([1, 1j])),
               ("digitize", np.arange(5), np.array([3, 2, 0], "u4")), ("digitize", HALF, np.arange(3)),
               ("histogram", ROWS, 3, None, False, np.ones(1))],
    "inexact sums of others": [("convolve", np.array(3), np.ones(2).reshape(2, 1)), ("correlate", MASK, MASK),
                               ("correlate", np.array(3), np.ones(2)), ("correlate", np.zeros(0), np.ones(2))],
    "derivatives": [("gradient", np.array([1, np.inf, 3, 4])), ("gradient", ROWS, np.arange(2)),
                    ("gradient", ROWS, np.array(2.0)), ("ediff1d", np.arange(3), 2.5),
                    ("polyval", np.ones(2, "i1"), MASK)],
    "choosing": [("take", ROWS, [True, False], 1), ("take", ROWS, [], 0),
                 ("take_along_axis", ROWS, np.array([5]), None),
                 ("select", [MASK], [np.ones(3, "f4")]), ("select", [np.arange(3)], [np.arange(3)]),
                 ("where", HALF, 1, 2.5), ("logical_and", HALF, np.ones(4, "u1")),
                 ("logical_not", HALF), ("lexsort", [np.arange(2), np.arange(3)])],
    "making": [("zeros_like", [1, 2]), ("full_like", 2.5, 3), ("tril", np.arange(3), -1), ("triu", np.arange(3)),
               ("vander", ROWS), ("ix_", np.zeros(0, "i4")), ("linspace", 10, -0.5, 5, True, False, "i4")],
    "shapes": [("rot90", ROWS, 1, (0, 0)), ("rot90", ROWS, 2, (0, 2)), ("vsplit", np.arange(3), 3),
               ("dsplit", ROWS, 1), ("hsplit", np.array(3), 1), ("split", ROWS, 2, 2), ("split", ROWS, 0),
               ("delete", ROWS, -1, 1), ("delete", ROWS, 2, 0), ("insert", ROWS, [-1], np.arange(4), 1),
               ("insert", np.arange(3), slice(0, 1), [7, 8]), ("stack", [ROWS], None)],
    "means of a number": [(name, np.array(2.0), axis) for name in ("mean", "var", "std", "average", "nanmean", "nanvar")
                          for axis in (None, 0, -1)] + [("average", np.array(2.0), 0, np.array(1.0)),
                                                        ("linalg.vector_norm", np.array(2.0))],
    "a number's axis": [(name, NUMBER, axis) for name in ("cumsum", "cumprod", "nancumsum", "sort", "argsort")
                        for axis in (None, 0, -1, 1)] + [
        ("take", NUMBER, [0, 0], -1), ("take", NUMBER, 1, 0), ("compress", [True], NUMBER, 0), ("repeat", NUMBER, 3, 0),
        ("cumulative_sum", NUMBER), ("cumulative_prod", NUMBER), ("diff", NUMBER, 0), ("diff", NUMBER),
        ("add.accumulate", NUMBER), ("argpartition", NUMBER, 0), ("partition", NUMBER, 0), ("argwhere", NUMBER),
        ("argwhere", np.array(0)), ("lexsort", (NUMBER, NUMBER)), ("lexsort", np.array([3, 1, 2])),
        ("convolve", NUMBER, np.array([1, 2])), ("convolve", NUMBER, NUMBER), ("trim_zeros", NUMBER)],
    "no bools and complex numbers": [("ediff1d", MASK), ("gradient", MASK), ("gradient", MASK, np.arange(3)),
                                     ("interp", [1j], [0.0, 1], [0.0, 1]), ("interp", [1.0], [0, 1j], [0.0, 1])],
    "parts of nothing": [("partition", np.zeros(0), 0), ("argpartition", np.zeros((0, 3)), 5),
                         ("linalg.pinv", np.zeros((2, 0, 3), int)), ("linalg.pinv", np.zeros((0, 2, 3), int))],
    "zeros around": [("trim_zeros", np.pad(ROWS + 1, (1, 2)), *more) for more in (
        (), ("f",), ("b", 0), ("fb", -1), ("fb", (0, 1)), ("fb", ()), ("fb", 2))] + [("trim_zeros", np.zeros((2, 3)))],
    "narrow transforms": [(f"fft.{name}", np.arange(5, dtype="f2")) for name in ("irfft", "hfft")],
    "what `out` takes": [("ptp", ROWS, 0, np.zeros(2)),
                         ("round", ROWS, 1, np.zeros((3, 3))),
                         ("nanmean", ROWS, 0, None, np.zeros(3))],
}


@pytest.mark.parametrize("what", EDGES)
def test_edges(what):
    """What random calls beside NumPy's have found."""
    for call in EDGES[what]:
        check(*call, scale=10)


def test_numbers_and_sizes():
    assert [pykc.size(one) for one in ([1, 2], 3, pykc.ones((2, 3)))] == [2, 1, 6]
    assert pykc.zeros_like(np.ones(2)).device == pykc.ones(2).device  # and not NumPy's "cpu"
    with pytest.raises(TypeError, match="same_kind"):
        pykc.copyto(pykc.zeros(2, int), 1.5)
    for function, shape in ((pykc.sum, ()), (pykc.std, ()), (pykc.round, (2, 3))):
        with pytest.raises(TypeError, match="from float64 to int64, that of `out`"):
            function(pykc.array(ROWS), out=pykc.zeros(shape, int))
    with pytest.raises(TypeError, match=r"take `x.real` first"):
        pykc.sum(pykc.array(HALF), dtype="f4")
    with pytest.raises(TypeError, match="real numbers"):
        pykc.histogram(pykc.array(HALF), 3)
    counts, *edges = pykc.histogram2d(pykc.arange(4), pykc.arange(4), np.array([2, 3]))
    assert [counts.shape, *(one.size for one in edges)] == [(2, 3), 3, 4]


def test_numpy_computes_on_the_device_what_is_here():
    """`numpy.f(x)` is `pykc.f(x)`; of what is not here, and beside arrays of the host, NumPy has copies."""
    x, y = np.arange(6.0).reshape(2, 3), np.arange(6.0)[::-1].reshape(2, 3)
    d, e = pykc.array(x), pykc.array(y)
    for name, *args in (("concatenate", (x, y)), ("where", x > 1, x, y), ("mean", x, 0), ("einsum", "ij,ij->i", x, y),
                        ("linalg.norm", x), ("matmul", x, y.T), ("add.reduce", x), ("add.accumulate", x, 1),
                        ("multiply.outer", x[0], y[0]), ("percentile", x, 30), ("zeros_like", x), ("split", x, 2)):
        function = np
        for part in name.split("."):
            function = getattr(function, part)
        found, expected = function(*on_device(args)), function(*args)
        for one, other in zip(found, expected) if isinstance(expected, list) else [(found, expected)]:
            assert_same(one, other, exact=False)
    out = pykc.zeros(3)
    assert np.add.reduce(d, axis=0, out=out) is out
    assert_same(out, x.sum(0))
    np.add.at(out, [0, 0, 1], 1)
    assert out.tolist() == [5, 6, 7]
    assert type(np.linalg.eigvals(d[:, :2])) is pykc.ndarray
    assert type(np.histogram_bin_edges(d, "auto")) is np.ndarray
    assert np.allclose(d, x) and type(np.concatenate([d, x])) is np.ndarray
    np.copyto(e, x)
    np.put(e, [0], [9])
    assert e.tolist() == [[9, 1, 2], [3, 4, 5]]
    host = np.zeros((2, 3))
    np.copyto(host, d)
    assert (host == x).all()
    with pytest.raises(TypeError, match="out"):
        np.fft.fft(d, out=pykc.zeros((2, 3), complex))
    with pytest.raises(TypeError, match="one of NumPy's"):
        np.add(d, x)
    assert d.shape == np.shape(d) and np.ndim(d) == 2


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning"])
def test_windows(name):
    for extent in (0, 1, 7):
        check(name, extent)


def test_parts_side_by_side():
    x, y = np.arange(3, dtype="f4"), np.arange(6.0).reshape(2, 3)
    for index in (x, (x, 1, 2), (x, slice(0, 4), 0.5), (slice(0, 1, 3j), x), (y, y), 3):
        assert_same(pykc.r_[on_device(index)], np.r_[index])
    for index in ((x, x), (y, y), (x[:2], y)):
        assert_same(pykc.c_[on_device(index)], np.c_[index])
    with pytest.raises(NotImplementedError, match="axis="):
        pykc.r_["0,2", 1]


def test_arrays_between_arrays():
    x = np.arange(6, dtype="f4").reshape(2, 3)
    for args in ((x[0], x[1], 4), (x, 3, 1), (x, 3, 0), (1, x, 5), ([0, 1], [5, 8], 4)):
        check("linspace", *args)
        check("linspace", *args, endpoint=False, axis=-1)
    check("linspace", [0, 1], [5, 8], 4, dtype=int)
    assert_same(pykc.linspace(on_device(x), 3, 4, retstep=True)[1], np.linspace(x, 3, 4, retstep=True)[1], False)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_signs_of_complex_numbers(dtype):
    parts = [-np.inf, np.inf, np.nan, 0.0, 3.0, -4.0]
    z = np.array([complex(a, b) for a in parts for b in parts], dtype)
    found, expected = pykc.sign(pykc.array(z)).get(), np.sign(z)
    assert ((found == expected) | np.isnan(found) & np.isnan(expected)).all(), (z, found)


def test_places_that_64_bits_do_not_count():
    places = pykc.array([3])
    for shape in ((2 ** 40, 2 ** 40), (2 ** 63,)):
        with pytest.raises(ValueError, match="more places"):
            pykc.ravel_multi_index((places,) * len(shape), shape)
        with pytest.raises(ValueError, match="more places"):
            pykc.unravel_index(places, shape)
    assert pykc.ravel_multi_index((places, places), (2 ** 31, 2 ** 31)).item() == 3 * 2 ** 31 + 3


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "i8"])
def test_places_of_narrow_types(dtype):
    places = np.array([50, 99], dtype)
    check("ravel_multi_index", (places, places), (100, 100))
    check("ravel_multi_index", (places, places), (1000, 1000), order="F")
    check("unravel_index", places, (10, 300))
    assert pykc.unravel_index(pykc.array(places), (10, 300))[0].dtype == "int64"
    host, own = np.zeros(1000), pykc.zeros(1000)
    np.put(host, places, [7, 8])
    pykc.put(own, pykc.array(places), [7, 8])
    assert_same(own, host)
    check("choose", np.array([1, 0, 50], dtype), [np.full(3, place) for place in range(60)], mode="wrap")
    with pytest.raises(TypeError, match="places are integers"):
        pykc.put(pykc.zeros(3), pykc.array([1.0]), 2)


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
def test_take_beyond_the_ends(mode):
    x = np.arange(12.0).reshape(3, 4)
    check("take", x, np.array([0, 2], "u1"), 1, mode=mode)
    check("take", x, np.array([-2, 1, 2]), 0, mode=mode)
    check("take", np.arange(300), np.array([5, 299]), mode=mode)
    if mode != "raise":
        check("take", x, np.array([[-9, 30], [4, -1]]), mode=mode)
        check("take", np.arange(300), np.array([5, 200], "u1"), mode=mode)


@pytest.mark.parametrize("order", "CFAK")
def test_orders(order):
    whole = np.arange(24).reshape(2, 3, 4)
    for host in (whole, np.asfortranarray(whole), whole.transpose(1, 0, 2), whole.T[:, :2], whole[0, 0], np.array(3)):
        # the same strides on both sides
        own = pykc.asfortranarray(host) if host.flags.f_contiguous and host.ndim == 3 else \
            pykc.array(whole).transpose(1, 0, 2) if host.shape == (3, 2, 4) else \
            pykc.array(whole).T[:, :2] if host.ndim == 3 and host.shape == (4, 2, 2) else pykc.array(host)
        assert_same(own.ravel(order), host.ravel(order))
        assert_same(own.flatten(order), host.flatten(order))
        if order != "K":
            assert_same(own.reshape(-1, order=order), host.reshape(-1, order=order))
        for function in (pykc.asarray, pykc.array):
            made = function(own, order=order)
            assert_same(made, host)
            expected = np.asarray(host, order=order) if order in "CF" else host
            assert order not in "CF" or made.flags.c_contiguous == expected.flags.c_contiguous
            assert order not in "CF" or made.flags.f_contiguous == expected.flags.f_contiguous
    kept = pykc.array(np.asfortranarray(whole))
    assert pykc.asarray(kept, order="F") is not None and pykc.asarray(kept, order="F").address == kept.address
    with pytest.raises(ValueError, match="must be copied"):
        pykc.asarray(kept, order="C", copy=False)


def test_parts_of_complex_numbers_are_set():
    host = np.arange(6, dtype="c8").reshape(2, 3)
    own = pykc.array(host)
    for value in (3, np.array([1, 2, 3], "f4")):
        host.real, host.imag = value, value * 2
        own.real, own.imag = on_device(value), on_device(value * 2)
        assert_same(own, host)
    own.imag += 1
    host.imag += 1
    assert_same(own, host)
    own = pykc.zeros(3)
    own.real = 2
    assert_same(own, np.full(3, 2.0))
    with pytest.raises(TypeError, match="no imaginary part"):
        own.imag = 1


def test_types_and_infinities_as_in_numpy():
    check("float_power", np.zeros(2), np.array([1 + 1j, 0]))
    check("angle", np.array([True, False]))
    check("angle", np.array([1, -1], "i1"))
    fp = np.array([0, np.inf + 1j, 2 + 2j, complex(3, -np.inf)])
    check("interp", np.array([-1, 0, 0.5, 1, 1.5, 2, 2.5, 3, 4]), np.arange(4.0), fp)
    check("interp", np.array([-1, 0.5, 4]), np.arange(4.0), fp, left=1 + 2j, right=3)


def test_arguments_of_sorting_and_sets(random):
    x = random.random.integers(0, 5, (6, 4))
    for kind in (None, "stable", "quicksort", "mergesort", "heapsort"):
        check("sort", x, 0, kind)
    check("argsort", x, kind="stable")
    check("sort", x, kind="bubble")
    own = pykc.array(x)
    own.sort(kind="stable")
    assert_same(own, np.sort(x))
    assert_same(own.argsort(kind="stable"), np.argsort(np.sort(x), kind="stable"))
    check("isin", x, np.array([1, 3]), False, True)
    check("intersect1d", x, np.array([3, 1, 1, 9]), return_indices=True)
    check("intersect1d", x.astype("i1"), np.array([3.0, 1, 1, 9]), False, True)
    for y in (x[:, :2], x.astype("f4")[:, :1], x.reshape(2, 3, 4) % 2):
        for axis in range(y.ndim):
            check("unique", y, axis=axis)
            check("unique", y, True, True, True, axis)


def test_arguments_of_joining():
    x, y = np.arange(6).reshape(2, 3), np.arange(6.0).reshape(2, 3)
    for name in ("concatenate", "stack", "hstack", "vstack"):
        check(name, [x, y], dtype="f4")
        check(name, [x, y], dtype="f4", casting="safe")
        check(name, [x, y], dtype="i4")
        check(name, [x, y], dtype="i4", casting="unsafe")
    with pytest.raises(TypeError, match="both"):
        pykc.concatenate(on_device([x, x]), 0, pykc.zeros((4, 3)), dtype="f4")
    with pytest.raises(TypeError, match="same_kind"):
        pykc.concatenate(on_device([y, y]), 0, pykc.zeros((4, 3), int))


def test_arguments_of_statistics_and_rounding(random):
    x, w = random.random.random((3, 4)), random.random.random(4)
    check("average", x, 1, w, returned=True)
    check("average", x, None, None, True)
    check("average", x, 0, returned=True)
    check("average", np.arange(4), weights=w, returned=True)
    for name in ("cov", "corrcoef"):
        check(name, x, dtype="f4", scale=100)
    check("logspace", np.array([0, 1.0]), np.array([2, 3.0]), 4, axis=1)
    for dtype in ("i1", "u1", "i8"):
        check("round", np.array([15, 25, 123, 127, 4], dtype), -1)
    check("round", np.array([-150, 250, -12345]), -2)
    assert_same(round(pykc.array([1.234, 2])[0], 2), np.array(1.23))
    assert_same(round(pykc.array([1.6, 2.5])), np.array([2.0, 2.0]))
    check("nan_to_num", np.array([np.nan, np.inf, -np.inf, 1]), nan=5, posinf=7, neginf=-7)
    check("nan_to_num", np.array([np.nan, np.inf, 1], "c8"), nan=2.5)


@pytest.mark.parametrize("shape", [(3, 3), (7, 3), (3, 7), (8, 2), (4, 4, 4), (3, 4, 3), (5,), (0, 3)])
@pytest.mark.parametrize("wrap", [False, True])
def test_fill_diagonal(shape, wrap):
    for value in (7, np.array([1, 2, 3])):
        host, own = np.zeros(shape), pykc.zeros(shape)
        try:
            np.fill_diagonal(host, value, wrap)
        except ValueError:
            with pytest.raises(ValueError):
                pykc.fill_diagonal(own, on_device(value), wrap)
        else:
            pykc.fill_diagonal(own, on_device(value), wrap)
            assert_same(own, host)
    turned = pykc.zeros((2, 3)).T
    pykc.fill_diagonal(turned, 1)
    assert_same(turned, np.eye(3, 2))


def test_orders_of_what_is_made_and_copied():
    for name in ("empty", "zeros", "ones"):
        assert getattr(pykc, name)((2, 3), order=None).flags.c_contiguous
    assert pykc.full((2, 3), 1, order=None).flags.c_contiguous
    x = pykc.array(np.asfortranarray(np.ones((2, 3))), order=None)
    assert x.flags.f_contiguous and pykc.zeros_like(x, order=None).flags.f_contiguous
    assert x.get(order="F", blocking=False).flags.f_contiguous and x.get(order="C").flags.c_contiguous
    assert pykc.ones((2, 3)).get(order="F").flags.f_contiguous
    np.testing.assert_array_equal(pykc.arange(6).reshape(2, 3).get(order="F"), np.arange(6).reshape(2, 3))


def test_functions_of_elements_keep_columns():
    host, other = np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.ones((2, 3))
    own = pykc.asfortranarray(host)
    for function in (lambda m, x, y: x + 1, lambda m, x, y: m.sin(x), lambda m, x, y: x * x, lambda m, x, y: x + y,
                     lambda m, x, y: m.modf(x)[1], lambda m, x, y: x > 2, lambda m, x, y: x[:, 1:] * 2):
        found, expected = function(pykc, own, pykc.array(other)), function(np, host, other)
        np.testing.assert_allclose(found.get(), expected)
        assert found.flags.c_contiguous == expected.flags.c_contiguous, expected.flags
        assert found.flags.f_contiguous == expected.flags.f_contiguous
        assert found.flags.owndata


def test_blocks():
    a, b, c = np.ones((2, 2)), np.zeros((2, 3), "i4"), np.arange(5)
    for nested in ([a, b], [[a, b], [c]], [[[a]], [[a]]], a, [1, 2, c], [[1, 2], [3, 4]], [a, [b]], [[]],
                   [[a, b], [a]]):
        check("block", nested)
    check("kaiser", 5, 14)
    assert pykc.row_stack is pykc.vstack and pykc.trapz is pykc.trapezoid


def test_functions_over_axes():
    x = np.arange(24.0).reshape(2, 3, 4)
    for axes in (0, (0, 2), [-1]):
        assert_same(pykc.apply_over_axes(pykc.sum, pykc.array(x), axes), np.apply_over_axes(np.sum, x, axes))


def test_names_of_numpys():
    x = pykc.arange(3)
    assert pykc.common_type(x, pykc.ones(2, "f4")) is np.float64
    assert pykc.common_type(pykc.ones(2, "c8")) is np.complex64
    assert list(pykc.ndenumerate(x + 1)) == [((0,), 1), ((1,), 2), ((2,), 3)]
    assert pykc.binary_repr(5) == "101" and pykc.base_repr(5, 3) == "12" and pykc.iterable(x)
    with pykc.printoptions(precision=2):
        assert str(pykc.array([1.23456])) == "[1.23]"
    assert pykc.exceptions.AxisError is pykc.AxisError
    with pytest.raises(pykc.AxisError):
        raise pykc.AxisError(1, 1)


def test_files_of_several_arrays_and_texts(tmp_path):
    x, y = pykc.arange(3), pykc.ones((2, 2), "f4")
    for write in (pykc.savez, pykc.savez_compressed):
        write(tmp_path / "x.npz", x, y=y)
        with pykc.load(tmp_path / "x.npz") as found:
            assert sorted(found) == sorted(found.files) == ["arr_0", "y"] and "y" in found and len(found) == 2
            assert_same(found["arr_0"], x.get())
            assert_same(found["y"], y.get())
    pykc.savetxt(tmp_path / "y.txt", y, delimiter=",")
    for read in (pykc.loadtxt, pykc.genfromtxt):
        assert_same(read(tmp_path / "y.txt", delimiter=","), np.ones((2, 2)))
    x.get().tofile(tmp_path / "x.bin")
    assert_same(pykc.fromfile(tmp_path / "x.bin", dtype=int), x.get())


@pytest.mark.parametrize("keywords", [
    {"mode": "linear_ramp"}, {"mode": "linear_ramp", "end_values": ((5, -4), (1, 2))}, {"mode": "maximum"},
    {"mode": "minimum", "stat_length": 2}, {"mode": "mean"}, {"mode": "mean", "stat_length": ((1, 2), (3, 9))},
    {"mode": "median"}, {"mode": "reflect", "reflect_type": "odd"}, {"mode": "symmetric", "reflect_type": "odd"}])
@pytest.mark.parametrize("dtype", ["f8", "i4", "f4"])
def test_modes_of_pad(keywords, dtype):
    x = (np.random.default_rng(1).random((3, 4)) * 20 - 5).astype(dtype)
    for widths in (((1, 2), (3, 0)), ((0, 7), (9, 4)), 2):
        expected = np.pad(x, widths, **keywords)
        found = pykc.pad(pykc.array(x), widths, **keywords)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found.get(), expected, rtol=1e-5, atol=1e-4 if dtype == "f4" else 1e-12)


@pytest.mark.parametrize("bias", [False, True])
def test_weights_of_cov(bias):
    x, times, much = np.random.default_rng(1).random((3, 6)), np.array([1, 2, 0, 3, 1, 1]), np.arange(1, 7) / 3
    for weights in ({"fweights": times}, {"aweights": much}, {"fweights": times, "aweights": much}):
        found = pykc.cov(pykc.array(x), bias=bias, **{name: pykc.array(one) for name, one in weights.items()})
        np.testing.assert_allclose(found.get(), np.cov(x, bias=bias, **weights), rtol=1e-12)
    for weights, error in (({"fweights": much}, TypeError), ({"aweights": -much}, ValueError),
                           ({"aweights": much[1:]}, RuntimeError)):
        with pytest.raises(error):
            pykc.cov(pykc.array(x), **weights)
