"""`numba.cuda.cudadrv.runtime`: the version of CUDA. No toolkit is needed here, so it is that of the driver."""
from __future__ import annotations

import re

from .._contexts import get_current_device


class Runtime:
    """`cuda.runtime`."""

    def get_version(self) -> tuple[int, int]:
        """The CUDA that the driver of the GPU knows; of the CPU device the first that has all of what it knows."""
        found = re.search(r"(\d+)\.(\d+)", get_current_device()._facts["driver"])
        return (int(found[1]), int(found[2])) if found else (12, 0)

    def is_supported_version(self) -> bool:
        """Numba's question after the toolkit's version: always true."""
        return True


runtime = Runtime()
get_version = runtime.get_version
