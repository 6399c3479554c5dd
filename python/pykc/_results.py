"""What a function returns for arguments of given types, by the compiler's own word."""
from __future__ import annotations

import re
from collections.abc import Sequence

from . import _native
from ._capture import CUDA, Watch
from ._modules import Function, program_around

_LETTERS = {"i": "int", "u": "uint", "f": "float", "c": "complex"}


def _result_text(function: Function, types: Sequence[str]) -> tuple[str, Watch]:
    """The type as the compiler prints it: "f32", "tuple[f64, i8]", "None"; and what it depends on."""
    names = ", ".join(f"x{number}" for number in range(len(types)))
    text = f'@{CUDA}.jit("void({", ".join(types)})")\ndef caller({names}):\n    core({names})\n'
    program = program_around(text, {"core": function}, "caller")
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


def result_types(function: Function, types: Sequence[str]) -> list | None:
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
