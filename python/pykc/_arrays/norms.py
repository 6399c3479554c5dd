"""Norms of vectors and matrices, and the condition of matrices."""
from __future__ import annotations

import math

from .arguments import axes_of
from .creation import asarray
from .decompositions import svdvals
from .elimination import inverses
from .joining import moveaxis, where
from .matrices import LinAlgError, inexact, rectangles, root_of_squares
from .ndarray import ndarray


def norm(x, ord=None, axis=None, keepdims: bool = False) -> ndarray:
    """The norm of vectors along one axis, of matrices in two, or of all elements."""
    x = inexact(asarray(x))
    if axis is None and (ord is None or x.ndim == 1 and ord == 2 or x.ndim == 2 and ord == "fro"):
        return root_of_squares(x, None, keepdims)
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


def vector_norm(x, /, *, axis=None, keepdims: bool = False, ord=2) -> ndarray:
    """The norm of all elements along axes, as one vector."""
    x = inexact(asarray(x))
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    axes_of(axis, x.ndim)
    if ord == 2:
        return root_of_squares(x, axis, keepdims)
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
    x = inexact(asarray(x))
    if ord in ("fro", None):
        return root_of_squares(x, (-2, -1), keepdims)
    if ord in (2, -2, "nuc"):
        s = svdvals(x)
        found = s.sum(-1) if ord == "nuc" else s.max(-1) if ord > 0 else s.min(-1)
        return found[..., None, None] if keepdims else found
    if ord not in (1, -1, math.inf, -math.inf):
        raise ValueError("Invalid norm order for matrices.")
    sums = abs(x).sum(-2 if abs(ord) == 1 else -1, keepdims=True)
    found = sums.max((-2, -1), keepdims=True) if ord > 0 else sums.min((-2, -1), keepdims=True)
    return found if keepdims else found[..., 0, 0]


def cond(x, p=None) -> ndarray:
    """The condition of matrices, by a norm: None and 2 are that of the largest singular value. That of singular ones is
    infinite."""
    x = rectangles(x)
    if 0 in x.shape[-2:]:
        raise LinAlgError("cond is not defined on empty arrays")
    if p in (None, 2, -2):
        s = svdvals(x)
        found = s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    else:
        found = matrix_norm(x, ord=p) * matrix_norm(inverses(x), ord=p)
    return where((found != found) & (x == x).all((-2, -1)), math.inf, found)
