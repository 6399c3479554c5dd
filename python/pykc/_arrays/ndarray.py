"""`pykc.ndarray`: what an array is, its views and conversions. operators.py adds operators and what computes."""
from __future__ import annotations

import functools
import math
import pickle
import warnings
from typing import TYPE_CHECKING, Any

import numpy

from .. import _native
from ..cuda._arrays import DeviceNDArray, spans_meet
from ..cuda._streams import native_stream
from ..types import Type
from .arguments import (as_device, as_dtype, as_order, as_shape, axes_in_memory, axes_of, axis_of, is_integer,
                        resolved_shape)

if TYPE_CHECKING:
    from .pointers import MemoryPointer

_VIEWS = frozenset((int, slice, type(None), type(Ellipsis)))


class Flags(dict):
    """Whether an array lies in rows or columns, by NumPy's names: `x.flags.c_contiguous`."""
    __slots__ = ()

    def __getattr__(self, name: str) -> bool:
        try:
            return self[name.upper()]
        except KeyError:
            raise AttributeError(name) from None


class ndarray(DeviceNDArray):
    """An array in a device's memory, with NumPy's operators and methods. Made by `pykc.array` and its kin; this class
    itself makes an array with any values, `pykc.ndarray((3, 4), "float32")`, or one of the memory at a pointer,
    `pykc.ndarray((3, 4), "float32", x.data)`.

    What it computes runs as kernels on the device that it lies on. Nothing waits for a GPU until the host asks for
    elements: `get()`, `item()`, `print`, `float(x)`, `bool(x)`."""

    __hash__ = None  # == compares elements
    base: ndarray | None = None  # the array whose memory it is a view of

    def __init__(self, shape, dtype=float, order: str | MemoryPointer = "C", device=None, *,
                 memptr: MemoryPointer | None = None, strides=None):
        if isinstance(shape, _native.Array):
            super().__init__(shape, dtype)
            return
        dtype = as_dtype(dtype)
        if not isinstance(order, str | None):  # as in CuPy
            order, memptr = "C", order
        order = as_order(order, of="CF")
        if memptr is not None:
            from .pointers import array_at
            super().__init__(array_at(memptr, as_shape(shape), dtype, strides, order), dtype)
            self.base = memptr.mem._owner
            return
        made = _native.allocate(as_device(device), dtype, as_shape(shape), order, from_pool=True)
        super().__init__(made, dtype)

    def _of(self, array: _native.Array) -> ndarray:
        return self._as_base_of(ndarray(array, self.dtype))

    def _as_base_of(self, view: ndarray) -> ndarray:
        view.base = self if self.base is None else self.base
        return view

    # --- to the host --------------------------------------------------------------------------------------------------

    def get(self, stream=None, order: str = "C", out=None, blocking: bool = True):
        """The elements as a NumPy array, `out` or a new one. BLOCKING is taken for CuPy's sake: they are there."""
        order = as_order(order)
        if out is None and not self._lies_by(order):
            out = numpy.empty(self.shape, self.dtype, order)
        return self.copy_to_host(out, stream or 0)

    def item(self, *index):
        """One element as a number of Python."""
        if len(index) == 1 and isinstance(index[0], tuple):
            index, = index
        if index:
            return self.ravel()[index[0]].item() if len(index) == 1 else self[index].item()
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return self.get().item()

    def tolist(self):
        return self.get().tolist()

    def tobytes(self, order: str = "C") -> bytes:
        return self.get().tobytes(order)

    def tofile(self, fid, sep: str = "", format: str = "%s") -> None:
        """Writes the elements in rows to a file, as NumPy's arrays do."""
        self.get().tofile(fid, sep, format)

    def __bytes__(self) -> bytes:
        return self.tobytes()

    def dump(self, file) -> None:
        """Pickles the array into a file, which may be a path."""
        if not hasattr(file, "write"):
            with open(file, "wb") as opened:
                return self.dump(opened)
        file.write(self.dumps())

    def dumps(self) -> bytes:
        """The array, pickled."""
        return pickle.dumps(self)

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError("the truth value of an array with more than one element is ambiguous: "
                             "use x.any() or x.all()")
        return bool(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __contains__(self, value) -> bool:
        return bool((self == value).any())

    def __index__(self) -> int:
        if self.ndim or self.dtype.kind not in "iu":
            raise TypeError("only arrays of one integer and no dimension can be used as an index")
        return self.item()

    def __repr__(self) -> str:
        return repr(self.get())

    def __str__(self) -> str:
        return str(self.get())

    def __format__(self, form: str) -> str:
        return format(self.item() if form and self.ndim == 0 else self.get(), form)

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("an array of a device is copied to become one of NumPy's")
        host = self.get()
        return host if dtype is None else host.astype(dtype, copy=False)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy: bool | None = None):
        """The memory for another library; a copy where it is asked for, or the host's memory of an array of a GPU."""
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            if dl_device[0] != 1 or copy is False:
                raise BufferError("the array lies elsewhere: to_device copies it")
            return self.get().__dlpack__(max_version=max_version)
        array = self.copy() if copy else self
        return _native.Array(array).__dlpack__(stream=stream, max_version=max_version)

    def toDlpack(self):
        """`__dlpack__()`, by CuPy's older name."""
        return self.__dlpack__()

    def __reduce__(self):
        from .creation import array
        return array, (self.get(order="A"),)

    @property
    def data(self) -> MemoryPointer:
        """Where the first element is: `x.data.ptr`, its address on the device."""
        from .pointers import pointer_to
        return pointer_to(self)

    def _set_shape(self, shape) -> None:
        found = self.reshape(shape)
        if self.size and found.place != self.place:
            raise AttributeError("incompatible shape: strides reach no such array in this memory, and "
                                 "`x = x.reshape(shape)` copies")
        self.become(found)

    shape = property(_native.Array.shape.fget, _set_shape)

    # --- views --------------------------------------------------------------------------------------------------------

    @property
    def flags(self) -> Flags:
        rows, columns = self.is_c_contiguous(), self.is_f_contiguous()
        return Flags(C_CONTIGUOUS=rows, F_CONTIGUOUS=columns, OWNDATA=self.base is None, FNC=columns and not rows,
                     FORC=columns or rows)

    def _lies_by(self, order: str) -> bool:
        return self.is_c_contiguous() if order == "C" else self.is_f_contiguous() if order == "F" else True

    @property
    def mT(self) -> ndarray:
        """The last two axes exchanged."""
        if self.ndim < 2:
            raise ValueError("mT is for arrays of two dimensions and more")
        return self.swapaxes(-1, -2)

    def transpose(self, *axes) -> ndarray:
        """The axes in opposite order, or in the order given."""
        given = axes[0] if len(axes) == 1 and not is_integer(axes[0]) else axes or None
        if given is None:
            return self._of(self.transposed())
        order = tuple(axis_of(axis, self.ndim) for axis in given)
        if sorted(order) != list(range(self.ndim)):
            raise ValueError("axes don't match array")
        return self._of(self.permuted(order))

    def swapaxes(self, axis1: int, axis2: int) -> ndarray:
        order = list(range(self.ndim))
        first, second = axis_of(axis1, self.ndim), axis_of(axis2, self.ndim)
        order[first], order[second] = order[second], order[first]
        return self._of(self.permuted(order))

    def reshape(self, *shape, order: str = "C", copy: bool | None = None) -> ndarray:
        """The elements in another shape: the same memory where strides reach it so, else a copy, or always or never
        one."""
        found = self._reshaped(as_shape(shape[0] if len(shape) == 1 else shape), as_order(order, of="CFA"))
        if copy is False and found.size and found.place != self.place:
            raise ValueError("the array must be copied to have this shape")
        return found.copy(order) if copy and found.place == self.place else found

    def _reshaped(self, shape: tuple[int, ...], order: str) -> ndarray:
        if self._is_in_columns(order):
            return self.T._reshaped(shape[::-1], "C").T
        shape = resolved_shape(shape, self.size)
        try:
            return self._of(self.reshaped(shape))
        except ValueError:
            return ndarray(self.copy().reshaped(shape), self.dtype)

    def ravel(self, order: str = "C") -> ndarray:
        """In one dimension, with "K" as the elements lie in memory: the same memory where they lie side by side."""
        order = as_order(order)
        if order == "K":
            return self.transpose(axes_in_memory(self.strides)).ravel()
        flat = self.reshape(-1 if self.size else 0, order=order)
        return flat if flat.is_c_contiguous() else flat.copy()

    def flatten(self, order: str = "C") -> ndarray:
        """A copy in one dimension."""
        flat = self.ravel(order)
        return flat if flat.size and not spans_meet(flat, self) else flat.copy()

    @property
    def flat(self):
        """The elements in one dimension, to read, to assign and to go through."""
        from .flat import Flat
        return Flat(self)

    def reduced_view(self) -> ndarray:
        """The same memory, with as few axes as go through it: in one dimension where the elements lie side by side."""
        shape, strides = [], []
        for extent, stride in zip(self.shape, self.strides):
            if strides and strides[-1] == extent * stride:
                shape[-1], strides[-1] = shape[-1] * extent, stride
            elif extent != 1:
                shape.append(extent)
                strides.append(stride)
        return self._seen_as(self.dtype, tuple(shape), tuple(strides)) if self.size else self.ravel()

    def squeeze(self, axis=None) -> ndarray:
        """Without the axes of extent 1, or without those given, which must have it."""
        axes = [i for i, extent in enumerate(self.shape) if extent == 1] if axis is None else \
            axes_of(axis, self.ndim or 1)
        if self.ndim and any(self.shape[i] != 1 for i in axes):
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
        return self._of(_native.Array.__getitem__(self, tuple(0 if i in axes else slice(None)
                                                              for i in range(self.ndim))))

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> ndarray:
        """A view of a diagonal, as the last axis."""
        first, second = axis_of(axis1, self.ndim), axis_of(axis2, self.ndim)
        if first == second:
            raise ValueError("axis1 and axis2 cannot be the same")
        part = self.transpose([i for i in range(self.ndim) if i not in (first, second)] + [first, second])
        part = part[..., max(-offset, 0):, max(offset, 0):]
        strides = [stride // self.itemsize for stride in part.strides]
        return self._of(part.strided((*part.shape[:-2], min(part.shape[-2:])), (*strides[:-2], sum(strides[-2:]))))

    def view(self, dtype=None) -> ndarray:
        """The same memory, as elements of another type if one is given."""
        if dtype is None:
            return self._of(self)
        if not isinstance(dtype, Type) and not numpy.dtype(dtype).isnative:
            raise TypeError(f"arrays have no elements of {numpy.dtype(dtype)}, whose bytes are in the other order: "
                            "`pykc.array(x.get().view(dtype))` has their values")
        dtype = as_dtype(dtype)
        if dtype.itemsize != self.itemsize and not self.is_c_contiguous():
            return self._wider_or_narrower(dtype)
        found = super().view(dtype)
        return self._as_base_of(ndarray(found, found.dtype))

    def _wider_or_narrower(self, dtype: numpy.dtype) -> ndarray:
        if not self.ndim or self.strides[-1] != self.itemsize and self.shape[-1] > 1:
            raise ValueError("To change to a dtype of a different size, the last axis must be contiguous")
        extent, rest = divmod(self.shape[-1] * self.itemsize, dtype.itemsize)
        if rest:
            raise ValueError("When changing to a larger dtype, its size must be a divisor of the total size in bytes "
                             "of the last axis of the array.")
        return self._seen_as(dtype, (*self.shape[:-1], extent), (*self.strides[:-1], dtype.itemsize))

    def _seen_as(self, dtype: numpy.dtype, shape: tuple[int, ...], strides: tuple[int, ...],
                 offset: int = 0) -> ndarray:
        memory = _Memory(self, dtype, shape, strides, offset)
        found = numpy.asarray(memory) if self.device.is_cpu else memory
        return self._as_base_of(ndarray(_native.wrap(self.device, found), dtype))

    def byteswap(self, inplace: bool = False) -> ndarray:
        """The elements with their bytes in opposite order; of complex numbers those of both parts."""
        found = self.copy()
        width = self.itemsize // (2 if self.dtype.kind == "c" else 1)
        bytes_ = found.ravel().view("uint8").reshape(-1, width)
        bytes_[...] = bytes_[:, ::-1]
        if inplace:
            self[...] = found
        return self if inplace else found

    @property
    def real(self) -> ndarray:
        """A view of the real parts; of real numbers the array itself."""
        return self._part(0)

    @real.setter
    def real(self, value) -> None:
        assign(self.real, value)

    @property
    def imag(self) -> ndarray:
        """A view of the imaginary parts; of real numbers zeros."""
        if self.dtype.kind == "c":
            return self._part(1)
        from .creation import zeros_like
        return zeros_like(self)

    @imag.setter
    def imag(self, value) -> None:
        if self.dtype.kind != "c":
            raise TypeError(f"elements of {self.dtype} have no imaginary part to set: `x.astype(complex)` has them")
        assign(self.imag, value)

    def _part(self, place: int) -> ndarray:
        if self.dtype.kind != "c":
            return self
        dtype = numpy.dtype(f"f{self.itemsize // 2}")
        return self._seen_as(dtype, self.shape, self.strides, place * dtype.itemsize)

    # --- copies -------------------------------------------------------------------------------------------------------

    def copy(self, order: str = "C") -> ndarray:
        """A new array of the elements, in rows unless `order` is "F", "A" and the array lies in columns, or "K" and its
        axes lie in another order."""
        made = lying_as(self, as_order(order), self.dtype, self.device)
        convert_into(made, self)
        return made

    def __copy__(self) -> ndarray:
        return self.copy()

    def __deepcopy__(self, memo) -> ndarray:
        return self.copy()

    def astype(self, dtype, order: str = "K", casting: str = "unsafe", copy: bool = True) -> ndarray:
        """The elements converted. Floats outside of an integer's range become its end, and NaN 0."""
        dtype = as_dtype(dtype)
        if not numpy.can_cast(self.dtype, dtype, casting):
            raise TypeError(f"cannot cast array data from {self.dtype} to {dtype} according to the rule '{casting}'")
        order = as_order(order, "K")
        if dtype == self.dtype and not copy and self._lies_by(order):
            return self
        made = lying_as(self, order, dtype, self.device)
        convert_into(made, self)
        return made

    def to_device(self, device, /, *, stream=None) -> ndarray:
        """The array on another device."""
        device = as_device(device)
        if device == self.device:
            return self
        made = ndarray(self.shape, self.dtype, device=device)
        made.copy_from(self if self.is_c_contiguous() else self.copy(), native_stream(stream))
        return made

    def fill(self, value) -> None:
        """Sets all elements to a number."""
        if numpy.ndim(value):
            raise ValueError("`fill` takes a number, or an array without axes: `x[...] = value` broadcasts")
        assign(self, value)

    def set(self, arr, stream=None) -> None:
        """Takes the elements of an array of NumPy's."""
        arr = numpy.asarray(arr)
        if arr.shape != self.shape:
            raise ValueError(f"the shapes differ: {arr.shape} and {self.shape}")
        self.copy_to_device(arr.astype(self.dtype, copy=False), stream or 0)

    # --- indices ------------------------------------------------------------------------------------------------------

    def __getitem__(self, index) -> ndarray:
        if type(index) not in _VIEWS and not (type(index) is tuple and all(type(one) in _VIEWS for one in index)):
            from . import indexing
            return indexing.taken(self, index)
        return self._of(basic_view(self, index))

    getitem = __getitem__

    def __setitem__(self, index, value) -> None:
        if type(index) not in _VIEWS and not (type(index) is tuple and all(type(one) in _VIEWS for one in index)):
            from . import indexing
            indexing.assigned(self, index, value)
        else:
            assign(self._of(basic_view(self, index)), value)

    def setitem(self, index, value, stream=0) -> None:
        self[index] = value


class _Memory:
    """Memory of an array described anew, for `_native.wrap`."""

    def __init__(self, array: ndarray, dtype: numpy.dtype, shape: tuple[int, ...], strides: tuple[int, ...],
                 offset: int):
        self._keeps = array
        self.__cuda_array_interface__ = {"shape": shape, "strides": strides, "typestr": dtype.str, "version": 3,
                                         "data": (array.address + offset, False)}
        if array.device.is_cpu:
            self.__array_interface__ = self.__cuda_array_interface__


def basic_view(array: ndarray, index) -> _native.Array:
    try:
        return _native.Array.__getitem__(array, index)
    except ValueError as error:
        raise (error if "step" in str(error) else IndexError(str(error))) from None


def along(a: ndarray, axis: int | None) -> tuple[ndarray, int]:
    """The array and its axis counted from the front; a number is a vector, as are all elements where there is no
    axis."""
    a = a.ravel() if axis is None or not a.ndim else a
    return a, axis_of(0 if axis is None else axis, a.ndim)


def lying_as(like: Any, order: str, dtype, device, shape: tuple[int, ...] | None = None) -> ndarray:
    """An array without values that lies as an order says beside another one: in rows, in columns, or as that does."""
    shape = like.shape if shape is None else shape
    if order in "CF":
        return ndarray(shape, dtype, order, device)
    in_rows, in_columns = like.flags["C_CONTIGUOUS"], like.flags["F_CONTIGUOUS"]
    axes = sorted(range(like.ndim), key=lambda axis: -abs(like.strides[axis]))
    if order == "K" and len(shape) != like.ndim:
        return ndarray(shape, dtype, device=device)
    if order == "A" or in_rows or in_columns:
        return ndarray(shape, dtype, "F" if in_columns and not in_rows else "C", device)
    made = ndarray([shape[axis] for axis in axes], dtype, device=device)
    return ndarray(made.permuted(numpy.argsort(axes).tolist()), made.dtype)


# --- copies and conversions -------------------------------------------------------------------------------------------


@functools.cache
def _conversion(target: numpy.dtype, from_complex: bool) -> _native.Elementwise:
    value = "x"
    if from_complex and target.kind != "c":
        value = "x != 0" if target.kind == "b" else "x.real"
    return _native.Elementwise([("x", "z", f"z = {value}")], [target], warnings=False)


def convert_into(target: ndarray, source: ndarray | int | float | complex) -> None:
    """`target[...] = source`, broadcast and converted; they lie in different memory, or are the same view."""
    is_complex = source.dtype.kind == "c" if isinstance(source, DeviceNDArray) else isinstance(source, complex)
    if is_complex and target.dtype.kind not in "cb":
        warnings.warn("Casting complex values to real discards the imaginary part", numpy.exceptions.ComplexWarning,
                      stacklevel=3)
    _conversion(target.dtype, is_complex).launch((target, source))


def assign(target: ndarray, value: Any) -> None:
    """`target[...] = value` for whatever NumPy takes there."""
    if type(value) in (bool, int, float, complex):
        return convert_into(target, _fitting(value, target.dtype))
    if isinstance(value, (numpy.generic, numpy.ndarray)) and value.ndim == 0:
        return convert_into(target, value.item())
    from .creation import asarray
    source = asarray(value, device=target.device)
    while source.ndim > target.ndim and source.shape[0] == 1:
        source = source[0]
    try:
        fits = numpy.broadcast_shapes(source.shape, target.shape) == target.shape
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"could not broadcast input array from shape {source.shape} into shape {target.shape}")
    convert_into(target, source.copy() if may_overlap(target, source) else source)


