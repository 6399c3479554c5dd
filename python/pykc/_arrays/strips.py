"""What `elimination` asks of the CPU device: a block is one thread and has a strip of columns, and four rows of it at a
time in vector registers."""
from __future__ import annotations

from .matrices import NUMBERS, launch
from .ndarray import ndarray
from .products import VECTOR_BYTES

PANEL = 32
_TEXT = """ROWS = 4


@device(wraparound=False)
def pack(packed, c, start, depth, column, columns):
    for k in range(depth):
        for j in range(COLUMNS):
            packed[k, j] = c[start + k, column + j] if j < columns else c.dtype(0)


@device(wraparound=False)
def unpack(c, packed, start, depth, column, columns):
    for k in range(depth):
        for j in range(columns):
            c[start + k, column + j] = packed[k, j]


@device(wraparound=False)
def take_off_rows(tile, row, column, a, first, last, packed, start, depth):
    total = local.array((ROWS, COLUMNS), tile.dtype)
    for i in unroll(range(ROWS)):
        for j in range(COLUMNS):
            total[i, j] = tile.dtype(0)
    for k in range(depth):
        for i in unroll(range(ROWS)):
            factor = a[min(first + i, last), start + k]
            for j in range(COLUMNS):
                total[i, j] += factor * packed[k, j]
    for i in unroll(range(ROWS)):
        for j in range(COLUMNS):
            tile[row + i, column + j] -= total[i, j]


@device(wraparound=False)
def take_off(c, first, end, column, columns, a, packed, start, depth):
    # The product of columns of A from START on and what is packed, off rows of C.
    edge = local.array((ROWS, COLUMNS), c.dtype)
    for row in range(first, end, ROWS):
        rows = min(ROWS, end - row)
        if rows == ROWS and columns == COLUMNS:
            take_off_rows(c, row, column, a, row, end - 1, packed, start, depth)
        else:
            for i in range(ROWS):
                for j in range(COLUMNS):
                    edge[i, j] = c[row + i, column + j] if i < rows and j < columns else c.dtype(0)
            take_off_rows(edge, 0, 0, a, row, end - 1, packed, start, depth)
            for i in range(rows):
                for j in range(columns):
                    c[row + i, column + j] = edge[i, j]


@kernel(wraparound=False)
def carry(stack, start, end):
    # The steps of a panel, in a strip of the columns behind it.
    packed = local.array((PANEL, COLUMNS), stack.dtype)
    a = stack[blockIdx.y]
    column = end + blockIdx.x * COLUMNS
    columns = min(COLUMNS, a.shape[1] - column)
    pack(packed, a, start, end - start, column, columns)
    for k in range(end - start):
        for r in range(k + 1, end - start):
            factor = a[start + r, start + k]
            for j in range(COLUMNS):
                packed[r, j] -= factor * packed[k, j]
    unpack(a, packed, start, end - start, column, columns)
    take_off(a, end, a.shape[0], column, columns, a, packed, start, end - start)


@kernel(wraparound=False)
def carry_root(stack, start, end):
    # The square of a panel, off a strip of the columns behind it, from the diagonal on.
    packed = local.array((PANEL, COLUMNS), stack.dtype)
    a = stack[blockIdx.y]
    column = end + blockIdx.x * COLUMNS
    columns = min(COLUMNS, a.shape[1] - column)
    for j in range(COLUMNS):
        for k in range(end - start):
            packed[k, j] = conjugate(a[column + j, start + k]) if j < columns else a.dtype(0)
    take_off(a, column, a.shape[0], column, columns, a, packed, start, end - start)


@kernel(wraparound=False)
def substitute(right, stack):
    # A strip of right sides, by what is above the diagonal of A, a panel after the other.
    packed = local.array((PANEL, COLUMNS), right.dtype)
    x = right[blockIdx.y]
    a = stack[blockIdx.y]
    column = blockIdx.x * COLUMNS
    columns = min(COLUMNS, x.shape[1] - column)
    panels = (x.shape[0] + PANEL - 1) // PANEL
    for back in range(panels):
        start = (panels - 1 - back) * PANEL
        depth = min(PANEL, x.shape[0] - start)
        pack(packed, x, start, depth, column, columns)
        for k_back in range(depth):
            k = depth - 1 - k_back
            pivot = a[start + k, start + k]
            for j in range(COLUMNS):
                packed[k, j] /= pivot
            for r in range(k):
                factor = a[start + r, start + k]
                for j in range(COLUMNS):
                    packed[r, j] -= factor * packed[k, j]
        unpack(x, packed, start, depth, column, columns)
        take_off(x, 0, start, column, columns, a, packed, start, depth)
"""


def _launch(name: str, a: ndarray, columns: int, *arguments) -> None:
    wide = VECTOR_BYTES // a.dtype.itemsize
    text = f"PANEL, COLUMNS = {PANEL}, {wide}\n{_TEXT}{NUMBERS[a.dtype.kind]}"
    launch(name, text, (-(-columns // wide), a.shape[0]), 1, *arguments)


def carry(a: ndarray, start: int, end: int) -> None:
    """Takes a panel of eliminated columns off what is behind it."""
    if end < a.shape[2]:
        _launch("carry", a, a.shape[2] - end, a, start, end)


def carry_root(a: ndarray, start: int, end: int) -> None:
    """Takes the square of a panel off what is behind it, on the diagonal and below."""
    if end < a.shape[2]:
        _launch("carry_root", a, a.shape[2] - end, a, start, end)


def substitute(x: ndarray, a: ndarray) -> None:
    """Solves the equations that are left above the diagonals of eliminated matrices."""
    _launch("substitute", x, x.shape[2], x, a)
