"""Numba's `@jit` and `@njit`: functions that kernels call, and that the host calls on the CPU device."""
from __future__ import annotations

import contextlib
import types
import warnings
from typing import Any, Sequence

from . import _devices, _native
from ._capture import CUDA
from ._elementwise import Loaded
from ._flow import held_elements, written
from ._modules import Function
from ._results import caller_of, result_types
from ._source import FunctionText, SourceError
from .cuda._faults import python_error
from .types import Array, Record, Signature, Tuple, Type, from_dtype, typeof, void

class PykcWarning(UserWarning):
    """Something runs in another way than was asked for, or slower than it might."""


#: What says that pykc does not compile something.
REFUSALS = (_native.CompileError, SourceError, NotImplementedError)


def first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0]


def prange(*arguments: int) -> range:
    """`range`, whose turns a function under `@njit(parallel=True)` spreads over the cores."""
    return range(*arguments)


prange._pykc_path = "numba.prange"  # what kernels know it by


class HostCode(Function):
    """A function of the language whose calls run on the CPU device."""

    def __init__(self, py_func: types.FunctionType, text: FunctionText | None = None):
        super().__init__(py_func, text)
        self._results: dict[tuple, list] = {}  # the dtypes, by the types of the arguments
        self._compiled: list[Signature] = []
        self._loaded = Loaded()

    def run(self, args: Sequence[Any], threads: int = 1, places: dict[str, int] = {},
            first: Sequence[str] = ()) -> list[Any]:
        """An array of each number that it returns, with an element for each thread. What it gets before ARGS, which all
        threads share, are the numbers FIRST, made of `thread` and of PLACES."""
        import numpy

        from .cuda._arguments import Prepared
        given = tuple(map(_type, args))
        types_ = ("int64",) * len(first) + tuple(map(str, given))
        if types_ not in self._results:
            self._refuse_copies(given, len(first))
            self._results[types_] = _numbers(self, ["int64"] * len(first) + list(given))
            self._compiled.append(Signature(_result_type(self._results[types_]), given))
        results = [numpy.empty(threads, dtype) for dtype in self._results[types_]]
        prepared = Prepared(tuple(args))
        names = [f"x{number}" for number in range(len(prepared.values))]
        outs = [f"out{number}" for number in range(len(results))]
        call = f"core({', '.join([*first, *prepared.texts])})"
        body = f"{', '.join(f'{out}[thread]' for out in outs)} = {call}" if outs else call
        text = (f"@{CUDA}.jit\ndef call({', '.join([*places, *names, *outs])}):\n    thread = {CUDA}.grid(1)\n"
                f"    {body}\n")
        with on_cpu() as cpu:
            kernel = self._loaded.kernel(text, "call", {"core": self, **prepared.names})
            try:
                kernel.launch(threads, 1, None, 0, (*places.values(), *prepared.values, *results))
                cpu.synchronize()
            except _native.KernelFault as fault:
                raise python_error(fault, self.py_func) from None
        return results


    def _refuse_copies(self, given: tuple[Type, ...], skipped: int) -> None:
        """A variable that holds a record of an array is a copy in pykc's language; in Numba and in Python it shows what
        the function writes to the array."""
        parameters = self.text.tree.args.args[skipped:]
        arrays = {one.arg for one, type_ in zip(parameters, given)
                  if isinstance(type_, Array) and isinstance(type_.element, Record)}
        if arrays and (found := sorted(held_elements(self.text.tree, arrays) & written(self.text.tree, arrays))):
            raise NotImplementedError(f"a record of `{found[0]}` that a variable holds would be a copy, and the "
                                      f"function writes to `{found[0]}`")


