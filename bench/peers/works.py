"""The works of the benchmark: what must be computed, and the systems that can.

Names that `bench/elementwise.cpp` has too get its times as those of `pykc library`.
"""
import dataclasses
from typing import Callable, Iterator, Optional

import cupy as cp
import numpy as np

from systems import Launch, Systems


@dataclasses.dataclass
class Work:
    """What all systems do alike: `systems` maps a name to a function that launches once."""
    name: str
    bytes: float  # that must move; 0 where arithmetic is the limit
    flops: float
    systems: dict[str, Optional[Launch]]
    output: object  # the array that all systems write
    error: Callable[[], float]  # of what the last launch wrote there, relative
    tolerance: float
    reset: Callable[[], None] = lambda: None  # before each launch that adds to what is there
    unchecked: frozenset = frozenset()  # systems that write elsewhere


def blocks(count: int, size: int) -> int:
    """How many blocks of a size cover so many elements."""
    return -(-count // size)


def relative_error(values, expected) -> float:
    return float((abs(values - expected) / expected).max())


class Works:
    """Makes the works one after the other, each with arrays of its own that it lets go of."""

    def __init__(self, systems: Systems, scale: float):
        self.systems, self.scale = systems, scale
        self.resident = 8 * cp.cuda.Device().attributes["MultiProcessorCount"]  # blocks of 256 threads

    def size(self, n: int, multiple: int = 1) -> int:
        return max(multiple, int(n * self.scale) // multiple * multiple)

    def __iter__(self) -> Iterator[Work]:
        for make in (self.sum_of_vectors, self.elementwise, self.matrix_times_vector, self.transposition,
                     self.reductions, self.reductions_of_two, self.softmax, self.histograms, self.scans,
                     self.matrix_products):
            yield from make()
            cp.get_default_memory_pool().free_all_blocks()

    def matrix(self):
        side = self.size(16384, 32)
        return cp.random.random((side, side), dtype=cp.float32)

    def sum_of_vectors(self):
        n = self.size(200_000_000)
        x, y, z = cp.random.random(n), cp.random.random(n), cp.empty(n)
        systems = self.systems.three("vecadd", (blocks(n, 256),), (256,), (z, x, y), numbers=(np.int64(n),))
        systems["CuPy"] = lambda: cp.add(x, y, out=z)
        systems["Triton"] = self.systems.tiles("vecadd", (blocks(n, 1024),), z, x, y, n, BLOCK=1024)
        yield Work("vecadd f64", 24 * n, n, systems, z, lambda: float(abs(z - (x + y)).max()), 0)

    def elementwise(self):
        x, y = self.matrix(), self.matrix()
        z, n, side = cp.empty_like(x), x.size, len(x)
        flat = [array.ravel() for array in (z, x, y)]
        grid, tiles = (blocks(n, 256),), (blocks(n, 1024),)
        systems = self.systems.three("product_2d", (32, 32), (32, 8), (z, x, y), numbers=(np.int32(side),) * 2)
        systems["CuPy"] = lambda: cp.multiply(x, y, out=z)
        systems["Triton"] = self.systems.tiles("product", tiles, *flat, n, BLOCK=1024)
        yield Work("product of matrices f32", 12 * n, n, systems, z, lambda: float(abs(z - x * y).max()), 0)

        kernel = cp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff_of_cupy")
        systems = self.systems.three("squared_diff", grid, (256,), flat, numbers=(np.int64(n),))
        systems["CuPy"] = lambda: kernel(x, y, z)
        systems["Triton"] = self.systems.tiles("squared_diff", tiles, *flat, n, BLOCK=1024)
        yield Work("squared_diff f32", 12 * n, 2 * n, systems, z, lambda: float(abs(z - (x - y)**2).max()), 1e-6)
        for name, other in (("row", y[:1]), ("column", y[:, :1])):
            yield Work(f"squared_diff f32 with a {name}", 8 * n, 2 * n, {"CuPy": lambda: kernel(x, other, z)}, z,
                       lambda: float(abs(z - (x - other)**2).max()), 1e-6)

        mean, sigma = 0.25, 1.5
        density = cp.ElementwiseKernel(
            "T x, float32 mean, float32 sigma", "T z",
            "T t = (x - mean) / sigma; z = exp(-0.5f * t * t) / (sigma * 2.5066282746310002f)", "gaussian_of_cupy")
        systems = self.systems.three("gaussian", grid, (256,), flat[:2], scalars=(np.float32(mean), np.float32(sigma)),
                                     numbers=(np.int64(n),))
        systems["CuPy"] = lambda: density(x, mean, sigma, z)
        systems["Triton"] = self.systems.tiles("gaussian", tiles, *flat[:2], mean, sigma, n, BLOCK=1024)
        t = (x[:64].astype(cp.float64) - mean) / sigma
        expected = cp.exp(-0.5 * t * t) / (sigma * (2 * np.pi)**0.5)
        yield Work("gaussian_pdf f32", 8 * n, 0, systems, z, lambda: relative_error(z[:64], expected), 1e-6)

    def matrix_times_vector(self):
        n = self.size(16384, 32)
        a, x, y = cp.random.random((n, n)), cp.random.random(n), cp.zeros(n)
        error = lambda: relative_error(y, expected)
        grid, numbers, moved, flops = (blocks(n, 256),), (np.int32(n), np.int32(n)), 8 * n * n, 2 * n * n
        one, zero = np.float64(1), np.float64(0)
        expected = a @ x
        systems = self.systems.three("gemv_row_major", grid, (256,), (y, a, x), numbers=numbers)
        systems["pykc library"] = self.systems.pykc("gemv", "gemv_by_rows", (blocks(n, 4),), (256,), one, a, x, zero, y)
        systems["CuPy"] = lambda: cp.matmul(a, x, out=y)
        systems["Triton"] = self.systems.tiles("gemv_by_rows", (blocks(n, 4),), y, a, x, n, n, ROWS=4, BLOCK=512)
        yield Work("gemv f64, row-major", moved, flops, systems, y, error, 1e-12)

        a = cp.asfortranarray(a)
        systems = self.systems.three("gemv_column_major", grid, (256,), (y, a, x), numbers=numbers)
        systems["pykc library"] = self.systems.pykc("gemv", "gemv_by_columns", (blocks(n, 32),), (32, 32),
                                                    one, a, x, zero, y)
        systems["CuPy"] = lambda: cp.matmul(a, x, out=y)
        systems["Triton"] = self.systems.tiles("gemv_by_columns", (blocks(n, 64),), y, a, x, n, n, ROWS=64, BLOCK=32)
        yield Work("gemv f64, column-major", moved, flops, systems, y, error, 1e-12)
        systems = self.systems.three("gemv_shared", grid, (256,), (y, a, x), numbers=numbers)
        yield Work("gemv f64, column-major, x in shared memory", moved, flops, systems, y, error, 1e-12)

    def transposition(self):
        n = self.size(16384, 32)
        x = cp.arange(n * n, dtype=cp.int32).reshape(n, n)
        out = cp.empty_like(x)
        error = lambda: float((out != x.T).any())
        grid, block, tiles = (n // 32, n // 32), (32, 8), (blocks(n, 64), blocks(n, 64))
        numbers = (np.int32(n), np.int32(n))
        systems = self.systems.three("transpose_naive", grid, block, (out, x), numbers=numbers)
        yield Work("transpose i32, naive", 8 * n * n, 0, systems, out, error, 0)
        systems = self.systems.three("transpose_shared", grid, block, (out, x), numbers=numbers)
        systems["pykc library"] = self.systems.pykc("transpose", "transpose_tiled", tiles, (64, 4), out, x)
        systems["CuPy"] = lambda: cp.copyto(out, x.T)
        systems["Triton"] = self.systems.tiles("transpose", tiles, out, x, n, n, TILE=64)
        yield Work("transpose i32, through shared memory", 8 * n * n, 0, systems, out, error, 0)

    def reductions(self):
        a = self.matrix()
        side, n, x, total = len(a), a.size, a.ravel(), cp.zeros(1, cp.float32)
        exact = float(x.sum(dtype=cp.float64))
        result = total.reshape(())
        systems = self.systems.three("sum_blocks", (self.resident,), (256,), (total, x), numbers=(np.int64(n),))
        systems["pykc.reduce"] = self.reduce("add", 0, total, x)
        systems["CuPy"] = lambda: cp.sum(x, out=result)
        systems["Triton"] = self.systems.tiles("sum_blocks", (self.resident,), total, x, n, BLOCK=4096)
        yield Work("sum f32", 4 * n, n, systems, total, lambda: abs(float(total[0]) / exact - 1), 1e-4,
                   lambda: total.fill(0))

        systems = {"pykc.reduce": self.reduce("maximum", -np.inf, total, x), "CuPy": lambda: cp.max(x, out=result)}
        largest = float(x.max())
        yield Work("max f32", 4 * n, n, systems, total, lambda: abs(float(total[0]) - largest), 0)

        results = cp.empty(side, cp.float32)
        error = lambda: relative_error(results, expected)
        norm = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm_of_cupy")
        for axis, name in ((1, "rows"), (0, "columns")):
            expected = a.sum(axis=axis, dtype=cp.float64)
            systems = {"CuPy": lambda: cp.sum(a, axis=axis, out=results)}
            yield Work(f"sum of {name} f32", 4 * n, n, systems, results, error, 1e-4)
            expected = cp.sqrt((a.astype(cp.float64)**2).sum(axis=axis))
            grid = (side if axis else blocks(side, 256),)
            systems = self.systems.three(f"l2norm_{name}", grid, (256,), (results, a), numbers=(np.int32(side),) * 2)
            systems["CuPy"] = lambda: norm(a, results, axis=axis)
            if axis:
                systems["Triton"] = self.systems.tiles("l2norm_rows", grid, results, a, side, BLOCK=4096)
            else:
                systems["Triton"] = self.systems.tiles("l2norm_columns", (blocks(side, 64),), results, a, side, side,
                                                       COLUMNS=64, BLOCK=64)
            yield Work(f"L2 norm of {name} f32", 4 * n, 2 * n, systems, results, error, 1e-4)

    def reduce(self, op: str, identity: float, result, x) -> Launch:
        """The library's kernel, by a part for each block and then one of all."""
        parts = cp.empty(self.resident // 2, cp.float32)
        steps = [self.systems.pykc(f"reduce_{op}", "reduce", (len(out),), (256,), out, values, np.float32(identity))
                 for out, values in ((parts, x), (result, parts))]
        return lambda: [launch() for launch in steps]

    def reductions_of_two(self):
        x, y = self.matrix(), self.matrix()
        side, n, results = len(x), x.size, cp.empty(len(x), cp.float32)
        norm = cp.ReductionKernel("T x, T y", "T z", "(x - y) * (x - y)", "a + b", "z = sqrt(a)", "0", "l2norm_of_two")
        squared_diff = cp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff_of_cupy")
        squares = squared_diff(x, y)
        result, total = results[:1].reshape(()), float(squares.sum(dtype=cp.float64))**0.5

        def in_two_steps():
            squared_diff(x, y, squares)
            cp.sqrt(cp.sum(squares, out=result), out=result)

        yield Work("L2 norm of x - y f32", 8 * n, 3 * n, {"CuPy": in_two_steps}, results,
                   lambda: abs(float(result) / total - 1), 1e-4)
        for axis, name in ((1, "rows"), (0, "columns")):
            expected = cp.sqrt(squares.sum(axis=axis, dtype=cp.float64))
            systems = {"CuPy": lambda: norm(x, y, results, axis=axis)}
            yield Work(f"L2 norm of x - y of {name} f32", 8 * n, 3 * n, systems, results,
                       lambda: relative_error(results, expected), 1e-4)

    def softmax(self):
        columns = 4096
        x = self.matrix().reshape(-1, columns)
        y, rows = cp.empty_like(x), len(x)
        expected = cp.exp(x[:64].astype(cp.float64))
        expected /= expected.sum(axis=1, keepdims=True)
        systems = {"pykc library": self.systems.pykc("softmax", "softmax_rows", (rows,), (256,), y, x),
                   "Triton": self.systems.tiles("softmax_rows", (rows,), y, x, columns, BLOCK=columns)}
        yield Work("softmax of rows of 4096 f32", 8 * x.size, 0, systems, y, lambda: relative_error(y[:64], expected),
                   1e-5)

    def histograms(self):
        n = self.size(1 << 28)
        values = cp.random.randint(0, 256, n, dtype=cp.int32)
        counts = cp.zeros(256, cp.int32)
        expected = cp.bincount(values, minlength=256)
        error = lambda: float((counts != expected).any())
        reset = lambda: counts.fill(0)
        grid, block = (self.resident,), (256,)
        systems = self.systems.three("histogram_global", grid, block, (counts, values), numbers=(np.int64(n),))
        yield Work("histogram of 256 bins, a global atomic an element", 4 * n, 0, systems, counts, error, 0, reset)
        systems = {"pykc library": self.systems.pykc("histogram", "histogram_256", grid, block, counts, values),
                   "CuPy": lambda: cp.copyto(counts, cp.bincount(values, minlength=256).astype(cp.int32))}
        yield Work("histogram of 256 bins", 4 * n, 0, systems, counts, error, 0, reset)

    def scans(self):
        n = self.size(1 << 28)
        x, out = cp.random.random(n, dtype=cp.float32), cp.empty(n, cp.float32)
        tiles = blocks(n, 6144)
        state = cp.zeros(16 * (1 + tiles), cp.uint64)
        expected = cp.cumsum(x, dtype=cp.float64)
        systems = {"pykc library": self.systems.pykc("scan", "inclusive_scan", (tiles,), (256,), out, x, state),
                   "CuPy": lambda: cp.cumsum(x, out=out), "CUB": cub_scan(x)}
        yield Work("inclusive scan f32", 8 * n, n, systems, out,
                   lambda: float((abs(out - expected) / expected[-1]).max()), 1e-5, lambda: state.fill(0),
                   frozenset({"CUB"}))

    def matrix_products(self):
        n = self.size(4096, 128)
        a, b = (cp.random.random((n, n), dtype=cp.float32) for _ in range(2))
        c = cp.empty_like(a)
        expected = a[:16].astype(cp.float64) @ b.astype(cp.float64)
        error = lambda: relative_error(c[:16], expected)
        grid, block, numbers = (n // 16, n // 16), (16, 16), (np.int32(n),) * 3
        flops = 2.0 * n**3
        systems = self.systems.three("matmul_naive", grid, block, (c, a, b), numbers=numbers)
        yield Work(f"matmul f32 {n}³, naive", 0, flops, systems, c, error, 1e-4)
        systems = {"pykc": self.systems.pykc("matmul", "matmul_tiled", grid, block, c, a, b),
                   "CUDA C++": self.systems.cpp("matmul_tiled", grid, block, c, a, b, *numbers),
                   "Numba": self.systems.jit("matmul_tiled", grid, block, c, a, b)}
        yield Work(f"matmul f32 {n}³, tiles of 16", 0, flops, systems, c, error, 1e-4)
        tiles, grid_of = (blocks(n, 128),) * 2, lambda tile: (blocks(n, tile["N"]), blocks(n, tile["M"]))
        systems = {"pykc library": self.systems.pykc("matmul", "gemm", tiles, (128,), c, a, b),
                   "cuBLAS": lambda: cp.matmul(a, b, out=c),
                   "Triton": self.systems.tiles("matmul_tuned", grid_of, c, a, b, n, n, n)}
        yield Work(f"gemm f32 {n}³", 0, flops, systems, c, error, 1e-4)


def cub_scan(x) -> Launch:
    """CUB's inclusive sum, which CuPy calls in place, over and over on the same array: what it holds is of no matter to
    the time."""
    from cupy.cuda import cub
    scratch = x.copy()
    return lambda: cub.device_scan(scratch, cub.CUPY_CUB_CUMSUM)
