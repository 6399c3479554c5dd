"""Products of matrices: by the library's tiles; small ones, and those of bools, are reductions over products, which no
array holds."""
from __future__ import annotations

import functools
import math
import operator

import numpy

from .arguments import TYPE_NAMES, axes_of, is_integer
from .creation import asarray, zeros_like
from .generated import by_library, library_kernel
from .joining import broadcast_to, concatenate, moveaxis
from .ndarray import delivered, ndarray
from .reductions import Rule, reduced

_LEAST = 16  # rows, columns and terms for which a tile is worth it
VECTOR_BYTES, _ROWS = 96, 144  # a block's part of the product on the CPU device, as the library's `matmul` has it


def matmul(x1, x2, /, out: ndarray | None = None, *, dtype=None) -> ndarray:
    """`x1 @ x2`: of matrices, of stacks of them, which broadcast, and of vectors."""
    x1, x2 = asarray(x1), asarray(x2)
    if x1.ndim == 0 or x2.ndim == 0:
        raise ValueError("matmul: an operand has no dimension; use x * y")
    a = x1 if x1.ndim > 1 else x1[None, :]
    b = x2 if x2.ndim > 1 else x2[:, None]
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(f"matmul: shapes {x1.shape} and {x2.shape} do not fit: {a.shape[-1]} is not {b.shape[-2]}")
    wanted = numpy.result_type(a.dtype, b.dtype) if dtype is None else numpy.dtype(dtype)
    has_tiles = min(*a.shape[-2:], b.shape[-1]) >= _LEAST and wanted.kind != "b"
    found = (_by_tiles if has_tiles else _by_reduction)(a, b, wanted)
    if x1.ndim == 1:
        found = found[..., 0, :]
    if x2.ndim == 1:
        found = found[..., 0]
    return delivered(found, out)


