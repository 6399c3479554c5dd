"""Arrays of NumPy in memory that kernels see, too: what `mapped_array` and `managed_array` give."""
from __future__ import annotations

import math
from typing import Any, Callable

import numpy

from .. import _devices, _native
from ._arrays import DeviceNDArray, as_cuda_array, has_gpu
from ._streams import interface_stream


class SharedNDArray(numpy.ndarray):
    """A NumPy array whose memory kernels reach, so that launches copy nothing. The host waits for them,
    `cuda.synchronize()`, before it looks. What is computed of it is an array of the host alone."""

    _memory: _native.UnifiedMemory | None

    def __array_finalize__(self, made_of) -> None:
        self._memory = getattr(made_of, "_memory", None)
        self.stream = getattr(made_of, "stream", 0)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        memory = self._memory
        place = self.__array_interface__["data"][0] - memory.host_address if memory is not None else -1
        if memory is None or not 0 <= place < memory.nbytes:  # a result, or an array without elements
            raise AttributeError("the array lies in the host's memory")
        if memory.device.is_cpu and has_gpu():
            raise AttributeError("an array of the CPU device lies in the host's memory: use __array_interface__")
        shown = self.__array_interface__
        return {**shown, "data": (memory.address + place, not self.flags.writeable), "version": 3,
                "stream": interface_stream(self.stream)}

    def on_device(self) -> DeviceNDArray:
        """The same memory as an array of the device."""
        return as_cuda_array(self)

    def copy_to_host(self, ary=None, stream=0) -> numpy.ndarray:
        """The elements as an array of the host, once the device has done its work."""
        return self.on_device().copy_to_host(ary, stream)

    def copy_to_device(self, ary, stream=0) -> None:
        """Takes the elements of ARY, an array of the host or of a device."""
        self.on_device().copy_to_device(ary, stream)

    @property
    def device_ctypes_pointer(self):
        """The address of the first element on the device, for ctypes."""
        return self.on_device().device_ctypes_pointer


def shared_array(allocate: Callable[[_native.Device, int], _native.UnifiedMemory], shape, dtype, strides,
                 order: str, stream) -> SharedNDArray:
    """An array in memory that ALLOCATE makes of a number of bytes."""
    if strides is not None:
        raise NotImplementedError("strides=: allocate the whole array and slice it")
    dtype = numpy.dtype(dtype)
    count = math.prod((shape,) if hasattr(shape, "__index__") else shape)
    memory = allocate(_devices.current(), count * dtype.itemsize) if count else None
    made = SharedNDArray(shape, dtype, memory, order=order)
    made._memory, made.stream = memory, stream
    return made
