"""pykc.fft beside numpy.fft, of random arrays."""
import numpy as np
import pytest
from random_arrays import ALL, SEED, Arrays
from test_array_functions import check

import pykc
from pykc.fft import fft

NORMS = [None, "backward", "ortho", "forward"]


@pytest.fixture
def random():
    print(f"PYKC_SEED={SEED}")
    return Arrays("fft")


@pytest.mark.parametrize("length", [1, 2, 3, 8, 30, 97, 256, 1000])
@pytest.mark.parametrize("dtype", ["f4", "c8", "f8", "c16"])
def test_lengths(random, length, dtype):
    x = random.values((3, length), dtype, small=True)
    for name in ("fft", "ifft", "hfft", "irfft"):
        check(f"fft.{name}", x, norm=random.one(NORMS), scale=2000)
    for name in ("rfft", "ihfft"):
        check(f"fft.{name}", x, norm=random.one(NORMS), scale=2000)


@pytest.mark.parametrize("dtype", ALL)
def test_axes_and_lengths(random, dtype):
    for _ in range(4):
        x = random.values(random.shape(1, 3), dtype, small=True)
        axis = int(random.random.integers(-x.ndim, x.ndim))
        for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
            check(f"fft.{name}", x, random.one([None, 1, 2, 5, 6, 64]), axis, random.one(NORMS), scale=2000)


def test_several_axes(random):
    x = random.values((4, 3, 6), random.one(["f8", "c16"]), small=True)
    for name in ("fft", "ifft", "rfft", "irfft"):
        for keywords in ({}, {"axes": (0, 1)}, {"s": (5, 4)}, {"s": (3, -1), "axes": (2, 0), "norm": "ortho"},
                         {"s": (1, 2), "axes": (0,)}, {"axes": (1, 7)}):
            if "axes" in keywords or "s" not in keywords:  # NumPy warns of `s` without `axes`
                check(f"fft.{name}n", x, scale=2000, **keywords)
        check(f"fft.{name}2", x, scale=2000)
        check(f"fft.{name}2", x, (5, 2), (0, 1), scale=2000)


def test_frequencies(random):
    for n in (1, 2, 7, 8):
        check("fft.fftfreq", n)
        check("fft.fftfreq", n, 0.1)
        check("fft.rfftfreq", n, d=0.1)
    x = random.values((4, 5), "f8")
    for name in ("fftshift", "ifftshift"):
        for axes in (None, 0, (0, 1), -1):
            check(f"fft.{name}", x, axes)


def test_errors(random):
    check("fft.fft", np.zeros((2, 0)))
    check("fft.fft", np.zeros(3), 0)
    check("fft.fft", np.zeros(3), axis=1)
    check("fft.fft", np.float64(3))
    for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
        check(f"fft.{name}", np.zeros(3), norm="other")
    check("fft.fft", np.zeros((0, 3)))


def test_numpys_functions_and_the_library():
    x = pykc.arange(6.0)
    assert isinstance(np.fft.fft(x), pykc.ndarray)
    y = pykc.zeros(4, complex)
    fft(y, pykc.ones(4, complex))
    assert y.tolist() == [4, 0, 0, 0]
    fft(y=y, x=y)
    assert y.tolist() == [4, 4, 4, 4]
