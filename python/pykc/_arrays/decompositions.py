"""The decompositions of matrices and stacks of them that make vectors stand at right angles.

`qr` reflects column after column. Singular values are found by rotations of pairs of columns until all stand at right
angles (M. R. Hestenes, Inversion of Matrices by Biorthogonalization, 1958), eigenvalues of Hermitian matrices as those
of what is moved above zero. The kernels here are for GPUs, and `orthogonalization` has those for the CPU device;
`tridiagonal` finds eigenvalues there.
"""
from __future__ import annotations

import math
from typing import NamedTuple

import numpy

from . import orthogonalization, tridiagonal, ufuncs
from .creation import ascontiguousarray, eye, ones, tril, triu, zeros
from .generated import BLOCK
from .indexing import take_along_axis
from .joining import broadcast_to, concatenate, where
from .matrices import (NUMBERS, LinAlgError, adjoint, flat, has_vectors, launch, matrices, rectangles,
                       root_of_squares, square)
from .ndarray import ndarray
from .orthogonalization import SWEEPS
from .products import matmul
from .sorting import argsort

_FEW = 64
_TEXT = """

@device
def total(values, t, count):
    syncthreads()
    half = count // 2
    while half > 0:
        if t < half:
            values[t] += values[t + half]
        syncthreads()
        half //= 2
    return values[0]


@kernel(wraparound=False)
def reflect(a, factors, k):
    # A block a matrix: the reflection that leaves nothing of column K below the diagonal, and itself lies there.
    values = shared.array(BLOCK, f64)
    m = blockIdx.x
    t = threadIdx.x
    below = 0.0
    for r in range(k + 1 + t, a.shape[1], BLOCK):
        below += square(a[m, r, k])
    values[t] = below
    below = total(values, t, BLOCK)
    head = a[m, k, k]
    syncthreads()
    if (below != 0 or head.imag != 0) and square(head) + below > 1e-60:  # what is less, roundings have left
        length = -math.copysign(math.sqrt(square(head) + below), f64(head.real))
        made = a.dtype.type(length)
        for r in range(k + 1 + t, a.shape[1], BLOCK):
            a[m, r, k] /= head - made
        if t == 0:
            factors[m, k] = (made - head) / made
            a[m, k, k] = made


@kernel(wraparound=False)
def apply(a, reflections, factors, k, first, inverse):
    # A block a column from FIRST on: it is reflected by column K.
    values = shared.array(BLOCK, a.dtype)
    m = blockIdx.y
    t = threadIdx.x
    c = first + blockIdx.x
    part = a[m, k, c] if t == 0 else a.dtype.type(0)
    for r in range(k + 1 + t, a.shape[1], BLOCK):
        part += conjugate(reflections[m, r, k]) * a[m, r, c]
    values[t] = part
    part = total(values, t, BLOCK) * (conjugate(factors[m, k]) if inverse else factors[m, k])
    if t == 0:
        a[m, k, c] -= part
    for r in range(k + 1 + t, a.shape[1], BLOCK):
        a[m, r, c] -= reflections[m, r, k] * part


@kernel(wraparound=False)
def rotate(w, moved, least, height, turn, tolerance: f64):
    # A block a pair of rows: they are turned so that their first HEIGHT numbers stand at right angles, unless the
    # square of one is LEAST or below: such a row is what roundings have left.
    squares = shared.array(FEW, f64)
    others = shared.array(FEW, f64)
    reals = shared.array(FEW, f64)
    imaginaries = shared.array(FEW, f64)
    m = blockIdx.y
    t = threadIdx.x
    i = blockIdx.x
    last = w.shape[1] - 1 + w.shape[1] % 2
    p = last if i == 0 else (turn + i) % last
    q = (turn + last - i) % last
    if p < w.shape[1] and q < w.shape[1]:
        one = 0.0
        two = 0.0
        real = 0.0
        imaginary = 0.0
        for r in range(t, height, FEW):
            one += square(w[m, p, r])
            two += square(w[m, q, r])
            both = conjugate(w[m, p, r]) * w[m, q, r]
            real += f64(both.real)
            imaginary += f64(both.imag)
        squares[t] = one
        others[t] = two
        reals[t] = real
        imaginaries[t] = imaginary
        one = total(squares, t, FEW)
        two = total(others, t, FEW)
        real = total(reals, t, FEW)
        imaginary = total(imaginaries, t, FEW)
        size = math.hypot(real, imaginary)
        if size > tolerance * math.sqrt(one) * math.sqrt(two) and min(one, two) > least[m]:
            if t == 0:
                moved[m] = 1
            ratio = (two - one) / (2 * size)
            tangent = math.copysign(1 / (abs(ratio) + math.hypot(1.0, ratio)), ratio)
            cosine = 1 / math.hypot(1.0, tangent)
            sine = cosine * tangent
            phase = PHASE
            for r in range(t, w.shape[2], FEW):
                x = w[m, p, r]
                y = w[m, q, r] * w.dtype.type(phase)
                w[m, p, r] = w.dtype.type(cosine) * x - w.dtype.type(sine) * y
                w[m, q, r] = w.dtype.type(sine) * x + w.dtype.type(cosine) * y
"""
_OF_KIND = {"f": _TEXT.replace("PHASE", "real / size") + NUMBERS["f"],
            "c": _TEXT.replace("PHASE", "complex(real, -imaginary) / size") + NUMBERS["c"]}


