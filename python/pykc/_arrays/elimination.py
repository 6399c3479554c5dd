"""Systems of equations, inverses, determinants and Cholesky's decomposition, of matrices and stacks of them.

Matrices are eliminated by panels of columns: one block eliminates within a panel, a thread a column carries its steps
to the columns behind it, and a product of matrices takes the panel off the rest. On the CPU device `strips` does both.
"""
from __future__ import annotations

import math
import operator
from typing import NamedTuple

import numpy

from . import strips, ufuncs
from .arguments import axes_of
from .creation import asarray, eye, ones, tril
from .generated import BLOCK
from .joining import broadcast_to, concatenate, where
from .matrices import LinAlgError, adjoint, computable, flat, has_vectors, launch, matrices, square
from .ndarray import ndarray
from .products import matmul
from .strips import PANEL

_TEXT = f"import math\nBLOCK = {BLOCK}\n" + """

@device
def size(x):
    return abs(x)


@kernel(wraparound=False)
def eliminate(a, signs, start, end):
    # A block a matrix: columns START to END below the diagonal, the largest element of each in front.
    values = shared.array(BLOCK, f64)
    places = shared.array(BLOCK, i64)
    m = blockIdx.x
    t = threadIdx.x
    rows = a.shape[1]
    for k in range(start, end):
        best = -1.0
        place = k
        for r in range(k + t, rows, BLOCK):
            value = f64(size(a[m, r, k]))
            if value > best or value != value:
                best = math.inf if value != value else value
                place = r
        values[t] = best
        places[t] = place
        syncthreads()
        half = BLOCK // 2
        while half > 0:
            if t < half:
                if values[t + half] > values[t] or values[t + half] == values[t] and places[t + half] < places[t]:
                    values[t] = values[t + half]
                    places[t] = places[t + half]
            syncthreads()
            half //= 2
        pivot = places[0]
        largest = values[0]
        syncthreads()
        if t == 0:
            if largest == 0:
                signs[m] = 0
            elif pivot != k:
                signs[m] = -signs[m]
        if pivot != k:
            for c in range(t, a.shape[2], BLOCK):
                a[m, k, c], a[m, pivot, c] = a[m, pivot, c], a[m, k, c]
        syncthreads()
        if largest != 0:
            for r in range(k + 1 + t, rows, BLOCK):
                factor = a[m, r, k] / a[m, k, k]
                a[m, r, k] = factor
                for c in range(k + 1, end):
                    a[m, r, c] -= factor * a[m, k, c]
        syncthreads()


@kernel(wraparound=False)
def carry(a, start, end):
    # A thread a column behind the panel.
    m = blockIdx.y
    c = end + grid(1)
    if c < a.shape[2]:
        for k in range(start, end):
            for r in range(k + 1, end):
                a[m, r, c] -= a[m, r, k] * a[m, k, c]


@kernel(wraparound=False)
def substitute(x, a, start, end):
    # A thread a column of X: what is above the diagonal of A, from START to END.
    m = blockIdx.y
    c = grid(1)
    if c < x.shape[2]:
        for back in range(end - start):
            k = end - 1 - back
            x[m, k, c] /= a[m, k, k]
            for r in range(start, k):
                x[m, r, c] -= a[m, r, k] * x[m, k, c]


@kernel(wraparound=False)
def root(a, signs, start, end):
    # A block a matrix: the roots of the panel's square, and the columns below it.
    m = blockIdx.x
    t = threadIdx.x
    for k in range(start, end):
        if t == 0:
            if a[m, k, k].real > 0:
                a[m, k, k] = math.sqrt(a[m, k, k].real)
            else:
                signs[m] = 0
        syncthreads()
        for r in range(k + 1 + t, a.shape[1], BLOCK):
            a[m, r, k] /= a[m, k, k]
        syncthreads()
        for r in range(k + 1 + t, a.shape[1], BLOCK):
            for c in range(k + 1, end):
                if c <= r:
                    a[m, r, c] -= a[m, r, k] * CONJUGATE
        syncthreads()
"""


class SlogdetResult(NamedTuple):
    sign: ndarray
    logabsdet: ndarray


def _panels(count: int) -> list[tuple[int, int]]:
    return [(start, min(start + PANEL, count)) for start in range(0, count, PANEL)]


