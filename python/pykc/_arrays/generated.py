"""Kernels made of text in the native language, one for each device, and functions of elements that are no ufuncs."""
from __future__ import annotations

import functools
import types
from typing import Any

import numpy

from .. import _devices, _native
from .._imports import library_module
from .arguments import TYPE_NAMES
from .ndarray import ndarray
from .ufuncs import PREAMBLE, as_operand

BLOCK = 256


@functools.cache
def kernel(device: _native.Device, text: str, name: str) -> Any:
    """The kernel of that name in the text."""
    return _native.Module(device, "import math\n" + text, f"<{name}>", warnings=False).kernel(name)


@functools.cache
def library_kernel(device: _native.Device, module: str, name: str, cpu: tuple[tuple[str, int], ...]) -> Any:
    """A kernel of the library, `pykc.MODULE`, with its configurations: on a GPU what its table says or a measurement
    finds, on the CPU device the one given."""
    found = kernel(device, f"from pykc.{module} import {name}\n", name)
    return found.tuned(dict(cpu) if device.is_cpu else None)


@functools.cache
def library(module: str) -> types.ModuleType:
    """The library's `pykc.MODULE` with its host functions: not the one that programs import, which takes the place of
    the function of arrays of that name."""
    return library_module(f"pykc.{module}")


def by_library(device: _native.Device, module: str, name: str, *arguments) -> None:
    """Calls a host function of the library's `pykc.MODULE` with arrays of the device."""
    with _devices.using(device):
        getattr(library(module), name)(*arguments)


def for_each(device: _native.Device, text: str, name: str, count: int, *arguments) -> None:
    """Launches a thread for each of COUNT."""
    if count:
        kernel(device, text, name).launch(-(-count // BLOCK), BLOCK, None, 0, arguments)


@functools.cache
def _elementwise(text: str, names: tuple[str, ...], inputs: tuple, outputs: tuple) -> _native.Elementwise:
    typed = ", ".join(f"{name}: {TYPE_NAMES[dtype]}" for name, dtype in zip(names, inputs))
    return _native.Elementwise([(typed, "z", text)], outputs, PREAMBLE, warnings=False)


def computed(text: str, dtype: numpy.dtype, *, out: ndarray | None = None,
             **inputs: tuple[Any, numpy.dtype]) -> ndarray:
    """`z` of the lines, for inputs by their names, each with the type that it is converted to first."""
    values = tuple(as_number(as_operand(value), wanted) for value, wanted in inputs.values())
    native = _elementwise(text, tuple(inputs), tuple(wanted for _, wanted in inputs.values()), (dtype,))
    if out is None:
        return ndarray(native.map(values), dtype)
    native.launch((out, *values))
    return out


def as_number(value: Any, dtype: numpy.dtype) -> Any:
    """A number as one that the type has; arrays as they are."""
    if isinstance(value, ndarray):
        return value
    if isinstance(value, numpy.generic):
        return value.item()
    if isinstance(value, int) and dtype.kind in "fc":
        return float(value)
    return int(dtype.type(value)) if dtype.kind in "iu" else value
