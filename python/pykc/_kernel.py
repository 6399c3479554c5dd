"""`@pykc.kernel`, `@pykc.device` and `@pykc.autotune`: functions in which pykc's own typing rules hold."""
from __future__ import annotations

import functools
import types
import weakref
from typing import Any, Callable, Sequence

from . import _devices, _native
from ._capture import NATIVE
from .cuda._arguments import Prepared
from .cuda._dispatcher import Dispatcher
from .cuda._faults import python_error
from .cuda._streams import native_stream

_tuned_kernels: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


class Kernel(Dispatcher):
    """A function under `@pykc.kernel`."""

    native = True

    def decorator(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self._options.items())
        own = f"@{NATIVE}.{'device' if self.device else 'kernel'}" + (f"({arguments})" if arguments else "")
        return own if self.device or not self._configurations else f"{_autotune_text(self._configurations)}\n{own}"

    @property
    def _configurations(self) -> Sequence[dict[str, int]]:
        return getattr(self.py_func, "_pykc_configurations", ())

    def __getitem__(self, configuration) -> Any:
        if not self._configurations:
            return super().__getitem__(configuration)
        if not isinstance(configuration, tuple) or not 2 <= len(configuration) <= 3:
            raise ValueError("a launch between configurations has a grid, a block and perhaps a stream: "
                             "k[lambda c: cdiv(n, c.TILE), lambda c: c.TILE]")
        return _Tuned(self, *configuration)

    def _tuned_around(self, prepared: Prepared) -> Any:
        arguments = self.text.tree.args.args
        constants = tuple(one.arg for one in arguments if one.arg in self._configurations[0])
        decorator = f"import pykc as {NATIVE}\n{_autotune_text(self._configurations)}\n@{NATIVE}.kernel"
        return self._kernel_around(prepared, decorator, constants)[1]

    @functools.cached_property
    def _callee(self) -> Kernel:
        return Kernel(self.py_func, device=True, text=self._text)


class _Tuned:
    """`k[grid, block, stream]` of a kernel between whose configurations the first launch chooses."""

    def __init__(self, dispatcher: Kernel, grid: Any, block: Any, stream: Any = None):
        self._dispatcher, self._shape, self._stream = dispatcher, (grid, block), native_stream(stream)

    def __call__(self, *args) -> None:
        dispatcher = self._dispatcher
        try:
            if all(place >= len(args) for place in dispatcher._constants):
                try:
                    return self._launch(dispatcher._kernel(), args)
                except (TypeError, _native.LaunchError):
                    pass  # of an argument that the runtime does not take as it is, or of what is wrong with or without
            prepared = Prepared(args, dispatcher._constants)
            kernel = dispatcher._kernel() if prepared.are_plain else dispatcher._tuned_around(prepared)
            self._launch(kernel, tuple(prepared.values))
        except _native.KernelFault as fault:
            raise python_error(fault, dispatcher.py_func) from None
        prepared.restore()

    def _launch(self, kernel: Any, values: tuple) -> None:
        _tuned(kernel).launch(self._shape_of, self._stream, values)

    def _shape_of(self, constants: dict[str, int]) -> tuple:
        configuration = types.SimpleNamespace(**constants)
        return tuple(part(configuration) if callable(part) else part for part in self._shape)


def _tuned(kernel: Any) -> Any:
    """The kernel with what its launches have chosen."""
    if kernel not in _tuned_kernels:
        _tuned_kernels[kernel] = kernel.tuned()
    return _tuned_kernels[kernel]


def _autotune_text(configurations: Sequence[dict[str, int]]) -> str:
    listed = (", ".join(f"{name}={value!r}" for name, value in one.items()) for one in configurations)
    return f"@{NATIVE}.autotune(configs=[{', '.join(f'{NATIVE}.config({one})' for one in listed)}])"


def cdiv(a: int, b: int) -> int:
    """a / b, rounded up: how many blocks of b threads a elements take."""
    return -(-a // b)


def config(**constants: int) -> dict[str, int]:
    """A configuration for `@pykc.autotune`: `config(TILE=16, ROWS=4)`."""
    return constants


def autotune(configs: Sequence[dict[str, int]]) -> Callable:
    """`@pykc.autotune(configs=[config(TILE=16), config(TILE=32)])` of a kernel: its first launch measures them and
    keeps the fastest, on disk too.

    A launch leaves out the parameters that they set, which are annotated `constexpr`; functions in its brackets see the
    configuration: `k[lambda c: cdiv(n, c.TILE), lambda c: c.TILE](x)`."""
    def decorate(function):
        getattr(function, "py_func", function)._pykc_configurations = list(configs)
        return function
    return decorate


def kernel(function: types.FunctionType | None = None, **options):
    """`@pykc.kernel`, bare or with options: a kernel in which pykc's own typing rules hold (docs/language.md).

    Parameters have the types of their annotations, `x: pykc.f32[:]`, or those of each launch. Launches and all else are
    those of `cuda.jit`."""
    if function is None:
        return lambda function: Kernel(function, **options)
    return Kernel(function, **options)


def vectorize(ftylist_or_function=(), target: str = "cpu", **options):
    """`@pykc.vectorize`: `@vectorize` of a function in which pykc's own typing rules hold. As in NumPy and CuPy,
    `otypes="f"` or `[float]` says which type the results have."""
    from ._ufunc import NativeDUFunc, vectorized
    otypes = options.pop("otypes", None)
    return vectorized(functools.partial(NativeDUFunc, otypes=otypes), ftylist_or_function, target, options)


def device(what: types.FunctionType | str = "", **options):
    """`@pykc.device`, bare or with options: a function that kernels call. With a name, "cpu" or "cuda:0", or without
    one: that device."""
    if options:
        return lambda function: Kernel(function, device=True, **options)
    return _devices.device(what) if isinstance(what, str) else Kernel(what, device=True)