def _launch(name: str, grid: tuple[int, int], *arguments) -> None:
    text = f"import math\nBLOCK, FEW = {BLOCK}, {_FEW}\n{_OF_KIND[arguments[0].dtype.kind]}"
    launch(name, text, grid, _FEW if name == "rotate" else BLOCK, *arguments)


class QRResult(NamedTuple):
    Q: ndarray
    R: ndarray


class SVDResult(NamedTuple):
    U: ndarray
    S: ndarray
    Vh: ndarray


class EighResult(NamedTuple):
    eigenvalues: ndarray
    eigenvectors: ndarray


def _reflected(a: ndarray, mode: str) -> tuple[ndarray | None, ndarray]:
    """Q and R of a stack along one axis, which is overwritten; no Q in the mode "r"."""
    stack, rows, columns = a.shape
    count = min(a.shape[1:])
    factors = zeros((stack, count), a.dtype, device=a.device)
    if has_vectors(a):
        orthogonalization.reflect(a, factors)
    else:
        for k in range(count if stack else 0):
            _launch("reflect", (stack, 1), a, factors, k)
            if k + 1 < columns:
                _launch("apply", (columns - k - 1, stack), a, a, factors, k, k + 1, True)
    wide = rows if mode == "complete" else count
    if mode == "r":
        return None, triu(a[:, :count])
    q = broadcast_to(eye(rows, wide, dtype=a.dtype, device=a.device), (stack, rows, wide)).copy()
    if has_vectors(a):
        orthogonalization.undo(q, a, factors)
    else:
        for k in range(count - 1 if stack else -1, -1, -1):
            _launch("apply", (wide - k, stack), q, a, factors, k, k, False)
    return q, triu(a[:, :wide])


def _powers_of_two(a: ndarray) -> ndarray:
    """One for each matrix of a stack, near its largest number."""
    largest = abs(a).max((-2, -1), keepdims=True, initial=0)
    largest = where((largest > 0) & (largest < math.inf), largest, 1)
    return ufuncs.find("exp2")(ufuncs.find("floor")(ufuncs.find("log2")(largest)))


def qr(a, mode: str = "reduced"):
    """The Q of orthonormal columns and the triangular R whose product is A: "reduced" to as many columns as R needs
    rows, or with a "complete" Q, or R alone ("r")."""
    if mode not in ("reduced", "complete", "r"):
        raise ValueError(f"Unrecognized mode '{mode}': there are 'reduced', 'complete' and 'r'")
    a = rectangles(a)
    stack = flat(a)
    scale = _powers_of_two(stack)
    q, r = _reflected(stack / scale, mode)
    r *= scale
    r = r.reshape(*a.shape[:-2], *r.shape[1:])
    return r if q is None else QRResult(q.reshape(*a.shape[:-2], *q.shape[1:]), r)


