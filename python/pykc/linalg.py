"""Norms, systems of equations, inverses, determinants and decompositions, of matrices and stacks of them.

Matrices are eliminated by panels of columns: one block eliminates within a panel, a thread a column carries its steps
to the columns behind it, and a product of matrices takes the panel off the rest. `qr` reflects column after column.
Singular values are found by rotations of pairs of columns until all stand at right angles (M. R. Hestenes, Inversion of
Matrices by Biorthogonalization, 1958), eigenvalues of Hermitian matrices as those of what is moved above zero.
Eigenvalues of others are NumPy's: `numpy.linalg.eigvals(x.get())`.
"""
from __future__ import annotations

import functools
import math
import operator
from typing import Any, NamedTuple

import numpy

from ._arrays import products, ufuncs
from ._arrays.creation import asarray, ascontiguousarray, eye, ones, tril, triu, zeros
from ._arrays.generated import kernel
from ._arrays.indexing import take_along_axis
from ._arrays.joining import broadcast_to, concatenate, matrix_transpose, moveaxis, where
from ._arrays.ndarray import axes_of, delivered, ndarray
from ._arrays.products import cross, dot, inner, matmul, tensordot, vdot, vecdot
from ._arrays.sorting import argsort

__all__ = ["EighResult", "LinAlgError", "QRResult", "SVDResult", "SlogdetResult", "cholesky", "cond", "cross", "det",
           "diagonal", "dot", "eigh", "eigvalsh", "inner", "inv", "lstsq", "matmul", "matrix_norm", "matrix_power",
           "matrix_rank", "matrix_transpose", "multi_dot", "norm", "outer", "pinv", "qr", "slogdet", "solve", "svd",
           "svdvals", "tensordot", "tensorinv", "tensorsolve", "trace", "vdot", "vecdot", "vector_norm"]

LinAlgError = numpy.linalg.LinAlgError
_PANEL, _BLOCK = 32, 256
_FEW, _SWEEPS = 64, 60
_TEXT = """import math

BLOCK = 256


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


_ORTHOGONAL = """import math

BLOCK = 256
FEW = 64


@device
def conjugate(x):
    return CONJUGATE


@device
def square(x):
    return f64(x.real) * f64(x.real) + f64(x.imag) * f64(x.imag)


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
    if below != 0 or head.imag != 0:
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
_OF_KIND = {"f": _ORTHOGONAL.replace("CONJUGATE", "x").replace("PHASE", "real / size"),
            "c": _ORTHOGONAL.replace("CONJUGATE", "x.conjugate()").replace("PHASE", "complex(real, -imaginary) / size")}


class SlogdetResult(NamedTuple):
    sign: ndarray
    logabsdet: ndarray


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


def _inexact(a: ndarray) -> ndarray:
    """The array, of floats or complex numbers."""
    return a if a.dtype.kind in "fc" else a.astype(float)


def _square(a: Any) -> ndarray:
    """A stack of square matrices."""
    a = asarray(a)
    if a.ndim < 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")
    if a.shape[-1] != a.shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    return a


def _matrices(a: Any) -> ndarray:
    """A stack of square matrices that are computed with."""
    return _computable(_square(a))


def _computable(a: ndarray) -> ndarray:
    if a.dtype == numpy.float16:
        raise TypeError("array type float16 is unsupported in linalg")
    return _inexact(a)


def _launch(name: str, text: str, grid: tuple[int, int], block: int, *arguments) -> None:
    kernel(arguments[0].device, text, name).launch(grid, block, None, 0, arguments)


def _panels(count: int) -> list[tuple[int, int]]:
    return [(start, min(start + _PANEL, count)) for start in range(0, count, _PANEL)]


