"""Norms, systems of equations, inverses, determinants and Cholesky's decomposition, of matrices and stacks of them.

Matrices are decomposed by panels of columns: one block eliminates within a panel, a thread a column carries its steps
to the columns behind it, and a product of matrices takes the panel off the rest. Singular values and eigenvalues are
NumPy's or cuSOLVER's: `numpy.linalg.svd(x.get())`.
"""
from __future__ import annotations

import functools
import math
import operator
from typing import Any, NamedTuple

import numpy

from ._arrays import products, ufuncs
from ._arrays.creation import asarray, eye, ones, tril
from ._arrays.generated import kernel
from ._arrays.joining import broadcast_to, concatenate, matrix_transpose, moveaxis
from ._arrays.ndarray import axes_of, delivered, ndarray
from ._arrays.products import cross, dot, inner, matmul, tensordot, vdot, vecdot

__all__ = ["LinAlgError", "SlogdetResult", "cholesky", "cross", "det", "diagonal", "dot", "inner", "inv", "lstsq",
           "matmul", "matrix_norm", "matrix_power", "matrix_transpose", "multi_dot", "norm", "outer", "slogdet",
           "solve", "tensordot", "trace", "vdot", "vecdot", "vector_norm"]

LinAlgError = numpy.linalg.LinAlgError
_PANEL, _BLOCK = 32, 256
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


class SlogdetResult(NamedTuple):
    sign: ndarray
    logabsdet: ndarray


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


def lstsq(a, b, rcond=None) -> tuple:
    raise NotImplementedError("lstsq takes singular values: numpy.linalg.lstsq of `a.get()` and `b.get()`, or "
                              "solve(a.T @ a, a.T @ b) where the columns of a are independent")


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
    """The norm of matrices: "fro", or the largest or smallest (ord < 0) sum of a column (1) or a row (inf)."""
    x = _inexact(asarray(x))
    if ord in ("fro", None):
        return _root_of_squares(x, (-2, -1), keepdims)
    if ord in (2, -2, "nuc"):
        raise NotImplementedError(f"norm of order {ord!r} takes singular values: numpy.linalg.norm of `x.get()`")
    if ord not in (1, -1, math.inf, -math.inf):
        raise ValueError("Invalid norm order for matrices.")
    sums = abs(x).sum(-2 if abs(ord) == 1 else -1, keepdims=True)
    found = sums.max((-2, -1), keepdims=True) if ord > 0 else sums.min((-2, -1), keepdims=True)
    return found if keepdims else found[..., 0, 0]


_ELSEWHERE = ("eig", "eigh", "eigvals", "eigvalsh", "svd", "svdvals", "qr", "pinv", "matrix_rank", "cond")


def __getattr__(name: str):
    if name in _ELSEWHERE:
        raise AttributeError(f"module 'pykc.linalg' has no attribute {name!r}: numpy.linalg.{name} of `x.get()`, or a "
                             "package of cuSOLVER")
    raise AttributeError(f"module 'pykc.linalg' has no attribute {name!r}")
