"""What `decompositions` asks of the CPU device: reflections and rotations in vector code, in few launches.

A block is one thread. It reflects a strip of columns by one column after the other, so that the strip stays in the
cache, or rotates the pairs of rows of a matrix.
"""
from __future__ import annotations

import numpy

from .creation import zeros
from .matrices import NUMBERS, launch
from .ndarray import ndarray

SWEEPS = 60
_STRIP = 32
SMALL = 160  # rows of a matrix that one thread rotates alone; of larger ones all threads rotate pairs
_TEXT = """import math
STRIP, LANES, SWEEPS = HEADER


@device(wraparound=False)
def apply(a, reflections, k, factor, first, columns, lowest):
    # Columns from FIRST on but those before LOWEST are reflected by column K.
    part = local.array(STRIP, a.dtype)
    for c in range(columns):
        part[c] = a[k, first + c]
    for r in range(k + 1, a.shape[0]):
        own = conjugate(reflections[r, k])
        for c in range(columns):
            part[c] += own * a[r, first + c]
    for c in range(columns):
        part[c] = part[c] * factor if first + c >= lowest else a.dtype.type(0)
        a[k, first + c] -= part[c]
    for r in range(k + 1, a.shape[0]):
        own = reflections[r, k]
        for c in range(columns):
            a[r, first + c] -= own * part[c]


@device(wraparound=False)
def apply_to_strip(a, reflections, k, factor, first, lowest):
    columns = min(STRIP, a.shape[1] - first)
    if columns == STRIP:
        apply(a, reflections, k, factor, first, STRIP, lowest)
    else:
        apply(a, reflections, k, factor, first, columns, lowest)


@kernel(wraparound=False)
def reflect(stack, factors, start, end):
    # A block a matrix: the reflections that leave nothing of a strip's columns below the diagonal, where they lie.
    a = stack[blockIdx.x]
    for k in range(start, end):
        below = 0.0
        for r in range(k + 1, a.shape[0]):
            below += square(a[r, k])
        head = a[k, k]
        if (below != 0 or head.imag != 0) and square(head) + below > 1e-60:  # what is less, roundings have left
            made = a.dtype.type(-math.copysign(math.sqrt(square(head) + below), f64(head.real)))
            for r in range(k + 1, a.shape[0]):
                a[r, k] /= head - made
            factor = (made - head) / made
            factors[blockIdx.x, k] = factor
            a[k, k] = made
            apply_to_strip(a, a, k, conjugate(factor), start, k + 1)


@kernel(wraparound=False)
def carry(stack, factors, start, end):
    # A block a strip behind that one: it is reflected by the same columns.
    a = stack[blockIdx.y]
    for k in range(start, end):
        apply_to_strip(a, a, k, conjugate(factors[blockIdx.y, k]), start + (1 + blockIdx.x) * STRIP, 0)


@kernel(wraparound=False)
def undo(stack, reflections, factors):
    # A block a strip: it is reflected by all columns, the last first.
    a = stack[blockIdx.y]
    first = blockIdx.x * STRIP
    count = min(factors.shape[1], first + STRIP)
    for back in range(count):
        k = count - 1 - back
        apply_to_strip(a, reflections[blockIdx.y], k, factors[blockIdx.y, k], first, k)


@device(wraparound=False)
def rotate(x, y, least, height, tolerance: f64):
    # Two rows are turned so that their first HEIGHT numbers stand at right angles, unless the square of one is LEAST or
    # below: such a row is what roundings have left. Tells whether they were.
    squares = local.array(LANES, f64)
    others = local.array(LANES, f64)
    reals = local.array(LANES, f64)
    imaginaries = local.array(LANES, f64)
    for j in range(LANES):
        squares[j] = 0.0
        others[j] = 0.0
        reals[j] = 0.0
        imaginaries[j] = 0.0
    whole = height // LANES * LANES
    for r in range(0, whole, LANES):
        for j in range(LANES):
            squares[j] += square(x[r + j])
            others[j] += square(y[r + j])
            both = conjugate(x[r + j]) * y[r + j]
            reals[j] += f64(both.real)
            imaginaries[j] += IMAGINARY
    for r in range(whole, height):
        squares[0] += square(x[r])
        others[0] += square(y[r])
        both = conjugate(x[r]) * y[r]
        reals[0] += f64(both.real)
        imaginaries[0] += IMAGINARY
    one = 0.0
    two = 0.0
    real = 0.0
    imaginary = 0.0
    for j in range(LANES):
        one += squares[j]
        two += others[j]
        real += reals[j]
        imaginary += imaginaries[j]
    size = math.sqrt(real * real + imaginary * imaginary)
    if not size > tolerance * math.sqrt(one * two) or min(one, two) <= least:
        return False
    ratio = (two - one) / (2 * size)
    tangent = math.copysign(1 / (abs(ratio) + math.sqrt(1 + ratio * ratio)), ratio)
    cosine = 1 / math.sqrt(1 + tangent * tangent)
    half = x.dtype.type(cosine * tangent / (1 + cosine))  # the tangent of half the angle: what is small stays exact
    sine = x.dtype.type(cosine * tangent)
    phase = x.dtype.type(PHASE)
    for r in range(len(x)):
        own = x[r]
        other = y[r] * phase
        x[r] = own - sine * (other + half * own)
        y[r] = other + sine * (own - half * other)
    return True


@device(wraparound=False)
def rotate_pair(w, least, height, turn, i, tolerance: f64):
    last = w.shape[0] - 1 + w.shape[0] % 2
    p = last if i == 0 else (turn + i) % last
    q = (turn + last - i) % last
    return p < w.shape[0] and q < w.shape[0] and rotate(w[p], w[q], least, height, tolerance)


@kernel(wraparound=False)
def rotate_one_turn(stack, moved, least, height, turn, tolerance: f64):
    # A block a pair of rows.
    m = blockIdx.y
    if rotate_pair(stack[m], least[m], height, turn, blockIdx.x, tolerance):
        moved[m] = 1


@kernel(wraparound=False)
def rotate_all(stack, moved, least, height, tolerance: f64):
    # A block a matrix.
    m = blockIdx.x
    rows = stack.shape[1]
    for sweep in range(SWEEPS):
        count = 0
        for turn in range(rows - 1 + rows % 2):
            for i in range((rows + 1) // 2):
                count += 1 if rotate_pair(stack[m], least[m], height, turn, i, tolerance) else 0
        moved[m] = count
        if count == 0:
            break
"""
_TEXT = _TEXT.replace("HEADER", f"{_STRIP}, 16, {SWEEPS}")
_OF_KIND = {"f": _TEXT.replace("IMAGINARY", "0.0").replace("PHASE", "real / size") + NUMBERS["f"],
            "c": _TEXT.replace("IMAGINARY", "f64(both.imag)").replace("PHASE", "complex(real, -imaginary) / size")
            + NUMBERS["c"]}


