"""Vectors of coefficients, the lowest power first."""
from __future__ import annotations

from typing import Any

import numpy

from .._arrays.creation import asarray
from .._arrays.indexing import flatnonzero
from .._arrays.joining import atleast_1d
from .._arrays.ndarray import ndarray


def trimseq(seq) -> ndarray:
    """Without the zeros behind all others, at least one coefficient; a view."""
    seq = asarray(seq)
    if not seq.ndim:
        raise TypeError("len() of unsized object")
    if seq.ndim > 1:
        raise ValueError("Coefficient array is not 1-d")
    return seq[:_last(seq) + 1 or 1]


def _last(is_one: ndarray) -> int:
    """The place of the last element that holds, or -1."""
    places = flatnonzero(is_one)
    return int(places[-1]) if places.size else -1


def as_series(alist, trim: bool = True) -> list[ndarray]:
    """Vectors of one type of floats, of arrays or lists; without the zeros at their ends."""
    arrays = [atleast_1d(asarray(one)) for one in alist]
    if not all(one.size for one in arrays):
        raise ValueError("Coefficient array is empty")
    if any(one.ndim != 1 for one in arrays):
        raise ValueError("Coefficient array is not 1-d")
    if any(one.dtype.kind == "b" for one in arrays):
        raise ValueError("Coefficient arrays have no common type")
    dtype = numpy.common_type(*(numpy.empty(0, one.dtype) for one in arrays))
    return [(trimseq(one) if trim else one).astype(dtype) for one in arrays]


def trimcoef(c, tol: Any = 0) -> ndarray:
    """Without the coefficients behind all others whose sizes are at most TOL, at least one."""
    tol = numpy.real(tol)
    if tol < 0:
        raise ValueError("tol must be non-negative")
    c, = as_series([c])
    last = _last(abs(c) > tol)
    return c[:last + 1] if last >= 0 else c[:1] * 0
