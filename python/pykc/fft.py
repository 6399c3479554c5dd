"""Discrete Fourier transforms along axes, by the names of NumPy's `fft`; and `fft(y, x)` and `ifft(y, x)` of the
library, which transform rows into an array that is there.

Rows whose length is a power of two are the library's. Others are convolutions, of rows whose length is one (L. I.
Bluestein, A Linear Filtering Approach to the Computation of Discrete Fourier Transform, 1970).
"""
from __future__ import annotations

import functools
import math
from typing import Any

import numpy

from ._arrays.creation import arange, asarray, ascontiguousarray, zeros
from ._arrays.generated import by_library, library
from ._arrays.joining import concatenate, moveaxis, roll
from ._arrays.arguments import axes_of, axis_of, is_integer
from ._arrays.ndarray import ndarray

__all__ = ["fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft",
           "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn"]

_rows = library("fft")
_INVERSE_NORMS = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def _or_rows(of_rows):
    """A function that is the library's where it is called with the arrays `y` and `x`."""
    def decorated(function):
        @functools.wraps(function)
        def called(*arguments, **named):
            is_of_rows = named.keys() & {"x", "y"} or len(arguments) > 1 and not _is_length(arguments[1])
            return (of_rows if is_of_rows else function)(*arguments, **named)
        return called
    return decorated


@_or_rows(_rows.fft)
def fft(a, n: int | None = None, axis: int = -1, norm: str | None = None) -> ndarray:
    """The transform along an axis, of the first N elements, with zeros where there are fewer. The sums are divided by
    their number where NORM is "forward", by its root where it is "ortho"."""
    return _transformed(a, n, axis, norm, False)


@_or_rows(_rows.ifft)
def ifft(a, n: int | None = None, axis: int = -1, norm: str | None = None) -> ndarray:
    """The inverse of `fft` along an axis."""
    return _transformed(a, n, axis, norm, True)


