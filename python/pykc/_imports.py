"""`import lenses` finds lenses.pyk where Python finds no module of that name, `import pykc.reduce` the library's.

The file runs as Python: its kernels are those of `@pykc.kernel`, its constants are Python's, and its host functions
know the arrays of `pykc`. What is compiled is the text of the file.
"""
from __future__ import annotations

import builtins
import functools
import importlib.machinery
import importlib.util
import os
import sys
import types
from collections.abc import Sequence


class _Names(dict):
    """Built-in names of Python, and behind them those of host code."""

    def __missing__(self, name: str) -> object:
        import pykc
        try:
            return getattr(pykc, name)
        except AttributeError:
            raise KeyError(name) from None


class _LibraryModule(types.ModuleType):
    """`pykc.matmul` is a function of arrays; importing the module of that name must not take it away."""

    def __call__(self, *arguments, **keywords):
        from . import _arrays
        return _arrays.find(self.__name__.removeprefix("pykc."))(*arguments, **keywords)


class _Loader:
    def __init__(self, path: str, text: str | None = None):
        self.path = path
        self._text = text  # of the library; files are read when they are loaded

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType | None:
        return None if self._text is None else _LibraryModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        import __future__
        import linecache
        text = self._text
        if text is None:
            with open(self.path, encoding="utf-8") as file:
                text = file.read()
        linecache.cache[self.path] = (len(text), None, text.splitlines(keepends=True), self.path)
        code = compile(text, self.path, "exec", __future__.annotations.compiler_flag)
        names = vars(module)
        names.update(__file__=self.path, __builtins__=_Names(vars(builtins), test=_untested))
        exec(code, names)
        if self._text is not None:
            names.update({name: _asks_for_arrays(value) for name, value in names.items()
                          if type(value) is types.FunctionType and value.__code__.co_filename == self.path})


def _asks_for_arrays(function: types.FunctionType) -> types.FunctionType:
    """A host function of the library, which tells that an argument is no array by the name that it has there. What
    the library calls within itself leaves that to the function that was called from outside."""
    @functools.wraps(function)
    def called(*arguments, **named):
        try:
            return function(*arguments, **named)
        except AttributeError as error:
            if sys._getframe(1).f_code.co_filename.startswith("<pykc."):
                raise
            import inspect
            given = inspect.signature(function).bind(*arguments, **named).arguments
            wrong = [name for name, value in given.items() if value is error.obj]
            if not wrong:
                raise
            raise TypeError(f"`{wrong[0]}` of `{function.__name__}` is an array, not a {type(error.obj).__name__}: "
                            "pykc.array makes one of what the host has") from None
    return called


def _untested(function=None, **_):
    """`@test` of a file that is imported: `pykc test` runs these."""
    return _untested if function is None else function


class Finder:
    """The last to be asked for a module."""

    def find_spec(self, fullname: str, path: Sequence[str] | None = None, target=None):
        loader = _library(fullname) if fullname.startswith("pykc.") else _file(fullname, path)
        return loader and importlib.machinery.ModuleSpec(fullname, loader, origin=loader.path)


def _library(fullname: str) -> _Loader | None:
    if fullname.startswith("pykc._"):  # the compiler itself may be missing
        return None
    from . import _native
    text = _native.library_source(fullname)
    return _Loader(f"<{fullname}>", text) if text else None


def library_module(fullname: str) -> types.ModuleType:
    """A module of the library beside the Python module of its name."""
    loader = _library(fullname)
    module = importlib.util.module_from_spec(importlib.machinery.ModuleSpec(fullname, loader, origin=loader.path))
    loader.exec_module(module)
    return module


def _file(fullname: str, path: Sequence[str] | None) -> _Loader | None:
    name = fullname.rpartition(".")[2] + ".pyk"
    files = (os.path.join(folder, name) for folder in (sys.path if path is None else path))
    return next((_Loader(file) for file in files if os.path.isfile(file)), None)
