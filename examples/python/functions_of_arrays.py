# %% [markdown]
# # Functions of arrays
#
# Not every program needs kernels. A function of numbers becomes a function of whole arrays by one line, and runs for
# all elements at a time. This notebook goes from there to kernels: device functions, data that stays on the device,
# threads that write to the same place, and a block that turns a tile of a picture.

# %%
import math

import numpy as np
from pykc import cuda
from pykc.numba import jit, vectorize

rng = np.random.default_rng(1)

# %% [markdown]
# ## A function of numbers
#
# `jit` compiles a function for the types of its arguments when it is first called. `py_func` is the function as it
# was.


# %%
@jit
def hypotenuse(x, y):
    larger, smaller = max(abs(x), abs(y)), min(abs(x), abs(y))
    if larger == 0:
        return 0.0
    ratio = smaller / larger
    return larger * math.sqrt(1 + ratio * ratio)


assert hypotenuse(3.0, 4.0) == hypotenuse.py_func(3.0, 4.0) == 5.0
assert hypotenuse(1e200, 1e200) == math.hypot(1e200, 1e200)  # x * x would be too large a number

# %% [markdown]
# ## A function of arrays
#
# `vectorize` makes a NumPy ufunc of it: one that broadcasts, takes `out=`, and runs on the device. The signature says
# which types it is compiled for; `float32` is enough for a picture or a measurement and moves half the bytes of
# `float64`.

# %%
ROOT_2_PI = np.float32(math.sqrt(2 * math.pi))


@vectorize(["float32(float32, float32, float32)"], target="cuda")
def gaussian(x, mean, sigma):
    t = (x - mean) / sigma
    return math.exp(np.float32(-0.5) * t * t) / (sigma * ROOT_2_PI)


def gaussian_by_numpy(x, mean, sigma):
    return np.exp(-0.5 * ((x - mean) / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi))


grid = np.linspace(-4, 4, 401, dtype=np.float32)
widths = np.array([[0.5], [1], [2]], np.float32)  # a column: the result has a row for each width
curves = gaussian(grid, np.float32(0), widths)
assert curves.shape == (3, 401)
assert np.allclose(curves, gaussian_by_numpy(grid, 0, widths), rtol=1e-5)

# %% [markdown]
# A function that kernels and ufuncs call is a **device function**. It may return several values.


# %%
@cuda.jit(device=True)
def cartesian(radius, angle):
    return radius * math.cos(angle), radius * math.sin(angle)


@vectorize(["float64(float64, float64, float64, float64)"], target="cuda")
def distance(radius1, angle1, radius2, angle2):
    x1, y1 = cartesian(radius1, angle1)
    x2, y2 = cartesian(radius2, angle2)
    return math.sqrt((x1 - x2) ** 2 + (y1 - y2) ** 2)


n = 100_000
radius1, radius2 = rng.uniform(0.5, 1.5, (2, n))
angle1, angle2 = rng.uniform(-np.pi, np.pi, (2, n))
wanted = abs(radius1 * np.exp(1j * angle1) - radius2 * np.exp(1j * angle2))
assert np.allclose(distance(radius1, angle1, radius2, angle2), wanted)

# %% [markdown]
# ## Data that stays
#
# Between two functions the data need not come back. Given arrays of the device, a ufunc returns one, or fills the one
# that `out=` names, so that nothing new is allocated either.

# %%
samples = cuda.to_device(rng.normal(size=n).astype(np.float32))
density = cuda.device_array(n, np.float32)
gaussian(samples, np.float32(0), np.float32(1), out=density)
assert np.allclose(density.copy_to_host(), gaussian_by_numpy(samples.copy_to_host(), 0, 1), rtol=1e-5)

# %% [markdown]
# ## Threads that meet
#
# A kernel can write wherever it likes, and so can two threads to the same place. To count the faces of dice, each
# thread reads a count, adds one and writes it; whoever reads in between has the old number, and a roll is lost. An
# **atomic** addition is one step, which nobody can interrupt.


# %%
@cuda.jit
def count_badly(counts, rolls):
    i = cuda.grid(1)
    if i < rolls.size:
        counts[rolls[i]] += 1


@cuda.jit
def count(counts, rolls):
    i = cuda.grid(1)
    if i < rolls.size:
        cuda.atomic.add(counts, rolls[i], 1)


rolls = rng.integers(0, 6, n, dtype=np.int32)
bad, good = np.zeros(6, np.int32), np.zeros(6, np.int32)
count_badly.forall(n)(bad, rolls)
count.forall(n)(good, rolls)
assert np.array_equal(good, np.bincount(rolls))
assert (bad <= good).all()
print(f"{n:,} rolls: {good}; without atomics {bad}, {n - bad.sum():,} are lost")

# %% [markdown]
# A histogram counts samples that are numbers. Here a thread takes every `gridsize`-th sample, so that any number of
# threads does for any number of samples. What falls outside of the bins must not be counted: nothing keeps a kernel
# from writing beyond the end of an array, where other data may lie. Under `@cuda.jit(debug=True)` such a write is an
# `IndexError` that names line, block and thread.


