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
from ._arrays.joining import broadcast_to
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
# A thread makes an element by FUNCTION of the parameters, from as many pairs of numbers as it takes, at most 256.
_DRAWS = 256
_SAMPLE = """import math
from pykc.random import philox_words, uint64_to_unit_float64


@device
def draw(key, place):
    w0, w1, w2, w3 = philox_words(key, place)
    return uint64_to_unit_float64(u64(w0) << 32 | u64(w1)), uint64_to_unit_float64(u64(w2) << 32 | u64(w3))


@device
def gamma(key, place, shape: f64, unused: f64) -> f64:
    # G. Marsaglia and W. W. Tsang, A Simple Method for Generating Gamma Variables, 2000
    u, v = draw(key, place)
    d = (shape if shape >= 1 else shape + 1) - 1 / 3
    c = 1 / math.sqrt(9 * d)
    for turn in range(1, 255, 2):
        x, y = draw(key, place + u64(turn))
        normal = math.sqrt(-2 * math.log(1 - x)) * math.cospi(2 * y)
        z, w = draw(key, place + u64(turn + 1))
        cube = (1 + c * normal) ** 3
        if cube > 0 and math.log(1 - z) < 0.5 * normal * normal + d - d * cube + d * math.log(cube):
            return d * cube if shape >= 1 else d * cube * math.pow(1 - u, 1 / shape) if shape > 0 else 0.0
    return d


@device
def poisson(key, place, mean: f64, unused: f64) -> f64:
    # W. Hoermann, The Transformed Rejection Method for Generating Poisson Random Variables, 1993
    if mean < 10:
        u, v = draw(key, place)
        part = math.exp(-mean)
        sum = part
        count = 0.0
        while u > sum and count < 200:
            count += 1
            part *= mean / count
            sum += part
        return count
    b = 0.931 + 2.53 * math.sqrt(mean)
    a = -0.059 + 0.02483 * b
    scale = 1.1239 + 1.1328 / (b - 3.4)
    for turn in range(256):
        u, v = draw(key, place + u64(turn))
        u -= 0.5
        v = 1 - v
        us = 0.5 - abs(u)
        count = math.floor((2 * a / us + b) * u + mean + 0.43) if us > 0 else -1.0
        if us >= 0.07 and v <= 0.9277 - 3.6224 / (b - 2):
            return count
        if count >= 0 and (us >= 0.013 or v <= us):
            if math.log(v * scale / (a / (us * us) + b)) <= count * math.log(mean) - mean - math.lgamma(count + 1):
                return count
    return math.floor(mean)


@device
def binomial(key, place, n: f64, probability: f64) -> f64:
    # W. Hoermann, The Generation of Binomial Random Variates, 1993
    p = min(probability, 1 - probability)
    ratio = p / (1 - p)
    count = -1.0
    if n * p < 10:
        u, v = draw(key, place)
        part = math.exp(n * math.log1p(-p))
        sum = part
        count = 0.0
        while u > sum and count < n:
            count += 1
            part *= ratio * (n - count + 1) / count
            sum += part
    else:
        width = math.sqrt(n * p * (1 - p))
        b = 1.15 + 2.53 * width
        a = -0.0873 + 0.0248 * b + 0.01 * p
        mode = math.floor((n + 1) * p)
        turn = 0
        while count < 0:
            u, v = draw(key, place + u64(turn))
            u -= 0.5
            v = 1 - v
            us = 0.5 - abs(u)
            found = math.floor((2 * a / us + b) * u + n * p + 0.5) if us > 0 else -1.0
            turn += 1
            if us >= 0.07 and v <= 0.92 - 4.2 / b or turn == 256:
                count = min(max(found, 0.0), n)
            elif found >= 0 and found <= n:
                if math.log(v * (2.83 + 5.1 / b) * width / (a / (us * us) + b)) <= (
                        math.lgamma(mode + 1) + math.lgamma(n - mode + 1) - math.lgamma(found + 1)
                        - math.lgamma(n - found + 1) + (found - mode) * math.log(ratio)):
                    count = found
    return count if probability <= 0.5 else n - count


@kernel(wraparound=False)
def sample(out, key: u64, start: u64, a, b):
    i = grid(1)
    if i < len(out):
        out[i] = out.dtype.type(FUNCTION(key, start + u64(256 * i), a[i], b[i]))
"""
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
        _require("scale", scale, least=0)
        if isinstance(scale, ndarray):
            scale, _, size = _parameters(scale, 0, size)
            return (self.standard_exponential(size, dtype) * scale).astype(dtype, copy=False)
        return self._floats(_EXPONENTIAL, size, dtype, scale, 0)

    def _inverted(self, value: str, size, dtype, a: float, b: float) -> ndarray:
        """VALUE of `u`, a number from 0 to below 1 for each element."""
        parts = "\n".join(f"u = {{{number}}}\n{name} = {value}" for number, name in enumerate(("first", "second")))
        return self._floats(parts, size, dtype, a, b)

    def _sampled(self, function: str, a, b, size, dtype) -> ndarray:
        """Numbers by a function of the text above, of parameters that may be arrays."""
        a, b, size = _parameters(a, b, size)
        made = ndarray(size, dtype)
        a, b = (broadcast_to(asarray(one, float), made.shape).ravel() for one in (a, b))
        text = _SAMPLE.replace("FUNCTION", function)
        key, start = numpy.uint64(self._key), numpy.uint64(self._drawn)
        for_each(made.device, text, "sample", made.size, made.ravel(), key, start, a, b)
        self._drawn += _DRAWS * made.size
        return made

    def standard_gamma(self, shape, size=None, dtype=float) -> ndarray:
        """Numbers of the gamma distribution of this shape, which may be an array."""
        _require("shape", shape, least=0)
        return self._sampled("gamma", shape, 0, size, dtype)

    def gamma(self, shape, scale=1.0, size=None, dtype=float) -> ndarray:
        """Numbers of the gamma distribution of this shape and scale, which may be arrays."""
        _require("scale", scale, least=0)
        shape, scale, size = _parameters(shape, scale, size)
        return (self.standard_gamma(shape, size, dtype) * scale).astype(dtype, copy=False)

    def chisquare(self, df, size=None, dtype=float) -> ndarray:
        """Sums of the squares of DF normal numbers."""
        _require("df", df, above=0)
        df, _, size = _parameters(df, 0, size)
        return 2 * self.standard_gamma(df / 2, size, dtype)

    def beta(self, a, b, size=None, dtype=float) -> ndarray:
        """Numbers of the beta distribution."""
        _require("a", a, above=0)
        _require("b", b, above=0)
        a, b, size = _parameters(a, b, size)
        one, other = self.standard_gamma(a, size, dtype), self.standard_gamma(b, size, dtype)
        return one / (one + other)

    def f(self, dfnum, dfden, size=None, dtype=float) -> ndarray:
        """Numbers of Fisher's distribution."""
        dfnum, dfden, size = _parameters(dfnum, dfden, size)
        ratio = (self.chisquare(dfnum, size, dtype) * dfden) / (self.chisquare(dfden, size, dtype) * dfnum)
        return ratio.astype(dtype, copy=False)

    def standard_t(self, df, size=None, dtype=float) -> ndarray:
        """Numbers of Student's distribution."""
        df, _, size = _parameters(df, 0, size)
        found = self.chisquare(df, size, dtype)
        return (self.standard_normal(found.shape, dtype) / (found / df) ** 0.5).astype(dtype, copy=False)

    def standard_cauchy(self, size=None, dtype=float) -> ndarray:
        """Numbers of Cauchy's distribution."""
        return self._inverted("math.tan(math.pi * (u - 0.5))", size, dtype, 0, 0)

    def standard_exponential(self, size=None, dtype=float) -> ndarray:
        """Numbers of the exponential distribution of mean 1."""
        return self.exponential(1.0, size, dtype)

    def triangular(self, left, mode, right, size=None, dtype=float) -> ndarray:
        """Numbers whose density rises from LEFT to MODE and falls to RIGHT."""
        if not left <= mode <= right or left == right:
            raise ValueError("left <= mode <= right, and left < right")
        part = (mode - left) / (right - left)
        found = self._inverted("math.sqrt(u * a) if u < a else 1 - math.sqrt((1 - u) * (1 - a))", size, dtype, part, 0)
        return found * (right - left) + left

    def power(self, a, size=None, dtype=float) -> ndarray:
        """Numbers from 0 to 1 whose density is a power."""
        if a <= 0:
            raise ValueError("a <= 0")
        return self._inverted("math.pow(u, a)", size, dtype, 1 / a, 0)

    def poisson(self, lam=1.0, size=None, dtype="int64") -> ndarray:
        """Numbers of events where their mean is LAM."""
        _require("lam", lam, least=0)
        return self._sampled("poisson", lam, 0, size, dtype)

    def binomial(self, n, p, size=None, dtype="int64") -> ndarray:
        """Numbers of successes in N trials of the probability P."""
        _require("n", n, least=0)
        _require("p", p, least=0, most=1)
        return self._sampled("binomial", n, p, size, dtype)

    def negative_binomial(self, n, p, size=None, dtype="int64") -> ndarray:
        """Numbers of failures before N successes of the probability P."""
        _require("n", n, above=0)
        _require("p", p, above=0, most=1)
        n, p, size = _parameters(n, p, size)
        return self.poisson(self.gamma(n, (1 - p) / p, size), None, dtype)

    def geometric(self, p, size=None, dtype="int64") -> ndarray:
        """Numbers of trials until the first success of the probability P."""
        _require("p", p, above=0, most=1)
        from ._arrays.ufuncs import find
        p, _, size = _parameters(p, 0, size)
        steps = self.standard_exponential(size) / -find("log1p")(-asarray(p, float))
        return (steps.astype("int64") + 1).clip(1).astype(dtype, copy=False)

    def dirichlet(self, alpha, size=None, dtype=float) -> ndarray:
        """Numbers that add up to 1, as many as ALPHA has."""
        alpha = asarray(alpha, float)
        found = self.standard_gamma(alpha, (*as_shape(() if size is None else size), alpha.size), dtype)
        return found / found.sum(-1, keepdims=True)

    def multinomial(self, n, pvals, size=None) -> ndarray:
        """How often each of several outcomes came in N trials."""
        pvals = numpy.asarray(asarray(pvals).get(), float)
        if (pvals < 0).any() or pvals[:-1].sum() > 1 + 1e-12:
            raise ValueError("pvals < 0, pvals > 1 or pvals contains NaNs, or sum(pvals[:-1]) > 1")
        shape = as_shape(() if size is None else size)
        made, left, part = ndarray((*shape, pvals.size), "int64"), n, 1.0
        for place, p in enumerate(pvals[:-1]):
            made[..., place] = self.binomial(left, min(max(p / part, 0.0), 1.0) if part > 0 else 0.0, shape)
            left, part = left - made[..., place], part - p
        made[..., -1] = left
        return made

    def multivariate_normal(self, mean, cov, size=None, dtype=float) -> ndarray:
        """Vectors of normal numbers of this mean and covariance."""
        from .linalg import eigh
        mean = asarray(mean, dtype)
        values, vectors = eigh(asarray(cov, dtype))
        found = self.standard_normal((*as_shape(() if size is None else size), mean.size), dtype)
        return found * values.clip(0) ** 0.5 @ vectors.T + mean

    def bytes(self, length: int) -> bytes:
        """Bytes of the host."""
        return self.integers(0, 256, length, "uint8").tobytes()

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