def _eliminated(a: ndarray, count: int) -> ndarray:
    """Eliminates the first COUNT columns of matrices in place. Gives the signs of the exchanges of rows, 0 where a
    matrix is singular."""
    signs = ones(a.shape[0], "int64", device=a.device)
    for start, end in _panels(count):
        launch("eliminate", _TEXT, (a.shape[0], 1), BLOCK, a, signs, start, end)
        if has_vectors(a):
            strips.carry(a, start, end)
        elif end < a.shape[2]:
            launch("carry", _TEXT, (-(-(a.shape[2] - end) // BLOCK), a.shape[0]), BLOCK, a, start, end)
            if end < a.shape[1]:
                a[:, end:, end:] -= matmul(a[:, end:, start:end], a[:, start:end, end:])
    return signs


def _substitute(x: ndarray, a: ndarray) -> None:
    """Solves the equations that are left above the diagonals of eliminated matrices."""
    for start, end in _panels(x.shape[1])[::-1]:
        launch("substitute", _TEXT, (-(-x.shape[2] // BLOCK), x.shape[0]), BLOCK, x, a, start, end)
        if start:
            x[:, :start] -= matmul(a[:, :start, start:end], x[:, start:end])


def solve(a, b) -> ndarray:
    """The X for which `a @ x` is B, of one or several right sides."""
    found, signs = _solved(a, b)
    if found.size and not bool(signs.all()):
        raise LinAlgError("Singular matrix")
    return found


def _solved(a, b) -> tuple[ndarray, ndarray]:
    """What `solve` gives, and signs of the matrices, 0 for singular ones, for which it is anything."""
    a, b = matrices(a), computable(asarray(b))
    if not b.ndim:
        raise ValueError("solve: the right side is a number: write `[b]` for one equation")
    is_vector = b.ndim == 1
    columns = b[:, None] if is_vector else b
    dtype = numpy.result_type(a.dtype, columns.dtype)
    count = a.shape[-1]
    if columns.shape[-2] != count:
        raise ValueError(f"solve: {count} equations, and {columns.shape[-2]} right sides")
    stack = numpy.broadcast_shapes(a.shape[:-2], columns.shape[:-2])
    whole = concatenate([broadcast_to(a, (*stack, *a.shape[-2:])),
                         broadcast_to(columns, (*stack, *columns.shape[-2:]))], -1, dtype=dtype)
    found, signs = whole[..., count:].copy(), ones(stack, "int64", device=a.device)
    if found.size:
        whole = whole.reshape(-1, *whole.shape[-2:])
        signs = _eliminated(whole, count).reshape(stack)
        x = whole[..., count:].copy()
        (strips.substitute if has_vectors(a) else _substitute)(x, whole)
        found = x.reshape(found.shape)
    return found[..., 0] if is_vector else found, signs


def inv(a) -> ndarray:
    """The inverses of matrices."""
    a = matrices(a)
    return solve(a, eye(a.shape[-1], dtype=a.dtype, device=a.device))


def inverses(a) -> ndarray:
    """The inverses of matrices, of NaNs where there is none."""
    a = matrices(a)
    found, signs = _solved(a, eye(a.shape[-1], dtype=a.dtype, device=a.device))
    return where(signs[..., None, None] == 0, math.nan, found)


def _decomposed(a) -> tuple[ndarray, ndarray]:
    """The diagonals of the eliminated matrices, and the signs."""
    a = matrices(a)
    stack = flat(a)
    signs = _eliminated(stack, a.shape[-1]) if stack.size else ones(len(stack), "int64", device=a.device)
    return stack.diagonal(0, 1, 2).reshape(*a.shape[:-2], a.shape[-1]), signs.reshape(a.shape[:-2])


def det(a) -> ndarray:
    """The determinants of matrices."""
    values, signs = _decomposed(a)
    return values.prod(-1) * signs.astype(values.dtype)


def slogdet(a) -> SlogdetResult:
    """The signs of the determinants of matrices, and the logarithms of their sizes."""
    values, signs = _decomposed(a)
    sizes = abs(values)
    with_signs = (values / sizes if values.dtype.kind == "c" else ufuncs.find("sign")(values)).prod(-1)
    is_singular = signs == 0
    sign, size = with_signs * signs.astype(values.dtype), ufuncs.find("log")(sizes).sum(-1)
    sign[is_singular] = 0
    size[is_singular] = -math.inf
    return SlogdetResult(sign, size)


def cholesky(a, /, *, upper: bool = False) -> ndarray:
    """The triangular matrix L for which `L @ L.conj().T` is A, which is positive definite; its lower half is read."""
    a = matrices(a)
    if upper:
        return adjoint(cholesky(adjoint(a)))
    stack = flat(a)
    signs = ones(len(stack), "int64", device=a.device)
    text = _TEXT.replace("CONJUGATE", "a[m, c, k].conjugate()" if a.dtype.kind == "c" else "a[m, c, k]")
    for start, end in _panels(a.shape[-1]) if stack.size else []:
        launch("root", text, (len(stack), 1), BLOCK, stack, signs, start, end)
        if has_vectors(a):
            strips.carry_root(stack, start, end)
        elif end < a.shape[-1]:
            part = stack[:, end:, start:end]
            stack[:, end:, end:] -= matmul(part, adjoint(part))
    if not bool(signs.all()):
        raise LinAlgError("Matrix is not positive definite")
    return tril(stack).reshape(a.shape)


def tensorsolve(a, b, axes=None) -> ndarray:
    """The X for which `tensordot(a, x, x.ndim)` is B. The axes of A in AXES come last."""
    a, b = asarray(a), asarray(b)
    if axes is not None:
        axes = axes_of(axes, a.ndim)
        a = a.transpose([axis for axis in range(a.ndim) if axis not in axes] + list(axes))
    shape = a.shape[b.ndim:]
    if math.prod(shape) != b.size:
        raise LinAlgError("Input arrays must satisfy the requirement prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])")
    return solve(a.reshape(b.size, b.size), b.ravel()).reshape(shape)


def tensorinv(a, ind: int = 2) -> ndarray:
    """The inverse of an array as a matrix of its first IND axes and the others."""
    a = asarray(a)
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    return inv(a.reshape(math.prod(a.shape[:ind]), -1)).reshape(a.shape[ind:] + a.shape[:ind])


def matrix_power(a, n: int) -> ndarray:
    """The product of N matrices A; of the inverses where N is negative."""
    a, n = square(a), operator.index(n)
    if n < 0:
        return matrix_power(inv(a), -n)
    found = None
    while n:
        if n & 1:
            found = a if found is None else matmul(found, a)
        a = matmul(a, a) if n > 1 else a
        n >>= 1
    if found is None:
        return broadcast_to(eye(a.shape[-1], dtype=a.dtype, device=a.device), a.shape).copy()
    return found
