"""Polynomials by their coefficients, the lowest power first."""
from __future__ import annotations

import operator

from .._arrays.creation import asarray, vander, zeros
from .._arrays.joining import atleast_1d
from .._arrays.ndarray import ndarray
from .polyutils import as_series


def polyvander(x, deg: int) -> ndarray:
    """The powers of X from 0 to DEG, along a last axis."""
    degree = operator.index(deg)
    if degree < 0:
        raise ValueError("deg must be non-negative")
    x = atleast_1d(asarray(x)) + 0.0
    return vander(x.ravel(), degree + 1, increasing=True).astype(x.dtype).reshape(*x.shape, degree + 1)


def polycompanion(c) -> ndarray:
    """The matrix whose eigenvalues are the zeros of the polynomial."""
    c, = as_series([c])
    if c.size < 2:
        raise ValueError("Series must have maximum degree of at least 1.")
    count = c.size - 1
    found = zeros((count, count), c.dtype, device=c.device)
    found.ravel()[count::count + 1] = 1
    found[:, -1] -= c[:-1] / c[-1]
    return found


def _beside(x, coefficients, tensor: bool) -> tuple:
    """X, and floats for each element of it, if TENSOR, along the first axis."""
    x = asarray(x) if isinstance(x, (list, tuple)) else x
    found = atleast_1d(asarray(coefficients))
    found = found if found.dtype.kind in "fc" else found + 0.0
    return x, found.reshape(found.shape + (1,) * x.ndim) if isinstance(x, ndarray) and tensor else found


def polyval(x, c, tensor: bool = True) -> ndarray:
    """The value at X of the polynomial, or with TENSOR at each X those of all columns of C."""
    x, c = _beside(x, c, tensor)
    found = c[-1] + x * 0
    for place in range(2, len(c) + 1):
        found = c[-place] + found * x
    return found


def polyvalfromroots(x, r, tensor: bool = True) -> ndarray:
    """The value at X of the polynomial with these zeros, the highest coefficient being 1."""
    x, r = _beside(x, r, tensor)
    if not tensor and isinstance(x, ndarray) and x.ndim >= r.ndim:
        raise ValueError("x.ndim must be < r.ndim when tensor == False")
    return (x - r).prod(0)