def _require(name: str, value, *, least=None, above=None, most=None) -> None:
    """A ValueError where a number, or one of an array, lies outside."""
    value = asarray(value)
    for is_outside, text in ((least is not None and value < least, f"{name} < {least}"),
                             (above is not None and value <= above, f"{name} <= {above}"),
                             (most is not None and value > most, f"{name} > {most}")):
        if is_outside is not False and bool(is_outside.any()):
            raise ValueError(text)


def _parameters(low, high, size) -> tuple:
    """Numbers or arrays of a device, and the shape of what they are for."""
    low, high = (one if isinstance(one, (int, float)) else asarray(one) for one in (low, high))
    return low, high, numpy.broadcast_shapes(numpy.shape(low), numpy.shape(high)) if size is None else size


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


_METHODS = """uniform standard_normal normal lognormal exponential standard_exponential laplace logistic gumbel rayleigh
    weibull pareto power triangular standard_cauchy standard_t standard_gamma gamma chisquare beta f dirichlet poisson
    binomial negative_binomial geometric multinomial multivariate_normal integers permutation shuffle choice
    bytes""".split()


def __getattr__(name: str):
    if name in _METHODS:
        return getattr(_shared, name)
    if name in _KERNEL_NAMES:
        return KernelName(f"{_pykc_path}.{name}")
    raise AttributeError(f"module 'pykc.random' has no attribute {name!r}: there are {', '.join(_METHODS)}, random, "
                         "rand, randn, randint, seed and default_rng")


def __dir__() -> list[str]:
    return sorted({*globals(), *_METHODS, *_KERNEL_NAMES})
