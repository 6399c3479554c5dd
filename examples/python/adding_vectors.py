# %% [markdown]
# # Adding vectors: a kernel, its launch, and what memory costs
#
# A GPU runs one function, the **kernel**, in thousands of threads at a time. Here is the smallest useful one, how long
# it takes, and why that time is spent on memory. It all runs on a machine without a GPU as well, on the CPU; the
# figures then say something about the CPU.

# %%
import time

import numpy as np
from pykc import cuda

print("this runs on", "a GPU" if cuda.is_gpu() else "the CPU")

# %% [markdown]
# ## One thread, one element
#
# Each thread finds out which one it is and does its share. Threads come in **blocks** of equal size, so there may be
# more of them than elements: the `if` sends those away.


# %%
@cuda.jit
def add(z, x, y):
    i = cuda.grid(1)  # blockIdx.x * blockDim.x + threadIdx.x
    if i < z.size:
        z[i] = x[i] + y[i]


# %% [markdown]
# A launch says how many blocks of how many threads run: `kernel[blocks, threads](arguments)`. The number of blocks is
# rounded up, else the last elements would have no thread.

# %%
n = 100_000
rng = np.random.default_rng(1)
x, y = rng.random(n, np.float32), rng.random(n, np.float32)
z = np.zeros_like(x)

threads = 128
blocks = (n + threads - 1) // threads
add[blocks, threads](z, x, y)
assert np.array_equal(z, x + y)
print(f"{blocks} blocks of {threads} threads: {blocks * threads - n} threads had nothing to do")

# %% [markdown]
# What the device gets is not Python: the kernel was compiled for the types of these arrays. In a notebook a magic
# shows to what, here to the assembly of an H100 (`%pykc --types`, `--ir`, `--llvm` and `--asm` show more).

# %% tags=["active-ipynb"]
# %load_ext pykc
# %pykc --ptx --target sm_90 add

# %% [markdown]
# ## Where the data is
#
# A kernel works on the memory of its device. NumPy's arrays are copied there before the launch and back after it.
# Arrays that stay on the device save that: `to_device` copies once, `device_array` makes one without any copy.

# %%
device_x, device_y = cuda.to_device(x), cuda.to_device(y)
device_z = cuda.device_array(n, np.float32)
add[blocks, threads](device_z, device_x, device_y)
assert np.array_equal(device_z.copy_to_host(), x + y)

# %% [markdown]
# ## How long does it take?
#
# On a GPU a launch returns at once; the kernel runs later. A clock on the host measures the launch, then, and not the
# kernel. **Events** are stamps in the device's own queue: one before the kernel, one after it. The first launch for a
# list of types compiles the kernel, so it does not count, and of several runs the shortest was disturbed least.


# %%
def milliseconds(work, repeat=5):
    work()
    times = []
    for _ in range(repeat):
        start, end = cuda.event(), cuda.event()
        start.record()
        work()
        end.record()
        end.synchronize()
        times.append(cuda.event_elapsed_time(start, end))
    return min(times)


start = time.perf_counter()
add[blocks, threads](device_z, device_x, device_y)
launch = 1000 * (time.perf_counter() - start)
cuda.synchronize()
kernel = milliseconds(lambda: add[blocks, threads](device_z, device_x, device_y))
print(f"the launch {1000 * launch:.1f} µs, the kernel {1000 * kernel:.1f} µs")

# %% [markdown]
# (`pykc.benchmark` measures so, too; the other lessons use it.) The same for several sizes: the kernel, the copies
# there and back, and NumPy on the host.

# %%
sizes = [10**3, 10**4, 10**5, 10**6, 4 * 10**6]
rows = []
for n in sizes:
    x, y = rng.random(n, np.float32), rng.random(n, np.float32)
    z = np.empty_like(x)
    device_x, device_y, device_z = cuda.to_device(x), cuda.to_device(y), cuda.device_array(n, np.float32)
    rows.append((milliseconds(lambda: add.forall(n)(device_z, device_x, device_y)),
                 milliseconds(lambda: (device_x.copy_to_device(x), device_y.copy_to_device(y),
                                       device_z.copy_to_host(z))),
                 milliseconds(lambda: np.add(x, y, out=z))))
    assert np.array_equal(device_z.copy_to_host(), x + y)
kernel_times, copy_times, numpy_times = np.array(rows).T
for n, kernel, copies, host in zip(sizes, kernel_times, copy_times, numpy_times):
    print(f"{n:>9,} elements: kernel {kernel:.4f} ms, copies {copies:.4f} ms, NumPy {host:.4f} ms")

