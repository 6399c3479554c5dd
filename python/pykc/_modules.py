"""Python functions as the modules of text that pykc compiles.

Each function is a module of its own: a line that binds what the function refers to, a line with the decorator, and the
`def` with its lines unchanged, so that errors name the lines of the Python file. Functions that call one another in a
circle share a module, each in its place.
"""
from __future__ import annotations

import types
from typing import Any, NamedTuple

from . import _native
from ._capture import CUDA, NATIVE, NUMPY, Capture, CaptureError, Scope, Watch
from ._source import FunctionText, function_text, without_annotations


class ModuleText(NamedTuple):
    """What the compiler is given: `line` is the file's line of the text's first line, `name` the file."""
    text: str
    name: str
    line: int = 1
    indentation: str = ""


class Function:
    """A Python function that kernels can call."""

    native = False  # whether pykc's typing rules hold in it, in place of Numba's
    links: tuple = ()  # of cuda._linking: code that defines what it calls

    def __init__(self, py_func: types.FunctionType, text: FunctionText | None = None):
        if not isinstance(getattr(py_func, "py_func", py_func), types.FunctionType):
            raise TypeError(f"only what `def` and `lambda` make is for kernels, not {py_func!r}")
        self.py_func = py_func
        self._text = text
        self.__doc__ = py_func.__doc__
        self.__name__ = py_func.__name__
        self.__qualname__ = py_func.__qualname__
        self.__module__ = py_func.__module__
        self.__wrapped__ = py_func

    def __reduce__(self) -> str:
        """As a plain function it is pickled, and copied, by its name."""
        return self.__qualname__

    @property
    def text(self) -> FunctionText:
        if self._text is None:
            text = function_text(self.py_func)
            self._text = text if self.native else without_annotations(text, Scope(self.py_func).names_type)
        return self._text

    def decorator(self) -> str:
        """The decorator as pykc reads it."""
        return f"@{NATIVE}.device" if self.native else f"@{CUDA}.jit(device=True)"


def as_function(value: Any, native: bool = False) -> Function | None:
    """The function behind what a Python name stands for, if it is one."""
    if isinstance(value, Function):
        return value
    inner = getattr(value, "py_func", value)  # Numba's own functions
    if not isinstance(inner, types.FunctionType):
        return None
    function = Function(inner)
    function.native = native
    return function


class Program(NamedTuple):
    """A function with all that it refers to."""
    main: ModuleText
    function_name: str
    modules: dict[str, ModuleText]
    watch: Watch
    links: tuple
    constants: tuple  # each with the name that the compiler has for it

    @property
    def key(self) -> tuple:
        return (self.main, *self.modules.items(), self.links)

    def libraries(self, target: str) -> list[tuple[str, bytes]]:
        """What is linked to the code for a target."""
        if not self.links:
            return []
        from .cuda._linking import libraries
        return libraries(self.links, target)

    def import_(self, module: str) -> ModuleText | None:
        return self.modules.get(module)

    def load(self, device: _native.Device, **options: Any) -> _native.Module:
        return _native.Module(device, *self.main, import_=self.import_,
                              libraries=self.libraries("cpu" if device.is_cpu else device.target), **options)

    def keep_constants(self, module: _native.Module) -> None:
        """Has the module's constants hold what those of the host do, now and wherever a launch looks for changes."""
        if self.constants:
            from ._constants import Setting
            self.watch.settings = [Setting(module, name, values) for name, values in self.constants]
            self.watch.changed()


def program_of(function: Function) -> Program:
    builder = _Builder()
    node = builder.visit(function)
    return builder.program(builder.modules.pop(node.home), node.function.text.name)


def program_around(text: str, name: str, values: dict[str, Any], native: bool = False) -> Program:
    """A generated kernel, whose text knows these values by these names. NAME is the kernel's; NATIVE says that the
    values are for a function under pykc's typing rules."""
    builder = _Builder()
    capture = Capture(native, builder.reference, builder.text_module)
    for alias, value in values.items():
        capture.bind(alias, value)
    builder.watch.add(capture.watch)
    header = "; ".join([f"from numba import cuda as {CUDA}; import numpy as {NUMPY}", *capture.statements])
    return builder.program(ModuleText(f"{header}\n{text}", f"<{name}>", 0), name)


class _Node:
    """A function that was found, on the way to its module."""

    def __init__(self, function: Function, index: int):
        self.function = function
        self.name = f"f{index}"  # of its module
        self.index = self.low = index  # `low`: the lowest index that it leads back to
        self.statements: list[str] = []
        self.header = ""
        self.is_open = True  # it may still turn out to be part of a circle
        self.home = ""  # the module that holds its text


