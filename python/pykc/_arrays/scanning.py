"""Running sums and products. Sums of a vector are the library's scan, in one pass; the rest goes by chunks: each thread
folds one, one thread a row folds these, and each thread runs through its chunk again."""
from __future__ import annotations

import numpy

from .arguments import axis_of
from .creation import asarray, zeros
from .generated import for_each, library_kernel
from .ndarray import along, delivered, ndarray
from .reductions import result_dtype, sum_dtype, without_nans

_LEAST_TILE, _WORDS = 2048, 16  # of the library's scan: what a tile has at least, and words of its state for each
_ON_CPU = (("BLOCK", 256), ("ITEMS", 16))
_MOST_CHUNKS = 1024
_CHUNKS = """@kernel(wraparound=False)
def fold(x, parts, length):
    i = grid(1)
    if i < parts.size:
        row = i // parts.shape[1]
        chunk = i % parts.shape[1]
        total = parts.dtype(START)
        for k in range(chunk * length, min((chunk + 1) * length, x.shape[1])):
            total = parts.dtype(total OPERATOR parts.dtype(x[row, k]))
        parts[row, chunk] = total


@kernel(wraparound=False)
def before(parts):
    row = grid(1)
    if row < parts.shape[0]:
        total = parts.dtype(START)
        for chunk in range(parts.shape[1]):
            own = parts[row, chunk]
            parts[row, chunk] = total
            total = parts.dtype(total OPERATOR own)


@kernel(wraparound=False)
def run(out, x, parts, length):
    i = grid(1)
    if i < parts.size:
        row = i // parts.shape[1]
        chunk = i % parts.shape[1]
        total = parts[row, chunk]
        for k in range(chunk * length, min((chunk + 1) * length, x.shape[1])):
            total = parts.dtype(total OPERATOR parts.dtype(x[row, k]))
            out[row, k] = total
"""


def cumsum(a, axis: int | None = None, dtype=None, out: ndarray | None = None) -> ndarray:
    """Running sums along an axis; None: of all elements, in one dimension."""
    return _scanned("+", "0", a, axis, dtype, out)


def cumprod(a, axis: int | None = None, dtype=None, out: ndarray | None = None) -> ndarray:
    """Running products along an axis; None: of all elements, in one dimension."""
    return _scanned("*", "1", a, axis, dtype, out)


def nancumsum(a, axis: int | None = None, dtype=None, out: ndarray | None = None) -> ndarray:
    """Running sums, to which NaNs add nothing."""
    return cumsum(without_nans(a, 0), axis, dtype, out)


def nancumprod(a, axis: int | None = None, dtype=None, out: ndarray | None = None) -> ndarray:
    """Running products, which NaNs leave as they are."""
    return cumprod(without_nans(a, 1), axis, dtype, out)


def cumulative_sum(x, /, *, axis: int | None = None, dtype=None, out: ndarray | None = None,
                   include_initial: bool = False) -> ndarray:
    """`cumsum`, by the array API's name."""
    return _with_first(cumsum, 0, asarray(x), axis, dtype, out, include_initial)


def cumulative_prod(x, /, *, axis: int | None = None, dtype=None, out: ndarray | None = None,
                    include_initial: bool = False) -> ndarray:
    """`cumprod`, by the array API's name."""
    return _with_first(cumprod, 1, asarray(x), axis, dtype, out, include_initial)


def diff(a, n: int = 1, axis: int = -1, prepend=None, append=None) -> ndarray:
    """What each element is more than the one before it along an axis, N times over."""
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n}")
    a = asarray(a)
    if n == 0:
        return a
    axis = axis_of(axis, a.ndim)
    parts = [_as_part(one, a, axis) for one in (prepend, a, append) if one is not None]
    if len(parts) > 1:
        from .joining import concatenate
        a = concatenate(parts, axis)
    before = (slice(None),) * axis
    for _ in range(n):
        later, earlier = a[(*before, slice(1, None))], a[(*before, slice(None, -1))]
        a = later != earlier if a.dtype.kind == "b" else later - earlier
    return a


def _as_part(part, a: ndarray, axis: int) -> ndarray:
    """What stands before or behind an array along an axis; a number stands for one of them all along."""
    part = asarray(part, device=a.device)
    if part.ndim:
        return part
    from .joining import broadcast_to
    return broadcast_to(part, a.shape[:axis] + (1,) + a.shape[axis + 1:])


def _with_first(scan, first: int, x: ndarray, axis, dtype, out: ndarray | None, include_initial: bool) -> ndarray:
    if axis is None and x.ndim > 1:
        raise ValueError("`axis` must be given for an array of more than one dimension")
    x, axis = along(x, axis)
    if not include_initial:
        return scan(x, axis, dtype, out)
    found = scan(x, axis, dtype)
    from .creation import full
    from .joining import concatenate
    shape = list(found.shape)
    shape[axis] = 1
    return concatenate([full(shape, first, found.dtype, device=found.device), found], axis, out, casting="unsafe")


def _scanned(operator: str, start: str, a, axis, dtype, out: ndarray | None) -> ndarray:
    a, axis = along(asarray(a), axis)
    wanted = result_dtype(dtype, sum_dtype(a.dtype))
    rows = a.swapaxes(axis, -1)
    made = ndarray(rows.shape, wanted, device=a.device)
    if a.size:
        flat = rows.reshape(-1, rows.shape[-1])
        if operator == "+" and flat.shape[0] == 1 and wanted.kind in "iuf" and wanted.itemsize >= 4:
            _library_scan(made.ravel(), flat.ravel())
        else:
            _by_chunks(made.reshape(flat.shape), flat, _CHUNKS.replace("OPERATOR", operator).replace("START", start))
    return delivered(made.swapaxes(axis, -1), out, "unsafe")


def _library_scan(out: ndarray, x: ndarray) -> None:
    state = zeros(_WORDS * (1 + -(-x.size // _LEAST_TILE)), numpy.uint64, device=x.device)
    library_kernel(x.device, "scan", "inclusive_scan", _ON_CPU).launch(
        lambda c: (-(-x.size // (c["BLOCK"] * c["ITEMS"])), c["BLOCK"]), None, (out, x, state))


def _by_chunks(out: ndarray, x: ndarray, text: str) -> None:
    rows, extent = x.shape
    length = max(-(-extent // _MOST_CHUNKS), min(extent, 64))
    parts = ndarray((rows, -(-extent // length)), out.dtype, device=x.device)
    for_each(x.device, text, "fold", parts.size, x, parts, length)
    for_each(x.device, text, "before", rows, parts)
    for_each(x.device, text, "run", parts.size, out, x, parts, length)
