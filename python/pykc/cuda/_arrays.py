"""Arrays in a device's memory, with the attributes of NumPy's and the methods of Numba's."""
from __future__ import annotations

import functools
import math
import operator
from typing import Any

from .. import _devices, _native
from ..types import Type, typeof
from ._streams import interface_stream, native_stream


class DeviceNDArray(_native.Array):
    """An array in the memory of a device: what `to_device` and `device_array` give, and kernels take without a copy.

    `shape`, `strides` (in bytes), `ndim`, `size`, `itemsize`, `nbytes` and `dtype` are as NumPy's. Slices and reshaped
    arrays are the same memory. `a[i]` of one element copies it to the host, `a[i:j] = b` copies B to the device. Other
    libraries take it by `__cuda_array_interface__` and DLPack, NumPy by `numpy.asarray`, which copies."""

    __array_priority__ = 100
    __cuda_ndarray__ = True

    def __init__(self, array: _native.Array, dtype, stream=0):
        super().__init__(array)
        self.dtype = dtype
        self.stream = stream

    # --- what NumPy's arrays have --------------------------------------------------------------------------------

    @property
    def alloc_size(self) -> int:
        """The bytes of the elements."""
        return self.nbytes

    def __len__(self) -> int:
        if self.ndim == 0:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    @property
    def T(self) -> DeviceNDArray:
        """The array with its axes in the opposite order, in the same memory."""
        return self.transpose()

    def transpose(self, axes=None) -> DeviceNDArray:
        """The array with its axes in the order AXES, else the opposite one, in the same memory."""
        if axes is not None and set(axes) != set(range(self.ndim)):
            raise ValueError(f"invalid axes list {axes!r}")
        order = tuple(range(self.ndim))[::-1] if axes is None else tuple(axes)
        return self._of(self.permuted(order))

    def reshape(self, *newshape, order: str = "C") -> DeviceNDArray:
        """The same memory in another shape, one extent of which may be -1. NotImplementedError where that takes a
        copy."""
        shape = newshape[0] if len(newshape) == 1 and not isinstance(newshape[0], int) else newshape
        shape = _resolved(tuple(shape), self.size)
        if not self._is_in_columns(order):
            return self._of(self.reshaped(shape))
        if not self.is_f_contiguous():
            raise NotImplementedError("reshape would require copy")
        return self.T._of(self.T.reshaped(shape[::-1])).T

    def ravel(self, order: str = "C", stream=0) -> DeviceNDArray:
        """The elements as a vector, in the same memory."""
        in_columns = self._is_in_columns(order)
        if not (self.is_f_contiguous() if in_columns else self.is_c_contiguous()):
            raise NotImplementedError("ravel of an array that is not contiguous: copy it first")
        return self.T.ravel() if in_columns else self._of(self.reshaped((self.size,)))

    def _is_in_columns(self, order: str) -> bool:
        """Whether NumPy's `order` means columns for this array."""
        if order not in ("C", "F", "A", "K"):
            raise ValueError(f"order must be one of 'C', 'F', 'A', 'K', not {order!r}")
        return order == "F" or order in "AK" and self.is_f_contiguous() and not self.is_c_contiguous()

    def squeeze(self, axis=None, stream=0) -> DeviceNDArray:
        """The array without its axes of one element, or without those that AXIS names."""
        axes = [axis] if isinstance(axis, int) else axis
        kept = tuple(extent for i, extent in enumerate(self.shape)
                     if extent != 1 or axes is not None and i not in axes and i - self.ndim not in axes)
        return self.reshape(kept)

    def view(self, dtype) -> DeviceNDArray:
        """The same memory as elements of another type."""
        import numpy
        dtype = numpy.dtype(dtype)
        if self.dtype.itemsize != dtype.itemsize and not self.is_c_contiguous():
            raise ValueError("To change to a dtype of a different size, the array must be C-contiguous")
        return DeviceNDArray(_viewed(self, dtype), dtype, self.stream)

    def is_c_contiguous(self) -> bool:
        """Whether the elements lie row by row, without gaps."""
        return _contiguous(self.shape[::-1], self.strides[::-1], self.dtype.itemsize)

    def is_f_contiguous(self) -> bool:
        """Whether the elements lie column by column, without gaps."""
        return _contiguous(self.shape, self.strides, self.dtype.itemsize)

    @property
    def flags(self) -> dict[str, bool]:
        """`C_CONTIGUOUS` and `F_CONTIGUOUS`, as NumPy's flags have them."""
        return {"C_CONTIGUOUS": self.is_c_contiguous(), "F_CONTIGUOUS": self.is_f_contiguous()}

    def __repr__(self) -> str:
        return f"<array of {self.dtype} {self.shape} on {self.device.name}>"

    @property
    def _numba_type_(self) -> Type:
        """The type that kernels see, by Numba's protocol."""
        return typeof(self)

    # --- copies ---------------------------------------------------------------------------------------------------

    def copy_to_host(self, ary=None, stream=0):
        """The elements as a NumPy array: ARY, of the same shape and type, or a new one. Waits for the copy; with a
        STREAM and an array of `pinned_array` it may still be under way."""
        import numpy
        native = native_stream(stream or self.stream)
        if ary is None:
            order = "F" if self.is_f_contiguous() and not self.is_c_contiguous() else "C"
            host = numpy.empty(self.shape, self.dtype, order=order)
        else:
            host = ary
            _check_same(self, host)
        if self.size:
            self._copy_out(host, native)
        return host

    def _copy_out(self, host, native) -> None:
        import numpy
        source = self if _packed(self) else packed(self)
        if host.strides == source.strides:
            source.copy_to(host, native)
            return
        whole = numpy.empty(self.shape, self.dtype, order="C" if source.is_c_contiguous() else "F")
        source.copy_to(whole, native)
        if native is not None:
            native.synchronize()
        host[...] = whole

    def copy_to_device(self, ary, stream=0) -> None:
        """Takes the elements of ARY, an array of the host or of a device, of the same shape (ValueError) and type
        (TypeError)."""
        import numpy
        native = native_stream(stream or self.stream)
        if not is_cuda_array(ary):
            ary = numpy.asarray(ary)
        else:
            ary = as_cuda_array(ary)
        _check_same(self, ary)
        if not self.size:
            return
        if isinstance(ary, DeviceNDArray):
            copied(self, ary, native)
        elif _packed(self):
            order = "C" if self.is_c_contiguous() else "F"
            host = ary.astype(self.dtype, order=order, copy=False)
            self.copy_from(host if host.flags[order + "_CONTIGUOUS"] else host.copy(order), native)
        else:
            copied(self, to_device(numpy.ascontiguousarray(ary)), native)

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("`copy=False` is not possible: the elements are in the memory of a device")
        host = self.copy_to_host()
        return host if dtype is None else host.astype(dtype)

    def bind(self, stream=0) -> DeviceNDArray:
        """The same array, whose copies go to STREAM."""
        return DeviceNDArray(self, self.dtype, stream)

    def split(self, section: int, stream=0):
        """Views of `section` elements each, the last perhaps shorter."""
        if self.ndim != 1:
            raise ValueError("array must be 1d")
        for start in range(0, self.size, section):
            yield self[start:start + section]

    # --- indices --------------------------------------------------------------------------------------------------

    def __getitem__(self, index):
        view = self._sliced(index)
        if view.ndim or _has_slice(index):
            return view
        if self.dtype.names is None:
            return view.copy_to_host()[()]
        from ._records import DeviceRecord
        return DeviceRecord(view, self.dtype, self.stream)

    getitem = __getitem__

    def __setitem__(self, index, value) -> None:
        import numpy
        view = self._sliced(index)
        if is_cuda_array(value):
            source = as_cuda_array(value)
            if source.dtype == view.dtype and source.shape == view.shape:
                copied(view, source, None)
                return
            value = source.copy_to_host()
        value = numpy.asarray(value)
        if value.ndim > view.ndim:
            raise ValueError(f"Can't assign {value.ndim}-D array to {view.ndim}-D self")
        try:
            whole = numpy.broadcast_to(value.astype(view.dtype), view.shape)
        except ValueError:
            raise ValueError(_no_broadcast(value.shape, view.shape)) from None
        view.copy_to_device(whole)

    def setitem(self, index, value, stream=0) -> None:
        """`self[index] = value`."""
        self[index] = value

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def _sliced(self, index) -> DeviceNDArray:
        return self._of(super().__getitem__(_whole_index(index, self.shape)))

    def _of(self, array: _native.Array) -> DeviceNDArray:
        return DeviceNDArray(array, self.dtype, self.stream)

    # --- other libraries --------------------------------------------------------------------------------------------

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self.device.is_cpu and has_gpu():
            raise AttributeError("an array of the CPU device lies in the host's memory: use __array_interface__")
        return {"shape": self.shape, "strides": None if self.is_c_contiguous() else self.strides,
                "data": (self.address if self.size else 0, False), "typestr": self.dtype.str,
                "descr": self.dtype.descr, "version": 3,
                "stream": interface_stream(self.stream)}

    @property
    def device_ctypes_pointer(self):
        """The address of the first element, for ctypes."""
        import ctypes
        return ctypes.c_void_p(self.address)


