"""Random numbers: arrays of them for the host's program, `pykc.random.normal(0, 1, (3, 4))`, and the generators that
kernels call, `philox_uniform` and its kin.

The numbers are those of the counter-based generator Philox 4x32-10: number i of a sequence is a function of i and the
seed alone. So the same seed gives the same numbers on every device, up to the last bits of normal ones.
"""
from __future__ import annotations

import math
import warnings
from typing import Any

import numpy

from ._arrays import sampling
from ._arrays.bit_generators import BitGenerator, MRG32k3a, Philox4x3210, XORWOW
from ._arrays.creation import asarray, asnumpy
from ._arrays.decompositions import eigh
from ._arrays.generated import computed
from ._arrays.indexing import take, take_along_axis
from ._arrays.joining import broadcast_to, where
from ._arrays.arguments import as_dtype, as_shape, axis_of, is_integer
from ._arrays.ndarray import along, delivered, ndarray
from ._arrays.sampling import parameters, require
from ._arrays.scanning import cumsum
from ._arrays.sorting import argsort, searchsorted
from ._arrays.ufuncs import find
from ._kernel_names import KernelName
from .cuda.random import create_xoroshiro128p_states

_pykc_path = "numba.cuda.random"
_KERNEL_NAMES = frozenset("""philox4x32 philox_words philox_uniform philox_normal unit_float32 uint64_to_unit_float32
    uint64_to_unit_float64 init_xoroshiro128p_state xoroshiro128p_next xoroshiro128p_jump xoroshiro128p_uniform_float32
    xoroshiro128p_uniform_float64 xoroshiro128p_normal_float32 xoroshiro128p_normal_float64""".split())


