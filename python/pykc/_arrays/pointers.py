"""Memory and pointers into it, as CuPy's programs name them: what `x.data` is, and what arrays can be made of."""
from __future__ import annotations

import contextlib
import ctypes
import functools
from typing import TYPE_CHECKING, Any, Callable, Iterator

import numpy

from .. import _devices, _native
from ..cuda._arrays import from_cuda_array_interface
from ..cuda._shared import shared_array
from .ndarray import ndarray

if TYPE_CHECKING:
    from ..cuda._contexts import Device


class _Place:
    """What has an address on a device."""

    @property
    def device_id(self) -> int:
        """The number of the device in `cuda.gpus`."""
        return self.device.id

    def __int__(self) -> int:
        return self.ptr


class BaseMemory(_Place):
    """The memory of an array, which it keeps."""

    def __init__(self, owner: ndarray):
        self._owner = owner

    @property
    def ptr(self) -> int:
        """Its address on the device."""
        return self._owner.address

    @property
    def size(self) -> int:
        """Its bytes."""
        return self._owner.nbytes

    @property
    def device(self) -> Device:
        """The device that it is of."""
        from ..cuda._contexts import Context
        return Context(self._owner.device).device

    @functools.cached_property
    def _bytes(self) -> ndarray:
        rows = self._owner if self._owner.is_c_contiguous() else self._owner.T
        if not rows.is_c_contiguous():
            raise ValueError("an array with gaps between its elements is no memory for others")
        return rows.reshape(-1).view("uint8") if rows.size else ndarray(0, "uint8", device=rows.device)


class Memory(BaseMemory):
    """So many bytes of the device in use."""

    def __init__(self, size: int):
        super().__init__(ndarray(size, "uint8"))


class ManagedMemory(BaseMemory):
    """So many bytes that move to the side that uses them, host or device."""

    def __init__(self, size: int):
        shared = shared_array(_native.Device.managed, max(size, 1), "uint8", None, "C", 0).on_device()
        super().__init__(ndarray(shared, shared.dtype)[:size])


class UnownedMemory(BaseMemory):
    """The SIZE bytes at an address, which OWNER keeps."""

    def __init__(self, ptr: int, size: int, owner: Any, device_id: int = -1):
        shown = {"data": (ptr, False), "shape": (size,), "typestr": "|u1", "version": 3}
        found = from_cuda_array_interface(shown, owner)
        super().__init__(ndarray(found, found.dtype))


class MemoryPointer(_Place):
    """A place in memory: `pykc.ndarray((3, 4), "float32", x.data + 8)` is an array of the memory there."""

    def __init__(self, mem: BaseMemory, offset: int = 0):
        self.mem, self._offset = mem, offset

    @property
    def ptr(self) -> int:
        """The address on the device."""
        return self.mem.ptr + self._offset

    @property
    def device(self) -> Device:
        """The device that it is of."""
        return self.mem.device

    def __add__(self, count: int) -> MemoryPointer:
        return MemoryPointer(self.mem, self._offset + count)

    __radd__ = __add__

    def __sub__(self, count: int) -> MemoryPointer:
        return self + -count

    def _part(self, size: int) -> ndarray:
        if not 0 <= self._offset <= self._offset + size <= self.mem.size:
            raise ValueError(f"{size} bytes from {self._offset} on are not within the {self.mem.size} of the memory")
        return self.mem._bytes[self._offset:self._offset + size]

    def copy_from_device(self, src: MemoryPointer, size: int) -> None:
        """Takes bytes of the device."""
        self._part(size)[...] = src._part(size)

    def copy_from_host(self, mem: int | ctypes.c_void_p, size: int) -> None:
        """Takes bytes at an address of the host."""
        self._part(size).set(_host_bytes(mem, size))

    def copy_from(self, mem, size: int) -> None:
        """Takes bytes of the device, of a pointer, or of the host, of an address."""
        (self.copy_from_device if isinstance(mem, MemoryPointer) else self.copy_from_host)(mem, size)

    def copy_to_host(self, mem: int | ctypes.c_void_p, size: int) -> None:
        """Puts bytes to an address of the host."""
        _host_bytes(mem, size)[...] = self._part(size).get()

    def memset(self, value: int, size: int) -> None:
        """Sets bytes."""
        self._part(size).fill(value)

    def __repr__(self) -> str:
        return f"<pykc.cuda.MemoryPointer {self.ptr:#x}>"


