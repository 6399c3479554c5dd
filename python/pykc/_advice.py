"""Warnings that Numba gives where `numba.config`, or an environment variable of that name, asks for them."""
from __future__ import annotations

import math
import warnings

_FEW_BLOCKS = 128  # what leaves parts of today's GPUs idle, as Numba draws the line


def warn_of_few_blocks(grid) -> None:
    from .numba.errors import NumbaPerformanceWarning
    blocks = math.prod(grid) if isinstance(grid, (tuple, list)) else grid
    if blocks < _FEW_BLOCKS:
        warnings.warn(NumbaPerformanceWarning(f"Grid size {blocks} will likely result in GPU under-utilization due to "
                                              "low occupancy."), stacklevel=3)
