"""Sums, extrema, means and their kin along axes: each one kernel of the C++ library, or two where one needs another."""
from __future__ import annotations

import builtins
import functools
from typing import Any, NamedTuple

import numpy

from .. import _native
from . import ufuncs
from .arguments import TYPE_NAMES, as_dtype, axes_of, axis_of, is_integer
from .creation import asarray, indices_of
from .generated import computed
from .ndarray import delivered, ndarray
from .ufuncs import PREAMBLE

_INT, _BOOL = numpy.dtype("int64"), numpy.dtype(bool)
_PART = 4096  # elements, of which a place among a few is found soon

#: The reductions that can begin with a value, and the function that takes it to the others.
_WITH_INITIAL = {"sum": "add", "prod": "multiply", "min": "minimum", "max": "maximum", "nanmin": "fmin",
                 "nanmax": "fmax"}


class Rule(NamedTuple):
    """What a reduction does: expressions over an element `x`, two values `a` and `b`, and the last value `a`."""
    map: str
    reduce: str
    identity: str
    post: str = "a"
    inputs: str = "x"


@functools.cache
def _native_reduction(rule: Rule, dtype: numpy.dtype) -> _native.Reduction:
    return _native.Reduction(rule.inputs, rule.map, rule.reduce, rule.post, rule.identity, dtype, preamble=PREAMBLE,
                             warnings=False)


def reduced(rule: Rule, dtype: numpy.dtype, axis, keepdims: bool, out, *inputs: ndarray) -> ndarray:
    """The reduction of inputs that broadcast to the shape of the first."""
    a = inputs[0]
    axes = _reduced_axes(axis, a.ndim)
    if a.ndim and not axes:  # of nothing but each element
        inputs = tuple(one[..., None] for one in inputs)
        axes, keepdims = (a.ndim,), False
    return delivered(ndarray(_native_reduction(rule, dtype).reduce(list(axes), bool(keepdims), inputs), dtype), out)


def _reduced_axes(axis, rank: int) -> tuple[int, ...]:
    """The axes counted from the front; one element without axes has NumPy's axis 0."""
    axes = axes_of(axis, rank or 1)
    return axes if rank else ()


def _is_of_nothing(a: ndarray, axis) -> bool:
    """Whether there is a result of no elements."""
    axes = _reduced_axes(axis, a.ndim)
    kept = [extent for place, extent in enumerate(a.shape) if place not in axes]
    return a.size == 0 and 0 not in kept


@functools.cache
def sum_dtype(dtype: numpy.dtype) -> numpy.dtype:
    """The type of a sum or product: that of NumPy, which has 64 bits for integers."""
    return numpy.sum(numpy.empty(0, dtype)).dtype


def sum(a, axis=None, dtype=None, out=None, keepdims: bool = False, **others) -> ndarray:
    """The sum, of integers in 64 bits."""
    return _of_rule("sum", a, axis, dtype, out, keepdims, others)


def prod(a, axis=None, dtype=None, out=None, keepdims: bool = False, **others) -> ndarray:
    """The product, of integers in 64 bits."""
    return _of_rule("prod", a, axis, dtype, out, keepdims, others)


def mean(a, axis=None, dtype=None, out=None, keepdims: bool = False, **others) -> ndarray:
    """The mean, of integers in float64."""
    return _of_rule("mean", a, axis, dtype, out, keepdims, others)


def all(a, axis=None, out=None, keepdims: bool = False, **others) -> ndarray:
    """Whether all elements are true."""
    return _of_rule("all", a, axis, None, out, keepdims, others)


def any(a, axis=None, out=None, keepdims: bool = False, **others) -> ndarray:
    """Whether any element is true."""
    return _of_rule("any", a, axis, None, out, keepdims, others)


