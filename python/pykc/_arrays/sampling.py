"""The kernels of random numbers: number i of a sequence is a function of i and the seed alone."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

from .creation import asarray
from .generated import for_each
from .ndarray import ndarray

if TYPE_CHECKING:
    from .bit_generators import BitGenerator

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
UNIT = {"float32": ("unit_float32(w0)", "unit_float32(w2)"),
        "float64": ("uint64_to_unit_float64(x)", "uint64_to_unit_float64(y)")}
UNIFORM = "first = {0}\nsecond = {1}"
NORMAL = ("radius = b * math.sqrt(-2 * math.log(1 - {0}))\nturn = 2 * {1}\n"
          "first = a + radius * math.cospi(turn)\nsecond = a + radius * math.sinpi(turn)")
# A thread makes an element by FUNCTION of the parameters, from as many pairs of numbers as it takes, at most so many.
_DRAWS = 256
_SAMPLE = f"import math\nDRAWS = {_DRAWS}\n" + """from pykc.random import philox_words, uint64_to_unit_float64


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
    for turn in range(1, DRAWS - 1, 2):
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
    for turn in range(DRAWS):
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
            if us >= 0.07 and v <= 0.92 - 4.2 / b or turn == DRAWS:
                count = min(max(found, 0.0), n)
            elif found >= 0 and found <= n:
                if math.log(v * (2.83 + 5.1 / b) * width / (a / (us * us) + b)) <= (
                        math.lgamma(mode + 1) + math.lgamma(n - mode + 1) - math.lgamma(found + 1)
                        - math.lgamma(n - found + 1) + (found - mode) * math.log(ratio)):
                    count = found
    return count if probability <= 0.5 else n - count


@device
def zipf(key, place, a: f64, unused: f64) -> f64:
    # L. Devroye, Non-Uniform Random Variate Generation, 1986, X.6.1
    b = math.pow(2.0, a - 1)
    for turn in range(DRAWS):
        u, v = draw(key, place + u64(turn))
        x = math.floor(math.pow(1 - u, -1 / (a - 1)))
        t = math.pow(1 + 1 / x, a - 1)
        if x < 9.2e18 and v * x * (t - 1) / (b - 1) <= t / b:
            return x
    return 1.0


@device
def vonmises(key, place, middle: f64, kappa: f64) -> f64:
    # D. J. Best and N. I. Fisher, Efficient Simulation of the von Mises Distribution, 1979; around so narrow a circle
    # as that of a KAPPA of a million a normal number
    u, v = draw(key, place)
    angle = math.pi * (2 * u - 1)
    if kappa > 1e6:
        angle = math.sqrt(-2 * math.log(1 - u) / kappa) * math.cospi(2 * v)
    elif kappa > 1e-8:
        root = 1 + math.sqrt(1 + 4 * kappa * kappa)
        rho = (root - math.sqrt(2 * root)) / (2 * kappa)
        s = (1 + rho * rho) / (2 * rho) if kappa > 1e-5 else 1 / kappa + kappa
        turn = 0
        is_found = False
        while not is_found and turn < DRAWS - 1:
            turn += 1
            x, y = draw(key, place + u64(turn))
            z = math.cospi(x)
            w = (1 + s * z) / (s + z)
            t = kappa * (s - w)
            is_found = t * (2 - t) >= y or math.log(t / y) + 1 - t >= 0
            angle = math.copysign(math.acos(min(max(w, -1.0), 1.0)), v - 0.5)
    angle += middle
    return angle - 2 * math.pi * math.floor(angle / (2 * math.pi) + 0.5)


@kernel(wraparound=False)
def sample(out, key: u64, start: u64, a, b):
    i = grid(1)
    if i < len(out):
        out[i] = out.dtype.type(FUNCTION(key, start + u64(DRAWS * i), a[i], b[i]))
"""
# What `fill` sets of the two numbers `x` and `y` from 0 to below 2 ** 64.
WORDS = "first = x\nsecond = y"
INTEGERS = "first = a + i64(x)\nsecond = a + i64(y)"
INTEGERS_BELOW = "first = a + i64(mulhi(x, b))\nsecond = a + i64(mulhi(y, b))"


def pairs(made: ndarray) -> int:
    """How many numbers `fill` draws."""
    return -(-made.size // 2)


def fill(made: ndarray, values: str, bits: BitGenerator, a, b) -> ndarray:
    """Sets the elements by VALUES."""
    key, start = map(numpy.uint64, bits.take(pairs(made)))
    text = _FILL.replace("VALUES", values.replace("\n", "\n        "))
    for_each(made.device, text, "fill", pairs(made), made.ravel(), key, start, a, b)
    return made


def sample(made: ndarray, function: str, bits: BitGenerator, a: ndarray, b: ndarray) -> ndarray:
    """Sets the elements by a function of the parameters A and B, one for each."""
    key, start = map(numpy.uint64, bits.take(_DRAWS * made.size))
    text = _SAMPLE.replace("FUNCTION", function)
    for_each(made.device, text, "sample", made.size, made.ravel(), key, start, a, b)
    return made


def of_unit(value: str) -> str:
    """The values VALUE of `u`, a number from 0 to below 1 for each element."""
    return "\n".join(f"u = {{{number}}}\n{name} = {value}" for number, name in enumerate(("first", "second")))


def require(name: str, value, *, least=None, above=None, most=None, below=None) -> None:
    """A ValueError where a number, or one of an array, lies outside."""
    value = value if isinstance(value, (int, float)) else asarray(value)
    for is_outside, text in ((least is not None and value < least, f"{name} < {least}"),
                             (above is not None and value <= above, f"{name} <= {above}"),
                             (most is not None and value > most, f"{name} > {most}"),
                             (below is not None and value >= below, f"{name} >= {below}")):
        if bool(is_outside.any() if isinstance(is_outside, ndarray) else is_outside):
            raise ValueError(text)


def parameters(low, high, size, *others) -> tuple:
    """Numbers or arrays of a device, and the shape of what they and OTHERS are for."""
    low, high = (one if isinstance(one, (int, float)) else asarray(one) for one in (low, high))
    return low, high, numpy.broadcast_shapes(*map(numpy.shape, (low, high, *others))) if size is None else size
