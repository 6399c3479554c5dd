# %% [markdown]
# # Reductions: many threads, one number
#
# A sum needs every element, and threads that run side by side. How do they come to one number? In a tree: each step
# halves the number of threads that still have something to add.

# %%
import math

import numpy as np
import pykc
from pykc import cuda

rng = np.random.default_rng(1)

# %% [markdown]
# ## One block
#
# Each thread puts its element into shared memory, which all threads of a block see. Then half of them add what the
# other half has, then a quarter, and so on. `syncthreads` between the steps: no thread may read what another one has
# yet to write. The array has no size here: the launch gives it in **bytes**, as the fourth number in the brackets.


# %%
@cuda.jit
def sum_of_block(out, x):
    partial = cuda.shared.array(0, np.float32)
    thread = cuda.threadIdx.x
    partial[thread] = x[thread]
    width = cuda.blockDim.x // 2
    while width > 0:
        cuda.syncthreads()
        if thread < width:
            partial[thread] += partial[thread + width]
        width //= 2
    if thread == 0:
        out[0] = partial[0]


threads = 512
x = rng.random(threads, np.float32)
out = np.zeros(1, np.float32)
sum_of_block[1, threads, 0, threads * x.itemsize](out, x)
assert math.isclose(out[0], x.sum(), rel_tol=1e-6)
print(f"{threads} numbers in {int(math.log2(threads))} steps: {out[0]:.4f}, NumPy says {x.sum():.4f}")

# %% [markdown]
# ## Any block size
#
# That kernel needs a power of two: with 192 threads a step would halve 3 to 1 and lose an element. Before the tree
# begins, the elements beyond the largest power of two are added to the first ones. A **device function** finds that
# power; kernels can call it, the host can not. The shared array has a fixed size this time, which must be known when
# the kernel is compiled, and a small **constant** table says what to divide by.

# %%
MOST_THREADS = 1024
HALVES = np.array([2], np.int32)


@cuda.jit(device=True)
def largest_power(n):
    power = 1
    while 2 * power <= n:
        power *= 2
    return power


@cuda.jit(device=True)
def tree(partial, thread, count):
    """Leaves the sum of partial[:count] in partial[0]. All threads of the block must come by."""
    halves = cuda.const.array_like(HALVES)
    width = largest_power(count)
    cuda.syncthreads()
    if thread + width < count:
        partial[thread] += partial[thread + width]
    width //= halves[0]
    while width > 0:
        cuda.syncthreads()
        if thread < width:
            partial[thread] += partial[thread + width]
        width //= halves[0]


@cuda.jit
def sum_of_any_block(out, x):
    partial = cuda.shared.array(MOST_THREADS, np.float32)
    thread = cuda.threadIdx.x
    partial[thread] = x[thread]
    tree(partial, thread, cuda.blockDim.x)
    if thread == 0:
        out[0] = partial[0]


for threads in (1, 2, 33, 192, 1000, 1024):
    x = rng.random(threads, np.float32)
    sum_of_any_block[1, threads](out, x)
    assert math.isclose(out[0], x.sum(), rel_tol=1e-6), threads

# %% [markdown]
# ## Many blocks
#
# Blocks have no barrier in common, so each comes to a number of its own. Either the host adds these, or each block
# adds its number to one place in memory by an **atomic** operation, which nobody can interrupt. `x` may have any size
# now: each thread first adds up every element that is its turn.