def _of_rule(name: str, a, axis, dtype, out, keepdims: bool, others: dict) -> ndarray:
    if hasattr(a, "_trace"):  # in a function that is fused
        return getattr(a, name)(axis, keepdims)
    where, initial = others.pop("where", True), others.pop("initial", None)
    if others:
        raise TypeError(f"pykc.{name} has no {next(iter(others))}=: there are axis=, out=, keepdims=, where=, initial= "
                        "and, for what computes, dtype=")
    a = asarray(a)
    if name == "mean":
        axes_of(axis, a.ndim)  # a number has none; the other reductions take 0 and -1
    is_extreme = name in ("min", "max", "nanmin", "nanmax")
    if is_extreme and initial is None and _is_of_nothing(a, axis):
        raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
    if dtype is None and name in ("sum", "prod") and out is not None and out.dtype.kind == "b":  # as NumPy computes
        name = "any" if name == "sum" else "all"
    rule, result = REDUCTIONS[name](a.dtype)
    result = result_dtype(dtype, result)
    if result.kind == "b" and a.dtype.kind == "c":
        a = a.astype(bool)
    if where is True and initial is None:
        return reduced(rule, result, axis, keepdims, out, a)
    if initial is not None and name not in _WITH_INITIAL:
        raise TypeError(f"pykc.{name} has no initial=")
    if initial is None and is_extreme:
        raise ValueError(f"reduction operation {name} does not have an identity, so to use a where mask one has to "
                         "specify 'initial'")
    found = _masked(name, rule, result, a, where, axis, keepdims)
    if initial is not None:
        found = ufuncs.find(_WITH_INITIAL[name])(found, initial).astype(result, copy=False)
    return delivered(found, out)


def _masked(name: str, rule: Rule, dtype: numpy.dtype, a: ndarray, where: Any, axis, keepdims: bool) -> ndarray:
    """The reduction of those elements for which the mask holds; both broadcast."""
    from .joining import broadcast_arrays
    a, mask = broadcast_arrays(a, asarray(where, bool, device=a.device))
    if name == "mean":
        total = _masked("sum", REDUCTIONS["sum"](dtype)[0], dtype, a, mask, axis, keepdims)
        return (total / sum(mask, axis, dtype, None, keepdims)).astype(dtype, copy=False)
    return reduced(rule._replace(map=f"{rule.map} if m else {rule.identity}", inputs="x, m: bool"), dtype, axis,
                   keepdims, None, a, mask)


def result_dtype(dtype, default: numpy.dtype) -> numpy.dtype:
    """The type that is asked for, else the one that a result has."""
    found = default if dtype is None else as_dtype(dtype)
    if default.kind == "c" and found.kind in "iuf":
        raise TypeError(f"the result is complex, and dtype={found} has no imaginary part: take `x.real` first")
    return found


def count_nonzero(a, axis=None, *, keepdims: bool = False) -> ndarray:
    """How many elements are true."""
    return reduced(Rule("1 if x != 0 else 0", "a + b", "0"), _INT, axis, keepdims, None, asarray(a))


# --- extrema ----------------------------------------------------------------------------------------------------------


@functools.cache
def _extreme(name: str, dtype: numpy.dtype) -> Rule:
    """NAME is the function of two values: minimum, maximum, or one for which a NaN counts as missing, fmin, fmax."""
    is_least = name in ("minimum", "fmin")
    if name in ("fmin", "fmax") and dtype.kind in "fc":
        identity = "math.nan"
    elif dtype.kind == "f":
        identity = "math.inf" if is_least else "-math.inf"
    elif dtype.kind == "c":
        identity = "complex(math.inf, math.inf)" if is_least else "complex(-math.inf, -math.inf)"
    elif dtype.kind == "b":
        identity = str(is_least)
    else:
        identity = str(numpy.iinfo(dtype).max if is_least else numpy.iinfo(dtype).min)
    return Rule("x", f"np.{name}(a, b)", identity)


def min(a, axis=None, out=None, keepdims: bool = False, **others) -> ndarray:
    """The smallest element; a NaN wins."""
    return _of_rule("min", a, axis, None, out, keepdims, others)


