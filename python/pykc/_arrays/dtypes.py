"""The types of elements, which are NumPy's, and what is asked about them."""
from __future__ import annotations

import math

import numpy
from numpy import (base_repr, binary_repr, broadcast_shapes, byte, cdouble, complex64, complex128, complexfloating,
                   csingle, double, dtype, euler_gamma, finfo, float16, float32, float64, floating,
                   format_float_positional, format_float_scientific, generic, get_printoptions, half, iinfo, index_exp,
                   inexact, int8, int16, int32, int64, int_, intc, integer, intp, isdtype, isscalar, issubdtype,
                   iterable, longlong, ndindex, newaxis, number, printoptions, promote_types, s_, set_printoptions,
                   short, signedinteger, single, ubyte, uint, uint8, uint16, uint32, uint64, uintc, uintp, ulonglong,
                   unsignedinteger, ushort)
from numpy import exceptions
from numpy.exceptions import AxisError

from .creation import asarray
from .ndarray import ndarray

bool = bool_ = numpy.bool_
True_, False_ = numpy.True_, numpy.False_
pi, e, inf, nan = math.pi, math.e, math.inf, math.nan
__all__ = ("AxisError", "base_repr", "binary_repr", "broadcast_shapes", "byte", "cdouble", "complex64", "complex128",
           "complexfloating", "csingle", "double", "dtype", "euler_gamma", "exceptions", "finfo", "float16", "float32",
           "float64", "floating", "format_float_positional", "format_float_scientific", "generic", "get_printoptions",
           "half", "iinfo", "index_exp", "inexact", "int8", "int16", "int32", "int64", "int_", "intc", "integer",
           "intp", "isdtype", "isscalar", "issubdtype", "iterable", "longlong", "ndindex", "newaxis", "number",
           "printoptions", "promote_types", "s_", "set_printoptions", "short", "signedinteger", "single", "ubyte",
           "uint", "uint8", "uint16", "uint32", "uint64", "uintc", "uintp", "ulonglong", "unsignedinteger", "ushort")


def result_type(*arrays_and_dtypes):
    """The type that NumPy gives an operation of these."""
    return numpy.result_type(*(one.dtype if isinstance(one, ndarray) else one for one in arrays_and_dtypes))


def min_scalar_type(a) -> numpy.dtype:
    """The smallest type that holds a number; of an array with axes its own."""
    return numpy.min_scalar_type(a.get() if isinstance(a, ndarray) else a)


def common_type(*arrays):
    """The type of floats or complex numbers that holds the elements of all arrays, as NumPy's class."""
    return numpy.common_type(*(numpy.empty(0, one.dtype) if isinstance(one, ndarray) else one for one in arrays))


def ndenumerate(arr):
    """The indices of the elements, each with its element on the host."""
    return numpy.ndenumerate(arr.get() if isinstance(arr, ndarray) else arr)


def can_cast(from_, to, casting: str = "safe") -> bool:
    """Whether elements of a type convert to another by this rule."""
    return numpy.can_cast(from_.dtype if isinstance(from_, ndarray) else from_, to, casting)


def astype(x, dtype, /, *, copy: bool = True, device=None) -> ndarray:
    """The elements converted."""
    return asarray(x, device=device).astype(dtype, copy=copy)
