"""`x.flat`: the elements of an array as if it had one dimension."""
from __future__ import annotations

from typing import Any

from ..cuda._arrays import spans_meet
from .arguments import is_integer
from .ndarray import ndarray


class Flat:
    """The elements of an array in rows, whatever its strides are. Going through them copies them to the host once."""

    def __init__(self, base: ndarray):
        self.base = base
        self._left = None  # of those that it goes through

    def __len__(self) -> int:
        return self.base.size

    def __iter__(self) -> Flat:
        return self

    def __next__(self):
        if self._left is None:
            self._left = iter(self.base.get().ravel())
        return next(self._left)

    def __getitem__(self, index) -> ndarray:
        return self.base.flatten()[_index(index)]

    def __setitem__(self, index, value) -> None:
        """Sets the elements to those of the value in rows; these are repeated."""
        from .creation import asarray
        from .joining import resize
        index, elements = _index(index), self.base.ravel()
        value = asarray(value, self.base.dtype, device=self.base.device)
        if value.ndim and is_integer(index):
            raise ValueError("an element of x.flat is set to a number")
        if not value.size:
            return
        elements[index] = value.reshape(()) if value.size == 1 else resize(value, elements[index].size)
        if not spans_meet(elements, self.base):
            self.base[...] = elements.reshape(self.base.shape)

    def copy(self) -> ndarray:
        return self.base.flatten()


def _index(index: Any) -> Any:
    """An index of one dimension."""
    if isinstance(index, tuple) and len(index) == 1:
        index, = index
    if index is None or isinstance(index, tuple):
        raise IndexError("x.flat takes an integer, a slice, `...`, or an array of integers or bools")
    return index