def max(a, axis=None, out=None, keepdims: bool = False, **others) -> ndarray:
    """The largest element; a NaN wins."""
    return _of_rule("max", a, axis, None, out, keepdims, others)


amin, amax = min, max


def nanmin(a, axis=None, out=None, keepdims: bool = False, **others) -> ndarray:
    """The smallest element but for NaNs."""
    return _of_rule("nanmin", a, axis, None, out, keepdims, others)


def nanmax(a, axis=None, out=None, keepdims: bool = False, **others) -> ndarray:
    """The largest element but for NaNs."""
    return _of_rule("nanmax", a, axis, None, out, keepdims, others)


def ptp(a, axis=None, out=None, keepdims: bool = False) -> ndarray:
    """How far the largest element is from the smallest."""
    return delivered(max(a, axis, None, keepdims) - min(a, axis, None, keepdims), out)


def _place(find, a, axis, out, keepdims: bool, dtype=None) -> ndarray:
    """The first place along an axis of what FIND finds there."""
    a = asarray(a)
    if dtype is not None:
        return delivered(_place(find, a, axis, None, keepdims).astype(dtype), out)
    rank = a.ndim
    if axis is None or rank == 0:
        _reduced_axes(axis, rank)  # tells of others than 0
        found = _place(find, a.ravel(), 0, None, False)
        return delivered(found.reshape((1,) * rank) if keepdims else found, out)
    axis, = axes_of(axis, rank)
    if _is_of_nothing(a, axis):
        raise ValueError("attempt to get the place of an extreme of an empty sequence")
    if a.device.is_cpu and rank == 1 and a.size >= 16 * _PART:
        found = _place_in_parts(find, a)
        return delivered(found.reshape(1) if keepdims else found, out)
    best = find(a, axis, None, True) if a.size else a
    index = indices_of(a.shape[axis], a.device).reshape((-1,) + (1,) * (rank - axis - 1))
    most = str(2 ** 63 - 1)
    rule = Rule(f"i if x == best or x != x else {most}", "min(a, b)", most, inputs="x, best, i")
    return reduced(rule, _INT, axis, keepdims, out, a, best, index)


def _place_in_parts(find, a: ndarray) -> ndarray:
    """`_place` in a long vector on the CPU device: in the first part that has the extreme. The host waits for which."""
    from .joining import concatenate
    whole = a.size // _PART * _PART
    best = concatenate([find(a[:whole].reshape(-1, _PART), 1), a[whole:]])
    start = builtins.min(int(_place(find, best, 0, None, False)) * _PART, a.size - _PART)
    return _place(find, a[start:start + _PART], 0, None, False) + start


def argmin(a, axis: int | None = None, out=None, *, keepdims: bool = False, dtype=None) -> ndarray:
    """Where the smallest element is, the first of several; a NaN wins."""
    return _place(min, a, axis, out, keepdims, dtype)


def argmax(a, axis: int | None = None, out=None, *, keepdims: bool = False, dtype=None) -> ndarray:
    """Where the largest element is, the first of several; a NaN wins."""
    return _place(max, a, axis, out, keepdims, dtype)


# --- means ------------------------------------------------------------------------------------------------------------


def _mean_dtype(dtype: numpy.dtype) -> numpy.dtype:
    return dtype if dtype.kind in "fc" else numpy.dtype(float)


def var(a, axis=None, dtype=None, out=None, ddof: float = 0, keepdims: bool = False, *, correction=None,
        where=True) -> ndarray:
    """The mean of the squared distances from the mean; `ddof` is taken off the number of elements."""
    return _spread(asarray(a), axis, dtype, out, ddof if correction is None else correction, keepdims, "{}", where)


def std(a, axis=None, dtype=None, out=None, ddof: float = 0, keepdims: bool = False, *, correction=None,
        where=True) -> ndarray:
    """The square root of `var`."""
    return _spread(asarray(a), axis, dtype, out, ddof if correction is None else correction, keepdims, "math.sqrt({})",
                   where)


