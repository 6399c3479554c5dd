"""`numba.cuda.kernels.transpose`."""
from __future__ import annotations

from .._arrays import DeviceNDArray, device_array


def transpose(a: DeviceNDArray, b: DeviceNDArray | None = None) -> DeviceNDArray:
    """The matrix with rows for columns, in B or in memory of its own."""
    made = device_array(a.shape[::-1], a.dtype, stream=a.stream) if b is None else b
    made[...] = a.T
    return made