def _host_bytes(mem: int | ctypes.c_void_p, size: int) -> numpy.ndarray:
    address = mem.value if isinstance(mem, ctypes.c_void_p) else int(mem)
    return numpy.frombuffer((ctypes.c_ubyte * size).from_address(address), "uint8")


def pointer_to(array: ndarray) -> MemoryPointer:
    """Where its first element is."""
    owner = array if array.base is None else array.base
    return MemoryPointer(BaseMemory(owner), array.address - owner.address)


def array_at(memptr: MemoryPointer, shape: tuple[int, ...], dtype: numpy.dtype, strides, order: str) -> _native.Array:
    """An array of the memory there, with these strides in bytes, or without gaps."""
    itemsize, whole = dtype.itemsize, memptr.mem._bytes
    if memptr.ptr % itemsize or any(stride % itemsize for stride in strides or ()):
        raise ValueError(f"elements of {dtype} are at multiples of their {itemsize} bytes")
    if strides is not None:
        steps = [stride // itemsize for stride in strides]
    elif order == "F":
        steps = numpy.cumprod((1, *shape))[:-1].tolist()
    else:
        steps = numpy.cumprod((1, *shape[::-1]))[-2::-1].tolist()
    first = memptr._offset % itemsize
    elements = whole[first:first + (whole.size - first) // itemsize * itemsize].view(dtype)
    return elements.strided(shape, steps, memptr._offset // itemsize)


# --- allocators -------------------------------------------------------------------------------------------------------


def malloc(size: int) -> MemoryPointer:
    """So many bytes of the device in use, of the pool of arrays."""
    return MemoryPointer(Memory(size))


def malloc_managed(size: int) -> MemoryPointer:
    """So many bytes that move to the side that uses them."""
    return MemoryPointer(ManagedMemory(size))


_allocator: Callable[[int], MemoryPointer] = malloc


def alloc(size: int) -> MemoryPointer:
    """So many bytes, of the allocator that was set."""
    return _allocator(size)


def set_allocator(allocator: Callable[[int], MemoryPointer] | None = None) -> None:
    """What `cuda.alloc` calls. Arrays take their memory from the one pool whatever is set."""
    global _allocator
    _allocator = allocator or malloc


def get_allocator() -> Callable[[int], MemoryPointer]:
    """What was set, or `malloc`."""
    return _allocator


@contextlib.contextmanager
def using_allocator(allocator: Callable[[int], MemoryPointer] | None = None) -> Iterator[None]:
    """Sets the allocator for the block."""
    before = _allocator
    set_allocator(allocator)
    try:
        yield
    finally:
        set_allocator(before)


# --- pinned memory of the host ----------------------------------------------------------------------------------------

PinnedMemoryPointer = _native.PinnedMemory  # NumPy makes arrays of it: `numpy.frombuffer(memory, dtype, count)`


def _address(memory: _native.PinnedMemory) -> int:
    return numpy.frombuffer(memory, "uint8").ctypes.data


PinnedMemoryPointer.ptr = property(_address)
PinnedMemoryPointer.mem = property(lambda memory: memory)
PinnedMemoryPointer.size = lambda memory: memoryview(memory).nbytes
PinnedMemoryPointer.__int__ = _address


def alloc_pinned_memory(size: int) -> _native.PinnedMemory:
    """So many bytes of the host, from and to which a GPU copies at full speed."""
    return _devices.current().pinned(max(size, 1))


def set_pinned_memory_allocator(allocator: Callable | None = None) -> None:
    """Is taken for CuPy's sake, and changes nothing."""
