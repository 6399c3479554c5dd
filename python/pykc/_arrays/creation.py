"""Making arrays: from what the host has, of one value, of ranges."""
from __future__ import annotations

import math
import sys
import types
from typing import Any

import numpy

from .. import _native
from ..cuda._arrays import DeviceNDArray, as_cuda_array, is_cuda_array
from .arguments import as_device, as_dtype, as_order, as_shape
from .generated import for_each
from .ndarray import assign, convert_into, lying_as, ndarray


def array(obj: Any, dtype=None, copy: bool | None = True, order: str = "K", subok: bool = False, ndmin: int = 0, *,
          device=None, blocking: bool = False) -> ndarray:
    """A new array of what NumPy would make one of, or of an array of any device; with `copy=None` that itself where it
    fits, with `copy=False` never a copy. SUBOK and BLOCKING are taken for CuPy's sake."""
    order = as_order(order, "K")
    found = _taken(obj)
    if found is None:
        if copy is False:
            raise ValueError("what the host has must be copied to become an array of a device")
        host = numpy.array(_on_host(obj), dtype=None if dtype is None else as_dtype(dtype), order=order, ndmin=ndmin)
        return _copied_in(host, device)
    if ndmin > found.ndim:
        found = found.reshape((1,) * (ndmin - found.ndim) + found.shape)
    moved = found if device is None else found.to_device(device)
    changed = moved.astype(found.dtype if dtype is None else dtype, order, copy=bool(copy) and moved is found)
    if copy is False and (changed.device, changed.place, changed.dtype) != (found.device, found.place, found.dtype):
        raise ValueError("the array must be copied for this type, order or device")
    return changed


def asarray(obj: Any, dtype=None, order: str = "K", *, copy: bool | None = None, device=None,
            blocking: bool = False) -> ndarray:
    """As `array`, without a copy where the object is an array of the device. `copy=False`: never one."""
    return array(obj, dtype, copy, order, device=device)


asanyarray = asarray


def asarray_chkfinite(a: Any, dtype=None, order: str = "K") -> ndarray:
    """As `asarray`; infinities and NaNs are a ValueError. The host waits for whether there are some."""
    from .ufuncs import find
    found = asarray(a, dtype, order)
    if found.dtype.kind in "fc" and not bool(find("isfinite")(found).all()):
        raise ValueError("array must not contain infs or NaNs")
    return found


def ascontiguousarray(a: Any, dtype=None) -> ndarray:
    """The array in rows, without a copy where it lies so; of a number, a vector."""
    return asarray(a, dtype, "C") if numpy.ndim(a) else array(a, dtype, None, ndmin=1)


def asfortranarray(a: Any, dtype=None) -> ndarray:
    """The array in columns, without a copy where it lies so; of a number, a vector."""
    return asarray(a, dtype, "F") if numpy.ndim(a) else array(a, dtype, None, ndmin=1)


def copy(a: Any, order: str = "K") -> ndarray:
    """A new array of the elements."""
    return array(a, order=order)


def asnumpy(a: Any, stream=None, order: str = "C", out=None, *, blocking: bool = True):
    """The elements as a NumPy array. BLOCKING is taken for CuPy's sake: they are there."""
    found = _taken(a)
    return numpy.asarray(_on_host(a)) if found is None else found.get(stream, order, out)


def from_dlpack(x: Any, /, *, device=None, copy: bool | None = None) -> ndarray:
    """Another library's array by DLPack, without a copy where it lies on the device."""
    found = x if isinstance(x, ndarray) else None
    if found is None:
        native = _native.wrap(as_device(device), x)
        found = ndarray(native, as_dtype(native.typestr))
    if device is not None:
        found = found.to_device(device)
    return found.copy() if copy else found


def fromDlpack(dltensor: Any) -> ndarray:
    """`from_dlpack` by CuPy's older name, also of a capsule, as `torch.utils.dlpack.to_dlpack` gives it."""
    is_array = hasattr(dltensor, "__dlpack__")
    return from_dlpack(dltensor if is_array else types.SimpleNamespace(__dlpack__=lambda **_: dltensor))


