"""Arithmetic of float16 in kernels, by Numba's names. Outside of kernels the functions are names alone."""
from __future__ import annotations

from .._kernel_names import KernelName

_pykc_path = "numba.cuda.fp16"


def __getattr__(name: str) -> KernelName:
    if name.startswith("_"):
        raise AttributeError(name)
    return KernelName(f"{_pykc_path}.{name}")
