"""Arrays made of other arrays' elements without computing: other shapes, joined, parted, repeated, chosen."""
from __future__ import annotations

import math
import operator
from typing import Any

import numpy

from .arguments import as_shape, axes_of, axis_of, is_integer
from .creation import asarray
from .generated import computed
from .ndarray import along, convert_into, ndarray
from .ufuncs import as_operand


# --- the same elements in another shape -------------------------------------------------------------------------------


def reshape(a, shape, order: str = "C", *, copy: bool | None = None) -> ndarray:
    """The elements in another shape."""
    return asarray(a).reshape(shape, order=order, copy=copy)


def ravel(a, order: str = "C") -> ndarray:
    """The elements in one dimension."""
    return asarray(a).ravel(order)


def transpose(a, axes=None) -> ndarray:
    """The axes in opposite order, or in the order given."""
    return asarray(a).transpose(axes) if axes is not None else asarray(a).T


def permute_dims(x, /, axes) -> ndarray:
    """The axes in the order given."""
    return asarray(x).transpose(axes)


def matrix_transpose(x, /) -> ndarray:
    """The last two axes exchanged."""
    return asarray(x).mT


def swapaxes(a, axis1: int, axis2: int) -> ndarray:
    """Two axes exchanged."""
    return asarray(a).swapaxes(axis1, axis2)


def moveaxis(a, source, destination) -> ndarray:
    """Axes moved to other places; the others keep their order."""
    a = asarray(a)
    sources, targets = axes_of(source, a.ndim), axes_of(destination, a.ndim)
    if len(sources) != len(targets):
        raise ValueError("`source` and `destination` arguments must have the same number of elements")
    order = [axis for axis in range(a.ndim) if axis not in sources]
    for target, axis in sorted(zip(targets, sources)):
        order.insert(target, axis)
    return a.transpose(order)


def expand_dims(a, axis=0) -> ndarray:
    """With new axes of extent 1."""
    a = asarray(a)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    places = axes_of(tuple(axes), a.ndim + len(axes))
    return a[tuple(None if place in places else slice(None) for place in range(a.ndim + len(axes)))]


def squeeze(a, axis=None) -> ndarray:
    """Without axes of extent 1."""
    return asarray(a).squeeze(axis)


