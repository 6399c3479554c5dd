"""Arrays of files, buffers and iterators, by NumPy."""
from __future__ import annotations

from collections.abc import Mapping

import numpy

from ..types import Type
from .arguments import as_dtype
from .creation import array, asarray, asnumpy
from .ndarray import ndarray


def save(file, arr, **others) -> None:
    """Writes an array to a `.npy` file, as `numpy.save` does."""
    numpy.save(file, asnumpy(arr), **others)


def savez(file, *args, **others) -> None:
    """Writes arrays to a `.npz` file, as `numpy.savez` does."""
    numpy.savez(file, *map(asnumpy, args), **{name: asnumpy(value) for name, value in others.items()})


def savez_compressed(file, *args, **others) -> None:
    """Writes arrays to a smaller `.npz` file, as `numpy.savez_compressed` does."""
    numpy.savez_compressed(file, *map(asnumpy, args), **{name: asnumpy(value) for name, value in others.items()})


def savetxt(fname, X, *args, **others) -> None:
    """Writes an array as text, as `numpy.savetxt` does."""
    numpy.savetxt(fname, asnumpy(X), *args, **others)


def _read(name: str):
    def read(*args, **others) -> ndarray:
        return array(getattr(numpy, name)(*args, **others))
    read.__name__ = read.__qualname__ = name
    read.__doc__ = f"The array that `numpy.{name}` reads."
    return read


fromfile, fromstring, loadtxt, genfromtxt = map(_read, ("fromfile", "fromstring", "loadtxt", "genfromtxt"))


def frombuffer(buffer, dtype=float, count: int = -1, offset: int = 0, *, device=None) -> ndarray:
    """The elements that bytes of the host hold."""
    dtype = dtype.dtype if isinstance(dtype, Type) else dtype  # its order of bytes is that of the buffer
    return array(numpy.frombuffer(buffer, dtype, count, offset), device=device)


def fromiter(iter, dtype, count: int = -1, *, device=None) -> ndarray:
    """The values that an iterator gives."""
    return array(numpy.fromiter(iter, as_dtype(dtype), count), device=device)


class NpzFile(Mapping):
    """The arrays of a `.npz` file by their names."""

    def __init__(self, file):
        self.npz_file, self.files = file, file.files

    def __getitem__(self, name: str) -> ndarray:
        return array(self.npz_file[name])

    def __iter__(self):
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)

    def __enter__(self) -> NpzFile:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file."""
        self.npz_file.close()


def load(file, **others) -> ndarray | NpzFile:
    """The array of a `.npy` file or, with `allow_pickle=True`, of one that `x.dump` has made, or those of a `.npz` file
    by their names."""
    found = numpy.load(file, **others)
    return NpzFile(found) if isinstance(found, numpy.lib.npyio.NpzFile) else asarray(found)