def get_array_module(*args: Any):
    """`pykc` where one of these is an array of a device, else `numpy`."""
    return sys.modules["pykc"] if any(isinstance(one, DeviceNDArray) for one in args) else numpy


def _taken(obj: Any) -> ndarray | None:
    """The array behind an object that has its elements on a device."""
    if isinstance(obj, ndarray):
        return obj
    if hasattr(obj, "__cupy_get_ndarray__"):
        return _taken(obj.__cupy_get_ndarray__())
    if not isinstance(obj, DeviceNDArray) and (isinstance(obj, numpy.ndarray) or not is_cuda_array(obj)):
        return None
    found = as_cuda_array(obj)
    return ndarray(found, as_dtype(found.dtype))


_NUMBERS = (int, float, complex, numpy.generic)


def _on_host(obj: Any):
    """Nested lists with arrays of a device in them, as NumPy takes them."""
    if isinstance(obj, (list, tuple)):
        return [_on_host(one) for one in obj]
    found = None if isinstance(obj, _NUMBERS) else _taken(obj)
    return obj if found is None else found.get()


def _copied_in(host: numpy.ndarray, device) -> ndarray:
    host = host.astype(as_dtype(host.dtype), copy=False)
    by_columns = host.flags.f_contiguous and not host.flags.c_contiguous
    made = ndarray(host.shape, host.dtype, "F" if by_columns else "C", device)
    if host.size:
        made.copy_from(host)
    return made


# --- of one value -----------------------------------------------------------------------------------------------------


def empty(shape, dtype=float, order: str = "C", *, device=None) -> ndarray:
    """An array with any values."""
    return ndarray(as_shape(shape), float if dtype is None else dtype, order, device)


def full(shape, fill_value, dtype=None, order: str = "C", *, device=None) -> ndarray:
    """An array of one value, which is broadcast."""
    if dtype is None:
        dtype = fill_value.dtype if hasattr(fill_value, "dtype") else numpy.asarray(fill_value).dtype
    made = ndarray(as_shape(shape), dtype, order, device)
    assign(made, fill_value)
    return made


def zeros(shape, dtype=float, order: str = "C", *, device=None) -> ndarray:
    """An array of zeros."""
    made = empty(shape, dtype, order, device=device)
    if made.size:
        made.fill_zero()
    return made


def ones(shape, dtype=float, order: str = "C", *, device=None) -> ndarray:
    """An array of ones."""
    return full(shape, 1, float if dtype is None else dtype, order, device=device)


def empty_like(a, dtype=None, order: str = "K", shape=None, *, device=None) -> ndarray:
    """An array with any values, of the shape, type and device of A."""
    if not hasattr(a, "flags"):
        a = numpy.asarray(a)
    own = a.device if isinstance(a, DeviceNDArray) else None  # that of an array of NumPy's is none of these
    return lying_as(a, as_order(order, "K"), a.dtype if dtype is None else dtype, own if device is None else device,
                    None if shape is None else as_shape(shape))


def zeros_like(a, dtype=None, order: str = "K", shape=None, *, device=None) -> ndarray:
    """Zeros of the shape, type and device of A."""
    made = empty_like(a, dtype, order, shape, device=device)
    if made.size:
        made.fill_zero()
    return made


def full_like(a, fill_value, dtype=None, order: str = "K", shape=None, *, device=None) -> ndarray:
    """One value in the shape, type and device of A."""
    made = empty_like(a, dtype, order, shape, device=device)
    assign(made, fill_value)
    return made


def ones_like(a, dtype=None, order: str = "K", shape=None, *, device=None) -> ndarray:
    """Ones of the shape, type and device of A."""
    return full_like(a, 1, dtype, order, shape, device=device)


# --- of ranges --------------------------------------------------------------------------------------------------------


