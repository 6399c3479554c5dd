"""`pykc.const.array`: constant memory of kernels, which the host fills as an array of NumPy's."""
from __future__ import annotations

from typing import Any

import numpy


class HostConstant(numpy.ndarray):
    """A constant of kernels. What it holds at a launch is what the kernel reads."""

    _pykc_constant: Any = None  # the type of its elements; of its views and copies, which are no constants, None


def host_constant(shape: int | tuple[int, ...], dtype: Any) -> HostConstant:
    made = numpy.zeros(shape, dtype).view(HostConstant)
    made._pykc_constant = dtype
    return made


class Setting:
    """A constant in a loaded module."""

    def __init__(self, module: Any, name: str, values: HostConstant):
        self._module, self._name, self._values = module, name, values
        self._sent = b""

    def renew(self) -> None:
        """Sends what the constant holds, where that is not what was sent before: it takes the device's time."""
        held = self._values.tobytes()
        if held != self._sent:
            self._module.set_constant(self._name, self._values)
            self._sent = held
