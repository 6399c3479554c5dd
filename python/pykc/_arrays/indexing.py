"""Arrays and masks as indices, and the functions that choose by them.

The axes that arrays index go to the front of a view, so that one kernel serves all cases: it goes through the places
that the arrays have in common, and through the elements of the other axes behind each.
"""
from __future__ import annotations

import math
from typing import Any

import numpy

from .. import _native
from .arguments import as_order, as_shape, axis_of, is_integer
from .creation import asarray, indices_of, zeros_like
from .generated import computed, for_each, kernel
from .ndarray import along, assign, basic_view, delivered, may_overlap, ndarray
from .scanning import cumsum

_INT = numpy.dtype("int64")


class Selection:
    """The elements that an index with arrays stands for: those of `view`, whose first axes `places` index."""

    def __init__(self, array: ndarray, index: Any):
        parts, are_together = _whole(index, array)
        basic = tuple(slice(None) if isinstance(one, ndarray) else one for one in parts)
        view = array._of(basic_view(array, basic))
        axes, axis = [], 0  # of the view that arrays index
        for one in parts:
            if isinstance(one, ndarray):
                axes.append(axis)
            axis += not isinstance(one, int)
        arrays = [one for one in parts if isinstance(one, ndarray)]
        try:
            self.shape = numpy.broadcast_shapes(*(one.shape for one in arrays))
        except ValueError:
            raise IndexError("shape mismatch: indexing arrays could not be broadcast together with shapes "
                             + " ".join(str(one.shape) for one in arrays)) from None
        others = [axis for axis in range(view.ndim) if axis not in axes]
        self.view = view.transpose(axes + others) if axes else view
        self.places = [_spread(one, self.shape) for one in arrays]
        self.front = axes[0] if axes and are_together else 0
        self.rest = self.view.shape[len(axes):]

    @property
    def result_shape(self) -> tuple[int, ...]:
        return self.rest[:self.front] + self.shape + self.rest[self.front:]

    def order(self, to_front: bool) -> list[int]:
        """The axes of the result with those of the indices in front, or back again."""
        count, front = len(self.shape), self.front
        rank = count + len(self.rest)
        forward = [*range(front, front + count), *range(front), *range(front + count, rank)]
        return forward if to_front else [forward.index(axis) for axis in range(rank)]

    def move(self, elements: ndarray, into_elements: bool, atomic: str | None = None) -> None:
        """Copies between the selected elements and an array that has their axes in front; or takes the elements of that
        to the selected ones by an atomic operation."""
        loop = self.shape + self.rest
        count = len(self.places)
        rank = len(loop)
        places = ", ".join(f"p{number}" for number in range(count))
        lines = ["@kernel(wraparound=False)", f"def move(elements, view{', ' + places if places else ''}):",
                 "    i = grid(1)", "    if i >= elements.size:", "        return"]
        for axis in range(rank - 1, 0, -1):
            lines += [f"    i{axis} = i % elements.shape[{axis}]", f"    i = i // elements.shape[{axis}]"]
        lines += ["    i0 = i"] if rank else []
        own = ", ".join(f"i{axis}" for axis in range(len(self.shape))) or "0"
        for number in range(count):
            lines += [f"    j{number} = i64(p{number}[{own}])",
                      f"    if j{number} < -view.shape[{number}] or j{number} >= view.shape[{number}]:",
                      '        raise IndexError("an index is out of bounds")',
                      f"    if j{number} < 0:", f"        j{number} += view.shape[{number}]"]
        whole = ", ".join(f"i{axis}" for axis in range(rank)) or "0"
        chosen = ", ".join([f"j{number}" for number in range(count)]
                           + [f"i{axis}" for axis in range(len(self.shape), rank)]) or "0"
        view = self.view if self.view.ndim else self.view.reshape(1)
        lines.append(f"    elements[{whole}] = view[{chosen}]" if into_elements else
                     f"    view[{chosen}] = elements[{whole}]" if atomic is None else
                     f"    atomic.{atomic}(view, ({chosen},), elements[{whole}])")
        places_ = [place if place.ndim else place.reshape(1) for place in self.places]
        elements = elements if elements.ndim else elements.reshape(1)
        try:
            for_each(elements.device, "\n".join(lines) + "\n", "move", elements.size, elements, view, *places_)
        except _native.KernelFault:
            raise IndexError(f"an index is out of bounds for an array of shape {self.view.shape}") from None


