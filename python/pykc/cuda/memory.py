"""`cupy.cuda.memory`: pools, pointers and memory, and the error of what lacks it."""
from __future__ import annotations

from .._arrays.memory import MemoryPool as MemoryPool
from .._arrays.memory import PinnedMemoryPool as PinnedMemoryPool
from .._arrays.pointers import BaseMemory as BaseMemory
from .._arrays.pointers import ManagedMemory as ManagedMemory
from .._arrays.pointers import Memory as Memory
from .._arrays.pointers import MemoryPointer as MemoryPointer
from .._arrays.pointers import PinnedMemoryPointer as PinnedMemoryPointer
from .._arrays.pointers import UnownedMemory as UnownedMemory
from .._arrays.pointers import alloc as alloc
from .._arrays.pointers import alloc_pinned_memory as alloc_pinned_memory
from .._arrays.pointers import get_allocator as get_allocator
from .._arrays.pointers import malloc_managed as malloc_managed
from .._arrays.pointers import set_allocator as set_allocator
from .._arrays.pointers import set_pinned_memory_allocator as set_pinned_memory_allocator
from .._arrays.pointers import using_allocator as using_allocator

OutOfMemoryError = MemoryError