class Generator:
    """A sequence of random numbers, of a bit generator or of its seed. Threads may share it."""

    def __init__(self, bit_generator: BitGenerator | int | None = None):
        is_one = isinstance(bit_generator, BitGenerator)
        self.bit_generator = bit_generator if is_one else Philox4x3210(bit_generator)

    def spawn(self, n_children: int) -> list[Generator]:
        """Sequences that share nothing with this one and with each other."""
        return [type(self)(child) for child in self.bit_generator.spawn(n_children)]

    def _filled(self, values: str, size, dtype, a, b, out: ndarray | None = None) -> ndarray:
        return sampling.fill(_target(size, dtype, out), values, self.bit_generator, a, b)

    def _floats(self, values: str, size, dtype, a, b, out=None) -> ndarray:
        dtype = _float_type(dtype)
        number = dtype.type
        return self._filled(values.format(*sampling.UNIT[dtype.name]), size, dtype, number(a), number(b), out)

    def random(self, size=None, dtype=float, out: ndarray | None = None) -> ndarray:
        """Numbers from 0 to below 1, float32 or float64."""
        return self._floats(sampling.UNIFORM, size, dtype, 0, 0, out)

    def uniform(self, low: float = 0.0, high: float = 1.0, size=None, dtype=float) -> ndarray:
        """Numbers from LOW to below HIGH. These may be arrays."""
        low, high, size = parameters(low, high, size)
        found = self.random(size, dtype)
        return (found * (high - low) + low).astype(dtype, copy=False)

    def standard_normal(self, size=None, dtype=float, out: ndarray | None = None) -> ndarray:
        """Numbers of the normal distribution of mean 0 and deviation 1."""
        return self._floats(sampling.NORMAL, size, dtype, 0, 1, out)

    def normal(self, loc=0.0, scale=1.0, size=None, dtype=float) -> ndarray:
        """Numbers of the normal distribution of this mean and deviation, which may be arrays."""
        require("scale", scale, least=0)
        loc, scale, size = parameters(loc, scale, size)
        if isinstance(loc, ndarray) or isinstance(scale, ndarray):
            return (self.standard_normal(size, dtype) * scale + loc).astype(dtype, copy=False)
        return self._floats(sampling.NORMAL, size, dtype, loc, scale)

    def exponential(self, scale=1.0, size=None, dtype=float) -> ndarray:
        """Numbers of the exponential distribution of this mean."""
        require("scale", scale, least=0)
        return self._inverted("-a * math.log(1 - u)", size, dtype, scale, 0)

    def _inverted(self, value: str, size, dtype, a, b) -> ndarray:
        """VALUE of `u`, a number from 0 to below 1 for each element, and of A and B, which may be arrays."""
        a, b, size = parameters(a, b, size)
        if isinstance(a, ndarray) or isinstance(b, ndarray):
            u = self.random(size, dtype)
            a, b = (broadcast_to(asarray(one, u.dtype), u.shape) for one in (a, b))
            return computed(f"z = {value}", u.dtype, u=(u, u.dtype), a=(a, u.dtype), b=(b, u.dtype))
        return self._floats(sampling.of_unit(value), size, dtype, a, b)

    def _sampled(self, function: str, a, b, size, dtype, out: ndarray | None = None) -> ndarray:
        """Numbers by a function of the text of sampling.py, of parameters that may be arrays."""
        a, b, size = parameters(a, b, out.shape if size is None and out is not None else size)
        made = _target(size, dtype, out)
        a, b = (broadcast_to(asarray(one, float), made.shape).ravel() for one in (a, b))
        return sampling.sample(made, function, self.bit_generator, a, b)

    def standard_gamma(self, shape, size=None, dtype=float, out: ndarray | None = None) -> ndarray:
        """Numbers of the gamma distribution of this shape, which may be an array."""
        require("shape", shape, least=0)
        return self._sampled("gamma", shape, 0, size, _float_type(dtype), out)

    def gamma(self, shape, scale=1.0, size=None, dtype=float) -> ndarray:
        """Numbers of the gamma distribution of this shape and scale, which may be arrays."""
        require("scale", scale, least=0)
        shape, scale, size = parameters(shape, scale, size)
        return (self.standard_gamma(shape, size, dtype) * scale).astype(dtype, copy=False)

    def chisquare(self, df, size=None, dtype=float) -> ndarray:
        """Sums of the squares of DF normal numbers."""
        require("df", df, above=0)
        df, _, size = parameters(df, 0, size)
        return 2 * self.standard_gamma(df / 2, size, dtype)

    def beta(self, a, b, size=None, dtype=float) -> ndarray:
        """Numbers of the beta distribution."""
        require("a", a, above=0)
        require("b", b, above=0)
        a, b, size = parameters(a, b, size)
        one, other = self.standard_gamma(a, size, dtype), self.standard_gamma(b, size, dtype)
        return one / (one + other)

    def noncentral_chisquare(self, df, nonc, size=None, dtype=float) -> ndarray:
        """Sums of the squares of DF normal numbers, the squares of whose means add up to NONC."""
        require("df", df, above=0)
        require("nonc", nonc, least=0)
        df, nonc, size = parameters(df, nonc, size)
        return self.chisquare(df + 2 * self.poisson(nonc / 2, size), None, dtype)

    def noncentral_f(self, dfnum, dfden, nonc, size=None, dtype=float) -> ndarray:
        """Numbers of Fisher's distribution, the first sum of squares being that of `noncentral_chisquare`."""
        dfnum, dfden, size = parameters(dfnum, dfden, size, nonc)
        above, below = self.noncentral_chisquare(dfnum, nonc, size, dtype), self.chisquare(dfden, size, dtype)
        return ((above * dfden) / (below * dfnum)).astype(dtype, copy=False)

    def wald(self, mean, scale, size=None, dtype=float) -> ndarray:
        """Numbers of Wald's distribution (J. R. Michael, W. R. Schucany and R. W. Haas, Generating Random Variates
        Using Transformations with Multiple Roots, 1976)."""
        require("mean", mean, above=0)
        require("scale", scale, above=0)
        mean, scale, size = parameters(mean, scale, size)
        y = self.standard_normal(size, dtype) ** 2 * mean
        high = mean + mean / (2 * scale) * (y + (4 * scale * y + y * y) ** 0.5)
        low = mean * mean / high
        return where(self.random(size, dtype) * (mean + low) <= mean, low, high).astype(dtype, copy=False)

    def f(self, dfnum, dfden, size=None, dtype=float) -> ndarray:
        """Numbers of Fisher's distribution."""
        dfnum, dfden, size = parameters(dfnum, dfden, size)
        ratio = (self.chisquare(dfnum, size, dtype) * dfden) / (self.chisquare(dfden, size, dtype) * dfnum)
        return ratio.astype(dtype, copy=False)

    def standard_t(self, df, size=None, dtype=float) -> ndarray:
        """Numbers of Student's distribution."""
        df, _, size = parameters(df, 0, size)
        found = self.chisquare(df, size, dtype)
        return (self.standard_normal(found.shape, dtype) / (found / df) ** 0.5).astype(dtype, copy=False)

    def standard_cauchy(self, size=None, dtype=float) -> ndarray:
        """Numbers of Cauchy's distribution."""
        return self._inverted("math.tan(math.pi * (u - 0.5))", size, dtype, 0, 0)

    def standard_exponential(self, size=None, dtype=float, method: str = "inv", out: ndarray | None = None) -> ndarray:
        """Numbers of the exponential distribution of mean 1. METHOD is taken for NumPy's sake."""
        return self._floats(sampling.of_unit("-math.log(1 - u)"), size, dtype, 0, 0, out)

    def triangular(self, left, mode, right, size=None, dtype=float) -> ndarray:
        """Numbers whose density rises from LEFT to MODE and falls to RIGHT."""
        right, _, _ = parameters(right, 0, None)
        left, mode, size = parameters(left, mode, size, right)
        is_in_order = (left <= mode) & (mode <= right) & (left < right)
        if not (is_in_order.all() if isinstance(is_in_order, ndarray) else is_in_order):
            raise ValueError("left <= mode <= right, and left < right")
        part = (mode - left) / (right - left)
        found = self._inverted("math.sqrt(u * a) if u < a else 1 - math.sqrt((1 - u) * (1 - a))", size, dtype, part, 0)
        return (found * (right - left) + left).astype(dtype, copy=False)

    def power(self, a, size=None, dtype=float) -> ndarray:
        """Numbers from 0 to 1 whose density is a power."""
        require("a", a, above=0)
        a, _, size = parameters(a, 0, size)
        return self._inverted("math.pow(u, a)", size, dtype, 1 / a, 0)

    def poisson(self, lam=1.0, size=None, dtype="int64") -> ndarray:
        """Numbers of events where their mean is LAM."""
        require("lam", lam, least=0)
        return self._sampled("poisson", lam, 0, size, dtype)

    def binomial(self, n, p, size=None, dtype="int64") -> ndarray:
        """Numbers of successes in N trials of the probability P."""
        require("n", n, least=0)
        require("p", p, least=0, most=1)
        return self._sampled("binomial", n, p, size, dtype)

    def negative_binomial(self, n, p, size=None, dtype="int64") -> ndarray:
        """Numbers of failures before N successes of the probability P."""
        require("n", n, above=0)
        require("p", p, above=0, most=1)
        n, p, size = parameters(n, p, size)
        return self.poisson(self.gamma(n, (1 - p) / p, size), None, dtype)

    def geometric(self, p, size=None, dtype="int64") -> ndarray:
        """Numbers of trials until the first success of the probability P."""
        require("p", p, above=0, most=1)
        p, _, size = parameters(p, 0, size)
        steps = self.standard_exponential(size) / -find("log1p")(-asarray(p, float))
        return (steps.astype("int64") + 1).clip(1).astype(dtype, copy=False)

    def vonmises(self, mu, kappa, size=None, dtype=float) -> ndarray:
        """Angles around MU, of a normal distribution's kind on the circle, the narrower the greater KAPPA."""
        require("kappa", kappa, least=0)
        return self._sampled("vonmises", mu, kappa, size, dtype)

    def logseries(self, p, size=None, dtype="int64") -> ndarray:
        """Numbers of the logarithmic series of P, from 1 on (A. W. Kemp, Efficient Generation of Logarithmically
        Distributed Pseudo-Random Variables, 1981)."""
        require("p", p, least=0, below=1)
        p, _, size = parameters(p, 0, size)
        part = -find("expm1")(find("log1p")(-asarray(p, float)) * self.random(size))
        found = find("log")(1 - self.random(part.shape)) / find("log")(part)
        return (found.astype("int64") + 1).astype(dtype, copy=False)

    def zipf(self, a, size=None, dtype="int64") -> ndarray:
        """Numbers from 1 on, of probabilities that fall with the power A."""
        require("a", a, above=1)
        return self._sampled("zipf", a, 0, size, dtype)

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

    def multivariate_normal(self, mean, cov, size=None, check_valid: str = "ignore", tol: float = 1e-8,
                            method: str = "eigh", dtype=float) -> ndarray:
        """Vectors of normal numbers of this mean and covariance. With CHECK_VALID of "warn" or "raise" it is said where
        an eigenvalue of this is less than 0, by TOL of the largest. METHOD is taken for CuPy's sake."""
        if check_valid not in ("ignore", "warn", "raise"):
            raise ValueError("check_valid must equal 'warn', 'raise', or 'ignore'")
        mean = asarray(mean, dtype)
        values, vectors = eigh(asarray(cov, dtype))
        if check_valid != "ignore" and bool((values < -tol * abs(values).max()).any()):
            if check_valid == "raise":
                raise ValueError("covariance is not symmetric positive-semidefinite.")
            warnings.warn("covariance is not symmetric positive-semidefinite.", RuntimeWarning, stacklevel=2)
        found = self.standard_normal((*as_shape(() if size is None else size), mean.size), dtype)
        return found * values.clip(0) ** 0.5 @ vectors.T + mean

    def bytes(self, length: int) -> bytes:
        """Bytes of the host."""
        return self.integers(0, 256, length, "uint8").tobytes()

    def lognormal(self, mean=0.0, sigma=1.0, size=None, dtype=float) -> ndarray:
        """Numbers whose logarithms have the normal distribution of this mean and deviation."""
        return find("exp")(self.normal(mean, sigma, size, dtype))

    def laplace(self, loc=0.0, scale=1.0, size=None, dtype=float) -> ndarray:
        """Numbers of Laplace's distribution."""
        require("scale", scale, least=0)
        return self._inverted("a - b * math.copysign(math.log(max(1 - abs(2 * u - 1), 1e-30)), 0.5 - u)", size, dtype,
                              loc, scale)

    def logistic(self, loc=0.0, scale=1.0, size=None, dtype=float) -> ndarray:
        """Numbers of the logistic distribution."""
        require("scale", scale, least=0)
        return self._inverted("a + b * math.log(max(u, 1e-30) / (1 - u))", size, dtype, loc, scale)

    def gumbel(self, loc=0.0, scale=1.0, size=None, dtype=float) -> ndarray:
        """Numbers of Gumbel's distribution."""
        require("scale", scale, least=0)
        return self._inverted("a - b * math.log(max(-math.log(1 - u), 1e-30))", size, dtype, loc, scale)

    def rayleigh(self, scale=1.0, size=None, dtype=float) -> ndarray:
        """Numbers of Rayleigh's distribution."""
        require("scale", scale, least=0)
        return self._inverted("a * math.sqrt(-2 * math.log(1 - u))", size, dtype, scale, 0)

    def weibull(self, a, size=None, dtype=float) -> ndarray:
        """Numbers of Weibull's distribution of shape A."""
        require("a", a, above=0)
        a, _, size = parameters(a, 0, size)
        return self._inverted("math.pow(-math.log(1 - u), a)", size, dtype, 1 / a, 0)

    def pareto(self, a, size=None, dtype=float) -> ndarray:
        """Numbers of Pareto's distribution of shape A, from 0 on."""
        require("a", a, above=0)
        a, _, size = parameters(a, 0, size)
        return self._inverted("math.expm1(-math.log(1 - u) * a)", size, dtype, 1 / a, 0)

    def integers(self, low: int, high: int | None = None, size=None, dtype="int64", endpoint: bool = False) -> ndarray:
        """Integers from LOW, or 0, to below HIGH, or to HIGH where it is the end point. Of n of them each comes with
        a probability that differs from 1 / n by less than 2 ** -64. LOW and HIGH may be arrays."""
        low, high = (0, low) if high is None else (low, high)
        dtype = as_dtype(dtype)
        if numpy.ndim(low) or numpy.ndim(high):
            return self._integers_of_arrays(asarray(low), asarray(high), size, dtype, endpoint)
        high = int(high) + endpoint
        low = int(low)
        if low >= high:
            raise ValueError("low >= high")
        info = numpy.iinfo("uint8" if dtype.kind == "b" else dtype)
        if low < info.min or high - 1 > info.max:
            raise ValueError(f"low or high is out of bounds for {dtype}")
        if high - low == 2 ** 64:
            return self._filled(sampling.INTEGERS, size, dtype, 0, 0)
        first = (low + 2 ** 63) % 2 ** 64 - 2 ** 63
        return self._filled(sampling.INTEGERS_BELOW, size, dtype, first, numpy.uint64(high - low))

    def _integers_of_arrays(self, low: ndarray, high: ndarray, size, dtype, endpoint: bool) -> ndarray:
        low, high = (one if one.dtype.kind in "iu" else one.astype("int64") for one in (low, high))
        if bool((low > high if endpoint else low >= high).any()):
            raise ValueError("low >= high")
        info = numpy.iinfo("uint8" if dtype.kind == "b" else dtype)
        if low.size and high.size and (int(low.min()) < info.min or int(high.max()) > info.max + (not endpoint)):
            raise ValueError(f"low or high is out of bounds for {dtype}")
        low, high = (one.astype("uint64") for one in (low, high))
        words = self.bit_generator.random_raw(parameters(low, high, size)[2])
        count = high - low + int(endpoint)
        found = computed("z = a + (mulhi(w, n) if n > 0 else w)", words.dtype, w=(words, words.dtype),
                         a=(broadcast_to(low, words.shape), words.dtype),
                         n=(broadcast_to(count, words.shape), words.dtype))
        return found.astype(dtype, copy=False)

    def permutation(self, x: Any, axis: int = 0) -> ndarray:
        """The numbers below X, or the parts of an array along an axis, in random order."""
        is_count = is_integer(x)
        count = x if is_count else asarray(x).shape[axis_of(axis, asarray(x).ndim)]
        order = argsort(self.bit_generator.random_raw(count))
        return order if is_count else take(x, order, axis)

    def permuted(self, x: Any, *, axis: int | None = None, out: ndarray | None = None) -> ndarray:
        """The elements along an axis in random order, in another one for each line; of all, where there is no axis."""
        x = asarray(x)
        lines, place = along(x, axis)
        order = argsort(self.bit_generator.random_raw(lines.shape), place)
        return delivered(take_along_axis(lines, order, place).reshape(x.shape), out)

    def shuffle(self, x: ndarray, axis: int = 0) -> None:
        """Puts the parts of an array along an axis in random order."""
        x[...] = self.permutation(x, axis)

    def choice(self, a: Any, size=None, replace: bool = True, p=None, axis: int = 0) -> ndarray:
        """Some of the numbers below A, or of the parts of an array; `p` are their probabilities."""
        is_count = is_integer(a)
        count = int(a) if is_count else asarray(a).shape[axis_of(axis, asarray(a).ndim)]
        shape = as_shape(() if size is None else size)
        wanted = math.prod(shape)
        if p is not None:
            _check_probabilities(p, count)
        if not wanted:
            places = ndarray(shape, "int64")
        elif replace and p is None:
            places = self.integers(0, count, shape)
        elif replace:
            sums = cumsum(asarray(p, float))
            places = searchsorted(sums / sums[-1], self.random(shape), "right").clip(0, count - 1)
        elif wanted > count:
            raise ValueError("cannot take a larger sample than population when replace is False")
        elif p is None:
            places = self.permutation(count)[:wanted].reshape(shape)
        elif wanted > numpy.count_nonzero(asnumpy(p)):
            raise ValueError("Fewer non-zero entries in p than size")
        else:  # those whose events come first, which have these rates
            places = argsort(self.standard_exponential(count) / asarray(p, float))[:wanted].reshape(shape)
        return places if is_count else take(a, places, axis)