def rfft(a, n: int | None = None, axis: int = -1, norm: str | None = None) -> ndarray:
    """The transform of real numbers: its first half, of which the other is the conjugate."""
    a = asarray(a)
    if a.dtype.kind == "c":
        raise TypeError("rfft is of real numbers: `fft` is of complex ones")
    axis = axis_of(axis, a.ndim)
    count = _length(a.shape[axis] if n is None else n)
    return ascontiguousarray(_part(_transformed(a, count, axis, norm, False), axis, 0, count // 2 + 1))


def irfft(a, n: int | None = None, axis: int = -1, norm: str | None = None) -> ndarray:
    """The inverse of `rfft`: N real numbers, or an even number of them."""
    a = asarray(a)
    axis = axis_of(axis, a.ndim)
    count = _length(2 * (a.shape[axis] - 1) if n is None else n)
    half = _resized(a, axis, count // 2 + 1)
    mirrored = moveaxis(_part(half, axis, 1, (count + 1) // 2), axis, 0)[::-1]
    whole = concatenate([half, moveaxis(mirrored, 0, axis).conj()], axis)
    found = _transformed(whole, count, axis, norm, True).real
    return ascontiguousarray(found, a.dtype if a.dtype == "float16" else None)


def hfft(a, n: int | None = None, axis: int = -1, norm: str | None = None) -> ndarray:
    """The transform, of N real numbers, of an array whose second half is the conjugate of the first."""
    return irfft(asarray(a).conj(), n, axis, _inverse_norm(norm))


def ihfft(a, n: int | None = None, axis: int = -1, norm: str | None = None) -> ndarray:
    """The inverse of `hfft`: the first half."""
    return rfft(a, n, axis, _inverse_norm(norm)).conj()


def fftn(a, s=None, axes=None, norm: str | None = None) -> ndarray:
    """The transform along several axes, or all, of the first elements along each, as many as S says."""
    return _along_axes(fft, a, s, axes, norm)


def ifftn(a, s=None, axes=None, norm: str | None = None) -> ndarray:
    """The inverse of `fftn`."""
    return _along_axes(ifft, a, s, axes, norm)


def rfftn(a, s=None, axes=None, norm: str | None = None) -> ndarray:
    """The transform of real numbers along several axes: half of it along the last."""
    a, extents, axes = _axes(a, s, axes)
    return _along_axes(fft, rfft(a, extents[-1], axes[-1], norm), extents[:-1], axes[:-1], norm)


def irfftn(a, s=None, axes=None, norm: str | None = None) -> ndarray:
    """The inverse of `rfftn`."""
    a, extents, axes = _axes(a, s, axes)
    return irfft(_along_axes(ifft, a, extents[:-1], axes[:-1], norm), extents[-1], axes[-1], norm)


def fft2(a, s=None, axes=(-2, -1), norm: str | None = None) -> ndarray:
    """`fftn` along the last two axes."""
    return fftn(a, s, axes, norm)


def ifft2(a, s=None, axes=(-2, -1), norm: str | None = None) -> ndarray:
    """`ifftn` along the last two axes."""
    return ifftn(a, s, axes, norm)


def rfft2(a, s=None, axes=(-2, -1), norm: str | None = None) -> ndarray:
    """`rfftn` along the last two axes."""
    return rfftn(a, s, axes, norm)


def irfft2(a, s=None, axes=(-2, -1), norm: str | None = None) -> ndarray:
    """`irfftn` along the last two axes."""
    return irfftn(a, s, axes, norm)


def fftfreq(n: int, d: float = 1.0, *, device=None) -> ndarray:
    """The frequencies of the elements of `fft`, in periods for each unit of D, which is from sample to sample."""
    found = arange(n, device=device)
    return (found - n * (found >= (n + 1) // 2)) * (1.0 / (n * d))


def rfftfreq(n: int, d: float = 1.0, *, device=None) -> ndarray:
    """The frequencies of the elements of `rfft`."""
    return arange(n // 2 + 1, device=device) * (1.0 / (n * d))


def fftshift(x, axes=None) -> ndarray:
    """The elements with that of frequency 0 in the middle, along axes or all."""
    return _shifted(x, axes, 1)


def ifftshift(x, axes=None) -> ndarray:
    """The inverse of `fftshift`."""
    return _shifted(x, axes, -1)


def _shifted(x: Any, axes: Any, direction: int) -> ndarray:
    x = asarray(x)
    axes = axes_of(axes, x.ndim)
    return roll(x, tuple(direction * (x.shape[axis] // 2) for axis in axes), axes)


def _is_length(n: Any) -> bool:
    return n is None or is_integer(n)


def _length(n: int) -> int:
    if n < 1:
        raise ValueError(f"Invalid number of FFT data points ({n}) specified.")
    return n


def _inverse_norm(norm: str | None) -> str:
    if norm not in _INVERSE_NORMS:
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    return _INVERSE_NORMS[norm]


def _part(a: ndarray, axis: int, start: int, end: int) -> ndarray:
    return a[(slice(None),) * axis + (slice(start, end),)]


def _resized(a: ndarray, axis: int, count: int) -> ndarray:
    """As many elements along the axis, the last of them zeros where there are fewer."""
    lacking = count - a.shape[axis]
    if lacking <= 0:
        return _part(a, axis, 0, count)
    shape = a.shape[:axis] + (lacking,) + a.shape[axis + 1:]
    return concatenate([a, zeros(shape, a.dtype, device=a.device)], axis)


def _transformed(a: Any, n: int | None, axis: int, norm: str | None, is_inverse: bool) -> ndarray:
    a = asarray(a)
    axis = axis_of(axis, a.ndim)
    count = _length(a.shape[axis] if n is None else n)
    divided = _inverse_norm(norm if is_inverse else _inverse_norm(norm))
    dtype = a.dtype if a.dtype.kind == "c" else "complex64" if a.dtype in ("float16", "float32") else complex
    rows = ascontiguousarray(moveaxis(_resized(a, axis, count), axis, -1).astype(dtype, copy=False))
    made = _by_library(rows, is_inverse) if count & (count - 1) == 0 else _by_convolution(rows, is_inverse)
    divisor = {"forward": count, "ortho": math.sqrt(count), "backward": 1}[divided] / (count if is_inverse else 1)
    return moveaxis(made if divisor == 1 else made / divisor, -1, axis)


def _by_library(rows: ndarray, is_inverse: bool) -> ndarray:
    made = ndarray(rows.shape, rows.dtype, device=rows.device)
    by_library(rows.device, "fft", "ifft" if is_inverse else "fft", made, rows)
    return made


def _by_convolution(rows: ndarray, is_inverse: bool) -> ndarray:
    """The product of i and k is half of `i**2 + k**2 - (k - i)**2`: sums over i of what depends on k - i."""
    count = rows.shape[-1]
    places = numpy.arange(count)
    turns = numpy.exp((1j if is_inverse else -1j) * math.pi * (places ** 2 % (2 * count)) / count)
    length = 1 << (2 * count - 2).bit_length()
    filter = numpy.zeros(length, complex)
    filter[:count] = turns.conj()
    filter[length - count + 1:] = turns[:0:-1].conj()
    turns, filter = (asarray(one.astype(rows.dtype), device=rows.device) for one in (turns, filter))
    padded = _by_library(_resized(rows * turns, rows.ndim - 1, length), False)
    made = _by_library(padded * _by_library(filter, False), True)[..., :count] * turns
    return made / count if is_inverse else made


def _axes(a: Any, s: Any, axes: Any) -> tuple[ndarray, list, tuple[int, ...]]:
    """The array, and its axes with the extents that they are to have."""
    a = asarray(a)
    if axes is None:
        axes = range(a.ndim) if s is None else range(-len(s), 0)
    axes = tuple(axis_of(axis, a.ndim) for axis in axes)
    if s is None:
        return a, [None] * len(axes), axes
    if len(s) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    return a, [a.shape[axis] if extent == -1 else extent for extent, axis in zip(s, axes)], axes


def _along_axes(function, a: Any, s: Any, axes: Any, norm: str | None) -> ndarray:
    a, extents, axes = _axes(a, s, axes)
    for extent, axis in reversed(list(zip(extents, axes))):
        a = function(a, extent, axis, norm)
    return a
