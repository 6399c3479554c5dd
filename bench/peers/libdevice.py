#!/usr/bin/env python3
"""Functions of `math` on a GPU beside those of CUDA C++, which are libdevice's: nanoseconds that a multiprocessor takes
for a value, without memory.

    python3 bench/peers/libdevice.py build/release/bin/pykc [--only exp,log]

Needs CuPy, whose NVRTC compiles the CUDA C++, and no package of pykc. Each thread sums a function of numbers that it
counts up; the ranges are those of bench/cpu/math_functions.py. The systems take turns; minima of ROUNDS launches.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import cupy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cpu"))
from math_functions import FUNCTIONS  # noqa: E402

ROUNDS, TURNS, THREADS, BLOCKS = 9, 128, 256, 16  # turns of four values; blocks of a multiprocessor
MORE = {"exp10": (-20, 20), "asinh": (-100, 100), "acosh": (1, 100), "atanh": (-1, 1), "rsqrt": (0, 100)}

KERNEL = """import math
from pykc import *

@kernel
def k(out: {type}[:], x: {type}[:], y: {type}[:], x_step: {type}, y_step: {type}, turns: i32):
    i = grid(1)
    at, other, total = x[i], y[i], {type}(0)
    for n in range(turns):
        for step in unroll(range(4)):
            total += math.{name}({arguments})
            at += x_step
            other += y_step
    out[i] = total
"""

CUDA = """extern "C" __global__ void k(TYPE *out, const TYPE *x, const TYPE *y, TYPE x_step, TYPE y_step, int turns) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  TYPE at = x[i], other = y[i], total = 0;
  for (int n = 0; n < turns; ++n) {
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      total += FUNCTION;
      at += x_step;
      other += y_step;
    }
  }
  out[i] = total;
}
"""


def own(pykc, name, kind, arguments):
    """A function that launches pykc's kernel: an array is its address and its length."""
    with tempfile.TemporaryDirectory() as folder:
        source, ptx = (pathlib.Path(folder) / file for file in ("k.pyk", "k.ptx"))
        source.write_text(KERNEL.format(type=kind, name=name, arguments=arguments))
        target = "sm_" + cupy.cuda.Device().compute_capability
        subprocess.run([pykc, "compile", source, "-W", "no-W0509", "--target", target, "-o", ptx], check=True)
        kernel = cupy.RawModule(path=str(ptx)).get_function("k")
    return lambda grid, arrays, numbers: kernel(
        grid, (THREADS,), [word for array in arrays for word in (array, cupy.int64(array.size))] + numbers)


def cuda(name, kind, arguments):
    function = f"{name}{'f' if kind == 'f32' else ''}({arguments})"
    text = CUDA.replace("TYPE", "float" if kind == "f32" else "double").replace("FUNCTION", function)
    kernel = cupy.RawModule(code=text).get_function("k")
    return lambda grid, arrays, numbers: kernel(grid, (THREADS,), [*arrays, *numbers])


def times(launches, kind, ranges):
    """Seconds by system, and by how much their sums differ, relative to the largest."""
    number = cupy.float32 if kind == "f32" else cupy.float64
    processors = cupy.cuda.Device().attributes["MultiProcessorCount"]
    count = processors * BLOCKS * THREADS
    arrays, steps = [], []
    for low, high in (*ranges, ranges[0])[:2]:
        way = (high - low) / 16
        arrays.append((low + cupy.random.random(count) * (high - low - way)).astype(number))
        steps.append(number(way / TURNS / 4))
    out = {name: cupy.empty(count, number) for name in launches}
    seconds = {name: [] for name in launches}
    for _ in range(ROUNDS):
        for name, launch in launches.items():
            start, end = cupy.cuda.Event(), cupy.cuda.Event()
            start.record()
            launch((processors * BLOCKS,), [out[name], *arrays], [*steps, cupy.int32(TURNS)])
            end.record()
            end.synchronize()
            seconds[name].append(cupy.cuda.get_elapsed_time(start, end) * 1e-3)
    first, second = out.values()
    both = cupy.isfinite(first) & cupy.isfinite(second)
    difference = float(cupy.abs(first - second)[both].max() / cupy.abs(second)[both].max())
    return {name: min(some) * processors / (count * TURNS * 4) for name, some in seconds.items()}, difference


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pykc")
    parser.add_argument("--only", help="names of functions, with commas between them")
    options = parser.parse_args()
    ranges = {name: row[1:] for name, row in FUNCTIONS.items()} | {name: (row,) for name, row in MORE.items()}
    print(cupy.cuda.runtime.getDeviceProperties(0)["name"].decode())
    print("| function | f32 ns | libdevice | ratio | f64 ns | libdevice | ratio |\n| --- |" + " ---: |" * 6)
    for name in options.only.split(",") if options.only else ranges:
        row = f"| `{name}` |"
        for kind in ("f32", "f64"):
            arguments = "at, other" if len(ranges[name]) == 2 else "at"
            launches = {"pykc": own(options.pykc, name, kind, arguments), "libdevice": cuda(name, kind, arguments)}
            seconds, difference = times(launches, kind, ranges[name])
            row += (f" {seconds['pykc'] * 1e9:.3f} | {seconds['libdevice'] * 1e9:.3f} |"
                    f" {seconds['pykc'] / seconds['libdevice']:.2f} |")
            if difference > 1e-4:
                print(f"{name} of {kind}: the sums differ by {difference:.1e}", file=sys.stderr)
        print(row, flush=True)


if __name__ == "__main__":
    main()
