"""`numba.cuda.cudadrv.devicearray`: arrays of a device, and what tells them from others."""
from __future__ import annotations

from typing import Any

from .._arrays import DeviceNDArray, as_cuda_array, device_array_like, is_cuda_array, to_device
from .._records import DeviceRecord


def is_cuda_ndarray(obj: Any) -> bool:
    """Whether it is an array of a device that this package made."""
    return getattr(obj, "__cuda_ndarray__", False)


def auto_device(obj: Any, stream=0, copy: bool = True, user_explicit: bool = False) -> tuple[DeviceNDArray, bool]:
    """The array on the device, and whether it is new there; without COPY a new one has no values."""
    if is_cuda_array(obj):
        return as_cuda_array(obj), False
    return (to_device(obj, stream) if copy else device_array_like(obj, stream)), True
