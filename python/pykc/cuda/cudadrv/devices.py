"""`numba.cuda.cudadrv.devices`, as far as its names are public."""
from __future__ import annotations

from .._contexts import Context, close, current_context, gpus, require_context


def get_context(devnum: int | None = None) -> Context:
    """The device of that number in `cuda.gpus`, or the one in use, as Numba's context."""
    return current_context() if devnum is None else gpus[devnum].get_primary_context()


def reset() -> None:
    """`cuda.close()`."""
    close()