def taken(array: ndarray, index: Any) -> ndarray:
    """`array[index]`: a copy of the selected elements."""
    if _is_truth(index):
        return array[None][:int(bool(index))].copy()
    selection = Selection(array, index)
    made = ndarray(selection.shape + selection.rest, array.dtype, device=array.device)
    selection.move(made, into_elements=True)
    return made.transpose(selection.order(to_front=False)) if selection.front else made


def assigned(array: ndarray, index: Any, value: Any) -> None:
    """`array[index] = value`. Where an element is selected several times, any of the values stays."""
    if _is_truth(index):
        array[None][:int(bool(index))] = value
        return
    mask = _own_mask(index, array)
    if mask is not None and _is_number(value):
        mask = mask.reshape(mask.shape + (1,) * (array.ndim - mask.ndim))
        value = asarray(value, array.dtype, device=array.device)
        computed("z = v if m else x", array.dtype, out=array, m=(mask, numpy.dtype(bool)), v=(value, array.dtype),
                 x=(array, array.dtype))
        return
    selection = Selection(array, index)
    made = ndarray(selection.result_shape, array.dtype, device=array.device)
    assign(made, value)
    selection.move(made.transpose(selection.order(to_front=True)), into_elements=False)


def combine(array: ndarray, index: Any, value: Any, atomic: str) -> None:
    """`array[index] op= value`, where an element that is selected several times takes part in each."""
    if array.dtype.kind == "c" and atomic in ("add", "sub"):
        value = asarray(value, array.dtype, device=array.device)
        combine(array.real, index, value.real, atomic)
        combine(array.imag, index, value.imag, atomic)
        return
    if array.dtype.kind not in "iuf" or array.dtype.kind == "f" and atomic in ("and_", "or_", "xor"):
        raise TypeError(f"there is no such atomic operation on {array.dtype}")
    selection = Selection(array, index)
    made = ndarray(selection.result_shape, array.dtype, device=array.device)
    assign(made, value)
    selection.move(made.transpose(selection.order(to_front=True)), into_elements=False, atomic=atomic)


def scatter_add(a: ndarray, slices: Any, value: Any) -> None:
    """`a[slices] += value`, where an element that is selected several times takes each."""
    combine(a, slices, value, "add")


def _is_truth(index: Any) -> bool:
    """Whether it is True, False or a mask without axes, which stands for a new axis of one or no element."""
    return isinstance(index, (bool, numpy.bool_)) or _is_mask(index) and index.ndim == 0


def _is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float, complex)) or getattr(value, "ndim", None) == 0


def _is_mask(index: Any) -> bool:
    return isinstance(index, (ndarray, numpy.ndarray)) and index.dtype.kind == "b"


def _own_mask(index: Any, array: ndarray) -> ndarray | None:
    """The index as a mask of the array's first axes, if it is nothing else."""
    if isinstance(index, tuple) and len(index) == 1:
        index = index[0]
    if isinstance(index, list):
        index = numpy.asarray(index)
    if not _is_mask(index) or index.shape != array.shape[:index.ndim] or may_overlap(array, _mask(index)):
        return None
    return _mask(index)


def _mask(index) -> ndarray:
    return index if isinstance(index, ndarray) else asarray(index)


