"""Texts of arrays, bits, and arrays as a caller needs them: of what this folder has elsewhere, or of NumPy's."""
from __future__ import annotations

import numpy

from .creation import asarray, asnumpy, zeros
from .joining import concatenate, moveaxis
from .ndarray import ndarray


def array2string(a, *args, **keywords) -> str:
    """The elements as `numpy.array2string` writes them."""
    return numpy.array2string(asnumpy(a), *args, **keywords)


def array_str(a, max_line_width: int | None = None, precision: int | None = None,
              suppress_small: bool | None = None) -> str:
    """The elements as `str` writes them."""
    return numpy.array_str(asnumpy(a), max_line_width, precision, suppress_small)


def array_repr(arr, max_line_width: int | None = None, precision: int | None = None,
               suppress_small: bool | None = None) -> str:
    """The elements as `repr` writes them."""
    return numpy.array_repr(asnumpy(arr), max_line_width, precision, suppress_small)


def isfortran(a: ndarray) -> bool:
    """Whether an array lies in columns, and not in rows."""
    return a.flags.f_contiguous and not a.flags.c_contiguous


_ORDERS = {"C": "C", "C_CONTIGUOUS": "C", "CONTIGUOUS": "C", "F": "F", "F_CONTIGUOUS": "F", "FORTRAN": "F"}
_GIVEN = ("A", "ALIGNED", "W", "WRITEABLE", "E", "ENSUREARRAY")


def require(a, dtype=None, requirements=None) -> ndarray:
    """An array of a type that meets requirements, such as "C", "F" or "O", copied if need be."""
    names = [requirements] if isinstance(requirements, str) else requirements or []
    names = [name.upper() for name in names]
    unknown = [name for name in names if name not in (*_ORDERS, *_GIVEN, "O", "OWNDATA")]
    if unknown:
        raise ValueError(f"there is no requirement {unknown[0]!r}: there are {', '.join((*_ORDERS, *_GIVEN))} and O")
    wanted = {_ORDERS[name] for name in names if name in _ORDERS}
    if len(wanted) > 1:
        raise ValueError("Cannot specify both \"C\" and \"F\" order")
    found = asarray(a, dtype, *wanted)
    return found.copy("A") if {"O", "OWNDATA"} & set(names) and found.base is not None else found


def real_if_close(a, tol: float = 100) -> ndarray:
    """The real parts where all imaginary ones are next to 0, by `tol` times the precision; else the array. The host
    waits for whether they are."""
    a = asarray(a)
    if a.dtype.kind != "c":
        return a
    least = tol * numpy.finfo(a.dtype).eps if tol > 1 else tol
    return a.real if bool((abs(a.imag) < least).all()) else a


def _weights(bitorder: str) -> numpy.ndarray:
    """What each bit of a byte counts."""
    if bitorder not in ("big", "little"):
        raise ValueError("'order' must be either 'little' or 'big'")
    weights = 1 << numpy.arange(8)
    return weights if bitorder == "little" else weights[::-1].copy()


def packbits(a, axis: int | None = None, bitorder: str = "big") -> ndarray:
    """Eight elements along an axis, true or not, as the bits of a byte; zeros fill the last."""
    a = asarray(a)
    if a.dtype.kind not in "biu":
        raise TypeError("Expected an input array of integer or boolean data type")
    if axis is None:
        a, axis = a.ravel(), 0
    rows = moveaxis(a != 0, axis, -1)
    rows = concatenate([rows, zeros((*rows.shape[:-1], -rows.shape[-1] % 8), bool, device=a.device)], -1)
    weights = asarray(_weights(bitorder), device=a.device)
    found = (rows.reshape(*rows.shape[:-1], rows.shape[-1] // 8, 8) * weights).sum(-1).astype("uint8")
    return moveaxis(found, -1, axis)


def unpackbits(a, axis: int | None = None, count: int | None = None, bitorder: str = "big") -> ndarray:
    """The bits of bytes, as bytes of 0 and 1 along an axis: COUNT of them, or with a negative one less so many."""
    a = asarray(a)
    if a.dtype != numpy.uint8:
        raise TypeError("Expected an input array of unsigned byte data type")
    if axis is None:
        a, axis = a.ravel(), 0
    rows = moveaxis(a, axis, -1)
    bits = (rows[..., None] & asarray(_weights(bitorder), "uint8", device=a.device) != 0).astype("uint8")
    bits = bits.reshape(*rows.shape[:-1], rows.shape[-1] * 8)
    length = bits.shape[-1]
    count = length if count is None else count
    if count < -length:
        raise ValueError(f"-count must be at most the {length} bits that there are")
    if count > length:
        bits = concatenate([bits, zeros((*bits.shape[:-1], count - length), "uint8", device=a.device)], -1)
    return moveaxis(bits[..., :count], -1, axis)