# %%
@cuda.jit
def sums_of_blocks(out, x):
    partial = cuda.shared.array(MOST_THREADS, np.float32)
    thread = cuda.threadIdx.x
    total = np.float32(0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        total += x[i]
    partial[thread] = total
    tree(partial, thread, cuda.blockDim.x)
    if thread == 0:
        out[cuda.blockIdx.x] = partial[0]


@cuda.jit
def sum_by_atomics(out, x):
    partial = cuda.shared.array(MOST_THREADS, np.float32)
    thread = cuda.threadIdx.x
    total = np.float32(0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        total += x[i]
    partial[thread] = total
    tree(partial, thread, cuda.blockDim.x)
    if thread == 0:
        cuda.atomic.add(out, 0, partial[0])


@cuda.reduce
def total_of(a, b):
    return a + b


# %% [markdown]
# The last one is a reduction without a kernel to write: `cuda.reduce` makes one of the function that joins two
# elements. `pykc.benchmark` measures all three: some calls that do not count, since the first one compiles, then
# `n_repeat` calls, each between two events.

# %%
BLOCKS, THREADS = 32, 256


def partial_sums(x):
    out = cuda.device_array(BLOCKS, np.float32)
    sums_of_blocks[BLOCKS, THREADS](out, x)
    return out.copy_to_host().sum()


def atomic_sum(x):
    out = cuda.to_device(np.zeros(1, np.float32))
    sum_by_atomics[BLOCKS, THREADS](out, x)
    return out[0]


ways = {"sums of blocks, added by the host": partial_sums, "an atomic addition for each block": atomic_sum,
        "cuda.reduce": total_of}
sizes = [10**3, 10**4, 10**5, 10**6, 4 * 10**6]
times = {way: [] for way in ways}
for n in sizes:
    x = rng.random(n, np.float32)
    device_x = cuda.to_device(x)
    exact = x.sum(dtype=np.float64)
    for way, total in ways.items():
        assert math.isclose(total(device_x), exact, rel_tol=1e-5), (way, n)
        took = pykc.benchmark(total, (device_x,), n_repeat=5, n_warmup=1)
        times[way].append(1000 * took.gpu_times.min())
for way, taken in times.items():
    print(f"{way}: " + ", ".join(f"{one:.3f}" for one in taken) + " ms")

# %% tags=["active-ipynb"]
# import matplotlib.pyplot as plt
#
# figure, axes = plt.subplots()
# for way, taken in times.items():
#     axes.loglog(sizes, taken, "o-", label=way)
# axes.set(xlabel="elements", ylabel="milliseconds", title="a sum, result on the host")
# axes.legend()
# plt.show()

# %% [markdown]
# ## A tree is more exact, too
#
# Adding numbers one after another to a growing sum rounds each time at the size of that sum. In a tree the sums that
# are added are about equally large, and an element takes part in a few additions only. Here one thread adds up
# everything; the error of both ways against a sum in `float64`:


# %%
@cuda.jit
def sum_of_one_thread(out, x):
    total = np.float32(0)
    for i in range(x.size):
        total += x[i]
    out[0] = total


counts = [2**k for k in range(8, 23, 2)]
errors = []
for n in counts:
    x = rng.random(n, np.float32)
    exact = x.sum(dtype=np.float64)
    device_x = cuda.to_device(x)
    sum_of_one_thread[1, 1](out, device_x)
    errors.append((abs(out[0] / exact - 1), abs(partial_sums(device_x) / exact - 1)))
in_turn, in_a_tree = np.array(errors).T
assert in_a_tree.max() < 1e-6 < in_turn.max()
print(f"{counts[-1]:,} numbers: relative error {in_turn[-1]:.1e} in turn, {in_a_tree[-1]:.1e} in a tree")

# %% tags=["active-ipynb"]
# figure, axes = plt.subplots()
# axes.loglog(counts, np.maximum(in_turn, 1e-9), "o-", label="one after another")
# axes.loglog(counts, np.maximum(in_a_tree, 1e-9), "o-", label="in a tree")
# axes.set(xlabel="elements", ylabel="relative error", title="float32 sums beside a float64 sum")
# axes.legend()
# plt.show()

# %% [markdown]
# ## Exercises
#
# 1. Take out the `syncthreads` in the loop of `sum_of_block`. Which threads may now read too early? Does the result
#    show it?
# 2. Why must the barrier stand outside of `if thread < width`? Put it inside and see what is said.
# 3. Find the largest element and its index in one kernel.
# 4. `sum_by_atomics` could add every element by an atomic, without shared memory. Try it: what does that cost?
# 5. Inside of a warp `cuda.shfl_down_sync` hands values from thread to thread. Write the last five steps of the tree
#    with it.
