"""The operators of arrays, and those of their methods that compute: by tables, since each is a function of its own."""
from __future__ import annotations

import importlib

import numpy

from . import ufuncs
from .ndarray import ndarray

_BINARY = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide",
    "mod": "remainder", "pow": "power", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
    "lshift": "left_shift", "rshift": "right_shift", "divmod": "divmod"}
_COMPARISONS = {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater",
                "ge": "greater_equal"}
_UNARY = {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}
_NUMBERS = (ndarray, int, float, complex, numpy.generic)


def is_operand(value) -> bool:
    """Whether operators take it."""
    return isinstance(value, _NUMBERS) or hasattr(value, "__cuda_array_interface__") or hasattr(value, "_trace") \
        or hasattr(value, "__cupy_get_ndarray__")


def _binary(function):
    def operator(self, other):
        return function(self, other) if is_operand(other) else NotImplemented
    return operator


def _equality(function, name: str):
    """A comparison that also takes lists, and things that no element is equal to unless they say so themselves."""
    def operator(self, other):
        creation = importlib.import_module(".creation", __package__)
        if isinstance(other, (list, tuple)):
            other = creation.asarray(other, device=self.device)
        if is_operand(other):
            return function(self, other)
        answer = getattr(type(other), name)(other, self)
        return creation.full(self.shape, name == "__ne__", bool, device=self.device) if answer is NotImplemented else \
            answer
    return operator


def _reflected(function):
    def operator(self, other):
        return function(other, self) if is_operand(other) else NotImplemented
    return operator


def _in_place(function):
    def operator(self, other):
        return function(self, other, out=self) if is_operand(other) else NotImplemented
    return operator


def _unary(function):
    def operator(self):
        return function(self)
    return operator


def define_on(kind: type) -> None:
    """Gives a class the operators."""
    def define(name: str, operator) -> None:
        operator.__name__ = name
        setattr(kind, name, operator)

    for name, of in _BINARY.items():
        function = ufuncs.find(of)
        define(f"__{name}__", _binary(function))
        define(f"__r{name}__", _reflected(function))
        if name != "divmod":
            define(f"__i{name}__", _in_place(function))
    for name, of in _COMPARISONS.items():
        define(f"__{name}__", _binary(ufuncs.find(of)))
    for name in ("__eq__", "__ne__"):
        define(name, _equality(ufuncs.find(_COMPARISONS[name.strip("_")]), name))
    for name, of in _UNARY.items():
        define(f"__{name}__", _unary(ufuncs.find(of)))


define_on(ndarray)


def _define(name: str, operator) -> None:
    operator.__name__ = name
    setattr(ndarray, name, operator)


def _own(name: str, module: str = "numpy"):
    """The function here for one of a module of NumPy's, if there is one."""
    try:
        if module in ("numpy.linalg", "numpy.fft"):
            return getattr(importlib.import_module(module.replace("numpy", "pykc")), name)
        return importlib.import_module(__package__).find(name) if module == "numpy" else None
    except AttributeError:
        return None


def _array_ufunc(self, function, method, *inputs, **keywords):
    """NumPy's functions of elements on arrays of a device: `numpy.sin(x)` is `pykc.sin(x)`."""
    inputs = [one[()] if isinstance(one, numpy.ndarray) and one.ndim == 0 else one for one in inputs]
    if any(isinstance(one, numpy.ndarray) for one in inputs):
        raise TypeError(f"`{function.__name__}` of an array of a device and one of NumPy's: `pykc.asarray(x)` copies "
                        "that to the device, `x.get()` the other one to the host")
    own = _own(function.__name__)
    if own is None or method == "__call__" and not all(map(is_operand, inputs)):
        return NotImplemented
    if len(keywords.get("out", ())) == 1:
        keywords["out"], = keywords["out"]
    return (own if method == "__call__" else getattr(own, method))(*inputs, **keywords)


ndarray.__array_ufunc__ = _array_ufunc


