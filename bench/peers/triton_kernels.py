"""The practicals' kernels in Triton, as its tutorials write such kernels: a program works on a tile, whose form is
constant."""
import triton
import triton.language as tl


@triton.jit
def vecadd(z, x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(z + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@triton.jit
def product(z, x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(z + i, tl.load(x + i, mask=inside) * tl.load(y + i, mask=inside), mask=inside)


@triton.jit
def squared_diff(z, x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    difference = tl.load(x + i, mask=inside) - tl.load(y + i, mask=inside)
    tl.store(z + i, difference * difference, mask=inside)


@triton.jit
def gaussian(out, x, mean, sigma, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    z = (tl.load(x + i, mask=inside) - mean) / sigma
    tl.store(out + i, tl.exp(-0.5 * z * z) / (sigma * 2.5066282746310002), mask=inside)


@triton.jit
def gemv_by_rows(y, a, x, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    total = tl.zeros((ROWS, BLOCK), tl.float64)
    for start in range(0, columns, BLOCK):
        j = start + tl.arange(0, BLOCK)
        inside = (i < rows)[:, None] & (j < columns)[None, :]
        values = tl.load(a + i[:, None] * columns + j[None, :], mask=inside, other=0)
        total += values * tl.load(x + j, mask=j < columns, other=0)[None, :]
    tl.store(y + i, tl.sum(total, axis=1), mask=i < rows)


@triton.jit
def gemv_by_columns(y, a, x, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    total = tl.zeros((BLOCK, ROWS), tl.float64)
    for start in range(0, columns, BLOCK):
        j = start + tl.arange(0, BLOCK)
        inside = (j < columns)[:, None] & (i < rows)[None, :]
        values = tl.load(a + j[:, None] * rows + i[None, :], mask=inside, other=0)
        total += values * tl.load(x + j, mask=j < columns, other=0)[:, None]
    tl.store(y + i, tl.sum(total, axis=0), mask=i < rows)


@triton.jit
def transpose(out, x, rows, columns, TILE: tl.constexpr):
    i = tl.program_id(1) * TILE + tl.arange(0, TILE)
    j = tl.program_id(0) * TILE + tl.arange(0, TILE)
    tile = tl.load(x + i[:, None] * columns + j[None, :], mask=(i < rows)[:, None] & (j < columns)[None, :])
    tl.store(out + j[:, None] * rows + i[None, :], tl.trans(tile), mask=(j < columns)[:, None] & (i < rows)[None, :])


@triton.jit
def sum_blocks(result, x, n, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(x + i, mask=i < n, other=0)
    tl.atomic_add(result, tl.sum(total))


@triton.jit
def l2norm_rows(norms, a, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        j = start + tl.arange(0, BLOCK)
        value = tl.load(a + row * columns + j, mask=j < columns, other=0)
        total += value * value
    tl.store(norms + row, tl.sqrt(tl.sum(total)))


@triton.jit
def l2norm_columns(norms, a, rows, columns, COLUMNS: tl.constexpr, BLOCK: tl.constexpr):
    j = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    total = tl.zeros((BLOCK, COLUMNS), tl.float32)
    for start in range(0, rows, BLOCK):
        i = start + tl.arange(0, BLOCK)
        inside = (i < rows)[:, None] & (j < columns)[None, :]
        value = tl.load(a + i[:, None] * columns + j[None, :], mask=inside, other=0)
        total += value * value
    tl.store(norms + j, tl.sqrt(tl.sum(total, axis=0)), mask=j < columns)


@triton.jit
def softmax_rows(y, x, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + j, mask=j < columns, other=-float("inf"))
    e = tl.exp(values - tl.max(values))
    tl.store(y + row * columns + j, e / tl.sum(e), mask=j < columns)


@triton.jit
def matmul(c, a, b, m, k, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i = tl.program_id(1) * M + tl.arange(0, M)
    j = tl.program_id(0) * N + tl.arange(0, N)
    l = tl.arange(0, K)
    total = tl.zeros((M, N), tl.float32)
    for start in range(0, k, K):
        inside = start + l < k
        tile_a = tl.load(a + i[:, None] * k + (start + l)[None, :], mask=(i < m)[:, None] & inside[None, :], other=0)
        tile_b = tl.load(b + (start + l)[:, None] * n + j[None, :], mask=inside[:, None] & (j < n)[None, :], other=0)
        total = tl.dot(tile_a, tile_b, total, input_precision="ieee")
    tl.store(c + i[:, None] * n + j[None, :], total, mask=(i < m)[:, None] & (j < n)[None, :])


# The fastest of these is taken, by measuring.
matmul_tuned = triton.autotune([
    triton.Config({"M": m, "N": n, "K": k}, num_warps=warps, num_stages=stages)
    for m, n, k, warps, stages in ((128, 128, 16, 8, 3), (128, 128, 32, 8, 3), (128, 64, 16, 4, 3), (64, 64, 16, 4, 3),
                                   (64, 64, 32, 4, 3), (128, 256, 16, 8, 3))
], key=["m", "k", "n"])(matmul)