def _launch(name: str, grid: tuple[int, int], *arguments) -> None:
    a = arguments[0]
    launch(name, _OF_KIND[a.dtype.kind], grid, 1, *arguments)


def reflect(a: ndarray, factors: ndarray) -> None:
    """Leaves the triangular matrices of a stack in it, and below their diagonals the reflections that made them."""
    stack, _, columns = a.shape
    count = factors.shape[1]
    for start in range(0, count if stack else 0, _STRIP):
        end = min(start + _STRIP, count)
        _launch("reflect", (stack, 1), a, factors, start, end)
        if start + _STRIP < columns:
            _launch("carry", (-(-columns // _STRIP) - start // _STRIP - 1, stack), a, factors, start, end)


def undo(q: ndarray, reflections: ndarray, factors: ndarray) -> None:
    """Multiplies the unit matrices of a stack by all reflections."""
    if q.size and factors.size:
        _launch("undo", (-(-q.shape[2] // _STRIP), q.shape[0]), q, reflections, factors)


def rotate(rows: ndarray, least: ndarray, height: int, tolerance: numpy.float64) -> bool:
    """Turns pairs of rows of a stack until the first HEIGHT numbers of all stand at right angles. Tells whether they
    do."""
    stack, count, _ = rows.shape
    moved = zeros(stack, "int64", device=rows.device)
    if not stack or count < 2:
        return True
    if count <= SMALL:
        _launch("rotate_all", (stack, 1), rows, moved, least, height, tolerance)
        return not bool(moved.any())
    for _ in range(SWEEPS):
        moved.fill(0)
        for turn in range(count - 1 + count % 2):
            _launch("rotate_one_turn", ((count + 1) // 2, stack), rows, moved, least, height, turn, tolerance)
        if not bool(moved.any()):
            return True
    return False
