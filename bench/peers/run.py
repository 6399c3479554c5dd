#!/usr/bin/env python3
"""pykc's kernels beside CUDA C++ (NVRTC), Numba-CUDA, CuPy and the vendor's libraries, on one GPU in one run.

    python3 bench/peers/run.py --pykc build/release/bin/pykc --json bench/results/NAME.json --svg bench/results/NAME.svg

Needs CuPy, and numba-cuda for its column; every system gets the same arrays. Each work is checked against float64 on
the host or the GPU, then all its systems are timed in turn, a batch of launches between two events, and the median is
kept. `--ptx FOLDER` takes kernels that `--compile-only FOLDER` wrote on another machine, where pykc need not be.
"""
import argparse
import dataclasses
import datetime
import json
import math
import pathlib
import subprocess
import sys
from typing import Callable

HERE = pathlib.Path(__file__).resolve().parent
STDLIB = HERE.parent.parent / "stdlib"
MODULES = {  # of pykc: the file, and the types of its generic kernels
    "kernels": (HERE / "kernels.pyk", []),
    "matmul": (STDLIB / "matmul.pyk", []),
    "softmax": (STDLIB / "softmax.pyk", []),
    "transpose": (STDLIB / "transpose.pyk", ["transpose_tiled(i32[:, :], i32[:, :])"]),
    "histogram": (STDLIB / "histogram.pyk", ["histogram_256(i32[:], i32[:])"]),
    "scan": (STDLIB / "scan.pyk", ["inclusive_scan(f32[:], f32[:], u64[:])"]),
    "gemv": (STDLIB / "gemv.pyk", ["gemv_by_rows(f64, f64[:, :], f64[:], f64, f64[:])",
                                   "gemv_by_columns(f64, f64[::1, :], f64[:], f64, f64[:])"]),
}