def _whole(index: Any, array: ndarray) -> tuple[list, bool]:
    """An index for each axis: numbers, slices, None and arrays of integers; numbers beside arrays are arrays. And
    whether the arrays stand side by side: then the result has their axes there, else in front."""
    parts: list[Any] = []
    for one in index if isinstance(index, tuple) else (index,):
        parts += _part(one, array)
    named = sum(one is not None and one is not Ellipsis for one in parts)
    dots = [place for place, one in enumerate(parts) if one is Ellipsis]
    if len(dots) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    if named > array.ndim:
        raise IndexError(f"too many indices for array: array is {array.ndim}-dimensional, but {named} were indexed")
    numbers = [place for place, one in enumerate(parts) if isinstance(one, (ndarray, int))]
    are_together = numbers == list(range(numbers[0], numbers[0] + len(numbers))) if numbers else True
    place = dots[0] if dots else len(parts)
    parts[place:place + len(dots)] = [slice(None)] * (array.ndim - named)
    axis = 0
    for one in parts:
        if isinstance(one, _Known):
            one.check(axis, array.shape[axis])
        elif isinstance(one, int):
            _check_bounds(one, axis, array.shape[axis])
        axis += one is not None
    if any(isinstance(one, ndarray) for one in parts):
        parts = [asarray(numpy.asarray(one), device=array.device) if isinstance(one, int) else one for one in parts]
    return [one.places if isinstance(one, _Known) else one for one in parts], are_together


class _Known(ndarray):
    """Places along an axis of which something is known on the host."""

    def __init__(self, places: ndarray):
        super().__init__(places, places.dtype)
        self.places = places

    def check(self, axis: int, extent: int) -> None:
        raise NotImplementedError


class _OfMask(_Known):
    """The places of a mask along one of its axes, which has this extent."""

    def __init__(self, places: ndarray, extent: int):
        super().__init__(places)
        self.extent = extent

    def check(self, axis: int, extent: int) -> None:
        if self.extent not in (0, extent):
            raise IndexError(f"boolean index did not match indexed array along axis {axis}; size of axis is {extent} "
                             f"but size of corresponding boolean axis is {self.extent}")


class _OfHost(_Known):
    """Numbers of the host: whether they are within bounds is told here, and not once the kernel has run."""

    def __init__(self, numbers: numpy.ndarray, places: ndarray):
        super().__init__(places)
        self.ends = (int(numbers.min()), int(numbers.max())) if numbers.size else ()

    def check(self, axis: int, extent: int) -> None:
        for one in self.ends:
            _check_bounds(one, axis, extent)


def _check_bounds(index: int, axis: int, extent: int) -> None:
    if not -extent <= index < extent:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {extent}")


def _part(one: Any, array: ndarray) -> list:
    if one is None or one is Ellipsis or isinstance(one, slice):
        return [one]
    if isinstance(one, (list, tuple, numpy.ndarray)):
        one = numpy.asarray(one)
        one = one.astype(_INT) if one.size == 0 and one.dtype.kind == "f" else one
    if _is_truth(one):
        raise NotImplementedError("True, False and masks without axes beside other indices: index by them alone first")
    if isinstance(one, numpy.ndarray):
        if one.dtype.kind not in "biu":
            raise IndexError("arrays used as indices must be of integer (or boolean) type")
        places = asarray(one, device=array.device)
        one = places if one.dtype.kind == "b" else _OfHost(one, places)
    if not isinstance(one, ndarray):
        if not is_integer(one):
            raise IndexError("only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or "
                             "boolean arrays are valid indices")
        return [one.__index__()]
    if one.dtype.kind == "b":
        return [_OfMask(places, extent) for places, extent in zip(nonzero(one), one.shape)]
    if one.dtype.kind not in "iu":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    return [one]


def _spread(places: ndarray, shape: tuple[int, ...]) -> ndarray:
    from .joining import broadcast_to
    return broadcast_to(places, shape)


# --- functions --------------------------------------------------------------------------------------------------------

_COMPACT = """@kernel(wraparound=False)
def compact(places, flags, counts):
    i = grid(1)
    if i < len(flags):
        if flags[i]:
            places[counts[i] - 1] = i
"""
_PART = 4096
# The same for the CPU device, where a block is one thread and has a part. It keeps each place, and where the flag is
# not set, the next one in its stead.
_COMPACT_PARTS = """@kernel(wraparound=False)
def count(counts, flags):
    first = blockIdx.x * PART
    found = i64(0)
    for i in range(first, min(first + PART, len(flags))):
        found += i64(flags[i])
    counts[blockIdx.x] = found


@kernel(wraparound=False)
def compact(places, flags, ends):
    found = local.array(PART, i64)
    first = blockIdx.x * PART
    size = 0
    for i in range(first, min(first + PART, len(flags))):
        found[size] = i
        size += i64(flags[i])
    for k in range(size):
        places[ends[blockIdx.x] - size + k] = found[k]
""".replace("PART", str(_PART))


