"""Sorting. Equal elements keep their order; NaNs come last.

Long vectors of real numbers are sorted by the library, by radix. All others are by merging: each thread sorts a chunk,
then pairs of runs are merged, every thread making a chunk of the result, whose place in both runs a binary search
finds.
"""
from __future__ import annotations

import math
from typing import NamedTuple

import numpy

from .arguments import axes_of, axis_of
from .creation import arange, asarray, empty_like, full, indices_of, zeros
from .generated import by_library, for_each
from .indexing import flatnonzero, take_along_axis
from .joining import broadcast_to, concatenate, moveaxis
from .ndarray import along, ndarray
from .scanning import cumsum

_CHUNK = 32
_LONG = 1 << 11  # elements for which the library's passes are worth it,
_LONG_ON_CPU = 1 << 14  # and where they take twice as long to compile as merging
# Lines that end in `# places` are for those who ask where the elements were.
_TEXT = """@device
def before(a, b):
    return BEFORE


@device
def keeps(a, b):
    return not before(b, a)


@kernel(wraparound=False)
def sort_chunks(keys, places):
    extent = keys.shape[1]
    chunks = (extent + CHUNK - 1) // CHUNK
    i = grid(1)
    if i < keys.shape[0] * chunks:
        row = i // chunks
        first = i % chunks * CHUNK
        for k in range(first + 1, min(first + CHUNK, extent)):
            key = keys[row, k]
            place = places[row, k]  # places
            j = k
            while j > first and before(key, keys[row, max(j - 1, 0)]):
                keys[row, j] = keys[row, j - 1]
                places[row, j] = places[row, j - 1]  # places
                j -= 1
            keys[row, j] = key
            places[row, j] = place  # places


@kernel(wraparound=False)
def merge(out, out_places, keys, places, run):
    extent = keys.shape[1]
    chunks = (extent + CHUNK - 1) // CHUNK
    i = grid(1)
    if i < keys.shape[0] * chunks:
        row = i // chunks
        start = i % chunks * CHUNK
        base = start // (2 * run) * (2 * run)
        middle = min(base + run, extent)
        end = min(base + 2 * run, extent)
        behind = start - base
        low = max(0, behind - (end - middle))
        high = min(behind, middle - base)
        while low < high:
            half = (low + high) // 2
            if before(keys[row, middle + behind - half - 1], keys[row, base + half]):
                high = half
            else:
                low = half + 1
        a = base + low
        b = middle + behind - low
        for k in range(start, min(start + CHUNK, end)):
            takes_left = b >= end
            if a < middle and b < end:
                takes_left = keeps(keys[row, a], keys[row, b])
            source = a if takes_left else b
            out[row, k] = keys[row, source]
            out_places[row, k] = places[row, source]  # places
            if takes_left:
                a += 1
            else:
                b += 1
"""
_SEARCH = """@device
def before(a, b):
    return BEFORE


@kernel(wraparound=False)
def search(out, keys, wanted):
    i = grid(1)
    if i < len(wanted):
        low = 0
        high = len(keys)
        while low < high:
            half = (low + high) // 2
            if MOVES:
                low = half + 1
            else:
                high = half
        out[i] = low
"""
# The same for the CPU device: the threads of a block take the same steps, a vector of them at a time.
_SEARCH_TOGETHER = """@device
def before(a, b):
    return BEFORE


@kernel(wraparound=False)
def search(out, keys, wanted):
    i = min(grid(1), len(wanted) - 1)
    low = 0
    count = len(keys)
    while count > 0:
        step = (count + 1) // 2
        half = low + step - 1
        low += step if MOVES else 0
        count -= step
        syncthreads()
    if grid(1) < len(wanted):
        out[i] = low
"""


def _order(dtype: numpy.dtype, descending: bool = False) -> str:
    a, b = ("b", "a") if descending else ("a", "b")
    is_nan = f"({b} != {b} and {a} == {a})"
    return {"f": f"{a} < {b} or {is_nan}", "c": f"np.less({a}, {b}) or {is_nan}"}.get(dtype.kind, f"{a} < {b}")