# %%
@cuda.jit
def histogram(x, low, high, bins):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        bin = int(math.floor((x[i] - low) * bins.size / (high - low)))
        if 0 <= bin < bins.size:
            cuda.atomic.add(bins, bin, 1)


LOW, HIGH = np.float32(-4), np.float32(4)
bins = np.zeros(40, np.int32)
histogram[32, 128](samples, LOW, HIGH, bins)
wanted = np.histogram(samples.copy_to_host(), 40, (-4, 4))[0]
assert abs(bins - wanted).sum() <= 8  # at the border of two bins rounding decides


@cuda.jit(debug=True)
def histogram_without_a_check(x, low, high, bins):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(bins, int(math.floor((x[i] - low) * bins.size / (high - low))), 1)


try:
    histogram_without_a_check[32, 128](samples, np.float32(0), HIGH, np.zeros(40, np.int32))
    cuda.synchronize()
except IndexError as error:
    print(error)

# %% tags=["active-ipynb"]
# import matplotlib.pyplot as plt
#
# figure, axes = plt.subplots()
# width = 8 / bins.size
# axes.bar(-4 + width * (np.arange(bins.size) + 0.5), bins / (n * width), width, alpha=0.5, label="samples, counted")
# axes.plot(grid, curves[1], "k", label="their density")
# axes.set(xlabel="x", title=f"{n:,} normal numbers")
# axes.legend()
# plt.show()

# %% [markdown]
# ## A tile in shared memory
#
# To turn a picture's rows into columns, a thread reads one pixel and writes it to its new place. Neighbouring threads
# read neighbours, but write far apart, which memory dislikes. A block can do better: it reads a tile row by row into
# shared memory, waits for all of its threads, and writes the tile row by row, too, where the columns of the tile
# become rows. The tile has one column more than it needs; without it, 32 threads that read a column of it would all
# want the same bank of that memory.

# %%
TILE, ROWS = 32, 8


@cuda.jit
def transpose_directly(out, a):
    x = cuda.blockIdx.x * TILE + cuda.threadIdx.x
    y = cuda.blockIdx.y * TILE + cuda.threadIdx.y
    for j in range(0, TILE, ROWS):
        if x < a.shape[1] and y + j < a.shape[0]:
            out[x, y + j] = a[y + j, x]


@cuda.jit
def transpose_by_tiles(out, a):
    tile = cuda.shared.array((TILE, TILE + 1), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    x, y = cuda.blockIdx.x * TILE + tx, cuda.blockIdx.y * TILE + ty
    for j in range(0, TILE, ROWS):
        if x < a.shape[1] and y + j < a.shape[0]:
            tile[ty + j, tx] = a[y + j, x]
    cuda.syncthreads()
    x, y = cuda.blockIdx.y * TILE + tx, cuda.blockIdx.x * TILE + ty
    for j in range(0, TILE, ROWS):
        if x < out.shape[1] and y + j < out.shape[0]:
            out[y + j, x] = tile[tx, ty + j]


# %% [markdown]
# The picture is a function of arrays, too: how far each point is from a spiral.


# %%
@vectorize(["float32(float32, float32)"], target="cuda")
def spiral(x, y):
    return math.sin(np.float32(12) * math.sqrt(x * x + y * y) + np.float32(3) * math.atan2(y, x))


height, width = 600, 1000
picture = spiral(np.linspace(-1, 1.5, width, dtype=np.float32), np.linspace(-1, 0.5, height, dtype=np.float32)[:, None])
on_device = cuda.to_device(picture)
turned = cuda.device_array((width, height), np.float32)
blocks = (-(-width // TILE), -(-height // TILE))
for kernel in (transpose_directly, transpose_by_tiles):
    times = []
    for _ in range(6):
        start, end = cuda.event(), cuda.event()
        start.record()
        kernel[blocks, (TILE, ROWS)](turned, on_device)
        end.record()
        end.synchronize()
        times.append(cuda.event_elapsed_time(start, end))
    assert np.array_equal(turned.copy_to_host(), picture.T)
    print(f"{kernel.__name__}: {min(times):.3f} ms, {2 * picture.nbytes / min(times) / 1e6:.1f} GB/s")

# %% tags=["active-ipynb"]
# figure, (left, right) = plt.subplots(1, 2)
# left.imshow(picture)
# right.imshow(turned.copy_to_host())
# plt.show()

# %% [markdown]
# Shared memory lies in the caches of a CPU, and beside the threads of a GPU: either is nearer than the picture.
#
# ## Exercises
#
# 1. Write `distance` for `float32` as well: a list of two signatures. Which one is taken for which arrays?
# 2. Let each block count into bins of its own in shared memory, and add these to the result at the end.
# 3. In `transpose_by_tiles`, leave out `syncthreads`. What comes out? And which pixels are right by chance?
# 4. `guvectorize` makes functions of rows in place of numbers. Use it for the norm of each row of a matrix.
