"""The arguments of a launch, as the runtime takes them."""
from __future__ import annotations

import contextlib
import enum
import numbers
import sys
import types
from typing import Any, Container

from .. import _devices
from .._modules import Function
from ..types import SCALARS, Array, Complex, Integer, Optional, Signature, Type, pyobject, typeof, void
from ._arrays import DeviceNDArray, as_cuda_array, device_array_like, to_device
from ._records import DeviceRecord


class In:
    """`kernel[grid, block](cuda.In(a))`: an array of the host that is copied to the device, and not back."""

    def __init__(self, value):
        self.value = value

    def to_device(self) -> DeviceNDArray:
        return to_device(self.value)


class Out(In):
    """`kernel[grid, block](cuda.Out(a))`: an array of the host that is copied back from the device, and not there."""

    def to_device(self) -> DeviceNDArray:
        return device_array_like(self.value)


class InOut(In):
    """`kernel[grid, block](cuda.InOut(a))`: an array of the host that is copied there and back, as a bare one is."""


class Pointed:
    """What lies at an address, as an array that begins there; how far it goes nobody says."""

    _MANY = 2 ** 40

    def __init__(self, address: int, type_):
        described = {"shape": (self._MANY,), "typestr": type_.dtype.str, "strides": None, "data": (address, False),
                     "version": 3}
        if _devices.current().is_cpu:
            self.__array_interface__ = described
        else:
            self.__cuda_array_interface__ = described


class Prepared:
    """Arguments of which the runtime does not take all: `values` are what it takes, `texts` the expressions of them
    that stand for the arguments, `names` what those know besides, and `after` what comes back behind the launch."""

    def __init__(self, args: tuple, constants: Container[int] = ()):
        """CONSTANTS are the places of arguments that the kernel has as constants, if it is compiled anew for these."""
        self.values: list[Any] = []
        self.names: dict[str, Any] = {}
        self.after: list[tuple[In, DeviceNDArray]] = []
        self.texts = [self._named("constant", argument) if place in constants and not isinstance(argument, tuple) else
                      self._text(argument) for place, argument in enumerate(args)]

    @property
    def are_plain(self) -> bool:
        """Whether each argument is one value."""
        return self.texts == [f"x{number}" for number in range(len(self.values))]

    def _text(self, argument: Any) -> str:
        if _is_text_of_numpy(argument):  # of a width that is its type; Python's own text is a constant
            import numpy
            self.values.append(numpy.array([argument]))
            return f"x{len(self.values) - 1}[0]"
        if argument is None or isinstance(argument, (str, bytes)):
            return repr(argument)
        if isinstance(argument, (type, Type)) or type(argument).__module__ == "numpy.dtypes":
            return self._named("type", argument)
        if isinstance(argument, (Function, types.FunctionType)):
            return self._named("function", argument)
        if isinstance(argument, tuple):
            parts = [self._text(part) for part in argument]
            if hasattr(argument, "_fields"):
                return f"{self._named('tuple', type(argument))}({', '.join(parts)})"
            return f"({''.join(part + ', ' for part in parts)})"
        if isinstance(argument, enum.Enum) and not isinstance(argument, int):
            return f"{self._named('enum', type(argument))}.{argument.name}"
        self.values.append(self._value(argument))
        return f"x{len(self.values) - 1}" + ("[0]" if _is_record(argument) else "")

    def _named(self, kind: str, value: Any) -> str:
        name = f"{kind}{len(self.names)}"
        self.names[name] = value
        return name

    def _value(self, argument: Any) -> Any:
        if isinstance(argument, DeviceRecord):
            return argument.reshape(1)
        if _is_record(argument):
            return _array_of(argument)
        if isinstance(argument, In):
            device = argument.to_device()
            if type(argument) is not In:
                self.after.append((argument, device))
            return device
        if hasattr(argument, "__cuda_array_interface__"):
            return as_cuda_array(argument)
        return argument

    def restore(self) -> None:
        """Copies what the kernel wrote back to the host."""
        for argument, device in self.after:
            device.copy_to_host(argument.value)


