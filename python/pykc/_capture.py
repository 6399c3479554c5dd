"""What a function refers to, by value: statements of pykc's language that bind the same names to the same values.

A statement is written where the value can be (`N = 32`, `from math import sqrt as s`); for what needs lines of its own,
a class or the members of a Python module, there is a module that the statement imports.
"""
from __future__ import annotations

import builtins
import enum
import sys
import types
from typing import Any

from . import _native
from ._kernel_names import NATIVE_TYPES
from ._source import FunctionText
from ._struct import Struct

CUDA, NATIVE, NUMPY = "_pykc_cuda", "_pykc", "_pykc_numpy"  # what statements call the modules that they need themselves

_PYTHON_MODULES = ("math", "cmath", "operator", "numpy")
_MISSING = object()
#: What kernels have in place of what these modules have.
_INSTEAD = {"random": "; `xoroshiro128p_uniform_float32` of `numba.cuda.random` draws numbers",
            "time": "; events measure times, `cuda.event_elapsed_time(start, end)`"}
#: What kernels have of cffi: an array stands for the pointer to it.
_FFI = "from numba import cuda\n\n\n@cuda.jit(device=True)\ndef from_buffer(x):\n    return x\n"


class CaptureError(_native.CompileError, TypeError):
    """A value that kernels cannot know."""

    diagnostics: list[dict[str, Any]] = []  # the compiler has not seen the kernel


def names_of(text: FunctionText) -> dict[str, set[tuple[str, ...]]]:
    """The names that a function takes from outside, each with the attributes by which it is used: `config.N` gives
    `{"config": {("N",)}}`; an empty path is the name itself."""
    import ast
    import symtable
    free: set[str] = set()
    tables = [symtable.symtable(text.text, text.file, "exec")]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        module = table.get_type() == "module"
        free |= {symbol.get_name() for symbol in table.get_symbols()
                 if symbol.is_referenced() and (module or symbol.is_global())}
    paths: dict[str, set[tuple[str, ...]]] = {name: set() for name in free}
    inner: set[int] = set()
    for node in ast.walk(text.tree):  # an attribute comes before what it is an attribute of
        path: list[str] = []
        root: Any = node
        while isinstance(root, ast.Attribute):
            path.insert(0, root.attr)
            root = root.value
            inner.add(id(root))
        if isinstance(root, ast.Name) and id(node) not in inner and root.id in paths:
            paths[root.id].add(tuple(path))
    return paths


def _line_of(name: str, text: FunctionText) -> int:
    import ast
    return text.line - 1 + min(node.lineno for node in ast.walk(text.tree)
                               if isinstance(node, ast.Name) and node.id == name)


class Scope:
    """The names that a Python function sees from inside."""

    def __init__(self, function: types.FunctionType):
        self.globals = function.__globals__
        self.cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
        defaults = function.__defaults__ or ()
        parameters = function.__code__.co_varnames[:function.__code__.co_argcount]
        self.defaults = dict(zip(parameters[len(parameters) - len(defaults):], defaults))

    def find(self, name: str) -> Any:
        return _contents(self.cells[name]) if name in self.cells else self.globals.get(name, _MISSING)

    def names_type(self, annotation: str) -> bool:
        """Whether an annotation is a type of kernels."""
        names = {name: self.find(name) for name in self.cells}
        try:
            return _is_type(eval(annotation, self.globals, names))
        except Exception:  # whatever it is, it is no such type
            return False


class Watch:
    """What was captured, to see whether it is still so."""

    def __init__(self):
        self.names: list[tuple[dict, str, Any]] = []
        self.cells: list[tuple[types.CellType, Any]] = []
        self.contents: list[tuple[Any, Any]] = []  # of what can be changed in place
        self.settings: list[Any] = []  # of _constants: what the host may change, and is sent before a launch

    @property
    def watches_anything(self) -> bool:
        return bool(self.names or self.cells or self.contents or self.settings)

    def changed(self) -> bool:
        """Whether the function is to be compiled anew; where not, its constants hold afterwards what they should."""
        for namespace, name, value in self.names:
            if namespace.get(name, _MISSING) is not value:
                return True
        for cell, value in self.cells:
            if _contents(cell) is not value:
                return True
        if self.contents and any(_snapshot(value) != snapshot for value, snapshot in self.contents):
            return True
        for setting in self.settings:
            setting.renew()
        return False

    def add(self, other: Watch) -> None:
        self.names += other.names
        self.cells += other.cells
        self.contents += other.contents


