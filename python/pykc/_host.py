"""Numba's `@jit` and `@njit`: functions that kernels call, and that the host calls as one thread of the CPU device."""
from __future__ import annotations

import contextlib
import types
import warnings
from typing import Any, Callable

from . import _devices
from ._capture import CUDA, CaptureError
from ._elementwise import Loaded
from ._modules import Function
from ._results import result_types, returns_nothing
from ._source import SourceError

prange = range


class PykcWarning(UserWarning):
    """Something runs in another way than was asked for, or slower than it might."""


class HostFunction(Function):
    """A function under `@jit`."""

    def __init__(self, py_func: types.FunctionType):
        super().__init__(py_func)
        self._calls: dict[tuple, Callable | None] = {}
        self._loaded = Loaded()
        self._is_python = False

    def __call__(self, *args, **keywords):
        if self._is_python or keywords:
            return self.py_func(*args, **keywords)
        defaults = self.py_func.__defaults__
        if defaults and len(args) < self.py_func.__code__.co_argcount:
            args += defaults[len(args) - self.py_func.__code__.co_argcount:]
        from . import _native
        try:
            return self._run(args)
        except (_native.CompileError, CaptureError, SourceError, NotImplementedError) as error:
            self._is_python = True
            reason = str(error).strip().splitlines()[0]
            warnings.warn(f"`{self.__name__}` runs as plain Python, since pykc does not compile it: {reason}",
                          PykcWarning, stacklevel=2)
            return self.py_func(*args)

    def _run(self, args: tuple) -> Any:
        import numpy

        from .cuda._arguments import Prepared
        types_ = [_type(argument) for argument in args]
        prepared = Prepared(args)
        names = [f"x{number}" for number in range(len(prepared.values))]
        key = tuple(types_)
        if key not in self._calls:
            self._calls[key] = None if returns_nothing(self, types_) else result_types(self, types_) or _refuse(self)
        dtypes = self._calls[key]
        results = [numpy.empty(1, dtype) for dtype in dtypes or ()]
        outs = [f"out{number}" for number in range(len(results))]
        call = f"core({', '.join(prepared.texts)})"
        body = f"{', '.join(f'{out}[0]' for out in outs)} = {call}" if outs else call
        text = f"@{CUDA}.jit\ndef call({', '.join([*names, *outs])}):\n    {body}\n"
        with on_cpu() as cpu:
            kernel = self._loaded.kernel(text, "call", {"core": self, **prepared.names})
            kernel.launch(1, 1, None, 0, (*prepared.values, *results))
            cpu.synchronize()
        values = [result[0].item() for result in results]
        return None if dtypes is None else values[0] if len(values) == 1 else tuple(values)


@contextlib.contextmanager
def on_cpu():
    before = _devices.current()
    cpu = _devices.device("cpu")
    _devices.select(cpu)
    try:
        yield cpu
    finally:
        _devices.select(before)


def _type(argument: Any) -> str:
    from .types import typeof
    try:
        return str(typeof(argument))
    except ValueError as error:
        raise NotImplementedError(str(error)) from None


def _refuse(function: Function):
    raise NotImplementedError(f"`{function.__name__}` returns an array or what else has no dtype")


def jit(signature_or_function=None, *, target: str | None = None, **options):
    """`@jit`, `@njit`: a function that kernels call and that the host calls, compiled for the types of each call.

    The host's calls run in one thread of the CPU. What pykc does not compile runs as Python, and a PykcWarning says
    why. With `target="cuda"` it is `cuda.jit`."""
    if target in ("cuda", "gpu"):
        from . import cuda
        return cuda.jit(signature_or_function, **options)
    if isinstance(signature_or_function, (types.FunctionType, Function)):
        return HostFunction(getattr(signature_or_function, "py_func", signature_or_function))
    return lambda function: HostFunction(getattr(function, "py_func", function))


njit = generated_jit = jit


@contextlib.contextmanager
def objmode(**types_):
    """In a function that runs as Python, nothing special."""
    yield
