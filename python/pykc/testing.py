"""`cupy.testing`: NumPy's assertions about arrays, of copies on the host; and arrays to test with."""
from __future__ import annotations

import importlib
import math

import numpy

from ._arrays.creation import _on_host
from ._arrays.arguments import as_shape


def _assertion(name: str):
    function = getattr(numpy.testing, name)

    def assertion(x, y, *args, **keywords) -> None:
        function(_on_host(x), _on_host(y), *args, **keywords)
    assertion.__name__ = assertion.__qualname__ = name
    assertion.__doc__ = f"`numpy.testing.{name}` of arrays of a device or of the host."
    return assertion


assert_allclose, assert_array_almost_equal, assert_array_equal, assert_array_less = map(
    _assertion, ("assert_allclose", "assert_array_almost_equal", "assert_array_equal", "assert_array_less"))


def shaped_arange(shape, xp=None, dtype="float32", order: str = "C"):
    """The numbers from 1 on, in this shape: of complex ones both parts, of bools whether they are even. XP, NumPy or
    pykc, is whose array it is."""
    dtype = numpy.dtype(dtype)
    found = numpy.arange(1, math.prod(as_shape(shape)) + 1)
    found = found % 2 == 0 if dtype.kind == "b" else found * (1 + 1j) if dtype.kind == "c" else found
    return (xp or importlib.import_module("pykc")).array(found.astype(dtype).reshape(shape, order=order), order=order)


def shaped_random(shape, xp=None, dtype="float32", scale: float = 10, seed: int = 0):
    """Random numbers from 0 to below SCALE, of complex ones both parts, or bools; the same for the same seed."""
    dtype, shape = numpy.dtype(dtype), as_shape(shape)
    drawn = numpy.random.RandomState(seed)
    if dtype.kind == "b":
        found = drawn.randint(2, size=shape)
    else:
        found = drawn.random_sample(shape) * scale
        found = found + 1j * drawn.random_sample(shape) * scale if dtype.kind == "c" else found
    return (xp or importlib.import_module("pykc")).asarray(found.astype(dtype))
