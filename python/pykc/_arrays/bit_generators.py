"""Where random numbers come from: the key of a sequence, and how many of its numbers were drawn."""
from __future__ import annotations

import hashlib
import operator
import secrets
import threading
from typing import Any

import numpy

from . import sampling
from .arguments import is_integer
from .creation import asnumpy
from .ndarray import ndarray

_lock = threading.Lock()


class BitGenerator:
    """The sequence of a seed, which is an integer or several in an array; without one, another sequence each time.
    Threads may share it: no two of them draw the same number."""

    def __init__(self, seed: Any = None):
        self._key = secrets.randbits(64) if seed is None else _key(seed)
        self._drawn = self._children = 0

    def take(self, count: int) -> tuple[int, int]:
        """The key, and the place of the first of COUNT numbers that nobody else draws."""
        with _lock:
            first = self._drawn
            self._drawn += count
        return self._key, first

    def random_raw(self, size=None, output: bool = True) -> ndarray | None:
        """Words of 64 bits; nothing, if they are only to be passed over."""
        made = ndarray(() if size is None else size, "uint64")
        if not output:
            self.take(sampling.pairs(made))
            return None
        return sampling.fill(made, sampling.WORDS, self, 0, 0)

    def spawn(self, n_children: int) -> list[BitGenerator]:
        """Sequences that share nothing with this one and with each other."""
        with _lock:
            first = self._children
            self._children += n_children
        return [type(self)([self._key, number]) for number in range(first, first + n_children)]

    @property
    def state(self) -> dict[str, Any]:
        """Where it stands, to be set again."""
        with _lock:
            return {"bit_generator": type(self).__name__, "key": self._key, "drawn": self._drawn,
                    "children": self._children}

    @state.setter
    def state(self, value: dict[str, Any]) -> None:
        with _lock:
            self._key, self._drawn, self._children = value["key"], value["drawn"], value["children"]


def _key(seed: Any) -> int:
    if is_integer(seed):
        return operator.index(seed) % 2 ** 64
    words = numpy.asarray(asnumpy(seed))
    if words.dtype.kind not in "biu":
        raise TypeError(f"a seed is an integer, or an array of integers, not {seed!r}")
    return int.from_bytes(hashlib.blake2b(words.astype("uint64").tobytes(), digest_size=8).digest(), "little")


class Philox4x3210(BitGenerator):
    """The generator that all of `pykc.random` uses."""


class XORWOW(BitGenerator):
    """CuPy's name; the numbers are those of `Philox4x3210`."""


class MRG32k3a(BitGenerator):
    """CuPy's name; the numbers are those of `Philox4x3210`."""
