"""Which elements would stand at some places of the sorted ones, those before no greater and those behind no less.

On the CPU device long rows are not sorted for that (after R. W. Floyd and R. L. Rivest, Expected time bounds for
selection, 1975): two pivots, which a sample says to have the wanted element between them, part the elements into three,
of which those that have a wanted place are parted again.
"""
from __future__ import annotations

import math
import operator

import numpy

from .arguments import axes_of
from .creation import asarray, empty_like, indices_of
from .generated import kernel
from .ndarray import along, ndarray
from .sorting import argsort, sort

_SAMPLE, _FEW, _PART = 1024, 1 << 11, 4096
_DEVIATIONS = 3  # of a rank within the sample, to either side of it
# A block is one thread and has a part. Lines that end in `# places` are for those who ask where the elements were.
_TEXT = """import numpy as np
@kernel(wraparound=False)
def count(counts, keys, pivots):
    first = blockIdx.x * PART
    low = pivots[0]
    high = pivots[1]
    below = i32(0)
    above = i32(0)
    for i in range(first, min(first + PART, len(keys))):
        key = keys[i]
        below += i32(IS_BELOW)
        above += i32(IS_ABOVE)
    counts[0, blockIdx.x] = below
    counts[2, blockIdx.x] = above
    counts[1, blockIdx.x] = min(PART, len(keys) - first) - below - above


@kernel(wraparound=False)
def deal(out, out_places, keys, places, pivots, starts):
    first = blockIdx.x * PART
    low = pivots[0]
    high = pivots[1]
    below = starts[0, blockIdx.x]
    between = starts[1, blockIdx.x]
    above = starts[2, blockIdx.x]
    for i in range(first, min(first + PART, len(keys))):
        key = keys[i]
        is_below = IS_BELOW
        is_above = IS_ABOVE
        target = below if is_below else above if is_above else between
        out[target] = key
        out_places[target] = places[i]  # places
        below += i64(is_below)
        above += i64(is_above)
        between += i64(not (is_below or is_above))
""".replace("PART", str(_PART))


def partition(a, kth, axis: int | None = -1) -> ndarray:
    """The elements along an axis, those before the places KTH no greater and those behind no less."""
    axes_of(axis, asarray(a).ndim)  # a number has none
    a, axis, wanted = _asked(a, kth, axis)
    rows = _rows(a, axis)
    if not wanted or not is_worth_it(rows):
        return sort(a, axis)
    return _along_axis(selected(rows, wanted), a, axis)


def argpartition(a, kth, axis: int | None = -1) -> ndarray:
    """Where the elements of `partition` were."""
    a, axis, wanted = _asked(a, kth, axis)
    rows = _rows(a, axis)
    if not wanted or not is_worth_it(rows):
        return argsort(a, axis)
    numbers, places = indices_of(rows.shape[1], a.device), ndarray(rows.shape, "int64", device=a.device)
    for own, keys in zip(places, rows):
        own[...] = _select(keys, numbers, wanted)[1]
    return _along_axis(places, a, axis)


def selected(rows: ndarray, wanted: list[int]) -> ndarray:
    """Rows with the elements at places, which ascend, where they would stand in sorted ones."""
    made = empty_like(rows)
    for row, of in zip(made, rows):
        row[...] = _select(of, None, wanted)[0]
    return made


def is_worth_it(rows: ndarray) -> bool:
    """Whether to select in rows is faster than to sort them."""
    return rows.device.is_cpu and rows.dtype.kind in "biufc" and rows.shape[1] > _FEW


def _asked(a, kth, axis: int | None) -> tuple[ndarray, int, list[int]]:
    a, axis = along(asarray(a), axis)
    extent = a.shape[axis]
    wanted = [operator.index(one) for one in numpy.atleast_1d(kth).tolist()]
    for one in wanted:
        if a.size and not -extent <= one < extent:
            raise ValueError(f"kth(={one}) out of bounds ({extent})")
    return a, axis, sorted({one % max(extent, 1) for one in wanted})


def _rows(a: ndarray, axis: int) -> ndarray:
    moved = a.swapaxes(axis, -1)
    return moved.reshape(moved.size // max(moved.shape[-1], 1), moved.shape[-1])


def _along_axis(rows: ndarray, a: ndarray, axis: int) -> ndarray:
    return rows.reshape(a.swapaxes(axis, -1).shape).swapaxes(axis, -1)


def _select(keys: ndarray, places: ndarray | None, wanted: list[int]) -> tuple[ndarray, ndarray | None]:
    """The keys, with those that belong at these places there, and with each its number in PLACES."""
    size, parts = keys.size, -(-keys.size // _PART)
    if size <= _FEW:
        return _sorted(keys, places)
    low, high = pivots = _pivots(keys, wanted[len(wanted) // 2])
    text = _TEXT.replace("IS_BELOW", "key == key" if low != low else "np.less(key, low)") \
        .replace("IS_ABOVE", "False" if high != high else "not np.less_equal(key, high)")
    if places is None:
        text = "\n".join(line for line in text.splitlines() if "# places" not in line) + "\n"
    counts, pivots = ndarray((3, parts), "int64", device=keys.device), asarray(pivots, device=keys.device)
    kernel(keys.device, text, "count").launch(parts, 1, None, 0, (counts, keys, pivots))
    found = counts.get()
    ends = found.cumsum().reshape(3, parts)
    starts = asarray(ends - found, device=keys.device)
    out, out_places = empty_like(keys), None if places is None else empty_like(places)
    numbered = (out, keys) if places is None else (out_places, places)
    kernel(keys.device, text, "deal").launch(
        parts, 1, None, 0, (out, numbered[0], keys, numbered[1], pivots, starts))
    first = 0
    for end, is_one in zip(ends[:, -1].tolist(), (False, low == high or low != low, False)):
        own = [place - first for place in wanted if first <= place < end]
        if own and not is_one:
            part = out[first:end], None if places is None else out_places[first:end]
            made = _sorted(*part) if end - first > size // 2 else _select(*part, own)
            for old, new in zip(part, made):
                if old is not None:
                    old[...] = new
        first = end
    return out, out_places


def _sorted(keys: ndarray, places: ndarray | None) -> tuple[ndarray, ndarray | None]:
    if places is None:
        return sort(keys), None
    order = argsort(keys)
    return keys[order], places[order]


def _pivots(keys: ndarray, place: int) -> numpy.ndarray:
    """Two keys between which the one of that place is for most samples."""
    sample = numpy.sort(keys[:: keys.size // _SAMPLE].get())
    part = place / keys.size
    deviation = math.sqrt(part * (1 - part) * sample.size)
    low, high = (int(part * sample.size + side * (_DEVIATIONS * deviation + 1)) for side in (-1, 1))
    return sample[[max(low, 0), min(high, sample.size - 1)]]
