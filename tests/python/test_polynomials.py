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