# %% tags=["active-ipynb"]
# import matplotlib.pyplot as plt
#
# figure, axes = plt.subplots()
# for label, times in (("kernel", kernel_times), ("copies", copy_times), ("NumPy on the host", numpy_times)):
#     axes.loglog(sizes, times, "o-", label=label)
# axes.set(xlabel="elements", ylabel="milliseconds", title="z = x + y")
# axes.legend()
# plt.show()

# %% [markdown]
# Small arrays cost what a launch costs, whatever their size. For large ones the time grows with the size: one addition
# needs two loads and a store, 12 bytes in all. So the figure to look at is not additions in a second but bytes in a
# second, and the fastest kernel is the one that moves no more bytes than it must. Copies move bytes, too: data that
# goes back and forth between two kernels can cost more than both.

# %%
rates = 12e-6 * np.array(sizes) / kernel_times
print("GB/s:", ", ".join(f"{rate:.1f}" for rate in rates))

# %% [markdown]
# ## Neighbours in memory
#
# A matrix times a vector, a thread for each row. The matrix lies in memory row by row ("C") or column by column ("F"),
# and the kernel is the same for both: NumPy's order goes with the array.


# %%
@cuda.jit
def matrix_vector(y, a, x):
    row = cuda.grid(1)
    if row < a.shape[0]:
        total = 0.0
        for column in range(a.shape[1]):
            total += a[row, column] * x[column]
        y[row] = total


n = 1024
matrix, vector = rng.random((n, n)), rng.random(n)
wanted = matrix @ vector
layout_rates = {}
for order in "CF":
    a, x, y = cuda.to_device(np.asarray(matrix, order=order)), cuda.to_device(vector), cuda.device_array(n)
    took = milliseconds(lambda: matrix_vector.forall(n)(y, a, x))
    assert np.allclose(y.copy_to_host(), wanted)
    layout_rates[order] = matrix.nbytes / took / 1e6
    print(f"order {order}: {took:.3f} ms, {layout_rates[order]:.1f} GB/s")

# %% tags=["active-ipynb"]
# figure, axes = plt.subplots()
# axes.bar(["rows lie together", "columns lie together"], layout_rates.values())
# axes.set(ylabel="GB/s", title="a thread for each row of a matrix")
# plt.show()

# %% [markdown]
# Threads 0, 1, 2, … run together, and at each step they want `a[0, column]`, `a[1, column]`, `a[2, column]`, … Where
# columns lie together these are neighbours, and one transaction serves many threads. Where rows lie together they are
# a whole row apart, and each thread needs a transaction of its own. The CPU device runs the threads of a block in the
# lanes of its vector registers, so that it tells the same story.
#
# ## Shared memory
#
# All threads of a block need the same `vector`. A block can fetch a piece of it into **shared memory**, once for all
# its threads. `syncthreads` makes sure that the piece is there before anyone reads it, and read before anyone
# overwrites it; so every thread must come by, those without a row, too.

# %%
PIECE = 128


@cuda.jit
def matrix_vector_shared(y, a, x):
    piece = cuda.shared.array(PIECE, np.float64)
    row, lane = cuda.grid(1), cuda.threadIdx.x
    total = 0.0
    for start in range(0, a.shape[1], PIECE):
        if start + lane < x.size:
            piece[lane] = x[start + lane]
        cuda.syncthreads()
        if row < a.shape[0]:
            for k in range(min(PIECE, a.shape[1] - start)):
                total += a[row, start + k] * piece[k]
        cuda.syncthreads()
    if row < a.shape[0]:
        y[row] = total


y = cuda.device_array(n)
took = milliseconds(lambda: matrix_vector_shared[n // PIECE, PIECE](y, a, x))
assert np.allclose(y.copy_to_host(), wanted)
print(f"with shared memory: {took:.3f} ms, {matrix.nbytes / took / 1e6:.1f} GB/s")

# %% [markdown]
# That gains little: the caches do nearly the same without being asked. Shared memory pays where data is used many
# times in a pattern that no cache foresees; the notebooks on reductions and on blocks have such cases.
#
# ## Exercises
#
# 1. Launch `add` without the `if` and with `@cuda.jit(debug=True)`. What does the error say?
# 2. Let each thread add every `cuda.gridsize(1)`-th element, and launch fewer threads than there are elements.
# 3. Which share of the bytes that `matrix_vector` moves is the matrix? What does that say about the shared piece?
# 4. Use `cuda.pinned_array` for the array that results are copied to. On a GPU, compare the copies.
