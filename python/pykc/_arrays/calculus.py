"""Functions of sampled functions: interpolation, convolution, derivatives, integrals."""
from __future__ import annotations

import math
from typing import Any

import numpy

from .arguments import axes_of, axis_of
from .creation import asarray, ascontiguousarray, zeros, zeros_like
from .joining import atleast_1d, concatenate, where
from .ndarray import ndarray
from .products import conjugated, matmul
from .scanning import cumsum, diff
from .sorting import argsort, searchsorted


def interp(x, xp, fp, left=None, right=None, period: float | None = None) -> ndarray:
    """The values at X of the function that is linear between the points (XP, FP)."""
    xp, fp = asarray(xp), asarray(fp)
    if "c" in (asarray(x).dtype.kind, xp.dtype.kind):
        raise TypeError("interp is at real numbers")
    if fp.dtype.kind == "c":
        made = ndarray(numpy.shape(x), complex, device=fp.device)
        for part in ("real", "imag"):
            ends = (one if one is None else getattr(asarray(one), part) for one in (left, right))
            setattr(made, part, interp(x, xp, getattr(fp, part), *ends, period))
        return made
    x = asarray(x, float, device=xp.device)
    xp = xp.astype(float, copy=False)
    fp = fp.astype(float, copy=False)
    if xp.ndim != 1 or xp.shape != fp.shape or not xp.size:
        raise ValueError("fp and xp are not of the same length, or empty")
    if period is not None:
        if not period:
            raise ValueError("period must be a non-zero value")
        period = abs(period)
        x, xp = x % period, xp % period
        order = argsort(xp)
        xp, fp = xp[order], fp[order]
        xp = concatenate([xp[-1:] - period, xp, xp[:1] + period])
        fp = concatenate([fp[-1:], fp, fp[:1]])
    place = (searchsorted(xp, x, "right") - 1).clip(0, max(xp.size - 2, 0))
    behind = (place + 1).clip(0, xp.size - 1)
    slope = (fp[behind] - fp[place]) / (xp[behind] - xp[place])
    found = slope * (x - xp[place]) + fp[place]
    found = where(found == found, found, slope * (x - xp[behind]) + fp[behind])  # the first of the two is infinite
    found = where(fp[place] == fp[behind], fp[place], found)
    found = where(x == xp[behind], fp[behind], where(x == xp[place], fp[place], found))
    found = where(x < xp[0], fp[0] if left is None or period else left, found)
    found = where(x > xp[-1], fp[-1] if right is None or period else right, found)
    return where(x != x, x, found).astype(fp.dtype, copy=False)


def convolve(a, v, mode: str = "full") -> ndarray:
    """The sums of products of two vectors, one of them reversed and moved along the other."""
    a, v = _vectors(*atleast_1d(asarray(a), asarray(v)), mode, "convolve")
    return _moved(a, v, mode) if a.size >= v.size else _moved(v, a, mode)


def correlate(a, v, mode: str = "valid") -> ndarray:
    """The sums of products of two vectors, one of them moved along the other and conjugated."""
    a, v = _vectors(a, v, mode, "correlate")
    if a.size < v.size:
        return ascontiguousarray(conjugated(_moved(v, conjugated(a)[::-1], mode)[::-1]))
    return _moved(a, conjugated(v)[::-1], mode)


def _vectors(a, v, mode: str, name: str) -> tuple[ndarray, ndarray]:
    a, v = asarray(a), asarray(v)
    if a.ndim != 1 or v.ndim != 1 or not a.size or not v.size:
        raise ValueError(f"{name} is for two vectors that are not empty")
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"mode must be one of 'full', 'same' or 'valid' (got {mode!r})")
    return a, v


