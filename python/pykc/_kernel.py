"""`@pykc.kernel` and `@pykc.device`: functions in which pykc's own typing rules hold."""
from __future__ import annotations

import types

from . import _devices
from ._capture import NATIVE
from .cuda._dispatcher import Dispatcher


class Kernel(Dispatcher):
    """A function under `@pykc.kernel`."""

    native = True

    def decorator(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self._options.items())
        return f"@{NATIVE}.{'device' if self.device else 'kernel'}" + (f"({arguments})" if arguments else "")

    def _callee(self) -> Kernel:
        return Kernel(self.py_func, device=True, text=self._text)


def kernel(function: types.FunctionType | None = None, **options):
    """`@pykc.kernel`, bare or with options: a kernel in which pykc's own typing rules hold (docs/language.md).

    Parameters have the types of their annotations, `x: pykc.f32[:]`, or those of each launch. Launches and all else are
    those of `cuda.jit`."""
    if function is None:
        return lambda function: Kernel(function, **options)
    return Kernel(function, **options)


def device(what: types.FunctionType | str = ""):
    """`@pykc.device`: a function that kernels call. With a name, "cpu" or "cuda:0", or without one: that device."""
    return _devices.device(what) if isinstance(what, str) else Kernel(what, device=True)