def broadcast_to(array, shape) -> ndarray:
    """A view in which axes are repeated. To write to it is to write to one element several times."""
    a = asarray(array)
    shape = as_shape(shape)
    try:
        fits = numpy.broadcast_shapes(a.shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"operands could not be broadcast together: {a.shape} to {shape}")
    added = len(shape) - a.ndim
    strides = [0] * added + [0 if own == 1 else stride // a.itemsize for own, stride in zip(a.shape, a.strides)]
    return a._of(a.strided(shape, strides))


def broadcast_arrays(*arrays) -> tuple[ndarray, ...]:
    """Views of one shape."""
    found = [asarray(a) for a in arrays]
    shape = numpy.broadcast_shapes(*(a.shape for a in found))
    return tuple(broadcast_to(a, shape) for a in found)


class broadcast:
    """Arrays as views of one shape, `values`; `shape`, `nd` and `size` are theirs."""

    def __init__(self, *arrays):
        self.values = broadcast_arrays(*arrays)
        self.shape = self.values[0].shape if arrays else ()
        self.nd, self.size = len(self.shape), math.prod(self.shape)


def flip(m, axis=None) -> ndarray:
    """A view with axes reversed."""
    m = asarray(m)
    axes = axes_of(axis, m.ndim)
    return m[tuple(slice(None, None, -1) if i in axes else slice(None) for i in range(m.ndim))]


def flipud(m) -> ndarray:
    """A view with the first axis reversed."""
    return flip(m, 0)


def fliplr(m) -> ndarray:
    """A view with the second axis reversed."""
    return flip(m, 1)


def rot90(m, k: int = 1, axes=(0, 1)) -> ndarray:
    """Turned by K right angles in the plane of two axes."""
    m = asarray(m)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    axes = axes_of(tuple(axes), m.ndim)
    k %= 4
    if k == 2:
        return flip(m, axes)
    if k == 1:
        return flip(m, axes[1]).swapaxes(*axes)
    return flip(m.swapaxes(*axes), axes[1]) if k else m[...]


def atleast_1d(*arys):
    """With one axis at least."""
    found = [a if a.ndim else a.reshape(1) for a in map(asarray, arys)]
    return found[0] if len(found) == 1 else tuple(found)


def atleast_2d(*arys):
    """With two axes at least; new ones stand in front."""
    found = [a if a.ndim > 1 else a.reshape(1, -1) for a in map(asarray, arys)]
    return found[0] if len(found) == 1 else tuple(found)


def atleast_3d(*arys):
    """With three axes at least; vectors become a row in the middle."""
    found = [a if a.ndim > 2 else a[:, :, None] if a.ndim == 2 else a.reshape(1, -1, 1) for a in map(asarray, arys)]
    return found[0] if len(found) == 1 else tuple(found)


def rollaxis(a, axis: int, start: int = 0) -> ndarray:
    """An axis moved to stand before the axis START."""
    a = asarray(a)
    axis = axis_of(axis, a.ndim)
    start = start + a.ndim if start < 0 else start
    if not 0 <= start <= a.ndim:
        raise numpy.exceptions.AxisError(start, a.ndim)
    return moveaxis(a, axis, start - (axis < start))


# --- several arrays as one, one as several ----------------------------------------------------------------------------


def concatenate(arrays, axis: int | None = 0, out: ndarray | None = None, *, dtype=None,
                casting: str = "same_kind") -> ndarray:
    """Arrays one after the other along an axis; None: of all, in one dimension."""
    parts = [asarray(a) for a in arrays]
    if not parts:
        raise ValueError("need at least one array to concatenate")
    if out is not None and dtype is not None:
        raise TypeError("concatenate() only takes `out` or `dtype` as an argument, but both were provided.")
    if axis is None:
        parts, axis = [part.ravel() for part in parts], 0
    rank = parts[0].ndim
    if rank == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    axis = axis_of(axis, rank)
    extents = [part.shape[:axis] + part.shape[axis + 1:] for part in parts]
    if any(part.ndim != rank for part in parts) or any(other != extents[0] for other in extents):
        raise ValueError("all the input array dimensions except for the concatenation axis must match exactly: "
                         f"{', '.join(str(part.shape) for part in parts)}")
    shape = list(parts[0].shape)
    shape[axis] = sum(part.shape[axis] for part in parts)
    if out is None:
        out = ndarray(shape, numpy.result_type(*(part.dtype for part in parts)) if dtype is None else dtype,
                      device=parts[0].device)
    elif out.shape != tuple(shape):
        raise ValueError(f"Output array is the wrong shape: {out.shape}, not {tuple(shape)}")
    for part in parts:
        if not numpy.can_cast(part.dtype, out.dtype, casting):
            raise TypeError(f"cannot cast array data from {part.dtype} to {out.dtype} according to the rule "
                            f"{casting!r}")
    start = 0
    before = (slice(None),) * axis
    for part in parts:
        stop = start + part.shape[axis]
        convert_into(out[(*before, slice(start, stop))], part)
        start = stop
    return out


def concat(arrays, /, *, axis: int | None = 0) -> ndarray:
    """`concatenate`, by the array API's name."""
    return concatenate(arrays, axis)


def stack(arrays, axis: int = 0, out: ndarray | None = None, *, dtype=None, casting: str = "same_kind") -> ndarray:
    """Arrays of one shape along a new axis."""
    parts = [asarray(a) for a in arrays]
    if len({part.shape for part in parts}) > 1:
        raise ValueError("all input arrays must have the same shape")
    return concatenate([expand_dims(part, axis) for part in parts], axis, out, dtype=dtype, casting=casting)


def vstack(tup, *, dtype=None, casting: str = "same_kind") -> ndarray:
    """Rows one under the other."""
    return concatenate([atleast_2d(a) for a in tup], 0, dtype=dtype, casting=casting)


row_stack = vstack


def block(arrays) -> ndarray:
    """Arrays put together as nested lists say: the innermost along the last axis, the next along the last but one."""
    def depth(one) -> int:
        if not isinstance(one, list):
            return 0
        if not one:
            raise ValueError("List at arrays cannot be empty")
        depths = {depth(part) for part in one}
        if len(depths) > 1:
            raise ValueError("List depths are mismatched.")
        return depths.pop() + 1

    def joined(one, left: int) -> ndarray:
        if not isinstance(one, list):
            return asarray(one).reshape((1,) * (rank - numpy.ndim(one)) + numpy.shape(one))
        return concatenate([joined(part, left - 1) for part in one], -left)

    def ranks(one) -> int:
        return max(map(ranks, one)) if isinstance(one, list) else numpy.ndim(one)

    levels = depth(arrays)
    rank = max(levels, ranks(arrays))
    made = joined(arrays, levels)
    return made if levels else made.copy()


def hstack(tup, *, dtype=None, casting: str = "same_kind") -> ndarray:
    """Columns side by side; vectors one after the other."""
    parts = [atleast_1d(a) for a in tup]
    return concatenate(parts, 0 if parts and parts[0].ndim == 1 else 1, dtype=dtype, casting=casting)


def column_stack(tup) -> ndarray:
    """Vectors as the columns of a matrix."""
    parts = [asarray(a) for a in tup]
    return concatenate([part.reshape(-1, 1) if part.ndim < 2 else part for part in parts], 1)


def dstack(tup) -> ndarray:
    """Matrices one behind the other, along the third axis."""
    return concatenate([atleast_3d(a) for a in tup], 2)


def append(arr, values, axis: int | None = None) -> ndarray:
    """Values behind those of an array along an axis; None: of both, in one dimension."""
    return concatenate([arr, values], axis)


def unstack(x, /, *, axis: int = 0) -> tuple[ndarray, ...]:
    """The parts along an axis, as views."""
    x = moveaxis(x, axis, 0)
    return tuple(x[place] for place in range(x.shape[0]))


def array_split(ary, indices_or_sections, axis: int = 0) -> list[ndarray]:
    """Views of parts: so many, or those that end at these places."""
    ary = asarray(ary)
    axis = axis_of(axis, ary.ndim)
    extent = ary.shape[axis]
    if is_integer(indices_or_sections):
        sections = operator.index(indices_or_sections)
        if sections <= 0:
            raise ValueError("number sections must be larger than 0.")
        least, more = divmod(extent, sections)
        bounds = [place * least + min(place, more) for place in range(sections + 1)]
        spans = list(zip(bounds, bounds[1:]))
    else:
        ends = [*indices_or_sections, None]
        spans = list(zip([0, *ends], ends))
    return [ary[(slice(None),) * axis + (slice(start, stop),)] for start, stop in spans]


def split(ary, indices_or_sections, axis: int = 0) -> list[ndarray]:
    """As `array_split`, into parts of one size where a number of them is given."""
    ary = asarray(ary)
    extent = ary.shape[axis_of(axis, ary.ndim)]
    if is_integer(indices_or_sections) and extent % operator.index(indices_or_sections):
        raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


def hsplit(ary, indices_or_sections) -> list[ndarray]:
    """`split` by columns; a vector by its elements."""
    return _split_of("hsplit", 1, ary, indices_or_sections, 1 if asarray(ary).ndim > 1 else 0)


def vsplit(ary, indices_or_sections) -> list[ndarray]:
    """`split` by rows."""
    return _split_of("vsplit", 2, ary, indices_or_sections, 0)


def dsplit(ary, indices_or_sections) -> list[ndarray]:
    """`split` along the third axis."""
    return _split_of("dsplit", 3, ary, indices_or_sections, 2)


def _split_of(name: str, least: int, ary, indices_or_sections, axis: int) -> list[ndarray]:
    ary = asarray(ary)
    if ary.ndim < least:
        raise ValueError(f"{name} only works on arrays of {least} or more dimensions")
    return split(ary, indices_or_sections, axis)


def insert(arr, obj, values, axis: int | None = None) -> ndarray:
    """With values before the parts at these places along an axis."""
    arr = asarray(arr)
    if axis is None:
        arr, axis = arr.ravel(), 0
    axis = axis_of(axis, arr.ndim)
    obj = obj.get() if isinstance(obj, ndarray) else obj
    values = asarray(values, device=arr.device)
    places = obj
    index = numpy.arange(arr.shape[axis])[obj] if isinstance(obj, slice) else numpy.asarray(obj)
    if index.size == 1 and index.dtype.kind in "iu" and values.ndim:  # one place for all values
        values = values[(None,) * (arr.ndim - values.ndim)]
        if not index.ndim:  # NumPy takes the part that is put in, or several by their first axis
            values = moveaxis(values, 0, axis)
        places = [index.item()] * values.shape[axis]
    order = numpy.insert(numpy.arange(arr.shape[axis]), places, -1)
    made = ndarray((*arr.shape[:axis], order.size, *arr.shape[axis + 1:]), arr.dtype, device=arr.device)
    before = (slice(None),) * axis
    made[(*before, numpy.flatnonzero(order >= 0))] = arr
    made[(*before, numpy.flatnonzero(order < 0))] = values
    return made


def apply_along_axis(func1d, axis: int, arr, *args, **kwargs) -> ndarray:
    """What a function gives for each vector along an axis. It is called for one after the other."""
    arr = asarray(arr)
    axis = axis_of(axis, arr.ndim)
    rows = moveaxis(arr, axis, -1).reshape(-1, arr.shape[axis])
    found = stack([asarray(func1d(row, *args, **kwargs)) for row in rows])
    found = found.reshape(*arr.shape[:axis], *arr.shape[axis + 1:], *found.shape[1:])
    added = found.ndim - arr.ndim + 1
    return moveaxis(found, tuple(range(arr.ndim - 1, found.ndim)), tuple(range(axis, axis + added))) if added else found


def apply_over_axes(func, a, axes) -> ndarray:
    """What `func(a, axis)` gives, for one axis after the other; an axis that it takes away has one element."""
    a = asarray(a)
    for axis in axes if isinstance(axes, (tuple, list)) else (axes,):
        axis = axis_of(axis, a.ndim)
        found = asarray(func(a, axis))
        a = expand_dims(found, axis) if found.ndim == a.ndim - 1 else found
    return a


def delete(arr, obj, axis: int | None = None) -> ndarray:
    """Without the parts at these places along an axis."""
    arr = asarray(arr)
    if axis is None:
        arr, axis = arr.ravel(), 0
    axis = axis_of(axis, arr.ndim)
    obj = obj.get() if isinstance(obj, ndarray) else obj
    before, extent = (slice(None),) * axis, arr.shape[axis]
    if is_integer(obj) and not isinstance(obj, bool):
        place = operator.index(obj)
        if not -extent <= place < extent:
            raise IndexError(f"index {place} is out of bounds for axis {axis} with size {extent}")
        place %= extent
        return concatenate([arr[(*before, slice(place))], arr[(*before, slice(place + 1, None))]], axis)
    kept = numpy.delete(numpy.arange(extent), obj)
    return arr[(*before, asarray(kept, device=arr.device))]


def resize(a, new_shape) -> ndarray:
    """The elements in rows in another shape, over and over again, or as many as it has."""
    from .creation import indices_of, zeros
    a = asarray(a)
    shape = as_shape(new_shape)
    if any(extent < 0 for extent in shape):
        raise ValueError("all elements of `new_shape` must be non-negative")
    if not a.size:
        return zeros(shape, a.dtype, device=a.device)
    return a.ravel()[indices_of(math.prod(shape), a.device) % a.size].reshape(shape)


def trim_zeros(filt, trim: str = "fb", axis=None) -> ndarray:
    """The array without the zeros at its front, "f", and its back, "b", along axes, as a view. The host waits for where
    they end."""
    from .indexing import flatnonzero
    filt, trim = asarray(filt), trim.lower()
    if trim not in ("f", "b", "fb", "bf"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    index = [slice(None)] * filt.ndim
    for place in axes_of(axis, filt.ndim):
        kept = flatnonzero(filt.any(tuple(other for other in range(filt.ndim) if other != place)))
        start = int(kept[0]) if kept.size and "f" in trim else 0
        index[place] = slice(start, (int(kept[-1]) + 1 if "b" in trim else None) if kept.size else 0)
    return filt[tuple(index)]


def tile(A, reps) -> ndarray:
    """The array repeated along each axis."""
    A = asarray(A)
    reps = as_shape(reps)
    rank = max(A.ndim, len(reps))
    reps = (1,) * (rank - len(reps)) + reps
    A = A.reshape((1,) * (rank - A.ndim) + A.shape)
    pairs = [part for rep, extent in zip(reps, A.shape) for part in (rep, extent)]
    spread = broadcast_to(A.reshape([part for extent in A.shape for part in (1, extent)]), pairs)
    return spread.copy().reshape([rep * extent for rep, extent in zip(reps, A.shape)])


def repeat(a, repeats, axis: int | None = None) -> ndarray:
    """Each element so many times."""
    a, axis = along(asarray(a), axis)
    if not is_integer(repeats):
        counts = numpy.broadcast_to(numpy.asarray(asarray(repeats).get()), a.shape[axis])
        return a[(slice(None),) * axis + (asarray(numpy.repeat(numpy.arange(a.shape[axis]), counts)),)]
    spread = a[(slice(None),) * (axis + 1) + (None,)]
    shape = (*spread.shape[:axis + 1], operator.index(repeats), *spread.shape[axis + 2:])
    return broadcast_to(spread, shape).copy().reshape(*a.shape[:axis], shape[axis] * shape[axis + 1],
                                                      *a.shape[axis + 1:])


def roll(a, shift, axis=None) -> ndarray:
    """Elements moved along axes; what leaves at the end comes in at the front."""
    a = asarray(a)
    if axis is None:
        return roll(a.ravel(), shift, 0).reshape(a.shape)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    shifts = shift if isinstance(shift, (tuple, list)) else (shift,)
    for step, one in numpy.broadcast(shifts, axes):
        place = axis_of(int(one), a.ndim)
        extent = a.shape[place]
        step = int(step) % extent if extent else 0
        before = (slice(None),) * place
        a = concatenate([a[(*before, slice(extent - step, None))], a[(*before, slice(0, extent - step))]], place)
    return a


# --- chosen elements --------------------------------------------------------------------------------------------------


def where(condition, x=None, y=None):
    """X where the condition holds, else Y; without them the places where it does."""
    if x is None and y is None:
        from .indexing import nonzero
        return nonzero(condition)
    if any(hasattr(one, "_trace") for one in (condition, x, y)):  # in a function that is fused
        from .fusing import traced_function
        return traced_function("where", condition, x, y)
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    x, y = as_operand(x), as_operand(y)
    dtype = numpy.result_type(*(one.dtype if isinstance(one, (ndarray, numpy.generic)) else one for one in (x, y)))
    condition = asarray(condition)
    condition = condition != 0 if condition.dtype.kind == "c" else condition
    return computed("z = x if c else y", dtype, c=(condition, numpy.dtype(bool)), x=(x, dtype), y=(y, dtype))


def diag(v, k: int = 0) -> ndarray:
    """The diagonal of a matrix, or a matrix with this diagonal."""
    from .creation import zeros
    v = asarray(v)
    if v.ndim == 2:
        return v.diagonal(k).copy()
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    extent = v.size + abs(k)
    made = zeros((extent, extent), v.dtype, device=v.device)
    if v.size:
        convert_into(made.diagonal(k), v)
    return made


def diagflat(v, k: int = 0) -> ndarray:
    """A matrix with the elements on its diagonal."""
    return diag(asarray(v).ravel(), k)


def diagonal(a, offset: int = 0, axis1: int = 0, axis2: int = 1) -> ndarray:
    """A view of a diagonal, as the last axis."""
    return asarray(a).diagonal(offset, axis1, axis2)


def copyto(dst: ndarray, src: Any, casting: str = "same_kind", where=True) -> None:
    """`dst[...] = src`, where a mask holds."""
    of = src.dtype if hasattr(src, "dtype") else numpy.result_type(dst.dtype, src) if numpy.ndim(src) == 0 else \
        numpy.asarray(src).dtype
    if not numpy.can_cast(of, dst.dtype, casting):
        raise TypeError(f"cannot cast array data from {of} to {dst.dtype} according to the rule '{casting}'")
    if where is True:
        dst[...] = src
    else:
        mask = broadcast_to(asarray(where, device=dst.device), dst.shape)
        if mask.dtype.kind != "b":
            raise TypeError(f"`where` is a mask, not of {mask.dtype}")
        computed("z = v if m else x", dst.dtype, out=dst, m=(mask, mask.dtype), x=(dst, dst.dtype),
                 v=(as_operand(src), dst.dtype))


def size(a, axis: int | None = None) -> int:
    """How many elements there are, all or along an axis."""
    extents = shape(a)
    return math.prod(extents) if axis is None else extents[axis]


def ndim(a) -> int:
    """How many axes there are."""
    return a.ndim if hasattr(a, "ndim") else numpy.ndim(a)


def shape(a) -> tuple[int, ...]:
    """The extents."""
    return a.shape if hasattr(a, "shape") else numpy.shape(a)