def _spread(a: ndarray, axis, dtype, out, ddof: float, keepdims: bool, post: str, where=True) -> ndarray:
    result = result_dtype(dtype, _mean_dtype(a.dtype))
    wide = numpy.result_type(result, numpy.float32)  # the mean of float16 is not rounded to it
    real = numpy.dtype(f"f{result.itemsize // 2}") if result.kind == "c" else result
    if where is not True:
        from .joining import broadcast_arrays
        a, mask = broadcast_arrays(a, asarray(where, bool, device=a.device))
        distance = a.astype(wide, copy=False) - mean(a, axis, wide, None, True, where=mask)
        value = post.format(f"(total / max(count - {float(ddof)!r}, 0.0))")
        found = _of_squares(value, real, distance, mask, axis, keepdims)
        return delivered(found if dtype is None else found.astype(result, copy=False), out)
    middle = mean(a, axis, wide, None, True)
    size = "(x - m).real * (x - m).real + (x - m).imag * (x - m).imag" if wide.kind == "c" else "(x - m) * (x - m)"
    rule = Rule(size, "a + b", "0", post.format(f"(a / max(count - {float(ddof)!r}, 0.0))"),
                f"x: {TYPE_NAMES[wide]}, m: {TYPE_NAMES[wide]}")
    found = reduced(rule, real, axis, keepdims, None, a, middle)
    return delivered(found if dtype is None else found.astype(result, copy=False), out)


def _of_squares(value: str, dtype: numpy.dtype, distance: ndarray, mask: ndarray, axis, keepdims: bool) -> ndarray:
    """VALUE of the sum of the squares where the mask holds, `total`, and of how many these are, `count`."""
    squares = (distance * distance.conj()).real if distance.dtype.kind == "c" else distance * distance
    total = sum(squares, axis, where=mask, keepdims=keepdims)
    count = sum(mask, axis, None, None, keepdims)
    return computed(f"z = {value}", dtype, total=(total, total.dtype), count=(count, total.dtype))


# --- without NaNs -----------------------------------------------------------------------------------------------------


def without_nans(a, value: float | str) -> ndarray:
    a = asarray(a)
    return computed(f"z = x if x == x else {value}", a.dtype, x=(a, a.dtype)) if a.dtype.kind in "fc" else a


def nansum(a, axis=None, dtype=None, out=None, keepdims: bool = False) -> ndarray:
    """The sum but for NaNs."""
    return sum(without_nans(a, 0), axis, dtype, out, keepdims)


def nanprod(a, axis=None, dtype=None, out=None, keepdims: bool = False) -> ndarray:
    """The product but for NaNs."""
    return prod(without_nans(a, 1), axis, dtype, out, keepdims)


def nanmean(a, axis=None, dtype=None, out=None, keepdims: bool = False) -> ndarray:
    """The mean but for NaNs."""
    a = asarray(a)
    total = nansum(a, axis, result_dtype(dtype, _mean_dtype(a.dtype)), None, keepdims)
    count = reduced(Rule("1 if x == x else 0", "a + b", "0"), _INT, axis, keepdims, None, a)
    return delivered((total / count).astype(total.dtype, copy=False), out)


def nanvar(a, axis=None, dtype=None, out=None, ddof: float = 0, keepdims: bool = False) -> ndarray:
    """The variance but for NaNs."""
    return _nanspread(asarray(a), axis, dtype, out, ddof, keepdims, "x")


def nanstd(a, axis=None, dtype=None, out=None, ddof: float = 0, keepdims: bool = False) -> ndarray:
    """The standard deviation but for NaNs."""
    return _nanspread(asarray(a), axis, dtype, out, ddof, keepdims, "math.sqrt(x)")