def _float_type(dtype) -> numpy.dtype:
    dtype = as_dtype(dtype)
    if dtype.name not in sampling.UNIT:
        raise TypeError(f"random floats are float32 or float64, not {dtype}")
    return dtype


def _target(size, dtype, out: ndarray | None) -> ndarray:
    """A new array, or `out`, if it fits."""
    if out is None:
        return ndarray(() if size is None else size, dtype)
    if out.dtype != dtype:
        raise TypeError(f"`out` has elements of {out.dtype}, not of {numpy.dtype(dtype)}")
    if not out.is_c_contiguous() or size is not None and out.shape != as_shape(size):
        raise ValueError("`out` must lie in rows and have the shape of `size`")
    return out


def _check_probabilities(p, count: int) -> None:
    p = asnumpy(p)
    if p.ndim != 1 or p.size != count:
        raise ValueError(f"`p` has {count} probabilities in one dimension, not the shape {p.shape}")
    if not (p >= 0).all():
        raise ValueError("probabilities are not non-negative")
    nearly = max(numpy.finfo(p.dtype if p.dtype.kind == "f" else float).eps, numpy.finfo(float).eps) ** 0.5
    if abs(p.sum(dtype=float) - 1) > nearly:
        raise ValueError("probabilities do not sum to 1")