def _contents(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return _MISSING


def _snapshot(value: Any) -> Any:
    return value.tobytes() if hasattr(value, "tobytes") else repr(value)


class Capture:
    """Collects the statements for one function. `function_module(value)` gives the name of the module of a Python
    function and that of the function in it, `text_module(text)` that of a module with such a text."""

    def __init__(self, native: bool, function_module, text_module):
        self.native = native
        self.statements: list[str] = []
        self.watch = Watch()
        self._function_module = function_module
        self._text_module = text_module

    def names(self, text: FunctionText, scope: Scope) -> None:
        for name, paths in sorted(names_of(text).items()):
            value = scope.find(name)
            if value is _MISSING:
                continue  # a built-in name, or one that the compiler will miss
            if name in scope.cells:
                self.watch.cells.append((scope.cells[name], value))
            elif not isinstance(value, types.ModuleType):
                self.watch.names.append((scope.globals, name, value))
            try:
                self.bind(name, value, paths)
            except CaptureError as error:
                raise CaptureError(f"{text.file}:{_line_of(name, text)}: {error}") from None
            except RecursionError:
                raise CaptureError(f"{text.file}:{_line_of(name, text)}: a kernel cannot use `{name}`, a "
                                   f"{type(value).__name__}: what it holds never ends") from None

    def bind(self, name: str, value: Any, paths: set[tuple[str, ...]] = frozenset({()})) -> None:
        """Adds what makes `name` stand for `value`."""
        if callable(value) and _is_of_arrays(value):
            from . import _of_numbers
            value = getattr(_of_numbers, getattr(value, "__name__", ""), value)
        statement = self._import(name, value)
        if statement is None:
            statement = self._namespace(name, value, paths)
        if statement is None:
            statement = f"{name} = {self.expression(value, name)}"
        if statement:
            self.statements.append(statement)

    def _import(self, name: str, value: Any) -> str | None:
        path = value.__dict__.get("_pykc_path") if hasattr(value, "__dict__") else None
        if isinstance(path, str):
            return self._named(name, path)
        if type(value).__module__ == "cffi.api":
            return f"import {self._text_module(_FFI)} as {name}"
        if isinstance(value, types.ModuleType):
            if value.__name__ in _PYTHON_MODULES:
                return f"import {value.__name__} as {name}"
            return None
        if _is_type(value):
            return self._named(name, f"numba.{value}") if str(value).isidentifier() else None
        module = getattr(value, "__module__", None)
        if module in ("math", "cmath", "_operator") and callable(value):
            return f"from {module.removeprefix('_')} import {value.__name__} as {name}"
        if module == "builtins" and callable(value) and getattr(builtins, value.__name__, None) is value:
            return "" if value.__name__ == name else f"{name} = {value.__name__}"
        return self._numpy_import(name, value)

    def _named(self, name: str, path: str) -> str:
        if self.native:  # to import Numba is to ask for its typing rules
            path = "pykc" + path.removeprefix("numba").removeprefix(".cuda")
        module, _, member = path.rpartition(".")
        if not module:
            return f"import {path} as {name}"
        if module in ("numba", "numba.cuda", "numba.cuda.libdevice", "numba.cuda.random", "numba.cuda.bf16",
                      "pykc") or self.native:
            return f"from {module} import {member} as {name}"
        return f"{name} = {CUDA}.{path.removeprefix('numba.cuda.')}"

    @staticmethod
    def _numpy_import(name: str, value: Any) -> str | None:
        numpy = sys.modules.get("numpy")
        if numpy is None or not callable(value) or isinstance(value, types.ModuleType):
            return None
        own = getattr(value, "__name__", None)
        if own and (getattr(numpy, own, None) is value or _is_of_arrays(value) and hasattr(numpy, own)):
            return f"from numpy import {own} as {name}"
        return None

    def _namespace(self, name: str, value: Any, paths: set[tuple[str, ...]]) -> str | None:
        function = self._function_module(value)
        if function is not None:
            module, own = function
            if module is None:  # the function itself
                return "" if own == name else f"{name} = {own}"
            return f"from {module} import {own} as {name}"
        if isinstance(value, type) and issubclass(value, enum.Enum):
            return f"from {self._text_module(_enum_text(value))} import {value.__name__} as {name}"
        if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
            typed = _typed_tuple_text(value) if self.native else None  # Numba's rules take the types of the values
            if typed is not None:
                return f"from {self._text_module(typed)} import {value.__name__} as {name}"
            fields = ", ".join(map(repr, value._fields))
            return f"from collections import namedtuple; {name} = namedtuple({value.__name__!r}, [{fields}])"
        if isinstance(value, Struct):
            return f"from {self._text_module(self._struct_text(value))} import {value.__name__} as {name}"
        if isinstance(value, type) and issubclass(value, Exception):
            return f"from {self._text_module(_exception_text(value))} import {value.__name__} as {name}"
        if isinstance(value, tuple) and hasattr(value, "_fields") and any(map(_is_type, value)):
            value = types.SimpleNamespace(**value._asdict())  # a tuple of values has no types
        if isinstance(value, (types.ModuleType, type, types.SimpleNamespace)):
            return f"import {self._members(value, paths)} as {name}"
        return None

    def _struct_text(self, kind: Struct) -> str:
        inner = Capture(True, self._function_module, self._text_module)
        lines = []
        for name, type_ in kind.fields.items():
            if isinstance(type_, Struct):
                inner.bind(type_.__name__, type_)
            default = f" = {inner.expression(kind.defaults[name], name)}" if name in kind.defaults else ""
            lines.append(f"    {name}: {_field_type(type_)}{default}\n")
        imports = "\n".join(["from pykc import *", *inner.statements])
        return f"{imports}\n\n\n@struct\nclass {kind.__name__}:\n{''.join(lines)}"

    def _members(self, value: Any, paths: set[tuple[str, ...]]) -> str:
        """The name of a module with those attributes of a Python module or class that are used."""
        inner = Capture(self.native, self._function_module, self._text_module)
        for member in sorted({path[0] for path in paths if path}):
            found = getattr(value, member, _MISSING)
            if found is _MISSING:
                continue  # the compiler names the place
            if vars(value).get(member, _MISSING) is found and not isinstance(found, types.ModuleType):
                inner.watch.names.append((vars(value), member, found))
            inner.bind(member, found, {path[1:] for path in paths if path and path[0] == member})
        self.watch.add(inner.watch)
        return self._text_module(inner.header() + "\n")

    def header(self) -> str:
        return self.line_of(self.statements)

    @staticmethod
    def line_of(statements: list[str]) -> str:
        """The statements as one line. What they need themselves comes first."""
        line = "; ".join(statements)
        first = f"import numpy as {NUMPY}; " if f"{NUMPY}." in line else ""
        if f"{CUDA}." in line:
            first += f"from numba import cuda as {CUDA}; "
        return first + line

    def expression(self, value: Any, name: str) -> str:
        """A value as an expression of the language."""
        if value is None or value is Ellipsis or type(value) in (bool, int, str, bytes):
            return repr(value)
        if isinstance(value, enum.Enum):
            module = self._text_module(_enum_text(type(value)))
            own = f"_{module}_{type(value).__name__}"
            self.statements.append(f"from {module} import {type(value).__name__} as {own}")
            return f"{own}.{value.name}"
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            own = f"_tuple_{type(value).__name__}"
            self.bind(own, type(value))
            return f"{own}({', '.join(self.expression(item, name) for item in value)})"
        if isinstance(value, tuple):
            return "(" + "".join(self._item(item, name) + ", " for item in value) + ")"
        if isinstance(value, list):
            self.watch.contents.append((value, _snapshot(value)))
            return "[" + ", ".join(self.expression(item, name) for item in value) + "]"
        numpy_text = self._numpy_expression(value)
        if numpy_text is not None:
            return numpy_text
        if isinstance(value, (int, float, complex)):
            return number(value)
        if hasattr(type(value), "copy_to_host"):
            raise CaptureError(f"`{name}` is an array of a device: a kernel takes it as an argument")
        home = getattr(value, "__module__", None) or type(getattr(value, "__self__", value)).__module__
        instead = _INSTEAD.get(str(home), "")
        raise CaptureError(f"a kernel cannot use `{name}`, a {type(value).__name__}: it knows numbers, text, tuples, "
                           f"NumPy's arrays and types, enumerations, modules and functions under @cuda.jit{instead}")

    def _item(self, value: Any, name: str) -> str:
        """A value in a tuple; a type or a function by a name of its own."""
        own = f"_part{len(self.statements)}"
        is_named = callable(value) and not (isinstance(value, type) and issubclass(value, enum.Enum))
        statement = (self._import(own, value) or self._namespace(own, value, {()})) if is_named else None
        if statement is None:
            return self.expression(value, name)
        self.statements.append(statement)
        return own

    def _numpy_expression(self, value: Any) -> str | None:
        numpy = sys.modules.get("numpy")
        if numpy is None:
            return None
        if isinstance(value, numpy.dtype):
            return dtype_text(value, NUMPY)
        if _is_type(value) and isinstance(value.dtype, numpy.dtype):
            return dtype_text(value.dtype, NUMPY)
        if isinstance(value, numpy.ndarray):
            self.watch.contents.append((value, _snapshot(value)))
            return array_text(value, NUMPY)
        if isinstance(value, (numpy.str_, numpy.bytes_)):
            return repr(value.item())
        if isinstance(value, numpy.void):
            return array_text(numpy.array([value]), NUMPY) + "[0]"
        if isinstance(value, numpy.generic):
            dtype_text(value.dtype, NUMPY)  # refuses what kernels lack
            return f"{NUMPY}.{value.dtype.name}({number(value.item())})"
        return None


def number(value: Any) -> str:
    """A number of Python; infinities and NaNs have no literals."""
    if isinstance(value, complex):
        return f"complex({number(value.real)}, {number(value.imag)})"
    if isinstance(value, float):
        text = float.__repr__(value)
        return text if text[-1].isdigit() else f'float("{text}")'
    return repr(bool(value)) if isinstance(value, bool) else int.__repr__(int(value))


def _is_of_arrays(value: Any) -> bool:
    """Whether it is a function of pykc's arrays."""
    return str(getattr(value, "__module__", "")).startswith(f"{__package__}._arrays.")


def dtype_text(dtype: Any, numpy_name: str) -> str:
    if dtype.names is not None:
        packed = _is_packed(dtype)
        fields = ", ".join(_fields(dtype, numpy_name, packed))
        return f"{numpy_name}.dtype([{fields}]{', align=False' * packed})"
    if dtype.kind in "SU":
        return repr(dtype.str.lstrip("|<"))
    if dtype.kind not in "biufc" or not dtype.isnative or dtype.name in ("longdouble", "float128", "complex256"):
        raise CaptureError(f"kernels have no type {dtype}")
    return f"{numpy_name}.{dtype.name}"


def _in_memory(dtype: Any) -> list[str]:
    """The names of a record's fields in the order in which they lie."""
    return sorted(dtype.names, key=lambda name: dtype.fields[name][1])


def _is_packed(dtype: Any) -> bool:
    """Whether a record is not laid out as in C."""
    import numpy
    c_layout = numpy.dtype([(name, dtype.fields[name][0]) for name in _in_memory(dtype)], align=True)
    return dtype != c_layout or not dtype.isalignedstruct and c_layout.alignment > 1


def _fields(dtype: Any, numpy_name: str, gaps: bool):
    """The fields of a record; what lies between packed ones as fields of bytes, since the language has no offsets."""
    end = 0
    for name in _in_memory(dtype):
        field, offset = dtype.fields[name][:2]
        if offset < end:
            raise CaptureError(f"the fields of {dtype} overlap")
        if gaps and offset > end:
            yield f'("_gap{end}", {numpy_name}.uint8, ({offset - end},))'
        base, shape = field.subdtype or (field, ())
        yield f"({name!r}, {dtype_text(base, numpy_name)}" + (f", {shape!r})" if shape else ")")
        end = offset + field.itemsize
    if gaps and end < dtype.itemsize:
        yield f'("_gap{end}", {numpy_name}.uint8, ({dtype.itemsize - end},))'


def array_text(array: Any, numpy_name: str) -> str:
    dtype = dtype_text(array.dtype, numpy_name)
    if array.size == 0:
        return f"{numpy_name}.zeros({array.shape!r}, dtype={dtype})"
    return f"{numpy_name}.array({_items(array.tolist(), array.dtype)}, dtype={dtype})"


def _items(item: Any, dtype: Any) -> str:
    if isinstance(item, list):
        return "[" + ", ".join(_items(part, dtype) for part in item) + "]"
    if isinstance(item, tuple):
        is_record = dtype is not None and dtype.names is not None
        parts = list(_record_items(item, dtype)) if is_record else [_items(part, None) for part in item]
        return "(" + "".join(part + ", " for part in parts) + ")"
    return repr(item) if isinstance(item, (str, bytes)) else number(item)


def _field_items(value: Any, dtype: Any, rank: int) -> str:
    """A field, or an array in it: a tuple."""
    return "(" + "".join(_field_items(part, dtype, rank - 1) + ", " for part in value) + ")" if rank else \
        _items(value, dtype)


def _record_items(item: tuple, dtype: Any):
    """The values of a record's fields, with zeros for the gaps that `_fields` names."""
    gaps = _is_packed(dtype)
    end = 0
    for name in _in_memory(dtype):
        field, offset = dtype.fields[name][:2]
        if gaps and offset > end:
            yield repr((0,) * (offset - end))
        value = item[dtype.names.index(name)]
        base, shape = field.subdtype or (field, ())
        yield _field_items(value.tolist() if shape else value, base, len(shape))
        end = offset + field.itemsize
    if gaps and end < dtype.itemsize:
        yield repr((0,) * (dtype.itemsize - end))


def _enum_text(kind: type) -> str:
    base = "IntEnum" if issubclass(kind, int) else "Enum"
    lines = [f"    {name} = {int(member.value)}\n" for name, member in kind.__members__.items()
             if isinstance(member.value, int)]
    if len(lines) != len(kind.__members__):
        raise CaptureError(f"the members of `{kind.__name__}` must be integers")
    return f"from enum import {base}\n\n\nclass {kind.__name__}({base}):\n" + "".join(lines)


def _typed_tuple_text(kind: type) -> str | None:
    """A named tuple whose fields all have types that kernels know; nothing for others."""
    import typing
    try:
        found = typing.get_type_hints(kind)
    except Exception:  # annotations of names that are not there
        return None
    fields = [(name, _native_name(found.get(name))) for name in kind._fields]
    if not fields or not all(type_ for _, type_ in fields):
        return None
    defaults = {name: number(value) for name, value in kind._field_defaults.items()
                if type(value) in (bool, int, float)}
    lines = "".join(f"    {name}: {type_}" + (f" = {defaults[name]}" if name in defaults else "") + "\n"
                    for name, type_ in fields)
    return f"from pykc import *\nfrom typing import NamedTuple\n\n\nclass {kind.__name__}(NamedTuple):\n{lines}"


def _field_type(annotation: Any) -> str:
    if isinstance(annotation, str):  # text of a width
        return repr(annotation)
    if isinstance(annotation, (type, Struct)):
        return annotation.__name__
    path = getattr(annotation, "_pykc_path", None)  # of vectors
    return path.rpartition(".")[2] if path else str(annotation)


def _native_name(annotation: Any) -> str | None:
    if annotation in (bool, int, float):
        return annotation.__name__
    element, bracket, axes = str(annotation).partition("[") if _is_type(annotation) else ("", "", "")
    native = next((name for name, numba in NATIVE_TYPES.items() if numba == element), None)
    return native and native + bracket + axes


def _exception_text(kind: type) -> str:
    base = next(base for base in kind.__mro__ if base.__module__ == "builtins")
    return f"class {kind.__name__}({base.__name__}):\n    pass\n"


def _is_type(value: Any) -> bool:
    return type(value).__module__ == "pykc.types"
