"""Eigenvalues of Hermitian matrices on the CPU device, where a thread has a matrix and computes in 64 bits.

Reflections leave the diagonal and what is beside it, which rotations chase away (H. Bowdler, R. S. Martin, C. Reinsch,
J. H. Wilkinson, The QR and QL algorithms for symmetric matrices, 1968). All loops inside are along rows.
"""
from __future__ import annotations

import math

import numpy

from .creation import zeros
from .indexing import take_along_axis
from .joining import where
from .matrices import NUMBERS, LinAlgError, launch
from .ndarray import ndarray
from .sorting import argsort

_TEXT = """import math
TURNS = 60


@device(wraparound=False)
def reflect(a, diagonal, beside, factors, sums):
    # Row K keeps the conjugate of the vector by which rows and columns behind K are reflected.
    n = a.shape[0]
    for k in range(n - 1):
        own = a[k]
        diagonal[k] = own[k].real
        below = 0.0
        for j in range(k + 2, n):
            below += square(own[j])
        head = conjugate(own[k + 1])
        if below == 0 and head.imag == 0:
            beside[k] = head.real
        else:
            made = -math.copysign(math.sqrt(square(head) + below), head.real)
            scale = 1 / conjugate(head - made)
            for j in range(k + 2, n):
                own[j] *= scale
            own[k + 1] = a.dtype.type(1)
            factor = (made - head) / made
            beside[k] = made
            factors[k] = factor
            for j in range(k + 1, n):
                sums[j] = a.dtype.type(0)
            for i in range(k + 1, n):
                part = own[i]
                for j in range(k + 1, n):
                    sums[j] += part * a[i, j]
            both = 0.0
            for j in range(k + 1, n):
                both += (sums[j] * conjugate(own[j])).real
            half = a.dtype.type(square(factor) * both / 2)
            turned = conjugate(factor)
            for j in range(k + 1, n):
                sums[j] = turned * sums[j] - half * own[j]
            for i in range(k + 1, n):
                of_sums = conjugate(sums[i])
                of_own = conjugate(own[i])
                for j in range(k + 1, n):
                    a[i, j] -= of_sums * own[j] + of_own * sums[j]
    diagonal[n - 1] = a[n - 1, n - 1].real


@device(wraparound=False)
def put_together(q, a, factors, sums):
    # The product of the reflections.
    n = a.shape[0]
    for i in range(n):
        for j in range(n):
            q[i, j] = a.dtype.type(1 if i == j else 0)
    for back in range(n - 1):
        k = n - 2 - back
        for j in range(k + 1, n):
            sums[j] = a.dtype.type(0)
        for i in range(k + 1, n):
            part = a[k, i]
            for j in range(k + 1, n):
                sums[j] += part * q[i, j]
        if square(factors[k]) != 0:
            for i in range(k + 1, n):
                part = factors[k] * conjugate(a[k, i])
                for j in range(k + 1, n):
                    q[i, j] -= part * sums[j]


@device(wraparound=False)
def rotate(x, y, cosine: f64, sine: f64):
    for j in range(len(x)):
        own = x[j]
        other = y[j]
        x[j] = cosine * own - sine * other
        y[j] = sine * own + cosine * other


@device(wraparound=False)
def end_of_part(beside, first, least: f64):
    # The first place from FIRST on that no more than LEAST ties to the next one.
    last = first
    while last + 1 < len(beside) and abs(beside[last]) > least:
        last += 1
    return last


@device(wraparound=False)
def chase(rows, diagonal, beside, first, last):
    # One step with the shift of the first two: a rotation for each row but the first, from the last one up.
    slope = (diagonal[first + 1] - diagonal[first]) / (2 * beside[first])
    bulge = diagonal[last] - diagonal[first] + beside[first] / (slope + math.copysign(math.hypot(slope, 1.0), slope))
    cosine = 1.0
    sine = 1.0
    lost = 0.0
    i = last - 1
    while i >= first:
        across = sine * beside[i]
        along = cosine * beside[i]
        length = math.hypot(across, bulge)
        beside[i + 1] = length
        if length == 0:
            break
        sine = across / length
        cosine = bulge / length
        moved = diagonal[i + 1] - lost
        mixed = (diagonal[i] - moved) * sine + 2 * cosine * along
        lost = sine * mixed
        diagonal[i + 1] = moved + lost
        bulge = cosine * mixed - along
        rotate(rows[i], rows[i + 1], cosine, sine)
        i -= 1
    diagonal[i + 1 if i >= first else first] -= lost
    if i < first:
        beside[first] = bulge
    beside[last] = 0.0


@kernel(wraparound=False)
def diagonalize(stack, turned, values, beside, factors, sums, failed):
    # A block a matrix, which becomes rows of eigenvectors.
    m = blockIdx.x
    a = stack[m]
    n = a.shape[0]
    reflect(a, values[m], beside[m], factors[m], sums[m])
    put_together(turned[m], a, factors[m], sums[m])
    largest = 0.0
    for i in range(n):
        largest = max(largest, abs(values[m, i]) + abs(beside[m, i]))
        for j in range(n):
            a[i, j] = turned[m, j, i]
    least = 2.0 ** -53 * largest
    for first in range(n):
        count = 0
        last = end_of_part(beside[m], first, least)
        while last > first and count < TURNS:
            chase(a, values[m], beside[m], first, last)
            count += 1
            last = end_of_part(beside[m], first, least)
        if last > first:
            failed[m] = 1
"""
_OF_KIND = {kind: _TEXT + numbers for kind, numbers in NUMBERS.items()}


def diagonalized(a: ndarray) -> tuple[ndarray, ndarray]:
    """Of a stack of Hermitian matrices the eigenvalues, the smallest first, and the vectors, as columns."""
    stack, count, _ = a.shape
    wide = numpy.dtype("complex128" if a.dtype.kind == "c" else "float64")
    largest = abs(a).max((-2, -1), keepdims=True, initial=0)
    if not bool((largest < math.inf).all()):
        raise LinAlgError("Eigenvalues did not converge")
    largest = where(largest > 0, largest, 1).astype(float)
    rows = a.astype(wide) / largest
    values, beside = (zeros((stack, count), float, device=a.device) for _ in range(2))
    factors, sums = (zeros((stack, count), wide, device=a.device) for _ in range(2))
    failed = zeros(stack, "int64", device=a.device)
    if a.size:
        launch("diagonalize", _OF_KIND[a.dtype.kind], (stack, 1), 1,
               rows, zeros(rows.shape, wide, device=a.device), values, beside, factors, sums, failed)
    if bool(failed.any()):
        raise LinAlgError("Eigenvalues did not converge")
    order = argsort(values, -1)
    values = take_along_axis(values, order, -1) * largest[..., 0]
    vectors = take_along_axis(rows, order[..., None], -2).mT
    return values.astype(a.real.dtype), vectors.astype(a.dtype)
