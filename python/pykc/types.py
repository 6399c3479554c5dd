"""The types of kernels' parameters, as Numba names them: `float32`, `int32[:, ::1]`, `void(float32[:], int64)`."""
from __future__ import annotations

import functools
import re
import sys

from ._kernel_names import NATIVE_TYPES


class Type:
    """A type; its text, `str(type)`, is what pykc's signatures have."""

    def __init__(self, name: str):
        self.name = name

    def __getitem__(self, dimensions) -> Array:
        """`float32[:]`, `float32[:, ::1]`: an array of it, laid out as the slices say; `float32[2, 3]`, one of a fixed
        shape, as a field of a record."""
        slices = dimensions if isinstance(dimensions, tuple) else (dimensions,)
        if slices and all(isinstance(extent, int) for extent in slices):
            return Fixed(self, slices)
        if not all(isinstance(s, slice) and s.start is None and s.stop is None and s.step in (None, 1) for s in slices):
            raise KeyError(f"an array type is written {self.name}[:] or {self.name}[:, ::1]")
        layout = "C" if slices[-1].step == 1 else "F" if slices[0].step == 1 else "A"
        return Array(self, len(slices), layout)

    def __call__(self, *arguments):
        """With types a signature, with a number the NumPy number of this type."""
        if all(isinstance(argument, Type) for argument in arguments):
            return Signature(self, arguments)
        return self.dtype.type(*arguments)

    @property
    def dtype(self):
        import numpy
        if self.name in FOREIGN:
            return _foreign(self.name)
        return numpy.dtype(_NAMES.get(self.name, self.name))

    @property
    def bitwidth(self) -> int:
        return self.dtype.itemsize * 8

    @property
    def underlying_float(self) -> Type:
        """Of a complex type that of its parts."""
        return globals()[{"complex64": "float32", "complex128": "float64"}[self.name]]

    def __eq__(self, other) -> bool:
        """Whether it is the same type, also by NumPy's name of it: `float32 == np.float32`."""
        if isinstance(other, Type):
            return str(self) == str(other)
        return self.name in SCALARS and _is_numpys(other) and _name_of(other) == _NAMES.get(self.name, self.name)

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__


_NAMES = {"boolean": "bool", "intp": "int64", "uintp": "uint64"}  # NumPy's, where they are others


@functools.lru_cache(maxsize=256)
def _name_of(numpys) -> str:
    """The name of a dtype or a scalar type of NumPy's; none of what has another order of bytes, or of `np.floating`."""
    try:
        dtype = sys.modules["numpy"].dtype(numpys)
    except TypeError:
        return ""
    return dtype.name if dtype.isnative else ""


def _is_numpys(value) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and (isinstance(value, numpy.dtype) or
                                  isinstance(value, type) and issubclass(value, numpy.generic))


def _foreign(name: str):
    """NumPy's dtype, which the package ml_dtypes gives it."""
    import numpy
    try:
        import ml_dtypes
    except ImportError:
        raise TypeError(f"NumPy has no {name} without the package ml_dtypes") from None
    return numpy.dtype(getattr(ml_dtypes, name))


class Array(Type):
    """`Array(float32, 2, "C")`."""

    def __init__(self, dtype: Type, ndim: int, layout: str, readonly: bool = False, name=None, aligned: bool = True):
        self.element, self.ndim, self.layout = dtype, ndim, layout
        axes = [":"] * ndim
        if layout == "C":
            axes[-1] = "::1"
        elif layout == "F":
            axes[0] = "::1"
        super().__init__(f"{dtype}[{', '.join(axes)}]")

    @property
    def dtype(self) -> Type:
        return self.element

    @property
    def is_c_contig(self) -> bool:
        return self.layout == "C" or self.ndim == 1 and self.layout == "F"

    @property
    def is_f_contig(self) -> bool:
        return self.layout == "F" or self.ndim == 1 and self.layout == "C"


class Fixed(Type):
    """`float32[2, 3]`: an array of that shape in a record."""

    def __init__(self, element: Type, shape: tuple[int, ...]):
        self.element, self.shape = element, shape
        super().__init__(f"{element}[{', '.join(map(str, shape))}]")

    @property
    def dtype(self):
        import numpy
        return numpy.dtype((self.element.dtype, self.shape))


