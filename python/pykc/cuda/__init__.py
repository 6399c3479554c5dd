"""The surface of numba.cuda: kernels in Python, on GPUs and on the CPU."""
from __future__ import annotations

import importlib

from .._kernel_names import cuda_name
from ._arguments import In, InOut, Out
from ._arrays import (DeviceNDArray, as_cuda_array, device_array, device_array_like, from_cuda_array_interface,
                      is_cuda_array, managed_array, mapped, mapped_array, mapped_array_like, pinned,
                      pinned_array, pinned_array_like, to_device)
from ._contexts import (Device, close, current_context, defer_cleanup, detect, get_current_device, gpus, is_available,
                        is_bfloat16_supported, is_float16_supported, is_gpu, is_supported_version, list_devices,
                        profile, profile_start, profile_stop, profiling, require_context, select_device, synchronize)
from ._dispatcher import Dispatcher, jit
from ._streams import (Event, ExternalStream, Graph, Stream, default_stream, event, event_elapsed_time,
                       external_stream, get_current_stream, get_elapsed_time, legacy_default_stream,
                       per_thread_default_stream, stream)

_pykc_path = "numba.cuda"
HAS_NUMBA = True  # there is what takes Numba's functions
_LATER = {"compile": "._compile", "compile_for_current_device": "._compile", "compile_ptx": "._compile",
          "compile_ptx_for_current_device": "._compile", "reduce": ".._reduce", "Reduce": ".._reduce",
          "vectorize": ".._ufunc", "guvectorize": ".._ufunc", "random": ".random", "libdevice": ".libdevice",
          "bf16": ".bf16", "fp16": ".fp16", "runtime": ".runtime", "cudadrv": ".cudadrv", "testing": ".testing",
          "kernels": ".kernels", "memory": ".memory", "devices": ".cudadrv.devices", "driver": ".cudadrv.driver",
          "CudaSupportError": ".cudadrv.error", "config": ".._config", "core": "..numba.core", "types": "..types",
          "typeof": "..types",
          **dict.fromkeys(("declare_device", "LinkableCode", "CUSource", "PTXSource", "Cubin", "Fatbin", "Object",
                           "Archive"), "._linking"),
          **dict.fromkeys(("BaseMemory", "ManagedMemory", "Memory", "MemoryPointer", "MemoryPool",
                           "PinnedMemoryPointer", "PinnedMemoryPool", "UnownedMemory", "alloc", "alloc_pinned_memory",
                           "get_allocator", "malloc_managed", "set_allocator", "set_pinned_memory_allocator",
                           "using_allocator"), ".memory")}
_MODULES = ("random", "libdevice", "bf16", "fp16", "runtime", "cudadrv", "testing", "kernels", "config", "core",
            "types", "memory", "devices", "driver")
_TYPES = frozenset(importlib.import_module("..types", __name__).NUMBA_NAMES)


def __getattr__(name: str):
    if name in _LATER:
        module = importlib.import_module(_LATER[name], __name__)
        value = module if name in _MODULES else getattr(module, name)
    elif name in _TYPES:
        value = getattr(importlib.import_module("..types", __name__), name)
    else:
        value = cuda_name(name)
    globals()[name] = value
    return value
