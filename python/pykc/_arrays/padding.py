"""`pad`: arrays with more elements around."""
from __future__ import annotations

import importlib
from typing import Any

import numpy

from .creation import asarray
from .joining import broadcast_to, concatenate, moveaxis, where
from .ndarray import ndarray
from .ufuncs import find


def pad(array, pad_width, mode: Any = "constant", *, constant_values=0, end_values=0, stat_length=None,
        reflect_type: str = "even", **others) -> ndarray:
    """With more elements around: `constant_values`, zeros in "empty", those that NumPy takes from the array in "edge",
    "reflect", "symmetric" and "wrap", a way to `end_values` in "linear_ramp", or the "maximum", "minimum", "mean" or
    "median" of as many elements as `stat_length` says; or those that `mode(vector, widths, axis, others)` sets in each
    vector along each axis."""
    a = asarray(array)
    widths = _pairs(pad_width, a.ndim)
    if any(width < 0 for pair in widths for width in pair):
        raise ValueError("index can't contain negative values")
    if callable(mode):
        made = pad(a, pad_width)
        for axis, width in enumerate(widths):
            rows = moveaxis(made, axis, -1)
            for place in numpy.ndindex(rows.shape[:-1]):
                mode(rows[place], width, axis, others)
        return made
    if others:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {', '.join(others)}")
    if mode in ("constant", "empty"):
        made = ndarray([extent + sum(pair) for extent, pair in zip(a.shape, widths)], a.dtype, device=a.device)
        values = _pairs(constant_values, a.ndim)
        inner = [slice(before, before + extent) for (before, _), extent in zip(widths, a.shape)]
        for axis, ((before, after), (first, last)) in enumerate(zip(widths, values)):
            whole = (slice(None),) * axis
            made[(*whole, slice(before))] = first
            made[(*whole, slice(made.shape[axis] - after, None))] = last
        made[tuple(inner)] = a
        return made
    is_mirror = mode in ("reflect", "symmetric")
    if not is_mirror and mode not in ("edge", "wrap", "linear_ramp", *_STATISTICS):
        raise NotImplementedError(f"pad(mode={mode!r}): there are constant, empty, edge, reflect, symmetric, wrap, "
                                  f"linear_ramp, {', '.join(_STATISTICS)}")
    if reflect_type not in ("even", "odd"):
        raise ValueError("`reflect_type` is \"even\" or \"odd\"")
    lengths = [(None, None)] * a.ndim if stat_length is None else _pairs(stat_length, a.ndim)
    ends = _pairs(end_values, a.ndim)
    for axis, (before, after) in enumerate(widths):
        if before or after:
            if not a.shape[axis]:
                raise ValueError(f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'")
            if mode == "linear_ramp":
                sides = _ramp(a, axis, before, ends[axis][0], False), _ramp(a, axis, after, ends[axis][1], True)
                a = concatenate([sides[0], a, sides[1]], axis)
            elif mode in _STATISTICS:
                sides = (broadcast_to(_statistic(a, axis, mode, length, at_end), _extended(a.shape, axis, width))
                         for width, length, at_end in zip((before, after), lengths[axis], (False, True)))
                first, last = sides
                a = concatenate([first, a, last], axis)
            else:
                places = numpy.pad(numpy.arange(a.shape[axis]), (before, after), mode)
                taken = a[(slice(None),) * axis + (asarray(places, device=a.device),)]
                is_odd = is_mirror and reflect_type == "odd"
                a = _oddly(a, taken, axis, before, after, mode) if is_odd else taken
    return a.copy() if a is array else a


_STATISTICS = {"maximum": "max", "minimum": "min", "mean": "mean", "median": "median"}


def _extended(shape: tuple[int, ...], axis: int, width: int) -> tuple[int, ...]:
    return (*shape[:axis], width, *shape[axis + 1:])


def _along(values: numpy.ndarray, a: ndarray, axis: int) -> ndarray:
    """A vector of the host along an axis of an array."""
    return asarray(values.reshape((-1,) + (1,) * (a.ndim - axis - 1)), device=a.device)


def _ramp(a: ndarray, axis: int, width: int, end, at_end: bool) -> ndarray:
    """From the edge of an array on as many steps to a value."""
    edge = a[(slice(None),) * axis + (slice(-1, None) if at_end else slice(1),)]
    steps = numpy.arange(width) / max(width, 1)
    found = end + (edge - end) * _along(steps[::-1] if at_end else steps, a, axis)
    found = find("floor")(found) if a.dtype.kind in "iu" else found
    return found.astype(a.dtype, copy=False)


def _statistic(a: ndarray, axis: int, mode: str, length: int | None, at_end: bool) -> ndarray:
    if length is not None and length < 1:
        raise ValueError("`stat_length` is at least 1")
    length = a.shape[axis] if length is None else min(length, a.shape[axis])
    part = a[(slice(None),) * axis + (slice(a.shape[axis] - length, None) if at_end else slice(length),)]
    room = importlib.import_module(".statistics" if mode == "median" else ".reductions", __package__)
    found = getattr(room, _STATISTICS[mode])(part, axis, keepdims=True)
    found = find("rint")(found) if a.dtype.kind in "iu" else found
    return found.astype(a.dtype, copy=False)


def _oddly(a: ndarray, taken: ndarray, axis: int, before: int, after: int, mode: str) -> ndarray:
    """What is TAKEN of an array, mirrored at points instead of lines: sums of it and of both edges, so many times as
    NumPy takes unit vectors."""
    extent = a.shape[axis]
    units = numpy.zeros((2, extent), int)
    units[0, 0] = 1
    units[1, -1] = extent > 1
    first, last = numpy.pad(units, ((0, 0), (before, after)), mode, reflect_type="odd")
    found = None
    edges = (a[(slice(None),) * axis + (place,)] for place in (slice(1), slice(-1, None)))
    for times, values in zip((1 - first - last, first, last), (taken, *edges)):
        times = _along(times, a, axis)
        part = where(times == 0, a.dtype.type(0), values * times.astype(a.dtype))
        found = part if found is None else found + part
    return found


def _pairs(given: Any, rank: int) -> list[tuple]:
    """Two values for each axis, of one, a pair, or a pair for each."""
    given = given.get() if isinstance(given, ndarray) else given
    return [tuple(pair) for pair in numpy.broadcast_to(given, (rank, 2)).tolist()]