def _nanspread(a: ndarray, axis, dtype, out, ddof: float, keepdims: bool, post: str) -> ndarray:
    if a.dtype.kind not in "fc":
        return _spread(a, axis, dtype, out, ddof, keepdims, post.replace("x", "{}"))
    result = result_dtype(dtype, a.dtype)
    wide = numpy.result_type(result, numpy.float32)
    distance = a.astype(wide, copy=False) - nanmean(a, axis, wide, keepdims=True)
    real = numpy.dtype(f"f{result.itemsize // 2}") if result.kind == "c" else result
    value = post.replace("x", f"(total / (count - {float(ddof)!r}))")
    value = f"{value} if count > {float(ddof)!r} else math.nan"
    return delivered(_of_squares(value, real, distance, a == a, axis, keepdims), out)


def nanargmin(a, axis: int | None = None, out=None, *, keepdims: bool = False) -> ndarray:
    """Where the smallest element is but for NaNs."""
    return argmin(_with_numbers(a, "math.inf", axis), axis, out, keepdims=keepdims)


def nanargmax(a, axis: int | None = None, out=None, *, keepdims: bool = False) -> ndarray:
    """Where the largest element is but for NaNs."""
    return argmax(_with_numbers(a, "-math.inf", axis), axis, out, keepdims=keepdims)


def _with_numbers(a, value: str, axis: int | None) -> ndarray:
    """`without_nans`. The host waits for whether there is a number everywhere along the axis."""
    a = asarray(a)
    if a.dtype.kind in "fc" and bool(all(a != a, axis).any()) and a.size:
        raise ValueError("All-NaN slice encountered")
    return without_nans(a, value)


def average(a, axis=None, weights=None, returned: bool = False, *, keepdims: bool = False):
    """The mean with weights, and with RETURNED their sums. The host waits for whether these are not 0."""
    a = asarray(a)
    if weights is None:
        found = mean(a, axis, keepdims=keepdims)
        return (found, zeros_of(found) + found.dtype.type(a.size / builtins.max(found.size, 1))) if returned else found
    weights = asarray(weights)
    axes_of(axis, a.ndim)
    if weights.shape != a.shape:
        if weights.ndim != 1 or not is_integer(axis):
            raise TypeError("weights have the shape of the array, or one dimension for one axis")
        axis = axis_of(axis, a.ndim)
        if weights.size != a.shape[axis]:
            raise ValueError(f"there are {weights.size} weights for the {a.shape[axis]} elements along the axis {axis}")
        weights = weights.reshape((-1,) + (1,) * (a.ndim - 1 - axis))
    dtype = numpy.result_type(_mean_dtype(a.dtype), weights.dtype)
    total = sum(a * weights, axis, dtype, None, keepdims)
    scale = sum(weights + zeros_of(a), axis, dtype, None, keepdims)
    if bool((scale == 0).any()):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return (total / scale, scale) if returned else total / scale


def zeros_of(a: ndarray) -> ndarray:
    """Zeros that take a's shape without its memory."""
    from .creation import zeros
    from .joining import broadcast_to
    return broadcast_to(zeros((), bool, device=a.device), a.shape)


#: The rule and the type of the result of each, for elements of a type.
REDUCTIONS = {
    "sum": lambda dtype: (Rule("x", "a + b", "0"), sum_dtype(dtype)),
    "prod": lambda dtype: (Rule("x", "a * b", "1"), sum_dtype(dtype)),
    "mean": lambda dtype: (Rule("x", "a + b", "0", "a / count"), _mean_dtype(dtype)),
    "min": lambda dtype: (_extreme("minimum", dtype), dtype),
    "max": lambda dtype: (_extreme("maximum", dtype), dtype),
    "nanmin": lambda dtype: (_extreme("fmin", dtype), dtype),
    "nanmax": lambda dtype: (_extreme("fmax", dtype), dtype),
    "all": lambda dtype: (Rule("x != 0", "a and b", "True"), _BOOL),
    "any": lambda dtype: (Rule("x != 0", "a or b", "False"), _BOOL),
}
