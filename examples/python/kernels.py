"""Kernels, as a course on CUDA in Python has them: python -m pykc examples/python/kernels.py

Written for Numba and unchanged: threads and blocks, shared memory and barriers, atomics, random numbers, reductions,
streams. On a machine without a GPU they run on the CPU."""

import math

import numpy as np
from numba import cuda, float32
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32

TILE = 16


@cuda.jit
def multiply(a, b, c):
    """C = A B, a tile of each in shared memory at a time."""
    tile_a = cuda.shared.array((TILE, TILE), float32)
    tile_b = cuda.shared.array((TILE, TILE), float32)
    column, row = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0.0)
    for start in range(0, a.shape[1], TILE):
        tile_a[ty, tx] = a[row, start + tx] if row < a.shape[0] and start + tx < a.shape[1] else 0
        tile_b[ty, tx] = b[start + ty, column] if start + ty < b.shape[0] and column < b.shape[1] else 0
        cuda.syncthreads()
        for k in range(TILE):
            total += tile_a[ty, k] * tile_b[k, tx]
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total


@cuda.jit
def histogram(x, low, high, bins):
    start, stride = cuda.grid(1), cuda.gridsize(1)
    for i in range(start, x.size, stride):
        bin = int((x[i] - low) * bins.size / (high - low))
        if 0 <= bin < bins.size:
            cuda.atomic.add(bins, bin, 1)


@cuda.jit
def estimate_pi(states, turns, out):
    i = cuda.grid(1)
    if i < out.size:
        inside = 0
        for _ in range(turns):
            x = xoroshiro128p_uniform_float32(states, i)
            y = xoroshiro128p_uniform_float32(states, i)
            if x * x + y * y <= 1:
                inside += 1
        out[i] = 4.0 * inside / turns


@cuda.jit
def blur(image, out):
    """The mean of each pixel's neighbourhood, which is smaller at the edges."""
    x, y = cuda.grid(2)
    if x < image.shape[1] and y < image.shape[0]:
        total, count = 0.0, 0
        for j in range(max(y - 1, 0), min(y + 2, image.shape[0])):
            for i in range(max(x - 1, 0), min(x + 2, image.shape[1])):
                total += image[j, i]
                count += 1
        out[y, x] = total / count


@cuda.reduce
def total_of(a, b):
    return a + b


def blocks(*extents, threads=TILE):
    return tuple(math.ceil(extent / threads) for extent in extents)


def main():
    rng = np.random.default_rng(1)
    a, b = rng.random((100, 70), np.float32), rng.random((70, 50), np.float32)
    c = np.zeros((100, 50), np.float32)
    multiply[blocks(50, 100), (TILE, TILE)](a, b, c)
    assert np.allclose(c, a @ b, rtol=1e-5)

    x = rng.normal(size=100_000).astype(np.float32)
    bins = np.zeros(32, np.int32)
    histogram[64, 128](x, np.float32(-4), np.float32(4), bins)
    assert abs(bins - np.histogram(x, 32, (-4, 4))[0]).sum() <= 8  # at the borders of bins rounding decides

    threads = 1024
    estimates = cuda.device_array(threads)
    estimate_pi[threads // 128, 128](create_xoroshiro128p_states(threads, seed=7), 1000, estimates)
    pi = total_of(estimates) / threads
    assert abs(pi - math.pi) < 0.01

    image = rng.random((60, 90))
    stream = cuda.stream()
    with stream.auto_synchronize():
        on_device = cuda.to_device(image, stream)
        out = cuda.device_array_like(on_device)
        blur[blocks(90, 60), (TILE, TILE), stream](on_device, out)
        blurred = out.copy_to_host(stream=stream)
    neighbours = [image[1 + j:59 + j, 1 + i:89 + i] for i in (-1, 0, 1) for j in (-1, 0, 1)]
    assert np.allclose(blurred[1:-1, 1:-1], sum(neighbours) / 9)
    print(f"a product, a histogram, a blurred image; pi is about {pi:.3f}")


if __name__ == "__main__":
    main()