def _by_tiles(a: ndarray, b: ndarray, dtype: numpy.dtype) -> ndarray:
    if a.device.is_cpu and dtype == numpy.float16:  # which are added in f32, as on GPUs
        wide = numpy.dtype("float32")
        a, b = (one.astype(dtype, copy=False).astype(wide) for one in (a, b))
        return _by_tiles(a, b, wide).astype(dtype)
    stack = numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    m, n = a.shape[-2], b.shape[-1]
    made = ndarray((math.prod(stack), m, n), dtype, device=a.device)
    if made.size == 0:
        return made.reshape(*stack, m, n)
    a, b = (_stacked(one.astype(dtype, copy=False), stack) for one in (a, b))
    if a.device.is_cpu and dtype.kind in "fc":
        columns = VECTOR_BYTES // dtype.itemsize
        library_kernel(a.device, "matmul", "product_by_vectors", (("COLUMNS", columns),)).launch(
            lambda _: (-(-m // _ROWS) * -(-n // columns) * len(made), 1), None, (made, a, b))
    elif a.device.is_cpu:
        side = 32 if dtype.itemsize <= 8 else 16
        library_kernel(a.device, "matmul", "product_tiled", (("SIDE", side),)).launch(
            lambda _: (-(-m // side) * -(-n // side) * len(made), (side, side)), None, (made, a, b))
    else:
        by_library(a.device, "matmul", "matmul", made, a, b)
    return made.reshape(*stack, m, n)


def _stacked(x: ndarray, stack: tuple[int, ...]) -> ndarray:
    """As a stack of one axis, of one matrix where that goes with all."""
    if math.prod(x.shape[:-2]) != 1:
        x = broadcast_to(x, (*stack, *x.shape[-2:]))
    return x.reshape(-1, *x.shape[-2:])


def _by_reduction(a: ndarray, b: ndarray, dtype: numpy.dtype) -> ndarray:
    if a.ndim > 7 or b.ndim > 7:
        raise ValueError("matmul is for stacks of at most 7 dimensions")
    rule = Rule("x and y", "a or b", "False", inputs="x: bool, y: bool") if dtype.kind == "b" else \
        Rule("x * y", "a + b", "0", inputs=f"x: {TYPE_NAMES[dtype]}, y: {TYPE_NAMES[dtype]}")
    first, second = a[..., :, None, :], b.swapaxes(-1, -2)[..., None, :, :]
    shape = numpy.broadcast_shapes(first.shape, second.shape)
    return reduced(rule, dtype, -1, False, None, broadcast_to(first, shape), second)


def dot(a, b, out: ndarray | None = None) -> ndarray:
    """The product of matrices or vectors; of more dimensions, over the last axis of A and the last but one of B."""
    a, b = asarray(a), asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        found = a * b
    elif a.ndim <= 2 and b.ndim <= 2:
        found = matmul(a, b)
    else:
        found = tensordot(a, b, ((a.ndim - 1,), (max(b.ndim - 2, 0),)))
    if out is not None and out.dtype != found.dtype:
        raise ValueError(f"`out` is of {out.dtype}, and the product is of {found.dtype}")
    return delivered(found, out)


def vdot(a, b) -> ndarray:
    """The sum of the products of all elements, those of A conjugated."""
    return matmul(conjugated(asarray(a).ravel()), asarray(b).ravel())


def conjugated(a: ndarray) -> ndarray:
    """The conjugates of complex numbers; an array of others itself."""
    return a.conj() if a.dtype.kind == "c" else a


def inner(a, b) -> ndarray:
    """The product over the last axes."""
    a, b = asarray(a), asarray(b)
    return a * b if a.ndim == 0 or b.ndim == 0 else tensordot(a, b, ((a.ndim - 1,), (b.ndim - 1,)))


def outer(a, b, out: ndarray | None = None) -> ndarray:
    """The products of each element of A with each of B."""
    found = asarray(a).reshape(-1, 1) * asarray(b).ravel()
    return delivered(found, out)


def vecdot(x1, x2, /, *, axis: int = -1) -> ndarray:
    """The sums of products along an axis, those of the first conjugated."""
    x1, x2 = asarray(x1), asarray(x2)
    first, second = moveaxis(x1, axis, -1), moveaxis(x2, axis, -1)
    if first.shape[-1] != second.shape[-1]:
        raise ValueError(f"vecdot: the extents {first.shape[-1]} and {second.shape[-1]} differ")
    return matmul(conjugated(first)[..., None, :], second[..., :, None])[..., 0, 0]


def tensordot(a, b, axes=2) -> ndarray:
    """The sums of products over axes of both: the last so many of A and the first of B, or those listed."""
    a, b = asarray(a), asarray(b)
    if is_integer(axes):
        count = operator.index(axes)
        if not 0 <= count <= min(a.ndim, b.ndim):
            raise ValueError(f"shape-mismatch for sum: {count} axes of arrays of {a.ndim} and {b.ndim}")
        first, second = tuple(range(a.ndim - count, a.ndim)), tuple(range(count))
    else:
        first, second = axes_of(_tuple(axes[0]), a.ndim), axes_of(_tuple(axes[1]), b.ndim)
    if [a.shape[i] for i in first] != [b.shape[i] for i in second]:
        raise ValueError("shape-mismatch for sum")
    kept_a = [i for i in range(a.ndim) if i not in first]
    kept_b = [i for i in range(b.ndim) if i not in second]
    depth = math.prod(a.shape[i] for i in first)
    shape_a, shape_b = [a.shape[i] for i in kept_a], [b.shape[i] for i in kept_b]
    rows = a.transpose([*kept_a, *first]).reshape(math.prod(shape_a), depth)
    columns = b.transpose([*second, *kept_b]).reshape(depth, math.prod(shape_b))
    return matmul(rows, columns).reshape(shape_a + shape_b)


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
            raise numpy.linalg.LinAlgError(f"{one.ndim}-dimensional array given. Array must be two-dimensional, the "
                                           "first and the last may be vectors")
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


def kron(a, b) -> ndarray:
    """The second array times each element of the first, as blocks."""
    a, b = asarray(a), asarray(b)
    rank = max(a.ndim, b.ndim)
    first, second = (1,) * (rank - a.ndim) + a.shape, (1,) * (rank - b.ndim) + b.shape
    made = a.reshape([part for extent in first for part in (extent, 1)]) \
        * b.reshape([part for extent in second for part in (1, extent)])
    return made.reshape([one * other for one, other in zip(first, second)])


def cross(a, b, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> ndarray:
    """The vectors that stand on both, of three components or two; of two of two, the third component alone."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = moveaxis(a, axisa, -1), moveaxis(b, axisb, -1)
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise ValueError("Both input arrays must be (arrays of) 2- or 3-dimensional vectors, but they are "
                         f"{a.shape[-1]} and {b.shape[-1]} dimensional instead.")
    if a.shape[-1] == b.shape[-1] == 2:
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    a, b = (one if one.shape[-1] == 3 else concatenate([one, zeros_like(one[..., :1])], -1) for one in (a, b))
    turned, other = [1, 2, 0], [2, 0, 1]
    return moveaxis(a[..., turned] * b[..., other] - a[..., other] * b[..., turned], -1, axisc)


def _tuple(axes) -> tuple:
    return tuple(axes) if isinstance(axes, (tuple, list)) else (axes,)