def _rotated(a: ndarray, with_turns: bool) -> tuple[ndarray, ndarray, ndarray]:
    """Of a stack of matrices along one axis, no wider than high: the products with a unitary matrix whose columns stand
    at right angles, the longest first, their lengths, and the unitary matrix."""
    stack, height, width = a.shape
    largest = abs(a).max((-2, -1), keepdims=True, initial=0)
    if not bool((largest < math.inf).all()):
        raise LinAlgError("SVD did not converge")
    largest = where(largest > 0, largest, 1)
    rows = (a / largest).mT
    if with_turns:
        turns = broadcast_to(eye(width, dtype=a.dtype, device=a.device), (stack, width, width))
        rows = concatenate([rows, turns], -1)
    rows = ascontiguousarray(rows)
    eps = float(numpy.finfo(a.dtype).eps)
    tolerance = numpy.float64(math.sqrt(max(height, 1)) * eps)
    least = (root_of_squares(rows[..., :height], (-2, -1), False).astype(float) * 2 * eps) ** 2
    if not (orthogonalization.rotate if has_vectors(a) else _turned)(rows, least, height, tolerance):
        raise LinAlgError("SVD did not converge")
    sizes = root_of_squares(rows[..., :height], -1, False)
    order = argsort(-sizes, -1)
    rows = take_along_axis(rows, order[..., None], -2)
    made = rows.mT
    return made[:, :height], take_along_axis(sizes, order, -1) * largest[..., 0], made[:, height:]


def _turned(rows: ndarray, least: ndarray, height: int, tolerance: numpy.float64) -> bool:
    """Turns pairs of rows of a stack until the first HEIGHT numbers of all stand at right angles. Tells whether they
    do."""
    stack, count, _ = rows.shape
    moved = ones(stack, "int64", device=rows.device)
    for _ in range(SWEEPS):
        if count < 2 or not bool(moved.any()):
            return True
        moved.fill(0)
        for turn in range(count - 1 + count % 2):
            _launch("rotate", ((count + 1) // 2, stack), rows, moved, least, height, turn, tolerance)
    return False


def svd(a, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False):
    """The U and Vh, both of orthonormal rows and columns, and the singular values S, the largest first, for which
    `U * S @ Vh` is A. U and Vh are square, or no larger than that takes; without them, S alone."""
    a = rectangles(a)
    is_wide = a.shape[-1] > a.shape[-2]
    made, sizes, turns = _rotated(flat(adjoint(a) if is_wide else a), compute_uv)
    s = sizes.reshape(*a.shape[:-2], sizes.shape[-1])
    if not compute_uv:
        return s
    q, r = _reflected(made.copy(), "complete" if full_matrices else "reduced")
    count = sizes.shape[-1]
    q[..., :count] *= where(r[:, :count].diagonal(0, 1, 2).real < 0, -1, 1).astype(q.dtype)[:, None]
    u, vh = (turns, adjoint(q)) if is_wide else (q, adjoint(turns))
    return SVDResult(u.reshape(*a.shape[:-2], *u.shape[1:]), s, vh.reshape(*a.shape[:-2], *vh.shape[1:]))


def svdvals(x, /) -> ndarray:
    """The singular values of matrices, the largest first."""
    return svd(x, compute_uv=False)


def eigh(a, UPLO: str = "L") -> EighResult:
    """The eigenvalues of symmetric or Hermitian matrices, the smallest first, and the vectors, as columns. The lower
    half ("L") or the upper ("U") is read."""
    a = square(a)
    if a.dtype == numpy.float16:  # as CuPy
        return EighResult(*(one.astype(a.dtype) for one in eigh(a.astype("float32"), UPLO)))
    a = matrices(a)
    if UPLO.upper() not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    half = flat(a if UPLO.upper() == "L" else adjoint(a))
    count = a.shape[-1]
    unit = eye(count, dtype=a.dtype, device=a.device)
    below = tril(half, -1)
    whole = below + adjoint(below) + half.real * unit
    if has_vectors(a):
        values, vectors = tridiagonal.diagonalized(whole)
        return EighResult(values.reshape(a.shape[:-1]), vectors.reshape(a.shape))
    bound = 2 * root_of_squares(whole, (-2, -1), True)
    vectors = _rotated(whole + where(bound > 0, bound, 1) * unit, True)[2]
    values = (vectors.conj() * matmul(whole, vectors)).sum(-2).real
    order = argsort(values, -1)
    values, vectors = take_along_axis(values, order, -1), take_along_axis(vectors, order[:, None], -1)
    return EighResult(values.reshape(a.shape[:-1]), vectors.reshape(a.shape))


def eigvalsh(a, UPLO: str = "L") -> ndarray:
    """The eigenvalues of symmetric or Hermitian matrices, the smallest first."""
    return eigh(a, UPLO)[0]