def wrap_arg(value: Any, default=InOut) -> In:
    """The argument with what is to be copied, for extensions."""
    return value if isinstance(value, In) else default(value)


def converted(argument: Any, type_: Type) -> Any:
    """A number as one of this type; as it is where the type has none for it, or is no number's."""
    numpy = sys.modules.get("numpy")
    is_number = numpy is not None and isinstance(argument, (int, float, complex, numpy.number, numpy.bool_))
    if not is_number or isinstance(type_, Array):
        return argument
    with contextlib.suppress(OverflowError):
        return type_(argument)
    return argument


def as_stated(argument: Any, type_: Type) -> Any:
    """A number as one of the type of its parameter, or of what that may be beside None."""
    type_ = type_.type if isinstance(type_, Optional) else type_
    if type(type_) is not Type or type_.name not in SCALARS or not isinstance(argument, numbers.Number):
        return argument
    import numpy
    given = numpy.asarray(argument)
    takes_none_of = "" if isinstance(type_, Complex) else "fc" if isinstance(type_, Integer) else "c"
    if given.dtype.kind in takes_none_of:
        raise TypeError(f"the argument {argument} is for a parameter of type {type_}")
    return given.astype(type_.dtype)[()]


def with_arrays(args: tuple) -> tuple:
    """The arguments with the host's arrays of no axes as arrays. The runtime takes them for numbers, which kernels do
    not index."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not any(isinstance(argument, numpy.ndarray) and not argument.ndim for argument in args):
        return args
    return tuple(argument if not isinstance(argument, numpy.ndarray) or argument.ndim else
                 InOut(argument) if argument.flags.writeable else In(argument) for argument in args)


def _is_record(argument: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return isinstance(argument, DeviceRecord) or numpy is not None and isinstance(argument, numpy.void)


def _is_text_of_numpy(argument: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and (isinstance(argument, (numpy.str_, numpy.bytes_)) or
                                  isinstance(argument, numpy.ndarray) and not argument.ndim and argument.dtype.kind in "SU")


def _array_of(record: Any) -> Any:
    """The memory of a record as an array of one, so that a kernel's assignments to its fields stay."""
    import numpy

    class Shown:
        __array_interface__ = {**record.__array_interface__, "shape": (1,), "strides": None}
        keeps = record
    return numpy.asarray(Shown()).view(record.dtype)


def argument_types(args: tuple) -> tuple[Type, ...]:
    found = []
    for argument in args:
        try:
            found.append(typeof(argument))
        except (TypeError, ValueError, NotImplementedError):
            found.append(pyobject)
    return tuple(found)


def defaults_of(py_func: types.FunctionType) -> tuple[int, tuple] | None:
    """How many parameters there are, and what the last of them are where a launch leaves them out."""
    named = named_parameters(py_func)
    by_name = py_func.__kwdefaults__ or {}
    values = (py_func.__defaults__ or ()) + tuple(by_name[name] for name in named if name in by_name)
    is_whole = values and len(by_name) == len(named)  # else a launch names some of them, which fills the others in
    return (py_func.__code__.co_argcount + len(named), values) if is_whole else None


def named_parameters(py_func: types.FunctionType) -> tuple[str, ...]:
    """Those behind `*`."""
    code = py_func.__code__
    return code.co_varnames[code.co_argcount:code.co_argcount + code.co_kwonlyargcount]


def examples(types_: tuple[Type, ...]) -> list:
    """Arguments of these types."""
    import numpy
    if any(type(type_) not in (Type, Array) for type_ in types_):
        raise NotImplementedError(f"{Signature(void, types_)}: launch the kernel first")
    return [type_.dtype.type(0) if not isinstance(type_, Array) else
            numpy.empty((2,) * type_.ndim, type_.element.dtype, order="F" if type_.layout == "F" else "C")
            for type_ in types_]
