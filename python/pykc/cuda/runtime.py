"""`cupy.cuda.runtime`, as far as programs ask it about devices, and Numba's `cuda.runtime`. There is no CUDA runtime
here: its version is that of the driver; for CuPy 0 on the CPU device, for Numba the first that has all it knows."""
from __future__ import annotations

import re
from typing import Any

from .. import _native
from . import _contexts
from ._contexts import MemoryInfo, synchronize

is_hip = False
CUDARuntimeError = _native.Error  # the base of DeviceError, KernelFault and LaunchError

#: CUDA's names of what a device has, and those of `cuda.Device`.
_PROPERTIES = {
    "major": "COMPUTE_CAPABILITY_MAJOR", "minor": "COMPUTE_CAPABILITY_MINOR", "warpSize": "WARP_SIZE",
    "multiProcessorCount": "MULTIPROCESSOR_COUNT", "maxThreadsPerBlock": "MAX_THREADS_PER_BLOCK",
    "maxThreadsPerMultiProcessor": "MAX_THREADS_PER_MULTI_PROCESSOR", "regsPerBlock": "MAX_REGISTERS_PER_BLOCK",
    "sharedMemPerBlock": "MAX_SHARED_MEMORY_PER_BLOCK", "sharedMemPerBlockOptin": "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
    "totalConstMem": "TOTAL_CONSTANT_MEMORY", "unifiedAddressing": "UNIFIED_ADDRESSING",
    "canMapHostMemory": "CAN_MAP_HOST_MEMORY", "managedMemory": "MANAGED_MEMORY",
    "concurrentKernels": "CONCURRENT_KERNELS", "cooperativeLaunch": "COOPERATIVE_LAUNCH"}


def getDeviceCount() -> int:
    """How many devices there are."""
    return len(_contexts.list_devices())


def getDevice() -> int:
    """The number of the device in use."""
    return _contexts.get_current_device().id


def setDevice(device: int) -> None:
    """Makes the device of that number the one in use, for this thread."""
    _contexts.select_device(device)


def getDeviceProperties(device: int) -> dict[str, Any]:
    """What the device has, by CUDA's names."""
    found = _contexts.list_devices()[device]
    return {"name": found.name.encode(), "totalGlobalMem": found._facts["memory_bytes"],
            "maxThreadsDim": (found.MAX_BLOCK_DIM_X, found.MAX_BLOCK_DIM_Y, found.MAX_BLOCK_DIM_Z),
            "maxGridSize": (found.MAX_GRID_DIM_X, found.MAX_GRID_DIM_Y, found.MAX_GRID_DIM_Z),
            **{name: getattr(found, own) for name, own in _PROPERTIES.items()}}


def memGetInfo() -> MemoryInfo:
    """Bytes of the memory of the device in use: (free, total)."""
    return _contexts.current_context().get_memory_info()


def deviceSynchronize() -> None:
    """Waits for all that the device was given."""
    synchronize()


def driverGetVersion() -> int:
    """The version of CUDA that the driver is for, 12080 for 12.8; 0 on the CPU device."""
    found = re.fullmatch(r"CUDA driver (\d+)\.(\d+)", _contexts.get_current_device()._facts["driver"])
    return 1000 * int(found[1]) + 10 * int(found[2]) if found else 0


def runtimeGetVersion() -> int:
    """As `driverGetVersion`."""
    return driverGetVersion()


def get_version() -> tuple[int, int]:
    """The version of CUDA, (12, 8)."""
    version = driverGetVersion()
    return (version // 1000, version % 1000 // 10) if version else (12, 0)


def is_supported_version() -> bool:
    """Numba's question after the toolkit's version: always true."""
    return True