def NestedArray(dtype: Type, shape) -> Fixed:
    """Numba's name of `Fixed`."""
    return Fixed(dtype, tuple(shape))


class Record(Type):
    """A record of a NumPy dtype. Signatures cannot name it; a kernel of records is compiled when it is launched."""

    def __init__(self, dtype):
        self._dtype = dtype
        super().__init__(f"Record({dtype})")

    @classmethod
    def make_c_struct(cls, fields) -> Record:
        """The record of these pairs of a name and a type, laid out as in C."""
        import numpy
        return cls(numpy.dtype([(name, type_.dtype) for name, type_ in fields], align=True))

    @property
    def dtype(self):
        return self._dtype


class Tuple(Type):
    """`Tuple((int32, float32))`."""

    def __init__(self, types):
        self.types = tuple(types)
        super().__init__(f"Tuple({', '.join(map(str, self.types))})")

    def __len__(self) -> int:
        return len(self.types)

    def __iter__(self):
        return iter(self.types)


class UniTuple(Tuple):
    """`UniTuple(float32, 3)`."""

    def __init__(self, dtype: Type, count: int):
        self.count = count
        super().__init__((dtype,) * count)


class Optional(Type):
    """A value or None. Signatures cannot name it; such a kernel is compiled when it is launched."""

    def __init__(self, type_: Type):
        self.type = type_
        super().__init__(f"Optional({type_})")


optional = Optional


class CPointer(Type):
    """`CPointer(float32)`: an array of one dimension, for pykc."""

    def __init__(self, dtype: Type):
        self.pointee = dtype
        super().__init__(f"CPointer({dtype})")


class Signature:
    """`void(float32[:], int64)`."""

    def __init__(self, return_type: Type, args):
        self.return_type, self.args = return_type, tuple(args)

    def __eq__(self, other) -> bool:
        return isinstance(other, Signature) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __iter__(self):
        return iter(self.args)

    def __str__(self) -> str:
        return f"{self.return_type}({', '.join(map(str, self.args))})"

    __repr__ = __str__


class _NumberClass(type):
    """`types.Integer` and its kin, for `isinstance` alone."""

    def __instancecheck__(cls, value) -> bool:
        return type(value) is Type and bool(re.fullmatch(cls.names, value.name))


class Integer(metaclass=_NumberClass):
    names = r"u?int(8|16|32|64|p)"


class Float(metaclass=_NumberClass):
    names = r"float(16|32|64)"


class Complex(metaclass=_NumberClass):
    names = r"complex(64|128)"


class Number(metaclass=_NumberClass):
    names = r"u?int(8|16|32|64|p)|float(16|32|64)|complex(64|128)"


SCALARS = """boolean int8 int16 int32 int64 uint8 uint16 uint32 uint64 intp uintp
             float16 float32 float64 complex64 complex128 bfloat16 float8_e4m3fn float8_e5m2""".split()
FOREIGN = ("bfloat16", "float8_e4m3fn", "float8_e5m2")  # to NumPy
for _name in SCALARS:
    globals()[_name] = Type(_name)
void = none = Type("void")
pyobject = Type("pyobject")

_SAME = {"bool_": "boolean", "b1": "boolean", "byte": "uint8", "char": "int8", "uchar": "uint8", "short": "int16",
         "ushort": "uint16", "int_": "int64", "uint": "uint64", "intc": "int32", "uintc": "uint32", "long_": "int64",
         "ulong": "uint64", "longlong": "int64", "ulonglong": "uint64", "size_t": "uint64", "ssize_t": "int64",
         "float_": "float32", "double": "float64",
         "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64", "u1": "uint8", "u2": "uint16", "u4": "uint32",
         "u8": "uint64", "f2": "float16", "f4": "float32", "f8": "float64", "c8": "complex64", "c16": "complex128"}
for _name, _same in _SAME.items():
    globals()[_name] = globals()[_same]

