#!/usr/bin/env python3
"""What a launch from Python costs the host, and how long the first kernel of a process takes: pykc beside what else is
installed (numba-cuda, CuPy, Triton), on the device that PYKC_DEVICE names. Prints a table; medians of several batches.
A batch is so short that no launch waits for room in the GPU's queue, and ends before the next one begins. Each row is
measured on the core that is the quickest then: on a machine that others use as well, they differ by up to two times."""

import os
import statistics
import subprocess
import sys
import time

RUNS = 9

FIRST_KERNEL = """
import time
start = time.perf_counter()
{imports}
imported = time.perf_counter()
@cuda.jit
def add(z, x, y):
    i = cuda.grid(1)
    if i < z.size:
        z[i] = x[i] + y[i]
import array
z = {array}
add[1, 32](z, z, z)
cuda.synchronize()
print(imported - start, time.perf_counter() - start)
"""


def add_body(z, x, y):
    i = cuda.grid(1)  # of the module that is measured, see `launches`
    if i < z.size:
        z[i] = x[i] + y[i]


def to_the_quickest_core(tries: int = 5) -> None:
    """Moves this thread to the core on which a loop takes the least time."""
    cores = os.sched_getaffinity(0)
    seconds = dict.fromkeys(cores, float("inf"))
    for core in [*cores] * tries:
        os.sched_setaffinity(0, {core})
        start = time.perf_counter()
        for _ in range(10000):
            pass
        seconds[core] = min(seconds[core], time.perf_counter() - start)
    os.sched_setaffinity(0, {min(cores, key=seconds.get)})


def microseconds(launch, arguments, synchronize, batch: int = 200) -> float:
    """Of one launch, by the median of some batches."""
    z, x, y = arguments

    def run():
        start = time.perf_counter()
        for _ in range(batch):
            launch(z, x, y)
        spent = time.perf_counter() - start
        synchronize()
        return spent / batch
    cores = os.sched_getaffinity(0)
    to_the_quickest_core()
    try:
        for _ in range(3):
            run()
        return statistics.median(run() for _ in range(101)) * 1e6
    finally:
        os.sched_setaffinity(0, cores)


def tensors_of_torch():
    """Three, on the GPU where there is one; nothing where PyTorch is not installed."""
    try:
        import torch
    except ImportError:
        return []
    return [torch.ones(8, device="cuda" if torch.cuda.is_available() else "cpu") for _ in range(3)]


def launches(module, numpy):
    """A launch of three arrays: of the device, of NumPy, of PyTorch where it is installed."""
    globals()["cuda"] = module
    kernel = module.jit(add_body)[1, 32]
    x = numpy.ones(8, numpy.float32)
    own = [module.to_device(x) for _ in range(3)]
    yield "a launch, three arrays of the device", microseconds(kernel, own, module.synchronize)
    yield "a launch, three arrays of NumPy", microseconds(kernel, (x, x, x), module.synchronize)
    if tensors := tensors_of_torch():
        yield "a launch, three tensors of PyTorch", microseconds(kernel, tensors, module.synchronize)


def launches_of_cupy():
    import cupy
    add = cupy.RawKernel("""extern "C" __global__ void add(float* z, const float* x, const float* y) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < 8) z[i] = x[i] + y[i];
    }""", "add")
    own = [cupy.ones(8, cupy.float32) for _ in range(3)]
    yield "a launch, three arrays of the device", microseconds(lambda *arrays: add((1,), (32,), arrays), own,
                                                               cupy.cuda.runtime.deviceSynchronize)


def launches_of_triton():
    import torch
    import triton
    import triton.language as tl

    @triton.jit
    def add(z, x, y, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(z + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)
    yield "a launch, three tensors of PyTorch", microseconds(lambda z, x, y: add[(1,)](z, x, y, 8, BLOCK=32),
                                                             tensors_of_torch(), torch.cuda.synchronize)


def first_kernel(imports: str, array: str) -> tuple[float, float]:
    """Milliseconds of a fresh process until the import is done, and until the first kernel is, compiled anew."""
    times = []
    for _ in range(RUNS):
        done = subprocess.run([sys.executable, "-c", FIRST_KERNEL.format(imports=imports, array=array)],
                              capture_output=True, text=True, check=True, env={**os.environ, "PYKC_CACHE": "off"})
        times.append([1e3 * float(part) for part in done.stdout.split()])
    return tuple(statistics.median(column) for column in zip(*times))


def launches_of_numba():
    import numpy
    numpy.row_stack = numpy.vstack  # which numba-cuda's import asks for
    from numba import cuda
    return launches(cuda, numpy)


PEERS = {"numba-cuda": launches_of_numba, "CuPy": launches_of_cupy, "Triton": launches_of_triton}


def rows_of(peer: str) -> list:
    """No rows where it is not installed."""
    try:
        return list(PEERS[peer]())
    except ImportError:
        return []


def main() -> None:
    import numpy
    from pykc import cuda
    rows = [("pykc", *row) for row in launches(cuda, numpy)]
    imported, done = first_kernel("from pykc import cuda", "array.array('f', bytes(32))")
    rows += [("pykc", "import, in ms", imported), ("pykc", "import and first kernel, in ms", done)]
    if cuda.is_gpu():
        rows += [(peer, *row) for peer in PEERS for row in rows_of(peer)]
    print(f"device: {cuda.get_current_device().name}; microseconds of the host where nothing else is said")
    for peer, what, value in rows:
        print(f"{peer:12} {what:42} {value:10.2f}")


if __name__ == "__main__":
    main()