def _host_value(value):
    """What is passed to NumPy, with copies on the host in place of arrays of a device."""
    if isinstance(value, ndarray):
        return value.get()
    if type(value) in (list, tuple):
        return type(value)(map(_host_value, value))
    return value


#: What changes its first argument.
_WRITERS = frozenset(("copyto", "put", "place", "putmask", "put_along_axis", "fill_diagonal"))


def _array_function(self, function, types, args, keywords):
    """NumPy's other functions: `numpy.concatenate([x, y])` is `pykc.concatenate([x, y])`. What is not here, and what
    also takes arrays of NumPy's, NumPy computes of copies on the host."""
    name = function.__name__
    writes = name in _WRITERS and isinstance(args[0] if args else None, ndarray)
    own = _own(name, function.__module__) if writes or numpy.ndarray not in types else None
    if own is not None:
        try:
            return own(*args, **keywords)
        except NotImplementedError:
            if writes:
                raise
    if isinstance(keywords.get("out"), ndarray):
        raise TypeError(f"`numpy.{name}` computes on the host, and `out` is an array of a device: assign it what comes "
                        "out, `out[...] =`")
    return function(*map(_host_value, args), **{name: _host_value(value) for name, value in keywords.items()})


ndarray.__array_function__ = _array_function


def _array_namespace(self, /, *, api_version=None):
    """The module that has the functions of these arrays, as the array API standard asks for it."""
    return importlib.import_module("pykc")


ndarray.__array_namespace__ = _array_namespace

#: The methods that are functions of the same name with the array in front, and the rooms that have them.
_METHODS = {
    "reductions": "sum prod all any min max ptp argmin argmax mean var std",
    "scanning": "cumsum cumprod",
    "indexing": "nonzero take put choose scatter_add",
    "comparing": "clip round trace",
    "products": "dot",
    "sorting": "argsort searchsorted",
    "selection": "argpartition",
    "joining": "repeat",
}


def _method(room: str, name: str):
    def method(self, *args, **keywords):
        return getattr(importlib.import_module(f".{room}", __package__), name)(self, *args, **keywords)
    method.__doc__ = f"`pykc.{name}` of the array."
    return method


for _room, _names in _METHODS.items():
    for _name in _names.split():
        _define(_name, _method(_room, _name))


def _conjugate(self):
    """`pykc.conjugate` of the array; itself, if it is of other numbers."""
    return ufuncs.find("conjugate")(self) if self.dtype.kind == "c" else self


_define("conj", _conjugate)
_define("conjugate", _conjugate)


def _compress(self, condition, axis: int | None = None, out=None):
    """`pykc.compress` of the array."""
    return importlib.import_module(".indexing", __package__).compress(condition, self, axis, out)


_define("compress", _compress)


def _sort(self, axis: int = -1, kind: str | None = None) -> None:
    """Puts the elements along an axis in ascending order, in place."""
    self[...] = importlib.import_module(".sorting", __package__).sort(self, axis, kind)


def _partition(self, kth, axis: int = -1) -> None:
    """Puts the element that belongs at the place K there, smaller ones before it and the others behind, in place."""
    self[...] = importlib.import_module(".selection", __package__).partition(self, kth, axis)


def _round(self, ndigits: int | None = None):
    """`round(x, 2)`: `pykc.round` of the array."""
    return importlib.import_module(".comparing", __package__).round(self, ndigits or 0)


_define("__round__", _round)
_define("sort", _sort)
_define("partition", _partition)


def _product(self, other):
    return importlib.import_module(".products", __package__).matmul(self, other) if is_operand(other) else \
        NotImplemented


def _product_reflected(self, other):
    return importlib.import_module(".products", __package__).matmul(other, self) if is_operand(other) else \
        NotImplemented


def _product_in_place(self, other):
    return importlib.import_module(".products", __package__).matmul(self, other, out=self) if is_operand(other) else \
        NotImplemented


_define("__matmul__", _product)
_define("__rmatmul__", _product_reflected)
_define("__imatmul__", _product_in_place)
