"""`cupy.cuda.memory`, as far as programs name its error and its pools."""
from __future__ import annotations

from .._arrays.memory import MemoryPool as MemoryPool
from .._arrays.memory import PinnedMemoryPool as PinnedMemoryPool

OutOfMemoryError = MemoryError
