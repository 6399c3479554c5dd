"""What singular values tell of matrices: their ranks, pseudo-inverses and solutions of the least squares."""
from __future__ import annotations

import numpy

from .creation import asarray
from .decompositions import svd, svdvals
from .joining import where
from .matrices import LinAlgError, adjoint, computable, rectangles
from .ndarray import ndarray
from .products import matmul


def _cutoff(s: ndarray, shape: tuple[int, ...], rtol) -> ndarray:
    """Below which singular values of matrices of the shape count as 0."""
    rtol = max(shape[-2:]) * numpy.finfo(s.dtype).eps if rtol is None else asarray(rtol, device=s.device)[..., None]
    return s.max(-1, keepdims=True, initial=0) * rtol


def pinv(a, rcond=None, hermitian: bool = False, *, rtol=None) -> ndarray:
    """The pseudo-inverses of matrices. Singular values below RTOL, or RCOND, times the largest count as 0; without it,
    below the machine's precision times the larger extent."""
    a = asarray(a)
    if a.ndim > 1 and 0 in a.shape[-2:]:
        return a.mT.copy()
    a = rectangles(a)
    u, s, vh = svd(a, full_matrices=False)
    is_large = s > _cutoff(s, a.shape, rcond if rtol is None else rtol)
    inverse = where(is_large, 1 / where(is_large, s, 1), 0).astype(s.dtype)
    return matmul(adjoint(vh) * inverse[..., None, :], adjoint(u))


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
    a, b = rectangles(a), computable(asarray(b))
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
    rank = is_large.sum(dtype="int32")
    inverse = where(is_large, 1 / where(is_large, s, 1), 0).astype(s.dtype)
    x = matmul(adjoint(vh), matmul(adjoint(u), columns) * inverse[:, None])
    is_determined = int(rank) == a.shape[1] < a.shape[0]
    lack = (abs(columns - matmul(a, x)) ** 2).sum(0)
    lack = lack if is_determined else lack[:0]
    return (x[:, 0] if b.ndim == 1 else x), lack, rank, s
