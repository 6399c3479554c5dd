"""What the array API standard asks a module of arrays about itself: `pykc.__array_namespace_info__()`."""
from __future__ import annotations

import numpy

from .. import _devices, _native
from .arguments import TYPE_NAMES, as_device

__array_api_version__ = "2025.12"
_KINDS = {"bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu", "real floating": "f",
          "complex floating": "c", "numeric": "iufc"}


class Info:
    """Devices, types, and what depends on values."""

    def capabilities(self) -> dict:
        """What a program may rely on."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 8}

    def default_device(self) -> _native.Device:
        """The device in use."""
        return _devices.current()

    def devices(self) -> tuple[_native.Device, ...]:
        """All of this machine."""
        return tuple(_devices.device(facts["name"]) for facts in _native.list_devices())

    def default_dtypes(self, *, device=None) -> dict:
        """The types that arrays have where none is named."""
        as_device(device)
        return {"real floating": numpy.dtype(float), "complex floating": numpy.dtype(complex),
                "integral": numpy.dtype("int64"), "indexing": numpy.dtype("int64")}

    def dtypes(self, *, device=None, kind=None) -> dict:
        """The standard's types of a kind, several, or all."""
        as_device(device)
        names = tuple(_KINDS) if kind is None else kind if isinstance(kind, tuple) else (kind,)
        unknown = [name for name in names if name not in _KINDS]
        if unknown:
            raise ValueError(f"there is no kind {unknown[0]!r}: there are {', '.join(_KINDS)}")
        kinds = "".join(_KINDS[name] for name in names)
        return {dtype.name: dtype for dtype in TYPE_NAMES if dtype.kind in kinds and dtype != numpy.float16}


def __array_namespace_info__() -> Info:
    """What the array API standard asks about this module."""
    return Info()
