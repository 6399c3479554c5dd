"""Generated kernels that go through the elements of arrays of one shape, or of shapes that broadcast to one."""
from __future__ import annotations

import math
from typing import Any

from . import _devices
from ._capture import CUDA, NUMPY, Watch
from ._modules import program_around

BLOCK = 256
_MOST_KEPT = 256


class Loaded:
    """Kernels that were made of these texts and values, on each device; what functions refer to may change. A function
    that is made anew for each launch, as a lambda is, finds the kernel of the one before."""

    def __init__(self):
        self._known: dict[tuple, tuple[Watch, Any]] = {}  # by what they are made of
        self._kernels: dict[tuple, Any] = {}  # by the whole program

    def kernel(self, *what, **options) -> Any:
        return self.watched(*what, **options)[1]

    def watched(self, text: str, name: str, values: dict[str, Any], native: bool = False,
                **options) -> tuple[Watch, Any]:
        """The kernel, and what tells when it is no longer the one."""
        device = _devices.current()
        place = (device.name, *options.values())
        key = (*place, text, *map(distinct, values.values()))
        found = self._known.get(key)
        if found is None or found[0].changed():
            program = program_around(text, name, values, native)
            whole = (*place, program.key)
            kernel = self._kernels.get(whole)
            if kernel is None or program.constants:  # which belong to one module
                module = program.load(device, **options)
                program.keep_constants(module)
                kernel = keep(self._kernels, whole, module.kernel(name))
            found = keep(self._known, key, (program.watch, kernel))
        return found


def distinct(value: Any) -> tuple:
    """What is equal for values that are the same constant: 1, 1.0 and True are not, 0.0 and -0.0 are not."""
    return type(value), repr(value) if isinstance(value, (float, complex)) else value


def keep(known: dict, key: tuple, value: Any) -> Any:
    known[key] = value
    if len(known) > _MOST_KEPT:  # what is launched keeps changing
        del known[next(iter(known))]
    return value


def places(extents: tuple[int, ...], loop: tuple[int, ...]) -> str:
    """The indices of an array's leading axes for the element of a loop over `loop`: "i0, 0" where its second extent
    is 1, and repeats."""
    skipped = len(loop) - len(extents)
    return ", ".join("0" if extent == 1 and loop[axis + skipped] != 1 else f"i{axis + skipped}"
                     for axis, extent in enumerate(extents))


def kernel_text(name: str, parameters: list[str], loop: tuple[int, ...], body: str) -> str:
    """A kernel whose threads do BODY for the indices i0, i1 … of a loop; the extents are its first arguments."""
    rank = len(loop)
    extents = ["n"] + [f"e{axis}" for axis in range(1, rank)]
    lines = [f"@{CUDA}.jit", f"def {name}({', '.join(extents + parameters)}):", f"    i = {CUDA}.grid(1)",
             "    if i < n:"]
    for axis in range(rank - 1, 0, -1):
        lines += [f"        i{axis} = i % e{axis}", f"        i = i // e{axis}"]
    lines += ["        i0 = i"] if rank else []
    return "\n".join(lines + [f"        {line}" for line in body.splitlines()]) + "\n"


def launch(kernel: Any, loop: tuple[int, ...], arguments: list, stream=None) -> None:
    count = math.prod(loop)
    if count:
        kernel.launch(-(-count // BLOCK), BLOCK, stream, 0, (count, *loop[1:], *arguments))


_copies = Loaded()


def assign(target, source, stream) -> None:
    """`target[...] = source` for device arrays of one shape and any strides."""
    loop = target.shape
    index = places(target.shape, (0,) * len(loop))
    text = kernel_text("assign", ["target", "source"], loop, f"target[{index}] = source[{index}]")
    launch(_copies.kernel(text, "assign", {}), loop, [target, source], stream)


def converted(type_name: str, value: str) -> str:
    return f"{NUMPY}.{type_name}({value})"
