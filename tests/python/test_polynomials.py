"""Polynomials beside NumPy's, of random coefficients."""
import numpy as np
import pytest
from random_arrays import SEED, Arrays, assert_same
from test_array_functions import check

import pykc


@pytest.fixture
def random():
    print(f"PYKC_SEED={SEED}")
    return Arrays("polynomials")


@pytest.mark.parametrize("dtype", ["i1", "f4", "f8", "c8"])
def test_of_zeros(random, dtype):
    zeros = np.array([3, 0, -2, 3], dtype)
    for one in (zeros, zeros[:1], zeros * 1j, np.array([1 + 2j, 3, 1 - 2j])):
        check("poly", one, scale=10)
    with pytest.raises(ValueError):
        pykc.poly(pykc.ones((2, 3)))


def test_fits(random):
    x = np.linspace(-1, 2, 20)
    y = random.values((20,), "f8", small=True)
    for degree in (0, 1, 3):
        check("polyfit", x, y, degree, scale=1e4)
        check("polyfit", x, np.stack([y, -y * y], 1), degree, scale=1e4)
        check("polyfit", x, y, degree, w=np.arange(1.0, 21), scale=1e4)
        check("polyfit", x, y, degree, cov=True, scale=1e4)
        check("polyfit", x, y, degree, cov="unscaled", scale=1e4)
        found = pykc.polyfit(pykc.array(x), pykc.array(y), degree, full=True)
        expected = np.polyfit(x, y, degree, full=True)
        for place in (0, 1, 3):
            assert_same(found[place], expected[place], exact=False, scale=1e4)
        assert found[2] == expected[2] and found[4] == expected[4]
    check("polyfit", np.arange(5), np.arange(5), 1, scale=1e4)
    check("polyfit", x, y, -1)
    check("polyfit", x, y[1:], 1)
    check("polyfit", x[:0], y[:0], 1)
    check("polyfit", x[:2], y[:2], 1, cov=True)


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c16"])
def test_arithmetic(random, dtype):
    for sizes in ((1, 1), (4, 2), (2, 5)):
        a, b = (random.values((size,), dtype, small=True) for size in sizes)
        a[0] = b[0] = 3
        for name in ("polyadd", "polysub", "polymul"):
            check(name, a, b, scale=100)
        if dtype != "f4":  # how many coefficients are 0, to 1e-8, is up to roundings
            check("polydiv", a, b, scale=1e4)
        check("polyder", a)
        check("polyder", a, 2)
        check("polyint", a, scale=10)
        check("polyint", a, 2, [1, 2], scale=10)
    check("polymul", np.array([0, 0, 1, 2]), np.array([0, 3]))
    check("polymul", np.array([0, 0]), np.array([0, 3]))
    check("polydiv", np.array([1.0, 5, 6]), np.array([1.0, 2]))
    check("polyder", np.ones(3), -1)
    check("polyint", np.ones(3), 2, [1, 2, 3])
    check("polyint", np.ones(3), 3, [1, 2])


@pytest.mark.parametrize("dtype", ["f8", "c16", "f4"])
@pytest.mark.parametrize("degree", [1, 2, 5, 40])
def test_roots(random, dtype, degree):
    p = random.values((degree + 1,), dtype, small=True)
    p[0] = p[-1] = 3
    found, expected = pykc.roots(pykc.array(p)).get(), np.roots(p)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    places = abs(found[:, None] - np.roots(p.astype(p.dtype.char.upper()))).argmin(1)
    scale = np.polyval(abs(p), abs(found))
    assert (abs(np.polyval(p.astype("c16"), found)) <= 1e3 * np.finfo(p.dtype).eps * scale).all()
    assert sorted(places) == list(range(degree)) or dtype == "f4"


def test_roots_that_are_special():
    for p in ([], [0], [0, 0], [5], [0, 5], [5, 0], [5, 10], [0, 0, 2, -4, 0, 0], [1j, 0, 1], 3):
        own, theirs = pykc.roots(np.array(p)), np.roots(np.atleast_1d(p))
        assert own.dtype == theirs.dtype
        np.testing.assert_allclose(np.sort(own.get()), np.sort(theirs), atol=1e-15)
    zeros = np.array([1e-8, -3, 1, 1e8])
    np.testing.assert_allclose(np.sort(pykc.roots(np.poly(zeros)).get()), np.sort(zeros), rtol=1e-12)
    np.testing.assert_allclose(pykc.roots(np.poly([2.0, 2, 2])).get(), [2, 2, 2], atol=1e-4)
    assert pykc.roots(pykc.array([1, 0, -4], "f2")).dtype == np.float16
    with pytest.raises(ValueError):
        pykc.roots(pykc.ones((2, 2)))
    with pytest.raises(np.linalg.LinAlgError):
        pykc.roots([1.0, np.nan])


