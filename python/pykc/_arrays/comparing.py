"""Functions of elements that NumPy has as plain functions: limits, roundings, comparisons with tolerance."""
from __future__ import annotations

import builtins
import math
from typing import Any

import numpy

from ..cuda._arrays import DeviceNDArray, spans_meet
from . import ufuncs
from .creation import asarray
from .generated import computed
from .ndarray import delivered, ndarray
from .ufuncs import as_operand

_BOOL = numpy.dtype(bool)


def _common(*values: Any) -> numpy.dtype:
    return numpy.result_type(*(one.dtype if isinstance(one, (ndarray, numpy.generic)) else one for one in values))


def clip(a, min=None, max=None, out=None, *, a_min=None, a_max=None) -> ndarray:
    """The elements, none less than `min` or greater than `max`."""
    if hasattr(a, "_trace"):  # in a function that is fused
        return a.clip(a_min if min is None else min, a_max if max is None else max)
    a = asarray(a)
    low, high = _bound(a_min, min, a.dtype, -1), _bound(a_max, max, a.dtype, 1)
    if low is None and high is None:
        return a.copy() if out is None else ufuncs.find("positive")(a, out=out)
    if low is None:
        return ufuncs.find("minimum")(a, high, out=out)
    if high is None:
        return ufuncs.find("maximum")(a, low, out=out)
    dtype = _common(a, low, high)
    return computed("z = np.minimum(np.maximum(x, low), high)", dtype, out=out, x=(a, dtype), low=(low, dtype),
                    high=(high, dtype))


def _bound(one: Any, other: Any, dtype: numpy.dtype, side: int):
    """The limit that is given; of integers, one that lies beyond all of them on its own side is the last of them."""
    if one is not None and other is not None:
        raise TypeError("a limit is given twice")
    found = other if one is None else one
    if type(found) is int and dtype.kind in "iu":
        info = numpy.iinfo(dtype)
        return builtins.min(found, int(info.max)) if side > 0 else builtins.max(found, int(info.min))
    return None if found is None else as_operand(found)


def round(a, decimals: int = 0, out=None) -> ndarray:
    """To so many decimals, halves to even."""
    a = asarray(a)
    if a.dtype.kind in "biu":
        found = a.copy() if a.dtype.kind != "b" else a.astype("float16")
        if decimals < 0:  # by way of int64, which wraps around where the type has no room
            found = round(a.astype(float), decimals).astype("int64").astype(found.dtype)
    elif decimals == 0:
        found = ufuncs.find("rint")(a)
    else:
        factor = 10.0 ** abs(decimals)
        found = ufuncs.find("rint")(a * factor if decimals > 0 else a / factor)
        found = found / factor if decimals > 0 else found * factor
    return delivered(found, out)


around = round


