"""What a kernel was compiled for, and what can be asked of that."""
from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _devices
from ..types import Signature, Type, void
from ._arguments import examples

if TYPE_CHECKING:
    from ._dispatcher import Dispatcher


class Overload:
    """A kernel for one list of types."""

    def __init__(self, dispatcher: Dispatcher, types_: tuple[Type, ...]):
        self._dispatcher, self._types = dispatcher, types_

    @property
    def signature(self) -> Signature:
        return Signature(void, self._types)

    @property
    def argument_types(self) -> tuple[Type, ...]:
        return self._types

    def max_cooperative_grid_blocks(self, blockdim, dynsmemsize: int = 0) -> int:
        """The most blocks of a launch whose threads wait for one another; the CPU device has room for any number."""
        device = _devices.current()
        if device.is_cpu:
            return 2 ** 20
        kernel = self._dispatcher._kernel()
        return device.info["multiprocessors"] * kernel.active_blocks(blockdim, dynsmemsize, tuple(examples(self._types)))

    def __getattr__(self, name: str):
        """`inspect_asm`, `inspect_llvm`, and the numbers of the kernel: `regs_per_thread` and its kin."""
        if name.startswith("inspect_"):
            return lambda: getattr(self._dispatcher, name)(self._types)
        if name == "cooperative":  # whether all blocks of a launch run at a time, since they wait for one another
            return self._dispatcher._info(self._types, "is_cooperative")
        if name in ("regs_per_thread", "shared_mem_per_block", "local_mem_per_thread", "max_threads_per_block",
                    "const_mem_size"):
            return getattr(self._dispatcher, f"get_{name}")(self._types)
        if name in ("debug", "lineinfo", "fastmath"):  # as the decorator has them
            return bool(self._dispatcher._options.get(name))
        if name == "extensions":
            return self._dispatcher.extensions
        raise AttributeError(name)