def _moved(a: ndarray, v: ndarray, mode: str) -> ndarray:
    """The sums of products of A and the reversed V, which is no longer, at each place of V."""
    dtype = numpy.result_type(a.dtype, v.dtype)
    around = zeros(v.size - 1, dtype, device=a.device)
    before = {"full": v.size - 1, "same": v.size // 2, "valid": 0}[mode]
    after = {"full": v.size - 1, "same": v.size - 1 - v.size // 2, "valid": 0}[mode]
    whole = concatenate([around[:before], a.astype(dtype, copy=False), around[:after]])
    windows = whole._of(whole.strided((whole.size - v.size + 1, v.size), (1, 1)))
    return matmul(windows, v.astype(dtype, copy=False)[::-1])


def gradient(f, *varargs, axis=None, edge_order: int = 1) -> Any:
    """The derivatives along axes, by the neighbours of each element; at the ends by that of the line through two of
    them, or with an EDGE_ORDER of 2 of the parabola through three."""
    f = asarray(f)
    if edge_order not in (1, 2):
        raise ValueError("`edge_order` is 1 or 2")
    if f.dtype.kind == "b":
        raise TypeError("gradient is of numbers, not of bools")
    axes = axes_of(axis, f.ndim)
    spacings = list(varargs) or [1.0]
    if len(spacings) == 1 and numpy.ndim(spacings[0]) == 0:
        spacings *= len(axes)
    if len(spacings) != len(axes):
        raise TypeError("invalid number of arguments")
    f = f if f.dtype.kind in "fc" else f.astype(float)
    found = [_derivative(f, place, spacing, edge_order) for place, spacing in zip(axes, spacings)]
    return found[0] if len(found) == 1 else tuple(found)


def _derivative(f: ndarray, axis: int, spacing, edge_order: int) -> ndarray:
    if f.shape[axis] <= edge_order:
        raise ValueError("Shape of array too small to calculate a numerical gradient: at least "
                         f"{edge_order + 1} elements are needed.")
    before = (slice(None),) * axis
    steps = asarray(spacing, device=f.device)
    if steps.ndim:
        if steps.size != f.shape[axis]:
            raise ValueError("when 1d, distances must match the length of the corresponding dimension")
        steps = diff(steps).reshape((-1,) + (1,) * (f.ndim - axis - 1))
        slopes = diff(f, axis=axis) / steps
        one, two = steps[:-1], steps[1:]
        inner = (slopes[(*before, slice(None, -1))] * two + slopes[(*before, slice(1, None))] * one) / (one + two)
    else:  # an element takes no part in its own derivative, be it infinite
        slopes = diff(f, axis=axis) / steps
        inner = (f[(*before, slice(2, None))] - f[(*before, slice(None, -2))]) / (2 * steps)
    first, last = slopes[(*before, slice(0, 1))], slopes[(*before, slice(-1, None))]
    if edge_order == 2:
        next_, previous = slopes[(*before, slice(1, 2))], slopes[(*before, slice(-2, -1))]
        parts = (steps[:1] / (steps[:1] + steps[1:2]), steps[-1:] / (steps[-1:] + steps[-2:-1])) if steps.ndim else \
            (0.5, 0.5)
        first, last = first + (first - next_) * parts[0], last + (last - previous) * parts[1]
    return concatenate([first, inner, last], axis).astype(f.dtype, copy=False)


def trapezoid(y, x=None, dx=1.0, axis: int = -1) -> ndarray:
    """The integral of the function that is linear between the points."""
    y = asarray(y)
    axis = axis_of(axis, y.ndim)
    if x is None:
        width = dx
    else:
        x = asarray(x)
        width = diff(x).reshape((-1,) + (1,) * (y.ndim - axis - 1)) if x.ndim == 1 else diff(x, axis=axis)
    before = (slice(None),) * axis
    return (width * (y[(*before, slice(1, None))] + y[(*before, slice(None, -1))]) / 2.0).sum(axis)


trapz = trapezoid


def ediff1d(ary, to_end=None, to_begin=None) -> ndarray:
    """What each element is more than the one before it, in one dimension."""
    ary = asarray(ary).ravel()
    parts = {"to_begin": to_begin, "ary": ary[1:] - ary[:-1], "to_end": to_end}
    found = {name: asarray(part, device=ary.device) for name, part in parts.items() if part is not None}
    for name, part in found.items():
        if not numpy.can_cast(part.dtype, ary.dtype, "same_kind"):
            raise TypeError(f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule.")
    return concatenate([part.astype(ary.dtype, copy=False).ravel() for part in found.values()])


def unwrap(p, discont: float | None = None, axis: int = -1, *, period: float = 2 * math.pi) -> ndarray:
    """Elements along an axis less or more whole periods, so that none is more than half of one from that before it, or
    more than DISCONT."""
    p = asarray(p)
    axis = axis_of(axis, p.ndim)
    steps = diff(p, axis=axis)
    dtype = numpy.result_type(steps.dtype, period)
    half, is_odd = divmod(period, 2) if dtype.kind in "iu" else (period / 2, False)
    within = (steps + half) % period - half
    if not is_odd:
        within = where((within == -half) & (steps > 0), half, within)
    change = where(abs(steps) < (period / 2 if discont is None else discont), 0, within - steps)
    made = p.astype(dtype)
    before = (slice(None),) * axis
    made[(*before, slice(1, None))] += cumsum(change, axis).astype(dtype, copy=False)
    return made
