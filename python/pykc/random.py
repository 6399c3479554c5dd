"""Random numbers: arrays of them for the host's program, `pykc.random.normal(0, 1, (3, 4))`, and the generators that
kernels call, `philox_uniform` and its kin.

The numbers are those of the counter-based generator Philox 4x32-10: number i of a sequence is a function of i and the
seed alone. So the same seed gives the same numbers on every device, up to the last bits of normal ones.
"""
from __future__ import annotations

import math
import secrets
from typing import Any

import numpy

from ._arrays.creation import asarray
from ._arrays.generated import for_each
from ._arrays.ndarray import ndarray
from ._arrays.ndarray import as_dtype, as_shape, axis_of
from ._kernel_names import KernelName
from .cuda.random import create_xoroshiro128p_states

_pykc_path = "numba.cuda.random"
_KERNEL_NAMES = frozenset("""philox4x32 philox_words philox_uniform philox_normal unit_float32 uint64_to_unit_float32
    uint64_to_unit_float64 init_xoroshiro128p_state xoroshiro128p_next xoroshiro128p_jump xoroshiro128p_uniform_float32
    xoroshiro128p_uniform_float64 xoroshiro128p_normal_float32 xoroshiro128p_normal_float64""".split())

# A thread makes two elements of four words. VALUES sets `first` and `second`.
_FILL = """from pykc.random import philox_words, unit_float32, uint64_to_unit_float64


@kernel(wraparound=False)
def fill(out, key: u64, start: u64, a, b):
    i = grid(1)
    if 2 * i < len(out):
        w0, w1, w2, w3 = philox_words(key, start + u64(i))
        x = u64(w0) << 32 | u64(w1)
        y = u64(w2) << 32 | u64(w3)
        VALUES
        out[2 * i] = first
        if 2 * i + 1 < len(out):
            out[2 * i + 1] = second
"""
_UNIT = {"float32": ("unit_float32(w0)", "unit_float32(w2)"),
         "float64": ("uint64_to_unit_float64(x)", "uint64_to_unit_float64(y)")}
_UNIFORM = "first = {0}\nsecond = {1}"
_NORMAL = ("radius = b * math.sqrt(-2 * math.log(1 - {0}))\nturn = 2 * {1}\n"
           "first = a + radius * math.cospi(turn)\nsecond = a + radius * math.sinpi(turn)")
_EXPONENTIAL = "first = -a * math.log(1 - {0})\nsecond = -a * math.log(1 - {1})"
_INTEGERS = "first = a + i64(mulhi(x, b))\nsecond = a + i64(mulhi(y, b))"