class RandomState(Generator):
    """A sequence of its own, by NumPy's older names. METHOD is taken for CuPy's sake."""

    def __init__(self, seed: Any = None, method: int | None = None):
        super().__init__(seed)

    def seed(self, seed: Any = None) -> None:
        """Starts the sequence anew."""
        self.bit_generator = Philox4x3210(seed)

    def rand(self, *size, dtype=float) -> ndarray:
        """`random`, with the extents as arguments."""
        return self.random(size or None, dtype)

    def randn(self, *size, dtype=float) -> ndarray:
        """`standard_normal`, with the extents as arguments."""
        return self.standard_normal(size or None, dtype)

    def randint(self, low: int, high: int | None = None, size=None, dtype="int64") -> ndarray:
        """`integers`."""
        return self.integers(low, high, size, dtype)

    def random_integers(self, low: int, high: int | None = None, size=None) -> ndarray:
        """Integers from LOW, or 1, to HIGH."""
        low, high = (1, low) if high is None else (low, high)
        return self.integers(low, high, size, endpoint=True)

    def tomaxint(self, size=None) -> ndarray:
        """Integers from 0 to the largest of int64."""
        return self.integers(2 ** 63, size=size)

    random_sample = ranf = sample = Generator.random


def default_rng(seed: Any = None) -> Generator:
    """A sequence of its own; without a seed, another one each time."""
    return seed if isinstance(seed, Generator) else Generator(seed)