class HostFunction(HostCode):
    """A function under `@jit`. `targetoptions` are the options that it was given; of them `parallel` alone counts."""

    def __init__(self, py_func: types.FunctionType, parallel: bool = False, **options: Any):
        super().__init__(py_func)
        self.targetoptions = {"nopython": True, "fastmath": False, "parallel": parallel, **options}
        self.recompile()

    def recompile(self) -> None:
        """Forgets what was compiled, and how: the next call compiles again, by what `targetoptions` says now."""
        self._results.clear()
        self._compiled.clear()
        self._loaded = Loaded()
        self._is_to_spread = bool(self.targetoptions["parallel"])
        self._python: types.FunctionType | None = None  # what runs where the whole function is not compiled

    def __call__(self, *args, **keywords):
        if self._python is None:
            try:
                if self._is_to_spread:
                    self._spread()
                if self._python is None:
                    return self._once(args, keywords)
            except REFUSALS as error:
                self._python = self._without_compiling(error)
        return self._python(*args, **keywords)

    def _spread(self) -> None:
        from ._lifted import lifted
        self._is_to_spread = False
        found = lifted(self, parallel=True)
        self._python = found.function if found.is_spread else None
        for reason in found.refused:
            warnings.warn(reason, PykcWarning, stacklevel=3)

    def _without_compiling(self, error: Exception) -> types.FunctionType:
        """The function in Python, with its loops compiled where it has some."""
        from ._lifted import lifted
        found = None if isinstance(error, SourceError) else lifted(self, parallel=False).function
        if found is None:
            warnings.warn(f"`{self.__name__}` runs as plain Python, since pykc does not compile it: "
                          f"{first_line(error)}", PykcWarning, stacklevel=3)
        return found or self.py_func

    def _once(self, args: tuple, keywords: dict[str, Any]) -> Any:
        """A call in one thread."""
        code, defaults = self.py_func.__code__, self.py_func.__defaults__ or ()
        if keywords or len(args) < code.co_argcount - len(defaults):
            args = _positions(self.py_func, args, keywords)
        elif len(args) < code.co_argcount:
            args += defaults[len(args) - code.co_argcount:]
        values = [result[0].item() for result in self.run(args)]
        return tuple(values) if len(values) > 1 else values[0] if values else None

    # --- what it was compiled for --------------------------------------------------------------------------------

    @property
    def nopython_signatures(self) -> list[Signature]:
        """What it was compiled for by calls of the host, with the results; nothing where it runs as Python."""
        return list(self._compiled) if self._python is None else []

    @property
    def signatures(self) -> list[tuple[Type, ...]]:
        """The types of the arguments of these."""
        return [one.args for one in self.nopython_signatures]

    def inspect_types(self, file=None, signature=None) -> None:
        """Prints the function with the types that were found, for each list of arguments, or for that one."""
        if not self.signatures:
            print(f"# `{self.__name__}` is compiled for no types yet, or runs as Python\n{self.text.text}", file=file)
        for one in self.nopython_signatures:
            if signature is None or one.args == tuple(getattr(signature, "args", signature)):
                print(f"{self.__name__} {one}\n{'-' * 80}\n{self._emitted(one, 'checked')}", file=file)

    def inspect_llvm(self, signature=None):
        """LLVM's assembly for the CPU: of the version for these types of arguments, or a dictionary of all."""
        return self._inspected(signature, "llvm")

    def inspect_asm(self, signature=None):
        """The CPU's assembly: of the version for these types of arguments, or a dictionary of all."""
        return self._inspected(signature, "asm")

    def _inspected(self, signature, emit: str):
        versions = {one.args: one for one in self.nopython_signatures}
        if signature is not None:
            return self._emitted(versions[tuple(getattr(signature, "args", signature))], emit)
        return {args: self._emitted(one, emit) for args, one in versions.items()}

    def _emitted(self, signature: Signature, emit: str) -> str:
        """What the compiler makes of a kernel that calls it once."""
        program = caller_of(self, signature.args, self._results[tuple(map(str, signature.args))])
        found = _native.compile(*program.main, target="cpu", emit=emit, import_=program.import_)
        return found.decode() if isinstance(found, bytes) else found


def _positions(function: types.FunctionType, args: tuple, keywords: dict[str, Any]) -> tuple:
    import inspect
    bound = inspect.signature(function).bind(*args, **keywords)
    bound.apply_defaults()
    if bound.kwargs:
        raise NotImplementedError(f"it has parameters that are passed by name alone, {', '.join(bound.kwargs)}")
    return bound.args


def on_cpu():
    return _devices.using(_devices.device("cpu"))


def _type(argument: Any) -> Type:
    try:
        return typeof(argument)
    except ValueError as error:
        raise NotImplementedError(str(error)) from None


def _result_type(dtypes: list) -> Type:
    types_ = list(map(from_dtype, dtypes))
    return Tuple(types_) if len(types_) > 1 else types_[0] if types_ else void


def _numbers(function: Function, types_: list[Type | str]) -> list:
    dtypes = result_types(function, types_)
    if dtypes is None:
        raise NotImplementedError(f"`{function.__name__}` returns an array or what else has no dtype")
    return dtypes


def jit(signature_or_function=None, *, target: str | None = None, parallel: bool = False, **options):
    """`@jit`, `@njit`: a function that kernels call and that the host calls, compiled for the types of each call.

    The host's calls run in one thread of the CPU. With `parallel=True` the turns of loops over `prange` run on all
    threads, and what they reduce is put together in one order; where they cannot, a PykcWarning says why. Of a function
    that pykc does not compile as a whole the loops are compiled, and the rest runs as Python; where that is all, a
    PykcWarning says why. With `target="cuda"` it is `cuda.jit`."""
    if target in ("cuda", "gpu"):
        from . import cuda
        return cuda.jit(signature_or_function, **options)

    def compiled(function) -> HostFunction:
        return HostFunction(getattr(function, "py_func", function), parallel, **options)

    is_bare = isinstance(signature_or_function, (types.FunctionType, Function))
    return compiled(signature_or_function) if is_bare else compiled


njit = generated_jit = jit


@contextlib.contextmanager
def objmode(**types_):
    """In a function that runs as Python, nothing special."""
    yield
