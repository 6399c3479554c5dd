#!/usr/bin/env python3
"""What a launch from Python costs the host, and how long the first kernel of a process takes: pykc beside what else is
installed (numba-cuda, CuPy), on the device that PYKC_DEVICE names. Prints a table; medians of several runs."""

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


def microseconds(call, seconds: float = 0.2) -> float:
    """Of one call, by the median of some loops."""
    def loop(count):
        start = time.perf_counter()
        for _ in range(count):
            call()
        return time.perf_counter() - start
    count = 100
    while loop(count) < seconds / RUNS:
        count *= 2
    return statistics.median(loop(count) / count for _ in range(RUNS)) * 1e6


def launches(cuda, numpy):
    """A launch of three arrays: of the device, of NumPy, of PyTorch where it is installed."""
    @cuda.jit
    def add(z, x, y):
        i = cuda.grid(1)
        if i < z.size:
            z[i] = x[i] + y[i]
    x = numpy.ones(8, numpy.float32)
    kernel = add[1, 32]
    own = [cuda.to_device(x) for _ in range(3)]
    yield "a launch, three arrays of the device", microseconds(lambda: kernel(*own))
    yield "a launch, three arrays of NumPy", microseconds(lambda: kernel(x, x, x))
    try:
        import torch
    except ImportError:
        return
    tensors = [torch.ones(8, device="cuda" if torch.cuda.is_available() else "cpu") for _ in range(3)]
    yield "a launch, three tensors of PyTorch", microseconds(lambda: kernel(*tensors))
    cuda.synchronize()


def first_kernel(imports: str, array: str) -> tuple[float, float]:
    """Milliseconds of a fresh process until the import is done, and until the first kernel is, compiled anew."""
    times = []
    for _ in range(RUNS):
        done = subprocess.run([sys.executable, "-c", FIRST_KERNEL.format(imports=imports, array=array)],
                              capture_output=True, text=True, check=True, env={**os.environ, "PYKC_CACHE": "off"})
        times.append([1e3 * float(part) for part in done.stdout.split()])
    return tuple(statistics.median(column) for column in zip(*times))


def main() -> None:
    import numpy
    from pykc import cuda
    rows = [("pykc", *row) for row in launches(cuda, numpy)]
    imported, done = first_kernel("from pykc import cuda", "array.array('f', bytes(32))")
    rows += [("pykc", "import, in ms", imported), ("pykc", "import and first kernel, in ms", done)]
    try:
        from numba import cuda as numba_cuda
        numpy.row_stack = numpy.vstack  # which numba-cuda's import asks for
        if numba_cuda.is_available():
            rows += [("numba-cuda", *row) for row in launches(numba_cuda, numpy)]
    except ImportError:
        pass
    print(f"device: {cuda.get_current_device().name}; microseconds of the host where nothing else is said")
    for peer, what, value in rows:
        print(f"{peer:12} {what:42} {value:10.2f}")


if __name__ == "__main__":
    main()