_shared = RandomState()


def seed(seed: Any = None) -> None:
    """Starts the sequence of the functions below anew."""
    _shared.seed(seed)


def get_random_state() -> RandomState:
    """The sequence of the functions below."""
    return _shared


def set_random_state(rs: RandomState) -> None:
    """Gives the functions below another sequence."""
    global _shared
    if not isinstance(rs, RandomState):
        raise TypeError(f"a RandomState is asked for, not a {type(rs).__name__}")
    _shared = rs


def reset_states() -> None:
    """Gives the functions below a new sequence."""
    set_random_state(RandomState())


_METHODS = """random random_sample ranf sample rand randn randint random_integers uniform standard_normal normal
    lognormal exponential standard_exponential laplace logistic gumbel rayleigh weibull pareto power triangular
    standard_cauchy standard_t standard_gamma gamma chisquare noncentral_chisquare beta f noncentral_f wald dirichlet
    poisson binomial negative_binomial geometric logseries zipf multinomial multivariate_normal vonmises integers
    permutation permuted shuffle choice bytes tomaxint""".split()


def __getattr__(name: str):
    if name in _METHODS:
        return getattr(_shared, name)
    if name in _KERNEL_NAMES:
        return KernelName(f"{_pykc_path}.{name}")
    raise AttributeError(f"module 'pykc.random' has no attribute {name!r}: there are {', '.join(_METHODS)}, seed "
                         "and default_rng")


def __dir__() -> list[str]:
    return sorted({*globals(), *_METHODS, *_KERNEL_NAMES})
