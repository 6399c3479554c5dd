"""Views of arrays by strides."""
from __future__ import annotations

from typing import Any

from .._arrays.creation import asarray
from .._arrays.joining import broadcast_arrays as broadcast_arrays
from .._arrays.joining import broadcast_to as broadcast_to
from .._arrays.ndarray import as_shape, axes_of, ndarray


def as_strided(x, shape=None, strides=None) -> ndarray:
    """A view with this shape and these strides, in bytes. One that leaves the array's memory is an error."""
    x = asarray(x)
    steps = x.strides if strides is None else as_shape(strides)
    if any(step % x.itemsize for step in steps):
        raise ValueError(f"strides are multiples of the {x.itemsize} bytes of an element, not {tuple(steps)}")
    return x._of(x.strided(x.shape if shape is None else as_shape(shape), [step // x.itemsize for step in steps]))


def sliding_window_view(x, window_shape, axis: Any = None) -> ndarray:
    """A view of all windows of this shape, whose elements are its last axes."""
    x = asarray(x)
    window = as_shape(window_shape)
    if axis is None and len(window) != x.ndim:
        raise ValueError(f"window_shape has {len(window)} extents for {x.ndim} axes: name these by `axis`")
    axes = tuple(range(x.ndim)) if axis is None else tuple(axes_of(one, x.ndim)[0] for one in as_shape(axis))
    if len(axes) != len(window):
        raise ValueError(f"window_shape has {len(window)} extents, and `axis` {len(axes)} axes")
    shape = list(x.shape)
    for place, extent in zip(axes, window):
        if not 0 <= extent <= shape[place]:
            raise ValueError(f"a window of {extent} elements does not fit into {shape[place]} along the axis {place}")
        shape[place] -= extent - 1
    return as_strided(x, (*shape, *window), (*x.strides, *(x.strides[place] for place in axes)))