def delivered(found: ndarray, out: ndarray | None, casting: str = "same_kind") -> ndarray:
    """What a function gives: what it has found, or `out`, filled with it, whose shape and kind of numbers fit."""
    if out is None:
        return found
    if not isinstance(out, DeviceNDArray):
        raise TypeError(f"`out` is an array of a device, not a {type(out).__name__}")
    if out.shape != found.shape:
        raise ValueError(f"the result has the shape {found.shape}, `out` has {out.shape}")
    if not numpy.can_cast(found.dtype, out.dtype, casting):
        raise TypeError(f"cannot cast the result from {found.dtype} to {out.dtype}, that of `out`, according to the "
                        f"rule '{casting}'")
    convert_into(out, found.copy() if may_overlap(out, found) else found)
    return out


def _fitting(value: bool | int | float | complex, dtype: numpy.dtype):
    """A number of Python for elements of a type, as NumPy assigns it."""
    if dtype.kind in "iu":
        if type(value) is float and not math.isfinite(value):
            raise ValueError(f"cannot convert {value} to an integer")
        return int(dtype.type(int(value))) if type(value) is not complex else int(dtype.type(value))
    if type(value) is int and dtype.kind in "fc":
        return float(value)
    if type(value) is complex and dtype.kind == "f":
        raise TypeError("can't convert complex to float")
    return value


def may_overlap(target: ndarray, source: ndarray) -> bool:
    """Whether an element of the source may be written before it is read: they share memory, and not one to one."""
    same = target.place == source.place and target.shape == source.shape and target.strides == source.strides
    return not same and target.device == source.device and spans_meet(target, source)
