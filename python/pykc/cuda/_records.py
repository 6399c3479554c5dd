"""Records in a device's memory, whose fields the host reads and writes where they lie."""
from __future__ import annotations

from typing import Any

from .. import _native
from ._arrays import DeviceNDArray, host_array


class DeviceRecord(DeviceNDArray):
    """One record of an array: `d[0]["x"] = 1` changes the array."""

    def __getitem__(self, field) -> Any:
        if not isinstance(field, str):
            return super().__getitem__(field)
        return self._field(field) if self._has_parts(field) else self.copy_to_host()[field][()]

    def __setitem__(self, field, value) -> None:
        if not isinstance(field, str):
            super().__setitem__(field, value)
        elif self._has_parts(field):
            self._field(field)[...] = value
        else:  # a number, which may lie at any address
            record = self.copy_to_host()
            record[field] = value
            self.copy_to_device(record)

    getitem = __getitem__

    def _has_parts(self, name: str) -> bool:
        dtype = self.dtype.fields[name][0]
        return dtype.names is not None or dtype.subdtype is not None

    def _field(self, name: str) -> DeviceNDArray:
        """The memory of a field; it keeps that of the record."""
        dtype, offset = self.dtype.fields[name][:2]
        element, shape = dtype.subdtype or (dtype, ())
        described = {"shape": shape, "typestr": element.str, "descr": element.descr, "strides": None, "version": 3,
                     "data": (self.address + offset, False)}
        array = _native.wrap(self.device, host_array(self, described) if self.device.is_cpu else
                             _Described(self, described, element))
        kind = DeviceRecord if element.names and not shape else DeviceNDArray
        return kind(array, element, self.stream)


class _Described:
    """Memory of a GPU. What the binding reads as its type may be a dtype, which tells of a record what text cannot."""

    def __init__(self, owner: DeviceRecord, interface: dict, element: Any):
        self._keeps = owner
        self.__cuda_array_interface__ = {**interface, "typestr": element}
