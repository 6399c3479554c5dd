"""What the functions of `linalg` ask of matrices, and what they have in common."""
from __future__ import annotations

import math
from typing import Any

import numpy

from . import ufuncs
from .creation import asarray
from .generated import kernel
from .ndarray import ndarray
from .products import conjugated

LinAlgError = numpy.linalg.LinAlgError

_NUMBERS = """

@device
def conjugate(x):
    return {}


@device
def square(x):
    return {}
"""
#: What kernels know of the numbers of real and of complex matrices. Squares are computed in 64 bits.
NUMBERS = {"f": _NUMBERS.format("x", "f64(x) * f64(x)"),
           "c": _NUMBERS.format("x.conjugate()", "f64(x.real) * f64(x.real) + f64(x.imag) * f64(x.imag)")}


def inexact(a: ndarray) -> ndarray:
    """The array, of floats or complex numbers."""
    return a if a.dtype.kind in "fc" else a.astype(float)


def computable(a: ndarray) -> ndarray:
    if a.dtype == numpy.float16:
        raise TypeError("array type float16 is unsupported in linalg")
    return inexact(a)


def rectangles(a: Any) -> ndarray:
    """A stack of matrices that are computed with, of any extents."""
    a = asarray(a)
    if a.ndim < 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")
    return computable(a)


def square(a: Any) -> ndarray:
    """A stack of square matrices."""
    a = asarray(a)
    if a.ndim < 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")
    if a.shape[-1] != a.shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    return a


def matrices(a: Any) -> ndarray:
    """A stack of square matrices that are computed with."""
    return computable(square(a))


def flat(a: ndarray) -> ndarray:
    """The stack along one axis, copied."""
    return a.reshape(math.prod(a.shape[:-2]), *a.shape[-2:]).copy()


def adjoint(a: ndarray) -> ndarray:
    return conjugated(a.mT)


def root_of_squares(x: ndarray, axis, keepdims: bool) -> ndarray:
    squares = (x * x.conj()).real if x.dtype.kind == "c" else x * x
    return ufuncs.find("sqrt")(squares.sum(axis, keepdims=keepdims))


def has_vectors(a: ndarray) -> bool:
    """Whether a thread has registers for vectors, and few others beside it: those of the CPU device."""
    return a.device.is_cpu


def launch(name: str, text: str, grid: tuple[int, int], block: int, *arguments) -> None:
    kernel(arguments[0].device, text, name).launch(grid, block, None, 0, arguments)