_RAMP = """@kernel(wraparound=False, contract=False)
def ramp(z, start, step):
    i = grid(1)
    if i < len(z):
        z[i] = VALUE
"""


def _ramp(value: str, count: int, dtype, device, start, step) -> ndarray:
    """An array of what VALUE, an expression, gives for the index i."""
    made = ndarray(count, dtype, device=device)
    for_each(made.device, _RAMP.replace("VALUE", value), "ramp", count, made, start, step)
    return made


def indices_of(count: int, device=None) -> ndarray:
    """0, 1, 2 …"""
    return _ramp("i", count, "int64", device, 0, 1)


def arange(start, stop=None, step=1, dtype=None, *, device=None) -> ndarray:
    """Numbers from START to before STOP: `arange(5)`, `arange(1, 2, 0.25)`."""
    start, stop = (0, start) if stop is None else (start, stop)
    step = 1 if step is None else step
    dtype = numpy.result_type(*map(numpy.asarray, (start, stop, step))) if dtype is None else as_dtype(dtype)
    if step == 0:
        raise ZeroDivisionError("the step of a range is 0")
    count = max(0, math.ceil((stop - start) / step))
    if dtype.kind == "b" and count > 2:
        raise TypeError("arange() is only supported for booleans when the result has at most length 2.")
    if dtype.kind in "iub":
        return _ramp("start + i * step", count, dtype, device, _wrapped(int(start)), _wrapped(int(step)))
    kind = complex if dtype.kind == "c" else float
    return _ramp("start + f64(i) * step", count, dtype, device, kind(start), kind(step))


def _wrapped(number: int) -> int:
    """The number of 64 bits with a sign that has the same bits."""
    return (number + 2 ** 63) % 2 ** 64 - 2 ** 63


def linspace(start, stop, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype=None, axis: int = 0, *,
             device=None) -> Any:
    """NUM numbers at equal distances, or arrays along a new axis; the last is STOP if that is the end point."""
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    parts = num - 1 if endpoint else num
    if numpy.ndim(start) or numpy.ndim(stop):
        from . import joining
        made, step = _arrays_between(start, stop, num, parts, dtype, device)
        made = joining.moveaxis(made, 0, axis)
        return (made, step) if retstep else made
    found = numpy.result_type(start, stop, float(num)) if dtype is None else as_dtype(dtype)
    kind = complex if numpy.result_type(start, stop).kind == "c" else float
    start, stop = kind(start), kind(stop)
    step = (stop - start) / parts if parts else math.nan
    value = "math.floor(start + f64(i) * step)" if found.kind in "iu" else "start + f64(i) * step"
    made = _ramp(value, num, found, device, start, step if parts else kind(0))
    if endpoint and num > 1:
        convert_into(made[-1], math.floor(stop) if found.kind in "iu" else stop)
    return (made, step) if retstep else made


def _arrays_between(start, stop, num: int, parts: int, dtype, device) -> tuple[ndarray, ndarray]:
    from .ufuncs import find
    given = [one if numpy.isscalar(one) else asarray(one, device=device) for one in (start, stop)]
    wide = numpy.result_type(*(one.dtype if isinstance(one, ndarray) else one for one in given), float(num))
    start, stop = (asarray(one, wide, device=device) for one in given)
    step = (stop - start) / max(parts, 1)
    made = start + indices_of(num, step.device).astype(wide).reshape(num, *(1,) * step.ndim) * step
    if num > parts > 0:
        assign(made[-1], stop)
    found = wide if dtype is None else as_dtype(dtype)
    return (find("floor")(made) if found.kind in "iu" else made).astype(found, copy=False), step


def logspace(start, stop, num: int = 50, endpoint: bool = True, base: float = 10.0, dtype=None,
             axis: int = 0) -> ndarray:
    """Powers of a base, with exponents at equal distances."""
    from .ufuncs import find
    found = find("power")(float(base), linspace(start, stop, num, endpoint, dtype=float, axis=axis))
    return found if dtype is None else found.astype(dtype)


