"""Norms, systems of equations, inverses, determinants and decompositions, of matrices and stacks of them, by the names
of NumPy's `linalg`."""
from __future__ import annotations

from ._arrays import products
from ._arrays.creation import asarray
from ._arrays.decompositions import EighResult, QRResult, SVDResult, eigh, eigvalsh, qr, svd, svdvals
from ._arrays.eigenvalues import EigResult, eig, eigvals
from ._arrays.elimination import (SlogdetResult, cholesky, det, inv, matrix_power, slogdet, solve, tensorinv,
                                  tensorsolve)
from ._arrays.joining import matrix_transpose
from ._arrays.least_squares import lstsq, matrix_rank, pinv
from ._arrays.matrices import LinAlgError
from ._arrays.ndarray import ndarray
from ._arrays.norms import cond, matrix_norm, norm, vector_norm
from ._arrays.products import cross, dot, inner, matmul, multi_dot, tensordot, vdot, vecdot

__all__ = ["EigResult", "EighResult", "LinAlgError", "QRResult", "SVDResult", "SlogdetResult", "cholesky", "cond",
           "cross", "det", "diagonal", "dot", "eig", "eigh", "eigvals", "eigvalsh", "inner", "inv", "lstsq", "matmul",
           "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "multi_dot", "norm", "outer", "pinv", "qr",
           "slogdet", "solve", "svd", "svdvals", "tensordot", "tensorinv", "tensorsolve", "trace", "vdot", "vecdot",
           "vector_norm"]


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
