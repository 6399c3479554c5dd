"""pykc: GPU kernels in Python, on NVIDIA GPUs and on the CPU.

`from pykc import cuda` has the surface of numba.cuda; `python -m pykc script.py` runs a script that imports Numba.
`pykc.array` and its kin are arrays with NumPy's operators and functions, as CuPy has them.
"""
from __future__ import annotations

import contextlib
import importlib
import sys

from ._imports import Finder

_MODULES = ("cuda", "types", "numba", "random", "linalg", "fft", "lib", "testing", "polynomial")
_NAMES = {
    "CompileError": "_native", "DeviceError": "_native", "Error": "_native", "KernelFault": "_native",
    "LaunchError": "_native", "list_devices": "_native",
    "CaptureError": "_capture", "SourceError": "_source", "PykcWarning": "_host",
    "jit": "_host", "njit": "_host", "prange": "_host",
    "is_available": "cuda._contexts", "costs": "_costs", "device_name": "_devices", "install_as_numba": "_redirect",
    "device": "_kernel", "kernel": "_kernel", "vectorize": "_kernel",
    "struct": "_struct", "autotune": "_kernel", "cdiv": "_kernel", "config": "_kernel",
    "load_ipython_extension": "_notebook", "unload_ipython_extension": "_notebook",
}


def __getattr__(name: str):
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    if name in _NAMES:
        value = getattr(importlib.import_module(f".{_NAMES[name]}", __name__), name)
    elif name == "__version__":
        value = importlib.import_module("._native", __name__).version
    elif name == "__all__":
        names = importlib.import_module("._kernel_names", __name__)
        value = sorted(["kernel", "device", "device_name", "vectorize", "autotune", "config", "struct",
                        *names.NATIVE, *names.NATIVE_TYPES])
    else:
        value = _kernel_name(name)
    globals()[name] = value
    return value


def _kernel_name(name: str):
    names = importlib.import_module("._kernel_names", __name__)
    if name in names.NATIVE_TYPES:
        return getattr(importlib.import_module(".types", __name__), names.NATIVE_TYPES[name])
    if name in names.NATIVE and name != "cbrt":
        return names.kernel_name(names.NATIVE_VECTORS.get(name, name))
    if name.startswith("_") and not name.startswith("__array_"):  # a module that is not imported yet, or nothing
        raise AttributeError(f"module 'pykc' has no attribute {name!r}")
    try:
        arrays = importlib.import_module("._arrays", __name__)
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        raise AttributeError(f"module 'pykc' has no attribute {name!r} while NumPy, which arrays take, is not "
                             "installed") from None
    return arrays.find(name)


def __dir__() -> list[str]:
    with contextlib.suppress(ImportError):  # arrays take NumPy
        return sorted({*globals(), *_MODULES, *_NAMES, *importlib.import_module("._arrays", __name__).names()})
    return sorted({*globals(), *_MODULES, *_NAMES})


sys.meta_path.append(Finder())
