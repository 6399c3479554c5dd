"""What functions of arrays are told by NumPy's conventions: types, devices, shapes, orders and axes."""
from __future__ import annotations

import math
import operator
from typing import Any

import numpy

from .. import _devices, _native
from ..types import Type

#: The language's names of the elements that arrays can have.
TYPE_NAMES = {numpy.dtype(name): text for name, text in {
    "bool": "bool", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16",
    "uint32": "u32", "uint64": "u64", "float16": "f16", "float32": "f32", "float64": "f64", "complex64": "c64",
    "complex128": "c128"}.items()}


def as_dtype(dtype: Any) -> numpy.dtype:
    """NumPy's dtype, of one of NumPy's or pykc's types, or a name."""
    found = numpy.dtype(dtype.dtype if isinstance(dtype, Type) else dtype).newbyteorder("=")
    if found not in TYPE_NAMES:
        raise TypeError(f"arrays have no elements of {found}: there are {', '.join(map(str, TYPE_NAMES))}")
    return found


def as_device(device: Any) -> _native.Device:
    """A device, by its name or itself; None is the one in use."""
    if device is None or isinstance(device, str):
        return _devices.device(device or "")
    if isinstance(device, _native.Device):
        return device
    raise TypeError(f"a device is one of pykc.device's, or its name, not {device!r}")


def is_integer(value: Any) -> bool:
    """Whether it is one integer, of Python, NumPy or an array of no dimension."""
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


def as_shape(shape: Any) -> tuple[int, ...]:
    return (operator.index(shape),) if is_integer(shape) else tuple(map(operator.index, shape))


def as_order(order: str | None, default: str = "C", of: str = "CFAK") -> str:
    """NumPy's letter of an order, of those that a function knows."""
    found = default if order is None else order
    if not isinstance(found, str):
        raise TypeError(f"order must be str, not {type(found).__name__}")
    if len(found) != 1 or found.upper() not in of:
        raise ValueError(f"order must be one of {', '.join(of)} (got {found!r})")
    return found.upper()


def axis_of(axis: int, rank: int) -> int:
    """The axis counted from the front."""
    axis = operator.index(axis)
    if not -rank <= axis < rank:
        raise numpy.exceptions.AxisError(axis, rank)
    return axis % rank


def axes_of(axes: Any, rank: int) -> tuple[int, ...]:
    """Axes counted from the front; None is all of them."""
    if axes is None:
        return tuple(range(rank))
    found = tuple(axis_of(axis, rank) for axis in (axes if isinstance(axes, (tuple, list)) else (axes,)))
    if len(set(found)) != len(found):
        raise ValueError("duplicate value in 'axis'")
    return found


def axes_in_memory(strides: tuple[int, ...]) -> list[int]:
    """The axes from the longest stride to the shortest; one that repeats elements stays where it is."""
    order: list[int] = []  # the shortest first
    for axis in range(len(strides) - 1, -1, -1):
        place = len(order)
        for before in range(len(order) - 1, -1, -1):
            other = abs(strides[order[before]])
            if strides[axis] and other and other <= abs(strides[axis]):
                break
            place = before if strides[axis] and other else place
        order.insert(place, axis)
    return order[::-1]


def resolved_shape(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    """The shape with its -1 worked out."""
    if any(extent < -1 for extent in shape) or shape.count(-1) > 1:
        raise ValueError("can only specify one unknown dimension")
    known = math.prod(extent for extent in shape if extent != -1)
    if -1 in shape and known and size % known == 0:
        shape = tuple(size // known if extent == -1 else extent for extent in shape)
    if math.prod(shape) != size:
        raise ValueError(f"cannot reshape array of size {size} into shape {shape}")
    return shape