def of_poly1d(module, x):
    p, q = module.poly1d(x, variable="z"), module.poly1d([0, 0, 2.5, 1])
    changed = module.poly1d([1, 2])
    changed[3] = 4
    changed[0] = 9
    return [p, q, changed, p + q, q - p, p * q, 2 * q, 1 + q, 1 - q, q / 2, *(p / q), -p, +p, p ** 0,
            q ** 3, p.deriv(), p.integ(2, [1, 2]), q(p), module.poly1d([1.0, 2], True), module.poly1d(p, variable="t"),
            module.polyadd(p, [1, 2]), module.polymul([1, 2], q), module.poly1d(np.poly1d([1, 2], variable="w"))]


@pytest.mark.parametrize("dtype", ["i4", "f8", "c16"])
def test_poly1d(dtype):
    x = np.array([1, 2, 3], dtype)
    found, expected = of_poly1d(pykc, pykc.array(x)), of_poly1d(np, x)
    for one, other in zip(found, expected):
        assert type(one) is pykc.poly1d and one.variable == other.variable and one.order == len(one) == other.order
        assert_same(one.coeffs, other.coeffs, exact=False, scale=10)
        assert repr(one) == repr(other) and str(one) == str(other) and type(one.get()) is np.poly1d
    p, q = found[0], expected[0]
    assert [p[0], p[2], p[5], p[-1]] == [q[0], q[2], q[5], q[-1]] and list(p) == list(q)
    assert_same(p(pykc.arange(3)), q(np.arange(3)), exact=False)
    assert_same(pykc.polyval(p, 2.5), q(2.5), exact=False)
    assert p == pykc.poly1d(pykc.array(x)) and p != found[1] and p != 3
    np.testing.assert_allclose(np.sort(p.roots.get()), np.sort(q.roots))
    assert np.asarray(p).tolist() == x.tolist()
    p.set(np.poly1d([7, 8], variable="y"))
    assert p.coeffs.tolist() == [7, 8] and p.variable == "y"
    for wrong in (
            lambda: p ** -1, lambda: p ** 1.5, lambda: p ** [1], lambda: p.__setitem__(-1, 2),
            lambda: pykc.poly1d([[1, 2]])):
        with pytest.raises(ValueError):
            wrong()
    assert type(np.float64(2) * p) is pykc.poly1d


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c16"])
def test_series(random, dtype):
    """The functions of `numpy.polynomial`, whose coefficients begin with that of the lowest power."""
    x, c = random.values((3, 2), dtype, small=True), random.values((4,), dtype, small=True)
    c[-1] = 2
    for name in ("polyval", "polyvalfromroots"):
        name = f"polynomial.polynomial.{name}"
        check(name, x, c, scale=1e3)
        check(name, 2.5, c, scale=1e3)
        check(name, x, np.stack([c, c * 2], 1), scale=1e3)
        check(name, x[0], np.stack([c, c * 2], 1), tensor=False, scale=1e3)
        check(name, [1, 2], c, scale=1e3)
    check("polynomial.polynomial.polyvalfromroots", x, c, tensor=False)
    for degree in (0, 1, 5, -1, 2.5):
        check("polynomial.polynomial.polyvander", x, degree, scale=1e3)
    check("polynomial.polynomial.polyvander", x[0, 0], 2, scale=1e3)
    for one in (c, c[:2], np.append(c, [0, 0]).astype(dtype), c[:1], c[:0], x, c != 0):
        check("polynomial.polynomial.polycompanion", one, scale=1e3)
        check("polynomial.polyutils.trimcoef", one)
        check("polynomial.polyutils.trimcoef", one, 1)
    check("polynomial.polyutils.trimcoef", c, -1)
    zeros = np.zeros(4, dtype)
    for one in ([c, zeros], [c, np.array([1.5, 0])], x, [c, x], [c, c[:0]]):
        check("polynomial.polyutils.as_series", one)
        check("polynomial.polyutils.as_series", one, trim=False)
    for one in (c, zeros, zeros[:0], np.append(c, 0), x):
        check("polynomial.polyutils.trimseq", one)
    own = pykc.array(zeros)
    assert pykc.shares_memory(pykc.polynomial.polyutils.trimseq(own), own)