def _sorted(a, axis: int | None, wants_places: bool, descending: bool) -> tuple[ndarray, ndarray | None]:
    a, axis = along(asarray(a), axis)
    moved = a.swapaxes(axis, -1)
    extent = moved.shape[-1]
    keys = moved.copy().reshape(moved.size // max(extent, 1), extent)
    places = broadcast_to(indices_of(extent, a.device), keys.shape).copy() if wants_places else keys
    if len(keys) == 1 and a.dtype.kind in "biuf" and extent > (_LONG_ON_CPU if a.device.is_cpu else _LONG):
        keys, places = _by_radix(keys[0], places[0] if wants_places else None, descending)
    elif keys.size:
        keys, places = _merged(keys, places, _text(a.dtype, wants_places, descending))
    back = keys.reshape(moved.shape).swapaxes(axis, -1)
    return back, places.reshape(moved.shape).swapaxes(axis, -1) if wants_places else None


def _text(dtype: numpy.dtype, wants_places: bool, descending: bool) -> str:
    lines = _TEXT.replace("BEFORE", _order(dtype, descending)).replace("CHUNK", str(_CHUNK)).splitlines()
    return "import numpy as np\n" + "\n".join(line for line in lines if wants_places or "# places" not in line) + "\n"


def _by_radix(keys: ndarray, places: ndarray | None, descending: bool) -> tuple[ndarray, ndarray]:
    out = empty_like(keys)
    if places is None:
        by_library(keys.device, "sort", "sort", out, keys, descending)
        return out, out
    out_places = empty_like(places)
    by_library(keys.device, "sort", "sort_pairs", out, out_places, keys, places, descending)
    return out, out_places


def _merged(keys: ndarray, places: ndarray, text: str) -> tuple[ndarray, ndarray]:
    rows, extent = keys.shape
    threads = rows * -(-extent // _CHUNK)
    for_each(keys.device, text, "sort_chunks", threads, keys, places)
    run = _CHUNK
    others = empty_like(keys), empty_like(places)
    while run < extent:
        for_each(keys.device, text, "merge", threads, *others, keys, places, run)
        (keys, places), others = others, (keys, places)
        run *= 2
    return keys, places


def _check_kind(kind: str | None) -> None:
    if kind not in (None, "stable", "quicksort", "mergesort", "heapsort"):
        raise ValueError(f"sort kind must be one of 'quicksort', 'heapsort', or 'stable' (got {kind!r})")


def sort(a, axis: int | None = -1, kind: str | None = None, *, descending: bool = False,
         stable: bool = True) -> ndarray:
    """The elements along an axis in ascending order, NaNs last; None: all of them, in one dimension. It is stable,
    whatever KIND says."""
    _check_kind(kind)
    a = asarray(a)
    axes_of(axis, a.ndim)  # a number has none
    return _sorted(a, axis, False, descending)[0]


def sort_complex(a) -> ndarray:
    """The elements along the last axis in ascending order, as complex numbers."""
    found = sort(a)
    is_narrow = found.dtype.kind in "iu" and found.dtype.itemsize <= 2
    return found if found.dtype.kind == "c" else found.astype("complex64" if is_narrow else complex)


def argsort(a, axis: int | None = -1, kind: str | None = None, *, descending: bool = False,
            stable: bool = True) -> ndarray:
    """Where the elements of the sorted array were; of equal ones the first comes first, whatever KIND says."""
    _check_kind(kind)
    return _sorted(a, axis, True, descending)[1]


def lexsort(keys, axis: int = -1) -> ndarray:
    """The order by the last of these keys, of equal ones by the last but one, and so on."""
    order = None
    keys = [asarray(key) for key in keys]
    if len({key.shape for key in keys}) > 1:
        raise ValueError("all keys need to be the same shape")
    if keys and keys[0].size < 2:
        return zeros(keys[0].shape, "int64", device=keys[0].device)
    for key in keys:
        order = argsort(key, axis) if order is None else \
            take_along_axis(order, argsort(take_along_axis(key, order, axis), axis), axis)
    if order is None:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    return order


def searchsorted(a, v, side: str = "left", sorter=None) -> ndarray:
    """Where elements would have to be put in to keep a vector in order: before equal ones, or behind them."""
    if side not in ("left", "right"):
        raise ValueError(f"'{side}' is an invalid value for keyword 'side'")
    a, v = asarray(a), asarray(v)
    if a.ndim != 1:
        raise ValueError("object too shallow or too deep: searchsorted is for a vector")
    dtype = numpy.result_type(a.dtype, v.dtype)
    if sorter is not None and numpy.shape(sorter) != a.shape:
        raise ValueError("sorter.size must equal a.size: it has the place of each element in the order")
    keys = (a if sorter is None else a[asarray(sorter)]).astype(dtype, copy=False)
    wanted = v.ravel().astype(dtype, copy=False)
    out = ndarray(v.shape, "int64", device=a.device)
    moves = "before(keys[half], wanted[i])" if side == "left" else "not before(wanted[i], keys[half])"
    text = _SEARCH_TOGETHER if a.device.is_cpu else _SEARCH
    text = "import numpy as np\n" + text.replace("BEFORE", _order(dtype)).replace("MOVES", moves)
    for_each(a.device, text, "search", wanted.size, out.ravel(), keys, wanted)
    return out


class UniqueAll(NamedTuple):
    values: ndarray
    indices: ndarray
    inverse_indices: ndarray
    counts: ndarray


class UniqueCounts(NamedTuple):
    values: ndarray
    counts: ndarray


class UniqueInverse(NamedTuple):
    values: ndarray
    inverse_indices: ndarray


def _unique(a, equal_nan: bool) -> UniqueAll:
    a = asarray(a)
    flat = a.ravel()
    ordered, places = _sorted(flat, 0, True, False)
    differs = ordered[1:] != ordered[:-1]
    if equal_nan and a.dtype.kind in "fc":
        differs = differs & ((ordered[1:] == ordered[1:]) | (ordered[:-1] == ordered[:-1]))
    is_first = concatenate([full(min(flat.size, 1), True, device=a.device), differs])
    starts = flatnonzero(is_first)
    inverse = ndarray(flat.size, "int64", device=a.device)
    if flat.size:
        inverse[places] = cumsum(is_first) - 1
    counts = concatenate([starts[1:], full(min(flat.size, 1), flat.size, "int64", device=a.device)]) - starts
    return UniqueAll(ordered[starts], places[starts], inverse.reshape(a.shape), counts)


def unique(ar, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False, axis=None, *,
           equal_nan: bool = True):
    """The different elements in ascending order, or parts along an axis, and where asked for the first place of each,
    the place among them of every element, and how often each is there."""
    found = _unique(ar, equal_nan) if axis is None else _unique_parts(asarray(ar), axis)
    wanted = [part for part, is_wanted in zip(found, (True, return_index, return_inverse, return_counts)) if is_wanted]
    return wanted[0] if len(wanted) == 1 else tuple(wanted)


def _unique_parts(a: ndarray, axis: int) -> UniqueAll:
    """`unique` of the parts along an axis, in the order of their elements: numbered by one element after the other."""
    axis = axis_of(axis, a.ndim)
    rows = moveaxis(a, axis, 0)
    rows = rows.reshape(a.shape[axis], math.prod(rows.shape[1:]))
    numbers = zeros(rows.shape[0], "int64", device=a.device)
    for column in rows.T:
        column = _unique(column, True)
        numbers = _unique(numbers * column.values.size + column.inverse_indices, False).inverse_indices
    if a.dtype.kind in "fc":  # parts with a NaN differ, and have their place by what is beside it
        places = arange(rows.shape[0], device=a.device)
        numbers = numbers * rows.shape[0] + places * (rows != rows).any(1)
    found = _unique(numbers, False)
    return found._replace(values=a[(slice(None),) * axis + (found.indices,)])


def unique_all(x, /) -> UniqueAll:
    """The different elements with places, inverse and counts, by the array API; each NaN is one of its own."""
    return _unique(x, False)


def unique_counts(x, /) -> UniqueCounts:
    """The different elements and how often each is there."""
    found = _unique(x, False)
    return UniqueCounts(found.values, found.counts)


def unique_inverse(x, /) -> UniqueInverse:
    """The different elements and the place among them of every element."""
    found = _unique(x, False)
    return UniqueInverse(found.values, found.inverse_indices)


def unique_values(x, /) -> ndarray:
    """The different elements."""
    return _unique(x, False).values


def isin(element, test_elements, assume_unique: bool = False, invert: bool = False, *, kind=None) -> ndarray:
    """Whether each element is one of the others. ASSUME_UNIQUE and KIND, by which NumPy is faster, change nothing."""
    element, others = asarray(element), sort(asarray(test_elements), None)
    if not others.size:
        return full(element.shape, invert, bool, device=element.device)
    places = searchsorted(others, element).clip(0, others.size - 1)
    return (others[places] == element) ^ invert


def in1d(ar1, ar2, assume_unique: bool = False, invert: bool = False) -> ndarray:
    """`isin` of the elements in one dimension."""
    return isin(asarray(ar1).ravel(), ar2, invert=invert)


def union1d(ar1, ar2) -> ndarray:
    """The different elements of both, in order."""
    return unique(concatenate([ar1, ar2], None))


def intersect1d(ar1, ar2, assume_unique: bool = False, return_indices: bool = False):
    """The different elements that both have, in order; and where asked for their first places in both."""
    one, other = _unique(ar1, True), _unique(ar2, True)
    is_common = isin(one.values, other.values)
    values = one.values[is_common].astype(numpy.result_type(one.values.dtype, other.values.dtype), copy=False)
    if not return_indices:
        return values
    return values, one.indices[is_common], other.indices[searchsorted(other.values, values)]


def setdiff1d(ar1, ar2, assume_unique: bool = False) -> ndarray:
    """The different elements of the first that the other has not, in order."""
    values = asarray(ar1).ravel() if assume_unique else unique(ar1)
    return values[isin(values, ar2, invert=True)]


def setxor1d(ar1, ar2, assume_unique: bool = False) -> ndarray:
    """The different elements that one of them has and the other has not, in order."""
    found = sort(concatenate([unique(ar1), unique(ar2)]))
    edge = full(min(found.size, 1), True, device=found.device)
    differs = concatenate([edge, found[1:] != found[:-1], edge])  # a NaN from each other one, as in NumPy
    return found[differs[1:] & differs[:-1]] if found.size else found
