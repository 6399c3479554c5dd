"""What `import numba` gives where pykc stands in for it (`python -m pykc`, `pykc.install_as_numba()`)."""
from __future__ import annotations

import importlib

from .. import _config as config
from .. import cuda, types
from . import errors
from .._host import generated_jit, jit, njit, objmode, prange
from .._kernel_names import KernelName
from .._ufunc import guvectorize, vectorize
from ..types import from_dtype, typeof
from .errors import *

_pykc_path = "numba"
__version__ = "0.62.1"  # the version whose interface this is

literal_unroll, carray, farray = (KernelName(f"numba.{name}") for name in ("literal_unroll", "carray", "farray"))
_TYPES = frozenset(types.NUMBA_NAMES)
_MODULES = ("core", "np", "misc", "extending")
__all__ = ["jit", "njit", "vectorize", "guvectorize", "prange", "objmode", "literal_unroll", "from_dtype", "typeof",
           "get_num_threads", "set_num_threads", "cuda", "errors", *errors.__all__, *types.NUMBA_NAMES]


def get_num_threads() -> int:
    """The cores of this machine."""
    import os
    return os.cpu_count() or 1


def set_num_threads(n: int) -> None:
    """The CPU device takes the cores that it may use."""


def __getattr__(name: str):
    if name in _TYPES:
        return getattr(types, name)
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    if name in ("jitclass", "cfunc", "stencil", "typed"):
        raise AttributeError(f"numba.{name} is not here: pykc compiles kernels and functions of numbers and arrays")
    raise AttributeError(f"module 'numba' has no attribute {name!r} under pykc")