def _contiguous(extents, strides, itemsize: int) -> bool:
    if 0 in extents:
        return True
    expected = itemsize
    for extent, stride in zip(extents, strides):
        if extent != 1 and stride != expected:
            return False
        expected *= extent
    return True


def _packed(array: DeviceNDArray) -> bool:
    return array.is_c_contiguous() or array.is_f_contiguous()


def _resolved(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    if shape.count(-1) > 1:
        raise ValueError("can only specify one unknown dimension")
    known = math.prod(extent for extent in shape if extent != -1)
    if -1 in shape:
        shape = tuple(size // known if known and extent == -1 else extent for extent in shape)
    if math.prod(shape) != size:
        raise ValueError(f"cannot reshape an array of {size} elements into shape {shape}")
    return shape


def _no_broadcast(given: tuple[int, ...], wanted: tuple[int, ...]) -> str:
    skipped = len(wanted) - len(given)
    axis = next(axis for axis, extent in enumerate(given) if extent not in (1, wanted[axis + skipped]))
    return f"Can't copy sequence with size {given[axis]} to array axis {axis + skipped} with dimension " \
           f"{wanted[axis + skipped]}"


def _has_slice(index) -> bool:
    return any(isinstance(one, slice) or one is Ellipsis for one in (index if isinstance(index, tuple) else (index,)))


def _whole_index(index, shape: tuple[int, ...]) -> tuple:
    """A number or a slice for each axis."""
    indices = list(index) if isinstance(index, tuple) else [index]
    places = [place for place, one in enumerate(indices) if one is Ellipsis]
    if len(places) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    missing = len(shape) - (len(indices) - len(places))
    if missing < 0:
        raise IndexError(f"too many indices for array: array is {len(shape)}-dimensional")
    place = places[0] if places else len(indices)
    indices[place:place + len(places)] = [slice(None)] * missing
    for axis, (one, extent) in enumerate(zip(indices, shape)):
        if isinstance(one, slice):
            continue
        if not hasattr(one, "__index__"):
            raise NotImplementedError(f"arrays of devices take numbers and slices as indices, not {one!r}")
        indices[axis] = one.__index__()
        if not -extent <= indices[axis] < extent:
            raise IndexError(f"index {indices[axis]} is out of bounds for an axis of {extent} elements")
    return tuple(indices)


def _check_same(one, other) -> None:
    if one.dtype != other.dtype:
        raise TypeError(f"incompatible dtype: {one.dtype} vs. {other.dtype}")
    if one.shape != tuple(other.shape) and (one.size or other.size):
        raise ValueError(f"incompatible shape: {one.shape} vs. {tuple(other.shape)}")


# --- making arrays --------------------------------------------------------------------------------------------------


def device_array(shape, dtype="float64", strides=None, order: str = "C", stream=0) -> DeviceNDArray:
    """An array in the device's memory, whose elements have any values.

    SHAPE is a number or a tuple, ORDER "C" (row by row) or "F" (column by column). MemoryError where there is no
    room."""
    import numpy
    if strides is not None:
        raise NotImplementedError("strides=: allocate the whole array and slice it")
    dtype = numpy.dtype(dtype.dtype if isinstance(dtype, Type) else dtype)
    extents = tuple(shape) if hasattr(shape, "__len__") else (shape,)
    array = _native.allocate(_devices.current(), dtype, tuple(map(operator.index, extents)), order)
    return DeviceNDArray(array, dtype, stream)


def device_array_like(ary, stream=0) -> DeviceNDArray:
    """`device_array` of the shape, type and order of ARY."""
    return device_array(ary.shape, ary.dtype, order=_order_like(ary), stream=stream)


def _order_like(ary) -> str:
    """The order in which the array's elements lie: F where its first axis has the smallest stride."""
    if _contiguous(ary.shape[::-1], ary.strides[::-1], ary.dtype.itemsize):
        return "C"
    strides = [abs(stride) for extent, stride in zip(ary.shape, ary.strides) if extent != 1]
    return "F" if strides == sorted(strides) and len(strides) > 1 else "C"


def to_device(obj, stream=0, copy: bool = True, to: DeviceNDArray | None = None) -> DeviceNDArray:
    """The elements of an array, or of what NumPy makes one of, in the device's memory.

    TO is an array of the device that takes them; with `copy=False` only the shape and type are taken. The copy may
    still be under way on STREAM when this returns; launches on that stream wait for it."""
    import numpy
    if is_cuda_array(obj):
        source = as_cuda_array(obj)
        if to is None and not copy:
            return source
        made = device_array_like(source, stream) if to is None else to
        copied(made, source, native_stream(stream))
        return made
    host = obj if isinstance(obj, (numpy.ndarray, numpy.void)) else numpy.asarray(obj)
    made = device_array_like(host, stream) if to is None else to
    if copy:
        made.copy_to_device(host, stream)
    return made


def is_cuda_array(obj) -> bool:
    """Whether it is an array of a device, of pykc or another library."""
    return isinstance(obj, DeviceNDArray) or hasattr(obj, "__cuda_array_interface__")


def as_cuda_array(obj, sync: bool = True) -> DeviceNDArray:
    """Another library's array (`__cuda_array_interface__` or DLPack) without a copy; the result keeps it alive.
    TypeError where it has neither, and for NumPy's arrays, which are the host's."""
    import numpy
    if isinstance(obj, DeviceNDArray):
        return obj
    if not is_cuda_array(obj) and (isinstance(obj, numpy.ndarray) or not hasattr(obj, "__dlpack__")):
        raise TypeError("*obj* doesn't implement the cuda array interface.")
    interface = getattr(obj, "__cuda_array_interface__", None)
    if interface and interface.get("mask") is not None:
        raise NotImplementedError("Masked arrays are not supported")
    device = _devices.current()
    array = _native.wrap(device, host_array(obj, interface) if interface and device.is_cpu else obj)
    typestr = interface["typestr"] if interface else array.typestr
    dtype = numpy.dtype(interface["descr"] if interface and typestr[1] == "V" else typestr)
    return DeviceNDArray(array, dtype)


def host_array(obj, interface: dict):
    """What an array of the CPU device shows to others as a GPU's."""
    import numpy

    class Shown:
        __array_interface__ = {"version": 3, "strides": None, **{key: interface[key] for key in interface
                               if key in ("shape", "typestr", "descr", "data", "strides")}}
        keeps = obj
    return numpy.asarray(Shown())


@functools.cache
def has_gpu() -> bool:
    """Whether there is a library that could take memory of the host for a GPU's."""
    return any(facts["name"] != "cpu" for facts in _native.list_devices())


def from_cuda_array_interface(desc: dict, owner=None, sync: bool = True) -> DeviceNDArray:
    """The array that a dictionary of the CUDA array interface describes. OWNER is kept alive as long as the array."""
    class Described:
        __cuda_array_interface__ = desc
        keeps = owner
    return as_cuda_array(Described())


def pinned_array(shape, dtype="float64", strides=None, order: str = "C"):
    """A NumPy array in pages that a GPU copies from and to at full speed."""
    import numpy
    dtype = numpy.dtype(dtype)
    count = math.prod((shape,) if hasattr(shape, "__index__") else shape)
    if count == 0:
        return numpy.empty(shape, dtype, order=order)
    return numpy.ndarray(shape, dtype, _devices.current().pinned(count * dtype.itemsize), order=order)


def pinned_array_like(ary):
    """`pinned_array` of the shape, type and order of ARY."""
    return pinned_array(ary.shape, ary.dtype, order=_order_like(ary))


def mapped_array(shape, dtype="float64", strides=None, order: str = "C", stream=0, portable=False, wc=False):
    """A NumPy array in memory of the host that kernels read and write where it is, over the bus: best for what is used
    once. PORTABLE (which it always is) and WC advise Numba's driver, and are taken."""
    from ._shared import shared_array
    return shared_array(_native.Device.mapped, shape, dtype, strides, order, stream)


def mapped_array_like(ary, stream=0, portable=False, wc=False):
    """`mapped_array` of the shape, type and order of ARY."""
    return mapped_array(ary.shape, ary.dtype, order=_order_like(ary), stream=stream)


def managed_array(shape, dtype="float64", strides=None, order: str = "C", stream=0, attach_global=True):
    """A NumPy array in memory that moves to the side that uses it, host or device. Every stream reaches it, whatever
    ATTACH_GLOBAL says. MemoryError where it is larger than the memory of the GPU."""
    from ._shared import shared_array
    return shared_array(_native.Device.managed, shape, dtype, strides, order, stream)


class pinned:
    """`with cuda.pinned(a, b):` for arrays that are copied in the block. pykc pins what it copies from by itself."""

    def __init__(self, *arrays):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *exception) -> None:
        pass


class mapped:
    """`with cuda.mapped(a, b) as (da, db):` arrays of the device for arrays of the host, which have their elements
    again where the block ends; of one array, `with cuda.mapped(a) as da:`. `mapped_array` shares memory instead."""

    def __init__(self, *arrays, stream=0, portable: bool = False, wc: bool = False):
        self._hosts, self._stream = arrays, stream
        self._made: list[DeviceNDArray] = []

    def __enter__(self):
        self._made = [to_device(host, self._stream) for host in self._hosts]
        return self._made[0] if len(self._made) == 1 else tuple(self._made)

    def __exit__(self, *exception) -> None:
        for made, host in zip(self._made, self._hosts):
            made.copy_to_host(host, self._stream)
        self._made = []


# --- copies between parts of arrays -----------------------------------------------------------------------------------


def copied(target: DeviceNDArray, source: DeviceNDArray, native) -> None:
    """Copies the elements of one device array into another, of any strides."""
    _check_same(target, source)
    if not target.size:
        return
    if spans_meet(target, source) and (target.address, target.strides) != (source.address, source.strides):
        source = packed(source)
    if _packed(target) and target.strides == source.strides:
        target.copy_from(source, native)
        return
    from .._elementwise import assign
    assign(target, source, native)


def spans_meet(one, other) -> bool:
    """Whether the memory between the first and the last element of an array meets that of another one."""
    if not one.size or not other.size:
        return False
    (low, high), (other_low, other_high) = _span(one), _span(other)
    return low < other_high and other_low < high


def _span(array) -> tuple[int, int]:
    address = array.address if isinstance(array, DeviceNDArray) else array.ctypes.data
    steps = [(extent - 1) * stride for extent, stride in zip(array.shape, array.strides)]
    return (address + sum(step for step in steps if step < 0),
            address + sum(step for step in steps if step > 0) + array.dtype.itemsize)


def packed(array: DeviceNDArray) -> DeviceNDArray:
    """A contiguous copy."""
    made = device_array(array.shape, array.dtype)
    copied(made, array, None)
    return made


def _viewed(array: DeviceNDArray, dtype) -> _native.Array:
    """The memory of an array as elements of another type."""
    device = array.device
    if device.is_cpu:
        return _native.wrap(device, _on_host(array).view(dtype))
    return _native.wrap(device, _Described(array, dtype))


def _on_host(array: DeviceNDArray):
    """The memory of an array of the CPU device as a NumPy array."""
    import numpy
    return numpy.asarray(_native.Array(array)).view(array.dtype)


class _Described:
    """The memory of an array of a GPU, described anew, for `wrap`."""

    def __init__(self, array: DeviceNDArray, dtype):
        self._keeps = array
        extents = array.shape
        if array.dtype.itemsize != dtype.itemsize:
            last = extents[-1] * array.dtype.itemsize
            if last % dtype.itemsize:
                raise ValueError("When changing to a larger dtype, its size must be a divisor of the total size in "
                                 "bytes of the last axis of the array.")
            extents = (*extents[:-1], last // dtype.itemsize)
        self.__cuda_array_interface__ = {
            "shape": extents, "strides": None if array.is_c_contiguous() else array.strides, "typestr": dtype.str,
            "descr": dtype.descr, "data": (array.address, False), "version": 3}