class _Builder:
    """Finds the functions behind a function; circles as Tarjan finds strongly connected components."""

    def __init__(self):
        self.modules: dict[str, ModuleText] = {}
        self.watch = Watch()
        self.links: list = []
        self.constants: list[tuple[str, Any]] = []
        self._nodes: dict[int, _Node] = {}
        self._open: list[_Node] = []
        self._text_names: dict[str, str] = {}

    def program(self, main: ModuleText, name: str) -> Program:
        return Program(main, name, self.modules, self.watch, tuple(self.links), tuple(self.constants))

    def visit(self, function: Function) -> _Node:
        known = self._nodes.get(id(function.py_func))
        if known is not None:
            return known
        node = _Node(function, len(self._nodes))
        self._nodes[id(function.py_func)] = node
        self._open.append(node)
        self.links += function.links
        capture = Capture(function.native, lambda value: self.reference(value, node), self.text_module)
        capture.names(function.text, Scope(function.py_func))
        node.statements, node.header = capture.statements, capture.header()
        self.watch.add(capture.watch)
        if node.low == node.index:
            circle = self._open[self._open.index(node):]
            del self._open[-len(circle):]
            self._emit(circle)
        return node

    def reference(self, value: Any, user: _Node | None = None) -> tuple[str | None, str] | None:
        """The module and the name of the function behind a value that USER refers to; no module: it is USER's own."""
        if hasattr(type(value), "_pykc_declared"):
            self.links += value.links
            return self.text_module(value.text), value.symbol
        if hasattr(type(value), "_pykc_constant") and value._pykc_constant is not None:
            return self._constant(value)
        function = as_function(value, user is not None and user.function.native)
        if function is None:
            return None
        if user is not None and function.py_func is user.function.py_func:
            return None, function.text.name
        node = self.visit(function)
        if user is not None and node.is_open:
            user.low = min(user.low, node.low)
        return node.name, function.text.name

    def text_module(self, text: str) -> str:
        if text not in self._text_names:
            name = self._text_names[text] = f"m{len(self._text_names)}"
            self.modules[name] = ModuleText(text, f"<{name}>")
        return self._text_names[text]

    def _constant(self, values: Any) -> tuple[str, str]:
        """The module and the name of what `const.array` has made."""
        for name, known in self.constants:
            if known is values:
                module, _, own = name.partition(".")
                return module, own
        own = f"constant{len(self.constants)}"
        element = Capture(True, self.reference, self.text_module)
        element.bind("Element", values._pykc_constant)
        module = self.text_module(f"import pykc as {NATIVE}; {element.header()}\n"
                                  f"{own} = {NATIVE}.const.array({values.shape!r}, Element)\n")
        self.constants.append((f"{module}.{own}", values))
        return module, own

    def _emit(self, circle: list[_Node]) -> None:
        home = circle[0].name
        for node in circle:
            node.is_open, node.home = False, home
        if len(circle) == 1:
            node = circle[0]
            text = node.function.text
            lines = [_header(node.function.native, node.header), *node.function.decorator().splitlines()]
            self.modules[home] = ModuleText("\n".join(lines) + "\n" + text.text, text.file, text.line - len(lines),
                                            text.indentation)
            return
        self.modules[home] = _circle_text(circle)
        for node in circle[1:]:
            self.modules[node.name] = ModuleText(f"from {home} import {node.function.text.name}\n", f"<{node.name}>")


def _header(native: bool, line: str) -> str:
    first = f"import pykc as {NATIVE}" if native else f"from numba import cuda as {CUDA}"
    return "; ".join(filter(None, (first, line)))


def _circle_text(circle: list[_Node]) -> ModuleText:
    """Functions that call one another, in one module, each in its line."""
    nodes = sorted(circle, key=lambda node: node.function.text.line)
    first = nodes[0].function.text
    names = ", ".join(f"`{node.function.text.name}`" for node in nodes)
    if any(node.function.text.file != first.file or node.function.text.indentation != first.indentation
           or node.function.native != nodes[0].function.native for node in nodes):
        raise CaptureError(f"{names} call one another: they must stand in one file, side by side")
    statements: dict[str, None] = {}
    for node in nodes:
        for statement in node.statements:
            words = statement.split()
            imported = next((other for other in nodes if words[:2] == ["from", other.name]), None)
            if imported is None:
                statements[statement] = None
            elif words[-1] != imported.function.text.name:
                statements[f"{words[-1]} = {imported.function.text.name}"] = None
    header = Capture.line_of(list(statements))
    lines = [_header(nodes[0].function.native, header)]
    start = first.line - 2
    for node in nodes:
        text = node.function.text
        lines += [""] * (text.line - start - 1 - len(lines))
        if len(lines) == text.line - start - 1:
            lines.append(node.function.decorator())
        lines += text.text.splitlines()
    return ModuleText("\n".join(lines) + "\n", first.file, start, first.indentation)
