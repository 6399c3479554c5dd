"""`cupy.testing`: NumPy's assertions about arrays, of copies on the host."""
from __future__ import annotations

import numpy

from ._arrays.creation import _on_host


def _assertion(name: str):
    function = getattr(numpy.testing, name)

    def assertion(x, y, *args, **keywords) -> None:
        function(_on_host(x), _on_host(y), *args, **keywords)
    assertion.__name__ = assertion.__qualname__ = name
    assertion.__doc__ = f"`numpy.testing.{name}` of arrays of a device or of the host."
    return assertion


assert_allclose, assert_array_almost_equal, assert_array_equal, assert_array_less = map(
    _assertion, ("assert_allclose", "assert_array_almost_equal", "assert_array_equal", "assert_array_less"))
