# %% [markdown]
# # Blocks, streams, and one kernel in place of four
#
# How many threads should a block have? When is one kernel better than several? Can copies and kernels overlap?
# Questions that are answered by measuring.

# %%
import math

import numpy as np
import pykc as cp
from pykc import cuda

rng = np.random.default_rng(1)

# %% [markdown]
# ## The block size
#
# `z = x y + b` for arrays of several sizes, in blocks of several sizes. `b` stands outside of the kernel: it is
# captured as a constant, and where it changes, the next launch compiles the kernel again. `benchmark` measures launches
# by events, after a first one that compiles; of several the shortest was disturbed least.

# %%
b = np.float32(0.5)


@cuda.jit
def multiply_add(z, x, y):
    i = cuda.grid(1)
    if i < z.size:
        z[i] = x[i] * y[i] + b


sizes = [10**4, 10**5, 10**6]
block_sizes = [32, 64, 128, 256, 512, 1024]
times = np.zeros((len(sizes), len(block_sizes)))
for row, n in enumerate(sizes):
    x, y = rng.random(n, np.float32), rng.random(n, np.float32)
    device_x, device_y, device_z = cuda.to_device(x), cuda.to_device(y), cuda.device_array(n, np.float32)
    for column, threads in enumerate(block_sizes):
        blocks = -(-n // threads)  # rounded up
        took = cp.benchmark(multiply_add[blocks, threads], (device_z, device_x, device_y), n_repeat=3, n_warmup=1)
        times[row, column] = 1000 * took.gpu_times.min()
    assert np.allclose(device_z.copy_to_host(), x * y + b)
    best = block_sizes[times[row].argmin()]
    print(f"{n:>9,} elements: {times[row].min():.4f} to {times[row].max():.4f} ms, the shortest with {best} threads")

# %% tags=["active-ipynb"]
# import matplotlib.pyplot as plt
#
# figure, axes = plt.subplots()
# for n, row in zip(sizes, times):
#     axes.loglog(block_sizes, row.max() / row, "o-", base=2, label=f"{n:,} elements")
# axes.set(xlabel="threads in a block", ylabel="speed, the slowest is 1", title="z = x y + b")
# axes.legend()
# plt.show()

# %% [markdown]
# A multiple of 32 it must be: threads run in **warps** of 32, and a block of 33 takes as much room as one of 64.
# Beyond that a GPU wants many threads at work, so that some of them compute while others wait for memory.
# `kernel.forall(n)` takes the block size that keeps most threads running, which is good enough to begin with.
#
# ## One kernel in place of four
#
# `pykc.array` makes arrays with NumPy's operators and functions, which run on the device; kernels take them as they are.
# The distance of points from the origin, in four ways: as an expression of arrays; the same function under `fuse`; by an
# `ElementwiseKernel`, the line in CUDA C that says what becomes of an element; and by a kernel.


# %%
def distance(x, y):
    return cp.sqrt(x * x + y * y)


fused_distance = cp.fuse(distance)
elementwise_distance = cp.ElementwiseKernel("T x, T y", "T z", "z = sqrt(x * x + y * y)", "distance")


@cuda.jit
def radius(out, x, y):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = math.sqrt(x[i] * x[i] + y[i] * y[i])


def distance_by_kernel(x, y):
    out = cp.empty_like(x)
    radius.forall(out.size)(out, x, y)
    return out


n = 2**21
host_x, host_y = rng.random(n, np.float32), rng.random(n, np.float32)
wanted = np.hypot(host_x, host_y)
x, y = cp.asarray(host_x), cp.asarray(host_y)
ways = {"expression": distance, "fuse": fused_distance, "ElementwiseKernel": elementwise_distance,
        "kernel": distance_by_kernel}
way_times = {}
for name, way in ways.items():
    assert np.allclose(way(x, y).get(), wanted, rtol=1e-5)
    way_times[name] = 1000 * cp.benchmark(way, (x, y), n_repeat=3, n_warmup=1).gpu_times.min()
    print(f"{name}: {way_times[name]:.3f} ms")

# %% tags=["active-ipynb"]
# figure, axes = plt.subplots()
# axes.barh(list(way_times), list(way_times.values()))
# axes.invert_yaxis()
# axes.set(xlabel="milliseconds", title=f"the distance of {n:,} points")
# plt.show()

# %% [markdown]
# The arithmetic is the same. But each of the expression's four operations is a kernel, which loads its arrays and stores
# another: nine arrays go through memory in all, three in the other ways. `fuse` finds that out by itself.
#
# What a `ReductionKernel` does with the elements of each row: a map, a reduction, and a last step.

# %%
norm = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
points = cp.stack([x, y], axis=1)
assert np.allclose(norm(points, axis=1).get(), wanted, rtol=1e-5)
assert np.isclose(float(norm(x)), np.linalg.norm(host_x))

# %% [markdown]
# ## A matrix product
#
# Each element of `A B` is a row of `A` times a column of `B`. The plain kernel loads both for each element anew. The
# tiled one lets a block fetch a tile of each into shared memory, where all of its threads use it, then the next two
# tiles.


# %%
@cuda.jit
def product(c, a, b):
    column, row = cuda.grid(2)
    if row < c.shape[0] and column < c.shape[1]:
        total = np.float32(0)
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, column]
        c[row, column] = total