#: What `from numba import …` has of these names.
NUMBA_NAMES = (*SCALARS, *_SAME, "void", "none", "optional")


def from_dtype(dtype) -> Type:
    """The type of a NumPy dtype."""
    import numpy
    dtype = numpy.dtype(dtype)
    if dtype.subdtype is not None:
        return Fixed(from_dtype(dtype.base), dtype.shape)
    return _number_type(dtype) if dtype.names is None else Record(dtype)


@functools.cache
def _number_type(dtype) -> Type:
    name = {"bool": "boolean"}.get(dtype.name, dtype.name)
    if name not in SCALARS:
        raise NotImplementedError(f"kernels have no numbers of type {dtype}")
    return globals()[name]


def compiled(text: str) -> Type:
    """The type that the compiler spells so: `f32[::1, :]`."""
    name, _, axes = text.rpartition("[") if text.endswith("]") else (text, "", "")
    same = {"bool": "boolean", **NATIVE_TYPES}.get(name)
    element = Type(name) if same is None else globals()[same]
    extents = axes.rstrip("]").split(", ")
    layout = "A" if "::" in extents else "F" if extents[0] == "::1" else "C"
    return Array(element, len(extents), layout) if axes else element


def as_dtype(type_: Type):
    """The NumPy dtype of a type."""
    return type_.dtype


def typeof(value) -> Type:
    """The type that a kernel sees where it is passed the value."""
    if isinstance(value, bool):
        return globals()["boolean"]
    if isinstance(value, (int, float, complex)) and not hasattr(value, "dtype"):
        return globals()[{int: "int64", float: "float64", complex: "complex128"}[
            next(kind for kind in (int, float, complex) if isinstance(value, kind))]]
    if isinstance(value, tuple):
        return Tuple(map(typeof, value))
    if not isinstance(value, type) and hasattr(value, "dtype") and hasattr(value, "strides") and hasattr(value, "ndim"):
        element = from_dtype(value.dtype)
        return Array(element, value.ndim, _layout(value)) if value.ndim else element
    if value is None:
        return none
    raise ValueError(f"a kernel cannot be passed a {type(value).__name__}")


def _layout(array) -> str:
    expected = array.dtype.itemsize
    for extent, stride in zip(reversed(array.shape), reversed(array.strides)):
        if extent != 1 and stride != expected:
            break
        expected *= extent
    else:
        return "C"
    expected = array.dtype.itemsize
    for extent, stride in zip(array.shape, array.strides):
        if extent != 1 and stride != expected:
            return "A"
        expected *= extent
    return "F"


def parsed(text: str) -> Signature:
    """The signature that a string spells."""
    found = eval(text, {"__builtins__": {}}, {"types": sys.modules[__name__], "bool": globals()["boolean"], **{
        name: globals()[name] for name in (*NUMBA_NAMES, "Array", "Tuple", "UniTuple", "CPointer")}})
    return found if isinstance(found, Signature) else Signature(void, found if isinstance(found, tuple) else (found,))


def signature_text(signature) -> str | None:
    """One signature as pykc reads it; None where it names a type that signatures cannot spell."""
    if isinstance(signature, str):
        return None if "optional(" in signature else _in_parentheses(signature)
    if isinstance(signature, Signature):
        return _spelled(str(signature))
    if isinstance(signature, (tuple, list)):
        return _spelled(f"({', '.join(str(part) for part in signature)})")
    raise TypeError(f"{signature!r} is no signature")


def _in_parentheses(text: str) -> str:
    """A signature that is a list of types, `float32[:], int64`, as the tuple that Python takes it for."""
    import ast
    try:
        listed = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:  # for the compiler to tell
        return text
    is_bare = isinstance(listed, ast.Tuple) and listed.elts and listed.elts[0].col_offset == listed.col_offset
    return f"({text})" if is_bare else text


def _spelled(text: str) -> str | None:
    return None if any(name in text for name in ("Record(", "Optional(", "pyobject")) else text


def is_signature(value) -> bool:
    return isinstance(value, (str, Signature)) or isinstance(value, tuple) and all(
        isinstance(part, (Type, str)) for part in value)
