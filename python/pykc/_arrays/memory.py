"""The memory that arrays are made of: blocks that nobody has any more are kept, and used again."""
from __future__ import annotations

from typing import Callable

from .. import _devices, _native
from . import pointers

_NO_LIMIT = 2 ** 63 - 1


class MemoryPool:
    """What `pykc.array` and its kin take their memory from, on the device in use. `cuda.to_device` and
    `cuda.device_array` do not. There is one pool, of which every `MemoryPool` tells; one that is made with an allocator
    has `malloc` from this."""

    _limits: dict[_native.Device, int] = {}

    def __init__(self, allocator: Callable[[int], pointers.MemoryPointer] | None = None):
        self._allocate = allocator or pointers.malloc

    def malloc(self, size: int) -> pointers.MemoryPointer:
        """So many bytes."""
        return self._allocate(size)

    def used_bytes(self) -> int:
        """Bytes that arrays have."""
        return _devices.current().pool_statistics()["used"]

    def total_bytes(self) -> int:
        """Bytes that were taken from the system: what arrays have, and what waits to be used again."""
        return _devices.current().pool_statistics()["reserved"]

    def free_bytes(self) -> int:
        """Bytes that wait to be used again."""
        return self.total_bytes() - self.used_bytes()

    def peak_used_bytes(self) -> int:
        """The most bytes that arrays had since `reset_peaks`."""
        return _devices.current().pool_statistics()["peak_used"]

    def reset_peaks(self) -> None:
        """Counts the peak anew."""
        _devices.current().reset_pool_peaks()

    def set_limit(self, size: int | None = None, fraction: float | None = None) -> None:
        """The most bytes that arrays may have, or which part of the device's memory; 0 is no limit. An array beyond it
        is a `MemoryError`."""
        if (size is None) == (fraction is None):
            raise ValueError("one of `size` and `fraction` is given")
        device = _devices.current()
        if fraction is not None:
            if not 0 <= fraction <= 1:
                raise ValueError(f"the fraction is from 0 to 1, not {fraction}")
            size = int(device.info["memory_bytes"] * fraction)
        if size < 0:
            raise ValueError(f"the limit is no negative number, {size}")
        device.limit_pool(size or _NO_LIMIT)
        self._limits[device] = size

    def get_limit(self) -> int:
        """The limit that was set, or 0."""
        return self._limits.get(_devices.current(), 0)

    def free_all_blocks(self, stream=None) -> None:
        """Gives what waits to be used again back to the system. Work that still uses it is waited for."""
        device = _devices.current()
        device.synchronize()
        device.trim_pool(0)

    def __repr__(self) -> str:
        return f"<pykc.MemoryPool: {self.used_bytes()} of {self.total_bytes()} bytes are used>"


class PinnedMemoryPool:
    """CuPy's pool of pinned memory, of which nothing is kept here."""

    def __init__(self, allocator: Callable | None = None):
        self._allocate = allocator or pointers.alloc_pinned_memory

    def malloc(self, size: int):
        """So many bytes of the host."""
        return self._allocate(size)

    def n_free_blocks(self) -> int:
        """Blocks that wait to be used again: none."""
        return 0

    def free_all_blocks(self) -> None:
        """There is nothing to give back."""


_pool = MemoryPool()
_pinned_pool = PinnedMemoryPool()


def get_default_memory_pool() -> MemoryPool:
    """The pool."""
    return _pool


def get_default_pinned_memory_pool() -> PinnedMemoryPool:
    """The pool of pinned memory, which is empty."""
    return _pinned_pool
