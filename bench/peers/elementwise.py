#!/usr/bin/env python3
"""CuPy's side of `pykc_bench_elementwise`: the same elementwise functions and reductions on the same shapes, by CuPy's
generated kernels and by CUB where CuPy can. Run both in turn on one GPU."""
import cupy
import numpy

ROUNDS = 21
N = 16384


def measure(name: str, moved: float, launch) -> None:
    times = []
    for turn in range(ROUNDS + 3):  # three warm up
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        launch()
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(start, end))
    time = float(numpy.median(times[3:]))
    print(f"{name:<38}{time:>9.3f} ms {moved / time / 1e6:>9.1f} GB/s", flush=True)


def main() -> None:
    x, y = (cupy.full((N, N), value, cupy.float32) for value in (1.5, 0.5))
    row, column = cupy.full((1, N), 0.25, cupy.float32), cupy.full((N, 1), 0.5, cupy.float32)
    z, results, result = cupy.empty_like(x), cupy.empty(N, cupy.float32), cupy.empty((), cupy.float32)
    moved = x.nbytes
    measure("copy", 2 * moved, lambda: z.data.copy_from_device_async(x.data, moved, cupy.cuda.Stream.null))
    squared_diff = cupy.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff")
    measure("squared_diff", 3 * moved, lambda: squared_diff(x, y, z))
    measure("squared_diff with a row", 2 * moved, lambda: squared_diff(x, row, z))
    measure("squared_diff with a column", 2 * moved, lambda: squared_diff(x, column, z))
    l2norm = cupy.ReductionKernel("T x, T y", "T z", "(x - y) * (x - y)", "a + b", "z = sqrt(a)", "0", "l2norm_of")
    for accelerators in ([], ["cub"]):
        cupy._core.set_reduction_accelerators(accelerators)
        cupy._core.set_routine_accelerators(accelerators)
        label = " (CUB)" if accelerators else ""
        for axis, out in ((0, results), (1, results), (None, result)):
            name = "of all" if axis is None else f"over axis {axis}"
            measure(f"sum {name}{label}", moved, lambda: cupy.sum(x, axis=axis, out=out))
            if axis is not None or not accelerators:
                measure(f"l2norm of x - y {name}{label}", 2 * moved, lambda: l2norm(x, y, out, axis=axis))


if __name__ == "__main__":
    main()
