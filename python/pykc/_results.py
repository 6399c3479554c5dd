"""What a function returns for arguments of given types, by the compiler's own word."""
from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from . import _native
from ._capture import CUDA, NUMPY, Watch
from ._modules import Function, Program, program_around
from .types import Array, Record, Tuple, Type, from_dtype

_LETTERS = {"i": "int", "u": "uint", "f": "float", "c": "complex"}


def caller_of(function: Function, types: Sequence[Type | str], stored: Sequence[Any] = ()) -> Program:
    """A kernel that calls the function with x0, x1 … of these types. It stores in arrays what the function returns, of
    the dtypes STORED."""
    names = [f"x{number}" for number in range(len(types))]
    outs = [f"out{number}" for number in range(len(stored))]
    result = f"{', '.join(f'{out}[0]' for out in outs)} = " if outs else ""
    body = f"    {result}core({', '.join(names)})\n"
    given = [*types, *(Array(from_dtype(dtype), 1, "C") for dtype in stored)]
    records: dict[str, Any] = {}
    annotations = [_annotation(type_, records) for type_ in given]
    if records:  # which signatures cannot spell
        typed = ", ".join(f"{name}: {text}" for name, text in zip([*names, *outs], annotations))
        head = f"@{CUDA}.jit\ndef caller({typed}):\n"
    else:
        head = f'@{CUDA}.jit("void({", ".join(map(str, given))})")\ndef caller({", ".join([*names, *outs])}):\n'
    return program_around(head + body, "caller", {"core": function, **records})


def _annotation(type_: Type | str, records: dict[str, Any]) -> str:
    """A type as the language spells it behind a parameter's name. RECORDS gets the dtypes that it names."""
    if isinstance(type_, Record):
        name = f"Record{len(records)}"
        records[name] = type_.dtype
        return name
    if isinstance(type_, Array):
        return _annotation(type_.element, records) + str(type_)[len(str(type_.element)):]
    if isinstance(type_, Tuple):
        return f"tuple[{', '.join(_annotation(part, records) for part in type_)}]"
    return f"{NUMPY}.{'bool_' if str(type_) == 'boolean' else type_}"


def _result_text(function: Function, types: Sequence[Type | str]) -> tuple[str, Watch]:
    """The type as the compiler prints it: "f32", "tuple[f64, i8]", "None"; and what it depends on."""
    program = caller_of(function, types)
    printed = _native.compile(*program.main, target="cpu", emit="checked", import_=program.import_)
    printed = printed.decode() if isinstance(printed, bytes) else printed
    found = re.search(r"^kernel caller.*\n  [^<\n]+<([^>]*)>\(", printed, re.MULTILINE)
    assert found is not None
    return found[1], program.watch


class Results:
    """What a function returns, asked for once for each list of types, unless what it refers to changes."""

    def __init__(self, function: Function):
        self._function = function
        self._known: dict[tuple[str, ...], tuple[list | None, Watch]] = {}

    def types(self, types: tuple[str, ...]) -> list | None:
        """As `result_types` has it."""
        known = self._known.get(types)
        if known is None or known[1].changed():
            text, watch = _result_text(self._function, types)
            known = self._known[types] = (_dtypes(text), watch)
        return known[0]


def result_types(function: Function, types: Sequence[Type | str]) -> list | None:
    """The NumPy dtypes of the numbers that it returns, none where it returns nothing; None for what is not made of
    numbers."""
    return _dtypes(_result_text(function, types)[0])


def _dtypes(text: str) -> list | None:
    import numpy
    if text == "None":
        return []
    parts = text[6:-1].split(", ") if text.startswith("tuple[") else [text]
    if not all(re.fullmatch(r"bool|[iufc]\d+", part) for part in parts):
        return None
    return [numpy.dtype(part if part == "bool" else _LETTERS[part[0]] + part[1:]) for part in parts]