def flatnonzero(a) -> ndarray:
    """Where the elements of the array in one dimension are not zero. The host waits for their number."""
    flags = asarray(a).ravel() != 0
    if not flags.size:
        return ndarray(0, _INT, device=flags.device)
    if flags.device.is_cpu:
        return _compacted_by_parts(flags)
    counts = cumsum(flags)
    places = ndarray(int(counts[-1]), _INT, device=flags.device)
    for_each(flags.device, _COMPACT, "compact", flags.size if places.size else 0, places, flags, counts)
    return places


def _compacted_by_parts(flags: ndarray) -> ndarray:
    parts = -(-flags.size // _PART)
    counts = ndarray(parts, _INT, device=flags.device)
    kernel(flags.device, _COMPACT_PARTS, "count").launch(parts, 1, None, 0, (counts, flags))
    ends = cumsum(counts)
    places = ndarray(int(ends[-1]), _INT, device=flags.device)
    kernel(flags.device, _COMPACT_PARTS, "compact").launch(parts, 1, None, 0, (places, flags, ends))
    return places


def nonzero(a) -> tuple[ndarray, ...]:
    """Where the elements are not zero, an array for each axis."""
    a = asarray(a)
    if a.ndim == 0:
        raise ValueError("nonzero is for arrays of one dimension and more")
    places = flatnonzero(a)
    found = []
    for extent in a.shape[:0:-1]:
        found.append(places % extent)
        places = places // extent
    return (places, *found[::-1])


def argwhere(a) -> ndarray:
    """Where the elements are not zero, a row for each."""
    from .joining import stack
    a = asarray(a)
    return stack(nonzero(a), 1) if a.ndim else argwhere(a.ravel())[:, :0]


def take(a, indices, axis: int | None = None, out: ndarray | None = None, mode: str = "raise") -> ndarray:
    """The elements at these places along an axis; beyond its ends those of "wrap" or "clip"."""
    a, axis = along(asarray(a), axis)
    indices = asarray(indices, device=a.device)
    if indices.dtype.kind == "b" or not indices.size:  # no mask, but 0 and 1
        indices = indices.astype(_INT)
    if mode != "raise":
        indices = _within(_wide(indices), a.shape[axis], mode)
    found = a[(slice(None),) * axis + (indices,)]
    if out is not None and out.dtype != a.dtype:
        raise TypeError(f"`out` is of {out.dtype}, and the elements are of {a.dtype}")
    return delivered(found, out)


def take_along_axis(arr, indices, axis: int | None = -1) -> ndarray:
    """For each place of INDICES the element with this index along an axis; None: in one dimension."""
    arr, indices = asarray(arr), asarray(indices)
    if axis is None:
        arr, axis = arr.ravel(), 0
    return arr[_along(arr, indices, axis)]


def put_along_axis(arr: ndarray, indices, values, axis: int | None = -1) -> None:
    """Sets what `take_along_axis` gives."""
    if axis is None:
        arr.flat[asarray(indices)] = values
    else:
        arr[_along(arr, asarray(indices), axis)] = values


def _along(arr: ndarray, indices: ndarray, axis: int) -> tuple:
    axis = axis_of(axis, arr.ndim)
    if arr.ndim != indices.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    return tuple(indices if place == axis else
                 indices_of(extent, arr.device).reshape((-1,) + (1,) * (arr.ndim - place - 1))
                 for place, extent in enumerate(arr.shape))


def put(a: ndarray, ind, v, mode: str = "wrap") -> None:
    """Sets the elements at these places of the array in one dimension; values are repeated."""
    places = _wide(ind, a.device).ravel()
    if mode == "raise":
        _require(places, -a.size, a.size, IndexError)
    else:
        places = _within(places, a.size, mode)
    v = asarray(v, a.dtype, device=a.device).ravel()
    if places.size and v.size:
        a[_unraveled(places % a.size, a.shape)] = v[indices_of(places.size, a.device) % v.size]


def putmask(a: ndarray, mask, values) -> None:
    """Sets the elements for which the mask holds, each to the value at its place; values are repeated."""
    from .joining import where
    of = getattr(values, "dtype", a.dtype)
    if not isinstance(values, numpy.generic) and not numpy.can_cast(of, a.dtype, "safe"):
        raise TypeError(f"cannot cast array data from {of} to {a.dtype} according to the rule 'safe'")
    mask = asarray(mask, bool, device=a.device)
    if mask.size != a.size:
        raise ValueError("putmask: mask and data must be the same size")
    values = asarray(values, a.dtype, device=a.device).ravel()
    if values.size:
        spread = values[(indices_of(a.size, a.device) % values.size)].reshape(a.shape)
        assign(a, where(mask.reshape(a.shape), spread, a))


def place(arr: ndarray, mask, vals) -> None:
    """Sets the elements for which the mask holds to the values one after the other; these are repeated."""
    if numpy.size(mask) != arr.size:
        raise ValueError("place: mask and data must be the same size")
    vals = asarray(vals, arr.dtype, device=arr.device).ravel()
    chosen = flatnonzero(mask)
    if not chosen.size:
        return
    if not vals.size:
        raise ValueError("Cannot insert from an empty array!")
    arr[_unraveled(chosen, arr.shape)] = vals[indices_of(chosen.size, arr.device) % vals.size]


def _wide(places, device=None) -> ndarray:
    """Places in 64 bits: narrower types may not hold the extents that they are computed with."""
    places = asarray(places, device=device)
    if places.dtype.kind not in "biu" and places.size:
        raise TypeError(f"places are integers, not of {places.dtype}: `x.astype(int)` makes them so")
    return places.astype(_INT, copy=False)


def _within(places: ndarray, extent: int, mode: str) -> ndarray:
    if mode == "wrap":
        return places % extent
    if mode == "clip":
        return places.clip(0, extent - 1)
    raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")


def _require(places: ndarray, low: int, high: int, error: type[Exception]) -> None:
    """The host waits for the least and the greatest of the places, which lie from LOW to below HIGH."""
    if places.size and not low <= int(places.min()) <= int(places.max()) < high:
        raise error(f"a place is out of bounds: they are from {low} to below {high}")


def _countable(shape) -> tuple[int, ...]:
    """A shape whose places have numbers of 64 bits."""
    shape = as_shape(shape)
    if math.prod(shape) >= 2 ** 63:
        raise ValueError(f"an array of the shape {shape} has more places than 64 bits count")
    return shape


def unravel_index(indices, shape, order: str | None = "C") -> tuple[ndarray, ...]:
    """The places of an array of this shape, by axes, that have these numbers."""
    indices, order = asarray(indices), as_order(order, of="CF")
    if indices.dtype.kind not in "iu":
        raise TypeError("only int indices permitted")
    shape = _countable(shape)
    _require(indices, 0, math.prod(shape), ValueError)
    return _unraveled(_wide(indices), shape, order)


def _unraveled(indices: ndarray, shape: tuple[int, ...], order: str = "C") -> tuple[ndarray, ...]:
    found = []
    for extent in (shape[::-1] if order == "C" else shape):
        found.append(indices % extent)
        indices = indices // extent
    return tuple(found[::-1] if order == "C" else found)


def ravel_multi_index(multi_index, dims, mode: str | tuple[str, ...] = "wrap", order: str | None = "C") -> ndarray:
    """The numbers of places of an array of this shape; MODE, one or one for each axis, is for those beyond its ends."""
    dims, order = _countable(dims), as_order(order, of="CF")
    modes = (mode,) * len(dims) if isinstance(mode, str) else mode
    if not len(multi_index) == len(dims) == len(modes):
        raise ValueError(f"there are {len(multi_index)} arrays of places and {len(modes)} modes for {len(dims)} axes")
    parts = [_wide(one) for one in multi_index]
    for part, extent, one in zip(parts, dims, modes):
        if one == "raise":
            _require(part, 0, extent, ValueError)
    parts = [part if one == "raise" else _within(part, extent, one) for part, extent, one in zip(parts, dims, modes)]
    pairs = list(zip(parts, dims))
    (number, _), *rest = pairs if order == "C" else pairs[::-1]
    for part, extent in rest:
        number = number * extent + part
    return number


def choose(a, choices, out: ndarray | None = None, mode: str = "raise") -> ndarray:
    """At each place the element of that of the arrays whose number is there."""
    from .joining import broadcast_arrays, stack
    a = _wide(a)
    parts = [asarray(one) for one in choices]
    if mode == "raise":
        _require(a, 0, len(parts), ValueError)
    a, *parts = broadcast_arrays(a if mode == "raise" else _within(a, len(parts), mode), *parts)
    found = take_along_axis(stack(parts), a[None], 0)[0]
    return delivered(found, out)


def select(condlist, choicelist, default=0) -> ndarray:
    """At each place the element of the array behind the first condition that holds."""
    from .joining import where
    if len(condlist) != len(choicelist) or not condlist:
        raise ValueError("list of cases must be same length as list of conditions")
    conditions = [asarray(one) for one in condlist]
    if any(one.dtype.kind != "b" for one in conditions):
        raise TypeError("the conditions must be boolean arrays")
    choices = [one if isinstance(one, (int, float, complex)) else asarray(one) for one in (*choicelist, default)]
    dtype = numpy.result_type(*(one.dtype if isinstance(one, ndarray) else one for one in choices))
    found = choices.pop()
    for condition, choice in zip(conditions[::-1], choices[::-1]):
        found = where(condition, choice, found)
    return found.astype(dtype, copy=False)


def piecewise(x, condlist, funclist, *args, **kw) -> ndarray:
    """At each place what stands for the last condition that holds, a number or what a function gives for the elements
    there; one more is for where none does, else it is 0."""
    x = asarray(x)
    is_one = getattr(condlist, "ndim", None) == 0 or numpy.isscalar(condlist) or \
        x.ndim and numpy.ndim(condlist[0]) == 0
    conditions = [asarray(one, bool, device=x.device) for one in ((condlist,) if is_one else condlist)]
    if len(funclist) == len(conditions) + 1:
        rest = asarray(True, device=x.device)
        for one in conditions:
            rest = rest & ~one
        conditions.append(rest)
    elif len(funclist) != len(conditions):
        raise ValueError(f"with {len(conditions)} condition(s), either {len(conditions)} or {len(conditions) + 1} "
                         "functions are expected")
    made = zeros_like(x)
    for condition, function in zip(conditions, funclist):
        if not callable(function):
            made[condition] = function
        elif (chosen := x[condition]).size:
            made[condition] = function(chosen, *args, **kw)
    return made


def compress(condition, a, axis: int | None = None, out: ndarray | None = None) -> ndarray:
    """The parts along an axis for which the condition holds."""
    return take(a, flatnonzero(condition), axis, out)


def extract(condition, arr) -> ndarray:
    """The elements for which the condition holds."""
    return take(asarray(arr).ravel(), flatnonzero(condition))


def fill_diagonal(a: ndarray, val, wrap: bool = False) -> None:
    """Sets the diagonal of a matrix, or of an array of equal extents; values are repeated. WRAP: of a tall matrix again
    and again, with a row between."""
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim > 2 and len(set(a.shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    step = 1 + sum(math.prod(a.shape[axis:]) for axis in range(1, a.ndim))
    end = a.size if wrap or a.ndim > 2 else min(a.size, a.shape[1] ** 2)
    places = indices_of(len(range(0, end, step)), a.device)
    if places.size:
        val = asarray(val, a.dtype, device=a.device).ravel()
        a[_unraveled(places * step, a.shape)] = val[places % val.size]
