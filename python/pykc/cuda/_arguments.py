"""The arguments of a launch, as the runtime takes them."""
from __future__ import annotations

from typing import Any

from .. import _native
from ._arrays import DeviceNDArray, as_cuda_array, device_array_like, to_device

_AS_THEY_ARE = {int, float, bool, complex, _native.Array}


class In:
    """`cuda.In(a)`: a host array that the kernel only reads."""

    def __init__(self, value):
        self.value = value

    def to_device(self) -> DeviceNDArray:
        return to_device(self.value)


class Out(In):
    """`cuda.Out(a)`: a host array that the kernel only writes."""

    def to_device(self) -> DeviceNDArray:
        return device_array_like(self.value)


class InOut(In):
    """`cuda.InOut(a)`: a host array that the kernel reads and writes."""


def prepared(args: tuple, defaults: tuple[int, tuple] | None) -> tuple[list, list[tuple[In, DeviceNDArray]]]:
    """The arguments for the launch, and which of them come back to the host behind it."""
    if defaults is not None and len(args) < defaults[0]:
        args += defaults[1][len(args) - defaults[0]:]
    after: list[tuple[In, DeviceNDArray]] = []
    taken: list[Any] = []
    for argument in args:
        kind = type(argument)
        if kind is DeviceNDArray:
            taken.append(argument._array)
        elif kind in _AS_THEY_ARE or kind.__module__ == "numpy":
            taken.append(argument)
        else:
            taken.append(_converted(argument, after))
    return taken, after


def _converted(argument: Any, after: list) -> Any:
    if isinstance(argument, In):
        device = argument.to_device()
        if type(argument) is not In:
            after.append((argument, device))
        return device._array
    if isinstance(argument, tuple):
        parts = [part._array if isinstance(part, DeviceNDArray) else _converted(part, after) for part in argument]
        return type(argument)(*parts) if hasattr(argument, "_fields") else tuple(parts)
    if isinstance(argument, DeviceNDArray):
        return argument._array
    if not isinstance(argument, int) and hasattr(argument, "__cuda_array_interface__"):
        return as_cuda_array(argument)._array
    return argument


def restored(after: list[tuple[In, DeviceNDArray]], stream) -> None:
    """Copies what the kernel wrote back to the host."""
    for argument, device in after:
        device.copy_to_host(argument.value)