def isclose(a, b, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> ndarray:
    """Whether |a - b| <= atol + rtol |b|, element by element."""
    a, b = as_operand(a), as_operand(b)
    dtype = numpy.result_type(_common(a, b), numpy.float16)
    wide = numpy.dtype(float)
    equal = "(x != x and y != y)" if equal_nan else "False"
    if not isinstance(a, ndarray) and not isinstance(b, ndarray):
        a = asarray(a)
    return computed("z = abs(x - y) <= atol + rtol * abs(y) if np.isfinite(x) and np.isfinite(y) "
                    f"else x == y or {equal}", _BOOL, x=(a, dtype), y=(b, dtype), rtol=(rtol, wide), atol=(atol, wide))


def allclose(a, b, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> ndarray:
    """Whether |a - b| <= atol + rtol |b| everywhere."""
    return isclose(a, b, rtol, atol, equal_nan).all()


def array_equal(a1, a2, equal_nan: bool = False) -> ndarray:
    """Whether shapes and all elements are equal."""
    a1, a2 = asarray(a1), asarray(a2)
    if a1.shape != a2.shape:
        return asarray(False)
    same = a1 == a2
    return (same | (a1 != a1) & (a2 != a2) if equal_nan else same).all()


class _Place:
    """Where an array lies, for NumPy, which reads nothing of it."""

    def __init__(self, array: DeviceNDArray):
        self.__array_interface__ = {
            "shape": array.shape, "strides": array.strides, "typestr": f"|V{array.dtype.itemsize}", "version": 3,
            "data": (array.address, True)}


def shares_memory(a, b) -> bool:
    """Whether an element of the one array lies where one of the other does; what is no array lies nowhere. What takes
    too long to find out counts as so."""
    are_arrays = all(isinstance(one, (DeviceNDArray, numpy.ndarray)) for one in (a, b))
    if not are_arrays or not spans_meet(a, b):
        return False
    places = (numpy.asarray(_Place(one)) if isinstance(one, DeviceNDArray) else one for one in (a, b))
    return numpy.may_share_memory(*places, max_work=10_000)


def byte_bounds(a: DeviceNDArray) -> tuple[int, int]:
    """The addresses between which the elements lie, of the first byte and behind the last."""
    if not a.size:
        return a.address, a.address
    ends = [(extent - 1) * stride for extent, stride in zip(a.shape, a.strides)]
    return (a.address + sum(end for end in ends if end < 0),
            a.address + sum(end for end in ends if end > 0) + a.itemsize)


def nan_to_num(x, copy: bool = True, nan=0.0, posinf=None, neginf=None) -> ndarray:
    """Numbers in place of NaNs and infinities: the largest of the type for these."""
    x = asarray(x)
    if x.dtype.kind not in "fc":
        return x.copy() if copy else x
    made = x.copy() if copy else x
    for part in (made.real, made.imag) if x.dtype.kind == "c" else (made,):
        most = float(numpy.finfo(part.dtype).max)
        values = {"nan": nan, "up": most if posinf is None else posinf, "down": -most if neginf is None else neginf}
        computed("z = nan if x != x else up if x == math.inf else down if x == -math.inf else x", part.dtype, out=part,
                 x=(part, part.dtype), **{name: (value if isinstance(value, ndarray) else float(value), part.dtype)
                                         for name, value in values.items()})
    return made


def real(val) -> ndarray:
    """The real parts, as a view."""
    return asarray(val).real


def imag(val) -> ndarray:
    """The imaginary parts, as a view; zeros for real numbers."""
    return asarray(val).imag


def angle(z, deg: bool = False) -> ndarray:
    """The angle of complex numbers."""
    z = asarray(z)
    found = ufuncs.find("arctan2")(z.imag if z.dtype.kind == "c" else 0, z.real)
    return ufuncs.find("rad2deg")(found) if deg else found


def trace(a, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype=None, out=None) -> ndarray:
    """The sum of a diagonal."""
    return asarray(a).diagonal(offset, axis1, axis2).sum(-1, dtype, out)


def fix(x, out=None) -> ndarray:
    """Rounded towards 0."""
    return ufuncs.find("trunc")(asarray(x), out=out)


def sinc(x) -> ndarray:
    """sin(pi x) / (pi x), and 1 for 0."""
    x = asarray(x)
    dtype = x.dtype if x.dtype.kind in "fc" else numpy.dtype(float)
    wide = numpy.result_type(dtype, numpy.float32)
    return computed("t = math.pi * x\nz = np.sin(t) / t if x != 0 else 1", dtype, x=(x, wide))


# By its series, whose terms are all positive, or far out by that of 1 / x.
_I0 = """a = abs(x)
term = 1.0
sum = 1.0
k = 0.0
while term > 1e-17 * sum and k < 100:
    k += 1
    term *= a * a / (4 * k * k) if a < 30 else (2 * k - 1) * (2 * k - 1) / (8 * a * k)
    sum += term
half = math.exp(a / 2)
z = sum if a < 30 else half / math.sqrt(2 * math.pi * a) * sum * half"""


def i0(x) -> ndarray:
    """The modified Bessel function of the first kind and order 0."""
    x = asarray(x)
    if x.dtype.kind == "c":
        raise TypeError("i0 not supported for complex values")
    return computed(_I0, x.dtype if x.dtype.kind == "f" else numpy.dtype(float), x=(x, numpy.dtype(float)))


def isposinf(x, out=None) -> ndarray:
    """Whether elements are infinity."""
    return ufuncs.find("equal")(asarray(x), math.inf, out=out)


def isneginf(x, out=None) -> ndarray:
    """Whether elements are infinity below 0."""
    return ufuncs.find("equal")(asarray(x), -math.inf, out=out)


def iscomplex(x) -> ndarray:
    """Whether elements have an imaginary part that is not 0."""
    return asarray(x).imag != 0


def isreal(x) -> ndarray:
    """Whether elements have no imaginary part, or 0."""
    return asarray(x).imag == 0


def iscomplexobj(x) -> bool:
    """Whether it is of complex numbers."""
    return numpy.dtype(getattr(x, "dtype", None) or numpy.asarray(x).dtype).kind == "c"


def isrealobj(x) -> bool:
    """Whether it is of other numbers than complex ones."""
    return not iscomplexobj(x)


def array_equiv(a1, a2) -> ndarray:
    """Whether all elements are equal, of arrays that broadcast."""
    a1, a2 = asarray(a1), asarray(a2)
    try:
        numpy.broadcast_shapes(a1.shape, a2.shape)
    except ValueError:
        return asarray(False)
    return (a1 == a2).all()


def may_share_memory(a, b) -> bool:
    """Whether the spans of memory meet in which the arrays lie."""
    return spans_meet(a, b)