TILE = 16


@cuda.jit
def product_by_tiles(c, a, b):
    tile_a = cuda.shared.array((TILE, TILE), np.float32)
    tile_b = cuda.shared.array((TILE, TILE), np.float32)
    column, row = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for start in range(0, a.shape[1], TILE):
        tile_a[ty, tx] = a[row, start + tx] if row < a.shape[0] and start + tx < a.shape[1] else 0
        tile_b[ty, tx] = b[start + ty, column] if start + ty < b.shape[0] and column < b.shape[1] else 0
        cuda.syncthreads()
        for k in range(TILE):
            total += tile_a[ty, k] * tile_b[k, tx]
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total


extents = [64, 128, 256, 500]
rates = {"plain": [], "tiles": [], "NumPy": []}
for m in extents:
    a, b_matrix = rng.random((m, m), np.float32), rng.random((m, m), np.float32)
    device_a, device_b, device_c = cuda.to_device(a), cuda.to_device(b_matrix), cuda.device_array((m, m), np.float32)
    blocks = (-(-m // TILE), -(-m // TILE))
    for name, kernel in (("plain", product), ("tiles", product_by_tiles)):
        launch = kernel[blocks, (TILE, TILE)]
        took = cp.benchmark(launch, (device_c, device_a, device_b), n_repeat=3, n_warmup=1).gpu_times.min()
        assert np.allclose(device_c.copy_to_host(), a @ b_matrix, rtol=1e-4)
        rates[name].append(2e-9 * m**3 / took)
    took = cp.benchmark(np.matmul, (a, b_matrix), n_repeat=3, n_warmup=1).cpu_times.min()
    rates["NumPy"].append(2e-9 * m**3 / took)
for name, row in rates.items():
    print(f"{name}: " + ", ".join(f"{rate:.1f}" for rate in row) + " Gflop/s")

# %% tags=["active-ipynb"]
# figure, axes = plt.subplots()
# for name, row in rates.items():
#     axes.semilogy(extents, row, "o-", label=name)
# axes.set(xlabel="rows and columns", ylabel="Gflop/s", title="a product of square matrices")
# axes.legend()
# plt.show()

# %% [markdown]
# NumPy calls a library that people have worked on for decades. For products, transforms and sorting take a library;
# kernels are for what no library has.
#
# ## Streams
#
# A **stream** is a queue: what stands in it runs in order, and different streams are independent. On a GPU a copy in
# one can run while a kernel of another does. On the CPU device everything is done when the call returns, in any
# stream.

# %%
streams = [cuda.stream() for _ in range(2)]
halves = []
for stream, part in zip(streams, (slice(0, n // 2), slice(n // 2, n))):
    part_x, part_y = cuda.to_device(host_x[part], stream), cuda.to_device(host_y[part], stream)
    part_out = cuda.device_array(n // 2, np.float32, stream=stream)
    radius.forall(n // 2, stream=stream)(part_out, part_x, part_y)
    halves.append(part_out)
for stream in streams:
    stream.synchronize()
assert np.allclose(np.concatenate([half.copy_to_host() for half in halves]), np.hypot(host_x, host_y), rtol=1e-5)

# %% [markdown]
# An event of one stream can be waited for in another: here the second begins only when the first is done, and the host
# waits for neither.

# %%
first, second = streams
done = cuda.event()
products, sums = cp.empty_like(x), cp.empty_like(x)
cuda.synchronize()
multiply_add.forall(n, stream=first)(products, x, y)
done.record(first)
done.wait(second)
multiply_add.forall(n, stream=second)(sums, products, y)
second.synchronize()
assert np.allclose(sums.get(), (host_x * host_y + b) * host_y + b, rtol=1e-5)

free, total = cuda.current_context().get_memory_info()
print(f"{total / 2**30:.1f} GiB of memory, {free / 2**30:.1f} of them free")

# %% [markdown]
# ## Exercises
#
# 1. Blocks may have two dimensions. Compare `(32, 8)`, `(16, 16)` and `(8, 32)` for `product`. Which threads read
#    neighbours?
# 2. Let each thread of `multiply_add` take several elements, and find out how many are best.
# 3. Let each thread of `product_by_tiles` compute four elements of a column, so that it loads less for each.
# 4. On a GPU, cut the copies and kernels of the stream example into eight parts, with pinned arrays on the host. How
#    much of the copying is hidden?
