"""Warnings of what is slower than it need be. `numba.config`, or an environment variable of that name, asks for the one
of few blocks, and silences the one of copies."""
from __future__ import annotations

import math
import sys
import warnings

from ._host import PykcWarning
from .numba.errors import NumbaPerformanceWarning

_FEW_BLOCKS = 128  # what leaves parts of today's GPUs idle, as Numba draws the line


class HostCopyWarning(PykcWarning, NumbaPerformanceWarning):
    """A launch on a GPU copies arrays of the host there and back."""


def warn_of_few_blocks(grid) -> None:
    blocks = math.prod(grid) if isinstance(grid, (tuple, list)) else grid
    if blocks < _FEW_BLOCKS:
        warnings.warn(NumbaPerformanceWarning(f"Grid size {blocks} will likely result in GPU under-utilization due to "
                                              "low occupancy."), stacklevel=3)


def warn_of_copies(function, args: tuple) -> None:
    """A launch of FUNCTION on a GPU with NumPy's arrays among ARGS. The first words are Numba's."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return
    copied = [f"`{name}`" for name, argument in zip(function.__code__.co_varnames, args)
              if isinstance(argument, numpy.ndarray) and argument.ndim
              and not hasattr(argument, "__cuda_array_interface__")]
    if copied:
        warnings.warn("Host array used in CUDA kernel will incur copy overhead to/from device: each launch of "
                      f"`{function.__name__}` copies {', '.join(copied)} there and back. `cuda.to_device` copies an "
                      "array once, `cuda.In` and `cuda.Out` one way.", HostCopyWarning, stacklevel=_level_outside())


def _level_outside() -> int:
    """The level of the caller's caller or whoever of those around it is first not of this package."""
    level, frame = 0, sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        level, frame = level + 1, frame.f_back
    return level + 1
