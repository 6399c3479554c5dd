"""The practicals' kernels in Numba-CUDA, written as kernels.pyk writes them."""
import math

import numpy as np

np.row_stack = getattr(np, "row_stack", np.vstack)  # numba-cuda 0.30 looks for it, NumPy 2.5 has it no more

from numba import cuda, float32, float64, int32

TILE = 32
ROWS = 8
PADDED = TILE + 1
BLOCK = 256
MATMUL_TILE = 16


@cuda.jit
def vecadd(z, x, y):
    i = cuda.grid(1)
    if i < z.shape[0]:
        z[i] = x[i] + y[i]


@cuda.jit
def product_2d(z, x, y):
    column, row = cuda.grid(2)
    columns, rows = cuda.gridsize(2)
    for i in range(row, z.shape[0], rows):
        for j in range(column, z.shape[1], columns):
            z[i, j] = x[i, j] * y[i, j]


@cuda.jit
def gemv_row_major(y, a, x):
    i = cuda.grid(1)
    if i < a.shape[0]:
        total = 0.0
        for j in range(a.shape[1]):
            total += a[i, j] * x[j]
        y[i] = total


gemv_column_major = gemv_row_major


@cuda.jit
def gemv_shared(y, a, x):
    window = cuda.shared.array(BLOCK, float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    columns = a.shape[1]
    total = 0.0
    for start in range(0, columns, BLOCK):
        if start + t < columns:
            window[t] = x[start + t]
        cuda.syncthreads()
        if i < a.shape[0]:
            for j in range(min(BLOCK, columns - start)):
                total += a[i, start + j] * window[j]
        cuda.syncthreads()
    if i < a.shape[0]:
        y[i] = total


@cuda.jit
def transpose_naive(out, x):
    column = cuda.blockIdx.x * TILE + cuda.threadIdx.x
    row = cuda.blockIdx.y * TILE + cuda.threadIdx.y
    for j in range(0, TILE, ROWS):
        if row + j < x.shape[0] and column < x.shape[1]:
            out[column, row + j] = x[row + j, column]


@cuda.jit
def transpose_shared(out, x):
    tile = cuda.shared.array((TILE, PADDED), int32)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    column = cuda.blockIdx.x * TILE + tx
    row = cuda.blockIdx.y * TILE + ty
    for j in range(0, TILE, ROWS):
        if row + j < x.shape[0] and column < x.shape[1]:
            tile[ty + j, tx] = x[row + j, column]
    cuda.syncthreads()
    column = cuda.blockIdx.y * TILE + tx
    row = cuda.blockIdx.x * TILE + ty
    for j in range(0, TILE, ROWS):
        if row + j < out.shape[0] and column < out.shape[1]:
            out[row + j, column] = tile[tx, ty + j]


@cuda.jit(device=True)
def block_total(partial, t, total):
    partial[t] = total
    cuda.syncthreads()
    half = BLOCK // 2
    while half > 0:
        if t < half:
            partial[t] += partial[t + half]
        cuda.syncthreads()
        half //= 2
    return partial[0]


@cuda.jit
def sum_blocks(result, x):
    partial = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    total = float32(0)
    for i in range(cuda.grid(1), x.shape[0], cuda.gridsize(1)):
        total += x[i]
    total = block_total(partial, t, total)
    if t == 0:
        cuda.atomic.add(result, 0, total)


@cuda.jit
def l2norm_rows(norms, a):
    partial = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    row = cuda.blockIdx.x
    total = float32(0)
    for j in range(t, a.shape[1], BLOCK):
        value = a[row, j]
        total += value * value
    total = block_total(partial, t, total)
    if t == 0:
        norms[row] = math.sqrt(total)


@cuda.jit
def l2norm_columns(norms, a):
    j = cuda.grid(1)
    if j < a.shape[1]:
        total = float32(0)
        for i in range(a.shape[0]):
            total += a[i, j] * a[i, j]
        norms[j] = math.sqrt(total)


@cuda.jit
def gaussian(out, x, mean, sigma):
    i = cuda.grid(1)
    if i < out.shape[0]:
        z = (x[i] - mean) / sigma
        out[i] = math.exp(float32(-0.5) * z * z) / (sigma * float32(2.5066282746310002))


@cuda.jit
def squared_diff(z, x, y):
    i = cuda.grid(1)
    if i < z.shape[0]:
        z[i] = (x[i] - y[i]) * (x[i] - y[i])


@cuda.jit
def histogram_global(counts, values):
    for i in range(cuda.grid(1), values.shape[0], cuda.gridsize(1)):
        cuda.atomic.add(counts, values[i], 1)


@cuda.jit
def matmul_naive(c, a, b):
    j, i = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


@cuda.jit
def matmul_tiled(c, a, b):
    tile_a = cuda.shared.array((MATMUL_TILE, MATMUL_TILE), float32)
    tile_b = cuda.shared.array((MATMUL_TILE, MATMUL_TILE), float32)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    column = cuda.blockIdx.x * MATMUL_TILE + tx
    row = cuda.blockIdx.y * MATMUL_TILE + ty
    m, n = c.shape
    depth = a.shape[1]
    total = float32(0)
    for k in range(0, depth, MATMUL_TILE):
        tile_a[ty, tx] = a[row, k + tx] if row < m and k + tx < depth else float32(0)
        tile_b[ty, tx] = b[k + ty, column] if k + ty < depth and column < n else float32(0)
        cuda.syncthreads()
        for j in range(MATMUL_TILE):
            total += tile_a[ty, j] * tile_b[j, tx]
        cuda.syncthreads()
    if row < m and column < n:
        c[row, column] = total
