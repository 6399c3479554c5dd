"""The zeros of a polynomial, all at once, by Aberth's iteration."""
from __future__ import annotations

import math

import numpy

from .creation import array, zeros
from .generated import for_each
from .indexing import flatnonzero
from .joining import concatenate
from .matrices import LinAlgError
from .ndarray import ndarray
from .ufuncs import find

# O. Aberth, Iteration Methods for Finding all Zeros of a Polynomial Simultaneously, 1973. Of a zero beyond 1 the
# polynomial of its reciprocal is evaluated, whose coefficients are those from the other end. A value below what
# roundings make of it is 0.
_STEP = f"EPSILON = {numpy.finfo(float).eps}\n" + """
@device
def values(p, z: c128) -> tuple[c128, c128, f64]:
    is_large = abs(z) > 1
    y = 1 / z if is_large else z
    size = abs(y)
    value = c128(0)
    slope = c128(0)
    bound = 0.0
    for k in range(len(p)):
        slope = slope * y + value
        value = value * y + p[len(p) - 1 - k if is_large else k]
        bound = bound * size + abs(value)
    return value, (y * ((len(p) - 1) * value - y * slope) if is_large else slope), 4 * EPSILON * bound


@kernel
def step(p, z, moved, is_done):
    i = grid(1)
    if i < len(z):
        value, slope, bound = values(p, z[i])
        done = abs(value) <= bound
        others = c128(0)
        for k in range(len(z)):
            if z[k] != z[i]:
                others += 1 / (z[i] - z[k])
        below = slope - value * others
        moved[i] = z[i] if done or below == 0 else z[i] - value / below
        is_done[i] = done or moved[i] == z[i]


@kernel
def settle(p, z):
    i = grid(1)
    if i < len(z):
        real = c128(z[i].real)
        value, slope, bound = values(p, real)
        if abs(value) <= bound:
            z[i] = real
"""
_MOST_STEPS = 500


def zeros_of(p: ndarray) -> ndarray:
    """Of the polynomial with these coefficients, floats or complex numbers, the highest power first."""
    if not bool(find("isfinite")(p).all()):
        raise LinAlgError("Array must not contain infs or NaNs")
    places = flatnonzero(p).get()
    if not places.size:
        return zeros(0, device=p.device)
    at_zero = p.size - 1 - int(places[-1])
    p = p[int(places[0]):int(places[-1]) + 1]
    kind = numpy.finfo(p.dtype)
    found = _others(p.astype(complex)) if p.size > 1 else zeros(0, complex, device=p.device)
    if p.dtype.kind != "c" and not bool((found.imag != 0).any()):
        found = found.real
    wanted = numpy.result_type(kind.dtype, "c8") if found.dtype.kind == "c" else kind.dtype
    return concatenate([found.astype(wanted), zeros(at_zero, wanted, device=p.device)])


def _others(p: ndarray) -> ndarray:
    count = p.size - 1
    if count == 1:
        return -p[1:] / p[:1]
    p = p / abs(p).max()
    first, last = abs(p[0].item()), abs(p[-1].item())
    turns = numpy.exp(2j * math.pi * (numpy.arange(count) / count + 0.1))
    z = array((last / first) ** (1 / count) * turns, device=p.device)
    moved, is_done = ndarray(count, complex, device=p.device), ndarray(count, bool, device=p.device)
    for _ in range(_MOST_STEPS):
        for_each(p.device, _STEP, "step", count, p, z, moved, is_done)
        z, moved = moved, z
        if bool(is_done.all()):
            break
    for_each(p.device, _STEP, "settle", count, p, z)
    return z