def geomspace(start, stop, num: int = 50, endpoint: bool = True, dtype=None) -> ndarray:
    """Numbers of which each is the one before it times the same."""
    return asarray(numpy.geomspace(start, stop, num, endpoint, dtype))


def _window(name: str):
    def window(M: int, *args) -> ndarray:
        return asarray(getattr(numpy, name)(M, *args))
    window.__name__ = window.__qualname__ = name
    window.__doc__ = f"The weights of `numpy.{name}`."
    return window


bartlett, blackman, hamming, hanning, kaiser = map(_window, ("bartlett", "blackman", "hamming", "hanning", "kaiser"))


def indices(dimensions, dtype="int64", sparse: bool = False):
    """The coordinates of a grid, in one array; or an array for each axis, of those that change."""
    parts = meshgrid(*(arange(extent, dtype=dtype) for extent in as_shape(dimensions)), indexing="ij", sparse=sparse)
    if sparse:
        return parts
    from .joining import stack
    return stack(parts) if parts else ndarray((0,), dtype)


def fromfunction(function, shape, *, dtype=float, **kwargs):
    """What a function gives for the coordinates of a grid."""
    return function(*indices(shape, dtype), **kwargs)


def vander(x, N: int | None = None, increasing: bool = False) -> ndarray:
    """Powers of the elements of a vector as columns."""
    x = asarray(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    count = x.size if N is None else N
    powers = indices_of(count, x.device)
    return x.astype(numpy.result_type(x.dtype, "int64"), copy=False)[:, None] ** (powers if increasing else
                                                                                 powers[::-1])


def ix_(*args) -> tuple[ndarray, ...]:
    """Vectors as indices of the grid that they span."""
    from .indexing import flatnonzero
    found = []
    for place, one in enumerate(args):
        one = asarray(one)
        if one.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        one = flatnonzero(one) if one.dtype.kind == "b" else one if one.size or one.dtype.kind in "iu" else \
            one.astype("int64")
        found.append(one.reshape((1,) * place + (-1,) + (1,) * (len(args) - place - 1)))
    return tuple(found)


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[ndarray, ...]:
    """The places on and below a diagonal."""
    from .indexing import nonzero
    return nonzero(tri(n, m, k, bool))


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[ndarray, ...]:
    """The places on and above a diagonal."""
    from .indexing import nonzero
    return nonzero(~tri(n, m, k - 1, bool))


def diag_indices(n: int, ndim: int = 2) -> tuple[ndarray, ...]:
    """The places of the diagonal."""
    return (arange(n),) * ndim


def tril_indices_from(arr: ndarray, k: int = 0) -> tuple[ndarray, ...]:
    """The places of a matrix on and below a diagonal."""
    return tril_indices(*_matrix_shape(arr, k))


def triu_indices_from(arr: ndarray, k: int = 0) -> tuple[ndarray, ...]:
    """The places of a matrix on and above a diagonal."""
    return triu_indices(*_matrix_shape(arr, k))


def _matrix_shape(arr: ndarray, k: int) -> tuple[int, int, int]:
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return arr.shape[0], k, arr.shape[1]


def diag_indices_from(arr: ndarray) -> tuple[ndarray, ...]:
    """The places of the diagonal of an array of equal extents."""
    if arr.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    if len(set(arr.shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    return diag_indices(arr.shape[0], arr.ndim)


def mask_indices(n: int, mask_func, k: int = 0) -> tuple[ndarray, ...]:
    """The places of a square matrix that a function as `triu`, of a matrix and K, leaves."""
    from .indexing import nonzero
    return nonzero(mask_func(ones((n, n), int), k) != 0)


class _Grid:
    """`mgrid[0:3, 0:1:5j]`: the coordinates of a grid, in one array, or in `ogrid` one for each axis."""

    def __init__(self, is_sparse: bool):
        self._is_sparse = is_sparse

    def __getitem__(self, key):
        from .joining import stack
        parts = [_stepped(one) for one in (key if isinstance(key, tuple) else (key,))]
        if not isinstance(key, tuple):
            return parts[0]
        dtype = numpy.result_type(*(one.dtype for one in parts))
        found = meshgrid(*(one.astype(dtype) for one in parts), indexing="ij", sparse=self._is_sparse)
        return found if self._is_sparse else stack(found)


def _stepped(part: slice) -> ndarray:
    start, step = part.start or 0, 1 if part.step is None else part.step
    return linspace(start, part.stop, int(abs(step))) if isinstance(step, complex) else arange(start, part.stop, step)


mgrid, ogrid = _Grid(False), _Grid(True)


class _Joined:
    """`r_[x, 1, 0:3]`: arrays, numbers and ranges one behind the other; `c_[x, y]`: vectors as columns side by side."""

    def __init__(self, are_columns: bool):
        self._are_columns = are_columns

    def __getitem__(self, key) -> ndarray:
        from .joining import concatenate
        given = key if isinstance(key, tuple) else (key,)
        if any(isinstance(one, str) for one in given):
            raise NotImplementedError("r_ and c_ take no text here: pykc.concatenate and pykc.stack have `axis=`")
        given = [_stepped(one) if isinstance(one, slice) else one if numpy.isscalar(one) else asarray(one)
                 for one in given]
        dtype = numpy.result_type(*(one.dtype if isinstance(one, ndarray) else one for one in given))
        parts = [asarray(one, dtype) for one in given]
        if self._are_columns:
            return concatenate([part.reshape(-1, 1) if part.ndim < 2 else part for part in parts], -1)
        return concatenate([part.ravel() if part.ndim == 0 else part for part in parts])


r_, c_ = _Joined(False), _Joined(True)


def eye(N: int, M: int | None = None, k: int = 0, dtype=float, order: str = "C", *, device=None) -> ndarray:
    """Ones on a diagonal, zeros elsewhere."""
    made = zeros((N, N if M is None else M), float if dtype is None else dtype, order, device=device)
    if -made.shape[0] < k < made.shape[1]:
        assign(made.diagonal(k), 1)
    return made


def identity(n: int, dtype=float, *, device=None) -> ndarray:
    """The matrix that changes nothing."""
    return eye(n, dtype=dtype, device=device)


def tri(N: int, M: int | None = None, k: int = 0, dtype=float, *, device=None) -> ndarray:
    """Ones on and below a diagonal, zeros elsewhere."""
    rows, columns = as_shape((N, N if M is None else M))
    return (indices_of(rows, device)[:, None] >= indices_of(columns, device) - k).astype(dtype)


def tril(m, k: int = 0) -> ndarray:
    """Without what lies above a diagonal of the last two axes."""
    from .joining import where
    m = asarray(m)
    return where(tri(*m.shape[-2:], k=k, dtype=bool, device=m.device), m, m.dtype.type(0))


def triu(m, k: int = 0) -> ndarray:
    """Without what lies below a diagonal of the last two axes."""
    from .joining import where
    m = asarray(m)
    return where(tri(*m.shape[-2:], k=k - 1, dtype=bool, device=m.device), m.dtype.type(0), m)


def meshgrid(*xi, indexing: str = "xy", sparse: bool = False, copy: bool = True) -> tuple[ndarray, ...]:
    """The coordinates of a grid, an array for each axis."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    rank = len(xi)
    order = list(range(rank))
    if indexing == "xy" and rank > 1:
        order[:2] = [1, 0]
    parts = [asarray(x).reshape(tuple(-1 if order[axis] == number else 1 for axis in range(rank)))
             for number, x in enumerate(xi)]
    if sparse:
        return tuple(part.copy() for part in parts) if copy else tuple(parts)
    from .joining import broadcast_arrays
    whole = broadcast_arrays(*parts)
    return tuple(part.copy() for part in whole) if copy else whole