def _eliminated(a: ndarray, count: int) -> ndarray:
    """Eliminates the first COUNT columns of matrices in place. Gives the signs of the exchanges of rows, 0 where a
    matrix is singular."""
    signs = ones(a.shape[0], "int64", device=a.device)
    for start, end in _panels(count):
        _launch("eliminate", _TEXT, (a.shape[0], 1), _BLOCK, a, signs, start, end)
        behind = a.shape[2] - end
        if behind:
            _launch("carry", _TEXT, (-(-behind // _BLOCK), a.shape[0]), _BLOCK, a, start, end)
        if behind and end < a.shape[1]:
            a[:, end:, end:] -= matmul(a[:, end:, start:end], a[:, start:end, end:])
    return signs


def solve(a, b) -> ndarray:
    """The X for which `a @ x` is B, of one or several right sides."""
    a, b = _matrices(a), _computable(asarray(b))
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
    found = whole[..., count:].copy()
    if found.size:
        whole = whole.reshape(-1, *whole.shape[-2:])
        if not bool(_eliminated(whole, count).all()):
            raise LinAlgError("Singular matrix")
        x = whole[..., count:].copy()
        for start, end in _panels(count)[::-1]:
            _launch("substitute", _TEXT, (-(-x.shape[2] // _BLOCK), x.shape[0]), _BLOCK, x, whole, start, end)
            if start:
                x[:, :start] -= matmul(whole[:, :start, start:end], x[:, start:end])
        found = x.reshape(found.shape)
    return found[..., 0] if is_vector else found


def inv(a) -> ndarray:
    """The inverses of matrices."""
    a = _matrices(a)
    return solve(a, eye(a.shape[-1], dtype=a.dtype, device=a.device))


def _decomposed(a) -> tuple[ndarray, ndarray]:
    """The diagonals of the eliminated matrices, and the signs."""
    a = _matrices(a)
    flat = a.reshape(math.prod(a.shape[:-2]), *a.shape[-2:]).copy()
    signs = _eliminated(flat, a.shape[-1]) if flat.size else ones(flat.shape[0], "int64", device=a.device)
    return flat.diagonal(0, 1, 2).reshape(*a.shape[:-2], a.shape[-1]), signs.reshape(a.shape[:-2])


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
    a = _matrices(a)
    if upper:
        return cholesky(a.mT.conj() if a.dtype.kind == "c" else a.mT).mT.conj()
    flat = a.reshape(math.prod(a.shape[:-2]), *a.shape[-2:]).copy()
    signs = ones(flat.shape[0], "int64", device=a.device)
    conjugate = "a[m, c, k].conjugate()" if a.dtype.kind == "c" else "a[m, c, k]"
    for start, end in _panels(a.shape[-1]) if flat.size else []:
        _launch("root", _TEXT.replace("CONJUGATE", conjugate), (flat.shape[0], 1), _BLOCK, flat, signs, start, end)
        if end < a.shape[-1]:
            part = flat[:, end:, start:end]
            flat[:, end:, end:] -= matmul(part, part.mT.conj())
    if not bool(signs.all()):
        raise LinAlgError("Matrix is not positive definite")
    return tril(flat).reshape(a.shape)


def _rectangles(a: Any) -> ndarray:
    """A stack of matrices that are computed with, of any extents."""
    a = asarray(a)
    if a.ndim < 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")
    return _computable(a)


def _flat(a: ndarray) -> ndarray:
    """The stack along one axis, copied."""
    return a.reshape(math.prod(a.shape[:-2]), *a.shape[-2:]).copy()


def _adjoint(a: ndarray) -> ndarray:
    return a.mT.conj() if a.dtype.kind == "c" else a.mT


def _reflected(a: ndarray, mode: str) -> tuple[ndarray | None, ndarray]:
    """Q and R of a stack along one axis, which is overwritten; no Q in the mode "r"."""
    stack, rows, columns = a.shape
    text, count = _OF_KIND[a.dtype.kind], min(a.shape[1:])
    factors = zeros((stack, count), a.dtype, device=a.device)
    for k in range(count if stack else 0):
        _launch("reflect", text, (stack, 1), _BLOCK, a, factors, k)
        if k + 1 < columns:
            _launch("apply", text, (columns - k - 1, stack), _BLOCK, a, a, factors, k, k + 1, True)
    wide = rows if mode == "complete" else count
    if mode == "r":
        return None, triu(a[:, :count])
    q = broadcast_to(eye(rows, wide, dtype=a.dtype, device=a.device), (stack, rows, wide)).copy()
    for k in range(count - 1 if stack else -1, -1, -1):
        _launch("apply", text, (wide - k, stack), _BLOCK, q, a, factors, k, k, False)
    return q, triu(a[:, :wide])


def qr(a, mode: str = "reduced"):
    """The Q of orthonormal columns and the triangular R whose product is A: "reduced" to as many columns as R needs
    rows, or with a "complete" Q, or R alone ("r")."""
    if mode not in ("reduced", "complete", "r"):
        raise ValueError(f"Unrecognized mode '{mode}': there are 'reduced', 'complete' and 'r'")
    a = _rectangles(a)
    q, r = _reflected(_flat(a), mode)
    r = r.reshape(*a.shape[:-2], *r.shape[1:])
    return r if q is None else QRResult(q.reshape(*a.shape[:-2], *q.shape[1:]), r)


def _rotated(a: ndarray, with_turns: bool) -> tuple[ndarray, ndarray, ndarray]:
    """Of a stack of matrices along one axis, no wider than high: the products with a unitary matrix whose columns stand
    at right angles, the longest first, their lengths, and the unitary matrix."""
    stack, height, width = a.shape
    largest = abs(a).max((-2, -1), keepdims=True) if a.size else ones((stack, 1, 1), _real(a.dtype), device=a.device)
    if not bool((largest < math.inf).all()):
        raise LinAlgError("SVD did not converge")
    largest = where(largest > 0, largest, 1)
    rows = (a / largest).mT
    if with_turns:
        turns = broadcast_to(eye(width, dtype=a.dtype, device=a.device), (stack, width, width))
        rows = concatenate([rows, turns], -1)
    rows = ascontiguousarray(rows)
    moved = ones(stack, "int64", device=a.device)
    text, pairs = _OF_KIND[a.dtype.kind], (width + 1) // 2
    eps = float(numpy.finfo(a.dtype).eps)
    tolerance = numpy.float64(math.sqrt(max(height, 1)) * eps)
    least = (_root_of_squares(rows[..., :height], (-2, -1), False).astype(float) * 2 * eps) ** 2
    for _ in range(_SWEEPS):
        if width < 2 or not bool(moved.any()):
            break
        moved.fill(0)
        for turn in range(width - 1 + width % 2):
            _launch("rotate", text, (pairs, stack), _FEW, rows, moved, least, height, turn, tolerance)
    else:
        raise LinAlgError("SVD did not converge")
    sizes = _root_of_squares(rows[..., :height], -1, False)
    order = argsort(-sizes, -1)
    rows = take_along_axis(rows, order[..., None], -2)
    made = rows.mT
    return made[:, :height], take_along_axis(sizes, order, -1) * largest[..., 0], made[:, height:]


def _real(dtype: numpy.dtype) -> numpy.dtype:
    return numpy.finfo(dtype).dtype


def svd(a, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False):
    """The U and Vh, both of orthonormal rows and columns, and the singular values S, the largest first, for which
    `U * S @ Vh` is A. U and Vh are square, or no larger than that takes; without them, S alone."""
    a = _rectangles(a)
    is_wide = a.shape[-1] > a.shape[-2]
    matrices = _flat(_adjoint(a) if is_wide else a)
    made, sizes, turns = _rotated(matrices, compute_uv)
    s = sizes.reshape(*a.shape[:-2], sizes.shape[-1])
    if not compute_uv:
        return s
    q, r = _reflected(made.copy(), "complete" if full_matrices else "reduced")
    count = sizes.shape[-1]
    q[..., :count] *= where(r[:, :count].diagonal(0, 1, 2).real < 0, -1, 1).astype(q.dtype)[:, None]
    u, vh = (turns, _adjoint(q)) if is_wide else (q, _adjoint(turns))
    return SVDResult(u.reshape(*a.shape[:-2], *u.shape[1:]), s, vh.reshape(*a.shape[:-2], *vh.shape[1:]))


def svdvals(x, /) -> ndarray:
    """The singular values of matrices, the largest first."""
    return svd(x, compute_uv=False)


def eigh(a, UPLO: str = "L") -> EighResult:
    """The eigenvalues of symmetric or Hermitian matrices, the smallest first, and the vectors, as columns. The lower
    half ("L") or the upper ("U") is read."""
    a = _matrices(a)
    if UPLO.upper() not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    half = _flat(a if UPLO.upper() == "L" else _adjoint(a))
    count = a.shape[-1]
    unit = eye(count, dtype=a.dtype, device=a.device)
    below = tril(half, -1)
    whole = below + _adjoint(below) + half.real * unit
    bound = 2 * _root_of_squares(whole, (-2, -1), True)
    vectors = _rotated(whole + where(bound > 0, bound, 1) * unit, True)[2]
    values = (vectors.conj() * matmul(whole, vectors)).sum(-2).real
    order = argsort(values, -1)
    values, vectors = take_along_axis(values, order, -1), take_along_axis(vectors, order[:, None], -1)
    return EighResult(values.reshape(a.shape[:-1]), vectors.reshape(a.shape))


def eigvalsh(a, UPLO: str = "L") -> ndarray:
    """The eigenvalues of symmetric or Hermitian matrices, the smallest first."""
    return eigh(a, UPLO)[0]


def _cutoff(s: ndarray, shape: tuple[int, ...], rtol) -> ndarray:
    """Below which singular values of matrices of the shape count as 0."""
    rtol = max(shape[-2:]) * numpy.finfo(s.dtype).eps if rtol is None else asarray(rtol, device=s.device)[..., None]
    return s.max(-1, keepdims=True, initial=0) * rtol


def pinv(a, rcond=None, hermitian: bool = False, *, rtol=None) -> ndarray:
    """The pseudo-inverses of matrices. Singular values below RTOL, or RCOND, times the largest count as 0; without it,
    below the machine's precision times the larger extent."""
    a = _rectangles(a)
    u, s, vh = svd(a, full_matrices=False)
    is_large = s > _cutoff(s, a.shape, rcond if rtol is None else rtol)
    inverse = where(is_large, 1 / where(is_large, s, 1), 0).astype(s.dtype)
    return matmul(_adjoint(vh) * inverse[..., None, :], _adjoint(u))


def matrix_rank(A, tol=None, hermitian: bool = False, *, rtol=None) -> ndarray:
    """How many singular values of matrices are above TOL, or RTOL times the largest."""
    a = asarray(A)
    if a.ndim < 2:
        return (a != 0).any().astype("int64")
    s = svdvals(a)
    least = _cutoff(s, a.shape, rtol) if tol is None else asarray(tol, device=s.device)[..., None]
    return (s > least).sum(-1)


def lstsq(a, b, rcond=None) -> tuple:
    """The shortest X for which `a @ x` is nearest to B; the sums of squares of what it lacks, the rank of A and its
    singular values, of which those below RCOND times the largest count as 0."""
    a, b = _rectangles(a), _computable(asarray(b))
    if a.ndim != 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be two-dimensional")
    if b.ndim not in (1, 2):
        raise LinAlgError(f"{b.ndim}-dimensional array given. The right side has one or two dimensions")
    if a.shape[0] != b.shape[0]:
        raise LinAlgError("Incompatible dimensions")
    dtype = numpy.result_type(a, b)
    a, columns = a.astype(dtype, copy=False), (b if b.ndim == 2 else b[:, None]).astype(dtype, copy=False)
    u, s, vh = svd(a, full_matrices=False)
    is_large = s > _cutoff(s, a.shape, rcond)
    rank = int(is_large.sum())
    inverse = where(is_large, 1 / where(is_large, s, 1), 0).astype(s.dtype)
    x = matmul(_adjoint(vh), matmul(_adjoint(u), columns) * inverse[:, None])
    is_determined = rank == a.shape[1] < a.shape[0]
    lack = abs(columns - matmul(a, x)) ** 2
    lack = lack.sum(0) if is_determined else lack[0:0, 0]
    return (x[:, 0] if b.ndim == 1 else x), lack, rank, s


def cond(x, p=None) -> ndarray:
    """The condition of matrices, by a norm: None and 2 are that of the largest singular value."""
    x = _rectangles(x)
    if 0 in x.shape[-2:]:
        raise LinAlgError("cond is not defined on empty arrays")
    if p in (None, 2, -2):
        s = svdvals(x)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    return matrix_norm(x, ord=p) * matrix_norm(inv(x), ord=p)


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
    a, n = _square(a), operator.index(n)
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


def multi_dot(arrays, *, out: ndarray | None = None) -> ndarray:
    """The product of several matrices, in the order that takes the fewest multiplications; the first and the last
    may be vectors."""
    parts = [asarray(one) for one in arrays]
    if len(parts) < 2:
        raise ValueError("Expecting at least two arrays.")
    if len(parts) == 2:
        return delivered(dot(*parts), out)
    for place, one in enumerate(parts):
        if one.ndim != 2 and (one.ndim != 1 or 0 < place < len(parts) - 1):
            raise LinAlgError(f"{one.ndim}-dimensional array given. Array must be two-dimensional, the first and the "
                              "last may be vectors")
    heights = [1 if parts[0].ndim == 1 else parts[0].shape[0], *(one.shape[0] for one in parts[1:])]
    extents = [*heights, 1 if parts[-1].ndim == 1 else parts[-1].shape[1]]

    @functools.cache
    def best(first: int, last: int) -> tuple[int, int]:
        """How many multiplications a part of the product takes, and behind which matrix it is split."""
        return min((best(first, split)[0] + best(split + 1, last)[0]
                    + extents[first] * extents[split + 1] * extents[last + 1], split)
                   for split in range(first, last)) if first < last else (0, first)

    def product(first: int, last: int) -> ndarray:
        split = best(first, last)[1]
        return matmul(product(first, split), product(split + 1, last)) if first < last else parts[first]

    return delivered(product(0, len(parts) - 1), out)


# --- of the last two axes, as in NumPy's `linalg` ---------------------------------------------------------------------


def diagonal(x, /, *, offset: int = 0) -> ndarray:
    """A view of the diagonals of matrices."""
    return asarray(x).diagonal(offset, -2, -1)


def trace(x, /, *, offset: int = 0, dtype=None) -> ndarray:
    """The sums of the diagonals of matrices."""
    return diagonal(x, offset=offset).sum(-1, dtype)


def outer(x1, x2, /) -> ndarray:
    """The products of each element of a vector with each of another."""
    x1, x2 = asarray(x1), asarray(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"Input arrays must be one-dimensional, but they are x1.ndim={x1.ndim} and x2.ndim={x2.ndim}.")
    return products.outer(x1, x2)


# --- norms ------------------------------------------------------------------------------------------------------------


def norm(x, ord=None, axis=None, keepdims: bool = False) -> ndarray:
    """The norm of vectors along one axis, of matrices in two, or of all elements."""
    x = _inexact(asarray(x))
    if axis is None and (ord is None or x.ndim == 1 and ord == 2 or x.ndim == 2 and ord == "fro"):
        return _root_of_squares(x, None, keepdims)
    if axis is None and x.ndim not in (1, 2):
        raise ValueError("Improper number of dimensions to norm.")
    axes = axes_of(axis, x.ndim)
    if len(axes) == 1:
        return vector_norm(x, axis=axes[0], ord=2 if ord is None else ord, keepdims=keepdims)
    if len(axes) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    moved = moveaxis(x, axes, (-2, -1))
    found = matrix_norm(moved, ord="fro" if ord is None else ord)
    shape = [1 if place in axes else extent for place, extent in enumerate(x.shape)]
    return found.reshape(shape) if keepdims else found


def _root_of_squares(x: ndarray, axis, keepdims: bool) -> ndarray:
    squares = (x * x.conj()).real if x.dtype.kind == "c" else x * x
    return ufuncs.find("sqrt")(squares.sum(axis, keepdims=keepdims))


def vector_norm(x, /, *, axis=None, keepdims: bool = False, ord=2) -> ndarray:
    """The norm of all elements along axes, as one vector."""
    x = _inexact(asarray(x))
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    if ord == 2:
        return _root_of_squares(x, axis, keepdims)
    sizes = abs(x)
    if ord == math.inf:
        return sizes.max(axis, keepdims=keepdims)
    if ord == -math.inf:
        return sizes.min(axis, keepdims=keepdims)
    if ord == 0:
        return (x != 0).astype(sizes.dtype).sum(axis, keepdims=keepdims)
    return sizes.sum(axis, keepdims=keepdims) if ord == 1 else \
        (sizes ** ord).sum(axis, keepdims=keepdims) ** (1 / ord)


def matrix_norm(x, /, *, keepdims: bool = False, ord="fro") -> ndarray:
    """The norm of matrices: "fro", the largest or smallest (ord < 0) singular value (2) or sum of a column (1) or a row
    (inf), or the sum of the singular values ("nuc")."""
    x = _inexact(asarray(x))
    if ord in ("fro", None):
        return _root_of_squares(x, (-2, -1), keepdims)
    if ord in (2, -2, "nuc"):
        s = svdvals(x)
        found = s.sum(-1) if ord == "nuc" else s.max(-1) if ord > 0 else s.min(-1)
        return found[..., None, None] if keepdims else found
    if ord not in (1, -1, math.inf, -math.inf):
        raise ValueError("Invalid norm order for matrices.")
    sums = abs(x).sum(-2 if abs(ord) == 1 else -1, keepdims=True)
    found = sums.max((-2, -1), keepdims=True) if ord > 0 else sums.min((-2, -1), keepdims=True)
    return found if keepdims else found[..., 0, 0]


_ELSEWHERE = ("eig", "eigvals")


def __getattr__(name: str):
    if name in _ELSEWHERE:
        raise AttributeError(f"module 'pykc.linalg' has no attribute {name!r}: numpy.linalg.{name} of `x.get()`, or a "
                             "package of cuSOLVER")
    raise AttributeError(f"module 'pykc.linalg' has no attribute {name!r}")