def compile_modules(pykc: str, folder: pathlib.Path, target: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, (source, signatures) in MODULES.items():
        types = [option for signature in signatures for option in ("--sig", signature)]
        subprocess.run([pykc, "compile", str(source), "--target", target, "--no-warnings", *types, "-o",
                        str(folder / f"{name}.ptx")], check=True)


@dataclasses.dataclass
class Work:
    """What all systems do alike: `systems` maps a name to a function that launches once."""
    name: str
    bytes: float  # that must move; 0 where arithmetic is the limit
    flops: float
    systems: dict[str, Callable[[], None]]
    output: object  # the array that all systems write
    error: Callable[[], float]  # of what the last launch wrote there, relative
    tolerance: float
    reset: Callable[[], None] = lambda: None  # before each launch that adds to what is there
    unchecked: frozenset = frozenset()  # systems that write elsewhere


class Bench:
    """The arrays, the loaded kernels and the works that are made of them."""

    def __init__(self, folder: pathlib.Path, with_numba: bool, scale: float):
        import cupy as cp
        import numpy as np
        self.cp, self.np, self.scale = cp, np, scale
        self.pykc = {name: cp.RawModule(path=str(folder / f"{name}.ptx")) for name in MODULES}
        self.cuda = cp.RawModule(code=(HERE / "kernels.cu").read_text(), options=("-std=c++17",))
        self.numba = None
        if with_numba:
            sys.path.insert(0, str(HERE))
            import numba_kernels
            self.numba = numba_kernels

    def arguments(self, *values):
        """As pykc's kernels take them: an array is its address and its extents."""
        result = []
        for value in values:
            if isinstance(value, self.cp.ndarray):
                result += [value.data.ptr, *(self.np.int64(extent) for extent in value.shape)]
            else:
                result.append(value)
        return tuple(result)

    def kernel(self, module: str, name: str, grid, block, *arguments):
        function, values = self.pykc[module].get_function(name), self.arguments(*arguments)
        return lambda: function(grid, block, values)

    def cpp(self, name: str, grid, block, *arguments):
        function = self.cuda.get_function(name)
        return lambda: function(grid, block, arguments)

    def jit(self, name: str, grid, block, *arguments):
        if self.numba is None:
            return None
        from numba import cuda
        values = [cuda.as_cuda_array(a) if isinstance(a, self.cp.ndarray) else a for a in arguments]
        launcher = getattr(self.numba, name)[grid, block]
        return lambda: launcher(*values)

    def three(self, name: str, grid, block, arrays, scalars=(), numbers=()):
        """The systems that have a kernel of this name: `scalars` go to all of them, `numbers` to CUDA C++ alone."""
        return {"pykc": self.kernel("kernels", name, grid, block, *arrays, *scalars),
                "CUDA C++": self.cpp(name, grid, block, *arrays, *scalars, *numbers),
                "Numba": self.jit(name, grid, block, *arrays, *scalars)}

    def size(self, n: int, multiple: int = 1) -> int:
        return max(multiple, int(n * self.scale) // multiple * multiple)

    # Each of these makes its arrays, yields works on them, and lets go of them.

    def elementwise(self):
        cp, np = self.cp, self.np
        n = self.size(200_000_000)
        x, y, z = cp.random.random(n), cp.random.random(n), cp.empty(n)
        error = lambda: float(abs(z - (x + y)).max())
        systems = self.three("vecadd", (-(-n // 256),), (256,), (z, x, y), numbers=(np.int64(n),))
        systems["CuPy"] = lambda: cp.add(x, y, out=z)
        yield Work("vecadd f64", 24 * n, n, systems, z, error, 0)
        del x, y, z

        side = self.size(16384, 32) if self.scale == 1 else self.size(4096, 32)
        x, y = (cp.random.random((side, side), dtype=cp.float32) for _ in range(2))
        z = cp.empty_like(x)
        error = lambda: float(abs(z - x * y).max())
        systems = self.three("product_2d", (32, 32), (32, 8), (z, x, y), numbers=(np.int32(side), np.int32(side)))
        systems["CuPy"] = lambda: cp.multiply(x, y, out=z)
        yield Work(f"product of matrices f32, loops over the grid, {side}²", 12 * side * side, side * side, systems, z, error, 0)
        x, y, z = x.ravel(), y.ravel(), z.ravel()
        n = x.size
        grid, block = (-(-n // 256),), (256,)
        error = lambda: float(abs(z - (x - y)**2).max())
        systems = self.three("squared_diff", grid, block, (z, x, y), numbers=(np.int64(n),))
        kernel = cp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff_of_cupy")
        systems["CuPy"] = lambda: kernel(x, y, z)
        yield Work("squared_diff f32", 12 * n, 2 * n, systems, z, error, 1e-6)
        mean, sigma = np.float32(0.25), np.float32(1.5)

        def error_of_gaussian():
            t = (x[:1 << 20].astype(cp.float64) - float(mean)) / float(sigma)
            expected = cp.exp(-0.5 * t * t) / (float(sigma) * (2 * np.pi)**0.5)
            return float((abs(z[:1 << 20] - expected) / expected).max())

        systems = self.three("gaussian", grid, block, (z, x), scalars=(mean, sigma), numbers=(np.int64(n),))
        yield Work("gaussian_pdf f32", 8 * n, 0, systems, z, error_of_gaussian, 1e-6)

    def matrix_times_vector(self):
        cp, np = self.cp, self.np
        n = self.size(16384, 32)
        a, x, y = cp.random.random((n, n)), cp.random.random(n), cp.zeros(n)
        grid, block, moved = (-(-n // 256),), (256,), 8 * n * n
        for name, kernel, library in (("row-major", "gemv_row_major", "gemv_by_rows"),
                                      ("column-major", "gemv_column_major", "gemv_by_columns"),
                                      ("column-major, x in shared memory", "gemv_shared", None)):
            if name == "column-major":
                a = cp.asfortranarray(a)
            expected = a @ x
            error = lambda: float((abs(y - expected) / expected).max())
            systems = self.three(kernel, grid, block, (y, a, x), numbers=(np.int32(n), np.int32(n)))
            if library == "gemv_by_rows":
                shape = ((-(-n // 4),), (256,))
            else:
                shape = ((-(-n // 32),), (32, 32))
            if library:
                systems["pykc library"] = self.kernel("gemv", library, *shape, np.float64(1), a, x, np.float64(0), y)
                systems["CuPy"] = lambda: cp.matmul(a, x, out=y)
            yield Work(f"gemv f64, {name}", moved, 2 * n * n, systems, y, error, 1e-12)

    def transposition(self):
        cp, np = self.cp, self.np
        n = self.size(16384, 32)
        x = cp.arange(n * n, dtype=cp.int32).reshape(n, n)
        out = cp.empty_like(x)
        error = lambda: float((out != x.T).any())
        grid, block, numbers = (n // 32, n // 32), (32, 8), (np.int32(n), np.int32(n))
        yield Work("transpose i32, naive", 8 * n * n, 0,
                   self.three("transpose_naive", grid, block, (out, x), numbers=numbers), out, error, 0)
        systems = self.three("transpose_shared", grid, block, (out, x), numbers=numbers)
        systems["pykc library"] = self.kernel("transpose", "transpose_tiled", (-(-n // 64), -(-n // 64)), (64, 4), out, x)
        systems["CuPy"] = lambda: cp.copyto(out, x.T)
        yield Work("transpose i32, through shared memory", 8 * n * n, 0, systems, out, error, 0)

    def reductions(self):
        cp, np = self.cp, self.np
        side = self.size(16384, 32)
        a = cp.random.random((side, side), dtype=cp.float32)
        x, total = a.ravel(), cp.zeros(1, cp.float32)
        n = x.size
        exact = float(x.sum(dtype=cp.float64))
        blocks = self.cp.cuda.Device().attributes["MultiProcessorCount"] * 8
        systems = self.three("sum_blocks", (blocks,), (256,), (total, x), numbers=(np.int64(n),))
        out = total.reshape(())
        systems["CuPy"] = lambda: cp.sum(x, out=out)
        yield Work("sum f32, blocks and an atomic", 4 * n, n, systems, total, lambda: abs(float(total[0]) / exact - 1), 1e-4,
                   lambda: total.fill(0))
        norms = cp.empty(side, cp.float32)
        norm = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm_of_cupy")
        for axis, name, grid in ((1, "l2norm_rows", (side,)), (0, "l2norm_columns", (-(-side // 256),))):
            expected = cp.sqrt((a.astype(cp.float64)**2).sum(axis=axis))
            error = lambda: float((abs(norms - expected) / expected).max())
            systems = self.three(name, grid, (256,), (norms, a), numbers=(np.int32(side), np.int32(side)))
            systems["CuPy"] = lambda: norm(a, norms, axis=axis)
            yield Work(f"L2 norm of {'rows' if axis else 'columns'} f32", 4 * n, 2 * n, systems, norms, error, 1e-4)
        rows, columns = n // 4096, 4096
        b = a.reshape(rows, columns)
        y = cp.empty_like(b)
        expected = cp.exp(b[:64].astype(cp.float64))
        expected /= expected.sum(axis=1, keepdims=True)
        yield Work("softmax of rows of 4096 f32", 8 * n, 0,
                   {"pykc library": self.kernel("softmax", "softmax_rows", (rows,), (256,), y, b)},
                   y, lambda: float((abs(y[:64] - expected) / expected).max()), 1e-5)

    def histograms(self):
        cp, np = self.cp, self.np
        n = self.size(1 << 28)
        values = cp.random.randint(0, 256, n, dtype=cp.int32)
        counts = cp.zeros(256, cp.int32)
        expected = cp.bincount(values, minlength=256)
        error = lambda: float((counts != expected).any())
        reset = lambda: counts.fill(0)
        blocks = cp.cuda.Device().attributes["MultiProcessorCount"] * 8
        yield Work("histogram of 256 bins, a global atomic an element", 4 * n, 0,
                   self.three("histogram_global", (blocks,), (256,), (counts, values), numbers=(np.int64(n),)),
                   counts, error, 0, reset)
        yield Work("histogram of 256 bins", 4 * n, 0,
                   {"pykc library": self.kernel("histogram", "histogram_256", (blocks,), (256,), counts, values),
                    "CuPy": lambda: cp.copyto(counts, cp.bincount(values, minlength=256).astype(cp.int32))}, counts, error,
                   0, reset)

    def scans(self):
        cp = self.cp
        n = self.size(1 << 28)
        x, out = cp.random.random(n, dtype=cp.float32), cp.empty(n, cp.float32)
        tiles = -(-n // 6144)
        state = cp.zeros(16 * (1 + tiles), cp.uint64)
        expected = cp.cumsum(x, dtype=cp.float64)

        yield Work("inclusive scan f32", 8 * n, n,
                   {"pykc library": self.kernel("scan", "inclusive_scan", (tiles,), (256,), out, x, state),
                    "CuPy": lambda: cp.cumsum(x, out=out), "CUB": self.cub_scan(x)},
                   out, lambda: float((abs(out - expected) / expected[-1]).max()), 1e-5, lambda: state.fill(0),
                   frozenset({"CUB"}))

    def cub_scan(self, x):
        """CUB's inclusive sum, which CuPy calls in place, over and over on the same array: what it holds is of no matter
        to the time."""
        from cupy.cuda import cub
        scratch = x.copy()
        return lambda: cub.device_scan(scratch, cub.CUPY_CUB_CUMSUM)

    def matrix_products(self):
        cp, np = self.cp, self.np
        n = self.size(4096, 128)
        a, b = (cp.random.random((n, n), dtype=cp.float32) for _ in range(2))
        c = cp.empty_like(a)
        expected = a[:16].astype(cp.float64) @ b.astype(cp.float64)
        error = lambda: float((abs(c[:16] - expected) / expected).max())
        grid, block, numbers = (n // 16, n // 16), (16, 16), (np.int32(n),) * 3
        flops = 2.0 * n**3
        yield Work(f"matmul f32 {n}³, naive", 0, flops,
                   self.three("matmul_naive", grid, block, (c, a, b), numbers=numbers), c, error, 1e-4)
        systems = {"pykc": self.kernel("matmul", "matmul_tiled", grid, block, c, a, b),
                   "CUDA C++": self.cpp("matmul_tiled", grid, block, c, a, b, *numbers),
                   "Numba": self.jit("matmul_tiled", grid, block, c, a, b)}
        yield Work(f"matmul f32 {n}³, tiles of 16", 0, flops, systems, c, error, 1e-4)
        yield Work(f"gemm f32 {n}³", 0, flops,
                   {"pykc library": self.kernel("matmul", "gemm", (-(-n // 128), -(-n // 128)), (128,), c, a, b),
                    "cuBLAS": lambda: cp.matmul(a, b, out=c)}, c, error, 1e-4)

    def works(self):
        for make in (self.elementwise, self.matrix_times_vector, self.transposition, self.reductions, self.histograms,
                     self.scans, self.matrix_products):
            yield from make()
            self.cp.get_default_memory_pool().free_all_blocks()

    def copy_bandwidth(self) -> float:
        """Bytes a second, read and written, of a copy within the device."""
        n = self.size(1 << 30)
        x, y = self.cp.ones(n, self.cp.uint8), self.cp.empty(n, self.cp.uint8)
        copy = lambda: y.data.copy_from_device_async(x.data, n, self.cp.cuda.Stream.null)
        return 2 * n / self.median({"copy": copy}, lambda: None)["copy"]

    def median(self, systems, reset) -> dict[str, float]:
        """Seconds of one launch. The systems take turns, so that what disturbs the machine disturbs all of them."""
        cp = self.cp
        samples: dict[str, list[float]] = {name: [] for name in systems}
        for turn in range(13):
            for name, launch in systems.items():
                reset()
                start, end = cp.cuda.Event(), cp.cuda.Event()
                start.record()
                launch()
                end.record()
                end.synchronize()
                if turn >= 2:  # the first ones warm up
                    samples[name].append(cp.cuda.get_elapsed_time(start, end) * 1e-3)
        return {name: float(self.np.median(list)) for name, list in samples.items()}

    def run(self, only: str):
        bandwidth = self.copy_bandwidth()
        print(f"copy within the device: {bandwidth / 1e9:.0f} GB/s", flush=True)
        results = []
        for work in self.works():
            if only not in work.name:
                continue
            systems = {name: launch for name, launch in work.systems.items() if launch}
            errors = {}
            for name, launch in systems.items():
                work.output.fill(0)  # which is right nowhere: what another system wrote must not pass for this one's
                work.reset()
                launch()
                self.cp.cuda.Device().synchronize()
                if name not in work.unchecked:
                    errors[name] = work.error()
            wrong = [name for name, error in errors.items() if not error <= work.tolerance]
            times = self.median(systems, work.reset)
            results.append({"work": work.name, "bytes": work.bytes, "flops": work.flops, "seconds": times,
                            "errors": errors, "wrong": wrong})
            print(row(results[-1], bandwidth), flush=True)
        return bandwidth, results


def row(result, bandwidth: float) -> str:
    text = f"{result['work']}\n"
    for name, seconds in sorted(result["seconds"].items(), key=lambda item: item[1]):
        text += f"    {name:<14}{seconds * 1e6:>11.1f} us"
        if result["bytes"]:
            text += f"{result['bytes'] / seconds / 1e9:>9.0f} GB/s {result['bytes'] / seconds / bandwidth:>6.1%} of a copy"
        else:
            text += f"{result['flops'] / seconds / 1e12:>9.2f} TFLOP/s"
        text += "   WRONG" if name in result["wrong"] else ""
        text += f"  (error {result['errors'][name]:.1e})\n" if name in result["errors"] else "  (not checked)\n"
    return text


def mean_ratio(results) -> float:
    ratios = [work["seconds"]["pykc"] / work["seconds"]["CUDA C++"] for work in results
              if {"pykc", "CUDA C++"} <= work["seconds"].keys()]
    return math.prod(ratios) ** (1 / max(1, len(ratios)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pykc", default="build/release/bin/pykc")
    parser.add_argument("--ptx", type=pathlib.Path, help="a folder of compiled kernels, instead of --pykc")
    parser.add_argument("--compile-only", type=pathlib.Path, help="compile into this folder, and stop")
    parser.add_argument("--target", default="sm_90")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--svg", type=pathlib.Path)
    parser.add_argument("--only", default="", help="works whose name holds this text")
    parser.add_argument("--scale", type=float, default=1, help="of the sizes")
    parser.add_argument("--no-numba", action="store_true")
    options = parser.parse_args()
    if options.compile_only:
        compile_modules(options.pykc, options.compile_only, options.target)
        return 0
    folder = options.ptx
    if folder is None:
        folder = pathlib.Path("build/peers")
        compile_modules(options.pykc, folder, options.target)
    bench = Bench(folder, not options.no_numba, options.scale)
    bandwidth, results = bench.run(options.only)
    report = {"date": datetime.date.today().isoformat(),
              "device": bench.cp.cuda.runtime.getDeviceProperties(0)["name"].decode(),
              "driver": bench.cp.cuda.runtime.driverGetVersion(), "copy_bandwidth": bandwidth, "works": results}
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n")
    print(f"pykc beside CUDA C++, geometric mean of the times: {mean_ratio(results):.3f}")
    if options.svg:
        import plot
        plot.save(report, options.svg)
    return 1 if any(result["wrong"] for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
