"""What `import numba` gives where pykc stands in for it (`python -m pykc`, `pykc.install_as_numba()`)."""
from __future__ import annotations

import importlib
import threading
from typing import NamedTuple

from .. import _config as config
from .. import cuda, types
from . import errors
from .._host import generated_jit, jit, njit, objmode, prange
from .._kernel_names import KernelName
from .._ufunc import guvectorize, vectorize
from ..types import from_dtype, typeof
from .errors import *

_pykc_path = "numba"
_this_thread = threading.local()


class _VersionInfo(NamedTuple):
    major: int
    minor: int
    patch: int
    short: tuple[int, int]
    full: tuple[int, int, int]
    string: str
    tuple: tuple[str, ...]
    git_revision: None


def _version_info(text: str) -> _VersionInfo:
    parts = tuple(text.split("."))
    major, minor, patch = map(int, parts)
    return _VersionInfo(major, minor, patch, (major, minor), (major, minor, patch), text, parts, None)


__version__ = "0.62.1"  # the version whose interface this is
version_info = _version_info(__version__)

literal_unroll, carray, farray = (KernelName(f"numba.{name}") for name in ("literal_unroll", "carray", "farray"))
_TYPES = frozenset(types.NUMBA_NAMES)
_MODULES = ("core", "np", "misc", "extending")
__all__ = ["jit", "njit", "vectorize", "guvectorize", "prange", "objmode", "literal_unroll", "from_dtype", "typeof",
           "get_num_threads", "set_num_threads", "cuda", "errors", *errors.__all__, *types.NUMBA_NAMES]


def get_num_threads() -> int:
    """What `set_num_threads` was given in this thread, else the cores of this machine."""
    return getattr(_this_thread, "count", config.NUMBA_NUM_THREADS)


def set_num_threads(n: int) -> None:
    """Is remembered, and changes nothing else: the CPU device takes the cores that it may use."""
    if not hasattr(n, "__index__"):
        raise TypeError("The number of threads specified must be an integer")
    if not 1 <= n <= config.NUMBA_NUM_THREADS:
        raise ValueError(f"The number of threads must be between 1 and {config.NUMBA_NUM_THREADS}")
    _this_thread.count = int(n)


def __getattr__(name: str):
    if name in _TYPES:
        return getattr(types, name)
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    if name in ("jitclass", "cfunc", "stencil", "typed"):
        raise AttributeError(f"numba.{name} is not here: pykc compiles kernels and functions of numbers and arrays")
    raise AttributeError(f"module 'numba' has no attribute {name!r} under pykc")
