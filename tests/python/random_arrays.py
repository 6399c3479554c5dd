"""Random arrays of NumPy's and the same of pykc's: any type, shape and strides. Each run has a new seed, which it prints
at its end; PYKC_SEED=… repeats one."""
import os
import time

import numpy as np

import pykc

SEED = int(os.environ.get("PYKC_SEED", time.time_ns() % 2 ** 32))

BOOLS, INTS = ["?"], ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
FLOATS, COMPLEX = ["f2", "f4", "f8"], ["c8", "c16"]
REAL = BOOLS + INTS + FLOATS
ALL = REAL + COMPLEX


class Arrays:
    def __init__(self, salt):
        self.random = np.random.default_rng([SEED, *str(salt).encode()])

    def one(self, choices):
        return choices[self.random.integers(len(choices))]

    def shape(self, least=0, most=4):
        return tuple(int(n) for n in self.random.choice([1, 2, 3, 4, 5, 7, 33], self.random.integers(least, most + 1)))

    def values(self, shape, dtype, small=False):
        dtype, random = np.dtype(dtype), self.random
        if dtype.kind == "b":
            return random.integers(0, 2, shape).astype(dtype)
        if dtype.kind in "iu":
            info = np.iinfo(dtype)
            if small or random.integers(2):
                return random.integers(max(info.min, -9), 10, shape).astype(dtype)
            return random.integers(info.min, info.max, shape, dtype, endpoint=True)
        numbers = random.standard_normal(shape) * (1 if small else 10)
        if dtype.kind == "c":
            numbers = numbers + 1j * random.standard_normal(shape)
        numbers = np.asarray(numbers).astype(dtype)
        if not small and dtype.kind == "f" and random.integers(3) == 0:
            special = random.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], shape)
            numbers = np.where(random.random(shape) < 0.2, special, numbers).astype(dtype)
        return numbers

    def pair(self, dtype=None, shape=None, small=False):
        """A NumPy array and its equal on the device: views of the same strides."""
        dtype = self.one(ALL) if dtype is None else dtype
        shape = self.shape() if shape is None else shape
        form = self.random.integers(4)
        if form == 0 or not shape:
            host = self.values(shape, dtype, small)
            return host, pykc.array(host)
        order = self.random.permutation(len(shape))
        steps = [int(self.one([1, 1, 2, -1, -2])) for _ in shape]
        whole = self.values(tuple(int(shape[axis]) * abs(steps[axis]) for axis in order), dtype, small)
        back = np.argsort(order)
        index = tuple(slice(None, None, step) for step in steps)
        return whole.transpose(back)[index], pykc.array(whole, order="C").transpose(back)[index]

    def view(self, dtype=None, shape=None, small=False):
        """A pair to read alone: some are empty, some repeat elements along axes, some lie in columns."""
        form = self.random.integers(6)
        shape = self.shape() if shape is None else shape
        if form == 0:
            whole = tuple(self.one([1, extent]) for extent in shape)
            host, device = self.pair(dtype, whole, small)
            return np.broadcast_to(host, shape), pykc.broadcast_to(device, shape)
        if form == 1 and shape:
            host, device = self.pair(dtype, shape, small)
            return np.asfortranarray(host), pykc.asfortranarray(device)
        if form == 2 and shape:
            none = int(self.random.integers(len(shape)))
            shape = (*shape[:none], 0, *shape[none + 1:])
        return self.pair(dtype, shape, small)


def assert_same(found, expected, exact=True, scale=1.0):
    """The same type, shape and elements, or nearly: as far as a few roundings of the type go."""
    expected = np.asarray(expected)
    assert isinstance(found, pykc.ndarray), type(found)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape), (found.dtype, found.shape, expected.dtype,
                                                                            expected.shape)
    host = found.get()
    if exact or expected.dtype.kind in "biu":
        np.testing.assert_array_equal(host, expected)
    else:
        near = 16 * scale * float(np.finfo(expected.dtype).eps)
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(host, expected, rtol=near, atol=near)