class Generator:
    """A sequence of random numbers. One thread draws from it at a time."""

    def __init__(self, seed: int | None = None):
        self._key = secrets.randbits(64) if seed is None else int(seed) % 2 ** 64
        self._drawn = 0

    def _filled(self, values: str, size, dtype, a, b, out: ndarray | None = None) -> ndarray:
        if out is None:
            made = ndarray(() if size is None else size, dtype)
        elif not out.is_c_contiguous() or size is not None and out.shape != as_shape(size):
            raise ValueError("`out` must lie in rows and have the shape of `size`")
        else:
            made = out
        pairs = -(-made.size // 2)
        text = _FILL.replace("VALUES", values.replace("\n", "\n        "))
        key, start = numpy.uint64(self._key), numpy.uint64(self._drawn)
        for_each(made.device, text, "fill", pairs, made.ravel(), key, start, a, b)
        self._drawn += pairs
        return made

    def _floats(self, values: str, size, dtype, a, b, out=None) -> ndarray:
        dtype = as_dtype(dtype)
        if dtype.name not in _UNIT:
            raise TypeError(f"random floats are float32 or float64, not {dtype}")
        number = dtype.type
        return self._filled(values.format(*_UNIT[dtype.name]), size, dtype, number(a), number(b), out)

    def random(self, size=None, dtype=float, out: ndarray | None = None) -> ndarray:
        """Numbers from 0 to below 1, float32 or float64."""
        return self._floats(_UNIFORM, size, dtype, 0, 0, out)

    def uniform(self, low: float = 0.0, high: float = 1.0, size=None, dtype=float) -> ndarray:
        """Numbers from LOW to below HIGH. These may be arrays."""
        low, high, size = _parameters(low, high, size)
        found = self.random(size, dtype)
        return (found * (high - low) + low).astype(dtype, copy=False)

    def standard_normal(self, size=None, dtype=float, out: ndarray | None = None) -> ndarray:
        """Numbers of the normal distribution of mean 0 and deviation 1."""
        return self._floats(_NORMAL, size, dtype, 0, 1, out)

    def normal(self, loc: float = 0.0, scale: float = 1.0, size=None, dtype=float) -> ndarray:
        """Numbers of the normal distribution of this mean and deviation, which may be arrays."""
        if isinstance(loc, ndarray) or isinstance(scale, ndarray):
            loc, scale, size = _parameters(loc, scale, size)
            return (self.standard_normal(size, dtype) * scale + loc).astype(dtype, copy=False)
        if scale < 0:
            raise ValueError("scale < 0")
        return self._floats(_NORMAL, size, dtype, loc, scale)

    def exponential(self, scale: float = 1.0, size=None, dtype=float) -> ndarray:
        """Numbers of the exponential distribution of this mean."""
        if scale < 0:
            raise ValueError("scale < 0")
        return self._floats(_EXPONENTIAL, size, dtype, scale, 0)

    def _inverted(self, value: str, size, dtype, a: float, b: float) -> ndarray:
        """VALUE of `u`, a number from 0 to below 1 for each element."""
        parts = "\n".join(f"u = {{{number}}}\n{name} = {value}" for number, name in enumerate(("first", "second")))
        return self._floats(parts, size, dtype, a, b)

    def lognormal(self, mean: float = 0.0, sigma: float = 1.0, size=None, dtype=float) -> ndarray:
        """Numbers whose logarithms have the normal distribution of this mean and deviation."""
        from ._arrays.ufuncs import find
        return find("exp")(self.normal(mean, sigma, size, dtype))

    def laplace(self, loc: float = 0.0, scale: float = 1.0, size=None, dtype=float) -> ndarray:
        """Numbers of Laplace's distribution."""
        return self._inverted("a - b * math.copysign(math.log(max(1 - abs(2 * u - 1), 1e-30)), 0.5 - u)", size, dtype,
                              loc, scale)

    def logistic(self, loc: float = 0.0, scale: float = 1.0, size=None, dtype=float) -> ndarray:
        """Numbers of the logistic distribution."""
        return self._inverted("a + b * math.log(max(u, 1e-30) / (1 - u))", size, dtype, loc, scale)

    def gumbel(self, loc: float = 0.0, scale: float = 1.0, size=None, dtype=float) -> ndarray:
        """Numbers of Gumbel's distribution."""
        return self._inverted("a - b * math.log(max(-math.log(1 - u), 1e-30))", size, dtype, loc, scale)

    def rayleigh(self, scale: float = 1.0, size=None, dtype=float) -> ndarray:
        """Numbers of Rayleigh's distribution."""
        return self._inverted("a * math.sqrt(-2 * math.log(1 - u))", size, dtype, scale, 0)

    def weibull(self, a: float, size=None, dtype=float) -> ndarray:
        """Numbers of Weibull's distribution of shape A."""
        return self._inverted("math.pow(-math.log(1 - u), a)", size, dtype, 1 / a, 0)

    def pareto(self, a: float, size=None, dtype=float) -> ndarray:
        """Numbers of Pareto's distribution of shape A, from 0 on."""
        return self._inverted("math.expm1(-math.log(1 - u) * a)", size, dtype, 1 / a, 0)

    def integers(self, low: int, high: int | None = None, size=None, dtype="int64", endpoint: bool = False) -> ndarray:
        """Integers from LOW, or 0, to below HIGH, or to HIGH where it is the end point. Of n of them each comes with
        a probability that differs from 1 / n by less than 2 ** -64."""
        low, high = (0, low) if high is None else (low, high)
        dtype = as_dtype(dtype)
        high = int(high) + endpoint
        low = int(low)
        if low >= high:
            raise ValueError("low >= high")
        info = numpy.iinfo("uint8" if dtype.kind == "b" else dtype)
        if low < info.min or high - 1 > info.max:
            raise ValueError(f"low or high is out of bounds for {dtype}")
        if high - low == 2 ** 64:
            return self._filled("first = a + i64(x)\nsecond = a + i64(y)", size, dtype, 0, 0)
        return self._filled(_INTEGERS, size, dtype, (low + 2 ** 63) % 2 ** 64 - 2 ** 63, numpy.uint64(high - low))

    def permutation(self, x: Any, axis: int = 0) -> ndarray:
        """The numbers below X, or the parts of an array along an axis, in random order."""
        from ._arrays.indexing import take
        from ._arrays.sorting import argsort
        is_count = isinstance(x, int)
        count = x if is_count else asarray(x).shape[axis_of(axis, asarray(x).ndim)]
        order = argsort(self._filled("first = x\nsecond = y", count, "uint64", 0, 0))
        return order if is_count else take(x, order, axis)

    def shuffle(self, x: ndarray, axis: int = 0) -> None:
        """Puts the parts of an array along an axis in random order."""
        x[...] = self.permutation(x, axis)

    def choice(self, a: Any, size=None, replace: bool = True, p=None, axis: int = 0) -> ndarray:
        """Some of the numbers below A, or of the parts of an array; `p` are their probabilities."""
        from ._arrays.indexing import take
        from ._arrays.scanning import cumsum
        from ._arrays.sorting import searchsorted
        is_count = isinstance(a, int)
        count = a if is_count else asarray(a).shape[axis_of(axis, asarray(a).ndim)]
        if p is not None:
            if not replace:
                raise NotImplementedError("choice with p= and replace=False")
            sums = cumsum(asarray(p, float))
            places = searchsorted(sums / sums[-1], self.random(size), "right").clip(0, count - 1)
        elif replace:
            places = self.integers(0, count, size)
        else:
            wanted = math.prod(as_shape(() if size is None else size))
            if wanted > count:
                raise ValueError("cannot take a larger sample than population when replace is False")
            places = self.permutation(count)[:wanted].reshape(() if size is None else size)
        return places if is_count else take(a, places, axis)


class RandomState(Generator):
    """A sequence of its own, by NumPy's older names."""

    def rand(self, *size, dtype=float) -> ndarray:
        """`random`, with the extents as arguments."""
        return self.random(size or None, dtype)

    def randn(self, *size, dtype=float) -> ndarray:
        """`standard_normal`, with the extents as arguments."""
        return self.standard_normal(size or None, dtype)

    def randint(self, low: int, high: int | None = None, size=None, dtype="int64") -> ndarray:
        """`integers`."""
        return self.integers(low, high, size, dtype)

    def random_sample(self, size=None, dtype=float) -> ndarray:
        """`random`."""
        return self.random(size, dtype)


def _parameters(low, high, size) -> tuple:
    """Arrays as they are, and the shape of the numbers that they are for."""
    if size is None:
        size = numpy.broadcast_shapes(numpy.shape(low) if not isinstance(low, ndarray) else low.shape,
                                      numpy.shape(high) if not isinstance(high, ndarray) else high.shape)
    return low, high, size


def default_rng(seed: int | None = None) -> Generator:
    """A sequence of its own; without a seed, another one each time."""
    return seed if isinstance(seed, Generator) else Generator(seed)


_shared = Generator()


def seed(seed: int | None = None) -> None:
    """Starts the sequence of the functions below anew."""
    _shared.__init__(seed)


def random(size=None, dtype=float) -> ndarray:
    """Numbers from 0 to below 1."""
    return _shared.random(size, dtype)


random_sample = ranf = sample = random


def rand(*size, dtype=float) -> ndarray:
    """`random`, with the extents as arguments."""
    return _shared.random(size or None, dtype)


def randn(*size, dtype=float) -> ndarray:
    """`standard_normal`, with the extents as arguments."""
    return _shared.standard_normal(size or None, dtype)


def randint(low: int, high: int | None = None, size=None, dtype="int64") -> ndarray:
    """Integers from LOW, or 0, to below HIGH."""
    return _shared.integers(low, high, size, dtype)


_METHODS = ("uniform", "standard_normal", "normal", "lognormal", "exponential", "laplace", "logistic", "gumbel",
            "rayleigh", "weibull", "pareto", "integers", "permutation", "shuffle", "choice")


def __getattr__(name: str):
    if name in _METHODS:
        return getattr(_shared, name)
    if name in _KERNEL_NAMES:
        return KernelName(f"{_pykc_path}.{name}")
    raise AttributeError(f"module 'pykc.random' has no attribute {name!r}: there are {', '.join(_METHODS)}, random, "
                         "rand, randn, randint, seed and default_rng")


def __dir__() -> list[str]:
    return sorted({*globals(), *_METHODS, *_KERNEL_NAMES})
