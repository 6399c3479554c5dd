"""`@pykc.struct`: a class of fields with types as a record, for kernels and for NumPy."""
from __future__ import annotations

import functools
import re
import sys
from typing import Any

from ._kernel_names import VectorName


class Struct:
    """A class under `@pykc.struct`: `np.zeros(n, Particle)` makes an array of such records, `Particle(x, y, mass=2.0)`
    one, and `Particle[:]` annotates the parameter of a kernel."""

    def __init__(self, declared: type, names: tuple[dict, dict]):
        self.__name__, self.__module__, self.__doc__ = declared.__name__, declared.__module__, declared.__doc__
        annotations = vars(declared).get("__annotations__", {})
        self.fields = {name: _evaluated(annotation, names) for name, annotation in annotations.items()}
        self.defaults = {name: getattr(declared, name) for name in self.fields if hasattr(declared, name)}

    @functools.cached_property
    def dtype(self):
        """As a C++ struct of these fields lies in memory."""
        import numpy
        formats = [numpy.dtype(type_) for type_ in self.fields.values()]
        offsets, end = [], 0
        for type_, format_ in zip(self.fields.values(), formats):
            offsets.append(_rounded_up(end, _alignment(type_)))
            end = offsets[-1] + format_.itemsize
        layout = {"names": list(self.fields), "formats": formats, "offsets": offsets,
                  "itemsize": _rounded_up(end, self.alignment), "aligned": True}
        return numpy.dtype((numpy.record, numpy.dtype(layout)))

    @property
    def alignment(self) -> int:
        return max(map(_alignment, self.fields.values()), default=1)

    def __call__(self, *values, **named):
        import numpy
        names = list(self.fields)
        if len(values) > len(names):
            raise TypeError(f"`{self.__name__}` has {len(names)} fields, not {len(values)}")
        given = {**self.defaults, **dict(zip(names, values)), **named}
        missing = [name for name in names if name not in given] + [name for name in named if name not in names]
        if missing or named.keys() & set(names[:len(values)]):
            raise TypeError(f"`{self.__name__}` takes each of its fields once: {', '.join(names)}")
        record = numpy.zeros((), self.dtype)
        for name in names:
            record[name] = given[name]
        return record[()]

    def __getitem__(self, axes):
        from .types import Type
        return Type(self.__name__)[axes]

    def __repr__(self) -> str:
        return f"<record {self.__name__}>"


def _evaluated(annotation: Any, names: tuple[dict, dict]) -> Any:
    """The type that a field is annotated with; "U8", text of a width, is one by itself."""
    is_expression = isinstance(annotation, str) and not re.fullmatch(r"[SU]\d+", annotation)
    return eval(annotation, *names) if is_expression else annotation


def _alignment(type_: Any) -> int:
    """Of a field, as the compiler has it: what NumPy gives vectors and complex numbers is less."""
    import numpy
    if isinstance(type_, (Struct, VectorName)):
        return type_.alignment
    base = numpy.dtype(type_).base
    return base.alignment if base.kind in "SU" else base.itemsize


def _rounded_up(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment


def struct(declared: type) -> Struct:
    """`@pykc.struct` above a class whose fields have types: a record, for kernels and, as a dtype, for NumPy.

    A field is a number, a vector, another record, or an array of fixed shape (`w: f32[2, 3]`), and may have a
    default."""
    if not isinstance(declared, type):
        raise TypeError(f"@pykc.struct stands above a class: {declared!r} is none")
    frame = sys._getframe(1)
    return Struct(declared, (frame.f_globals, frame.f_locals))
