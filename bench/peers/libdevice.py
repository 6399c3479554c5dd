#!/usr/bin/env python3
"""Functions of `math` on a GPU beside those of CUDA C++, which are libdevice's: nanoseconds that a multiprocessor takes
for a value, in two tables.

    python3 bench/peers/libdevice.py build/release/bin/pykc [--only exp,log] [--fast-math]

In registers: each thread sums a function of numbers that it counts up. Over arrays: `z[i] = f(x[i])`, a value a thread,
as ufuncs do it. Needs CuPy, whose NVRTC compiles the CUDA C++, and no package of pykc. The ranges are those of
bench/cpu/math_functions.py. The systems take turns; minima of ROUNDS launches. --fast-math: both with approximations.
"""
import argparse
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

import cupy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cpu"))
from math_functions import FUNCTIONS  # noqa: E402

ROUNDS, TURNS, THREADS, BLOCKS = 10, 128, 256, 16  # turns of four values; blocks of a multiprocessor
ELEMENTS = 1 << 25
MORE = {"exp10": (-20, 20), "asinh": (-100, 100), "acosh": (1, 100), "atanh": (-1, 1), "rsqrt": (0, 100)}
FAST = "exp", "exp2", "exp10", "log", "log2", "log10", "pow", "sin", "cos", "tan", "tanh", "rsqrt", "/"

KERNELS = """import math
from pykc import *

@kernel({options})
def registers(out: {type}[:], x: {type}[:], y: {type}[:], x_step: {type}, y_step: {type}, turns: i32):
    i = grid(1)
    at, other, total = x[i], y[i], {type}(0)
    for n in range(turns):
        for step in unroll(range(4)):
            total += {call}
            at += x_step
            other += y_step
    out[i] = total

@kernel({options})
def arrays(out: {type}[:], x: {type}[:], y: {type}[:]):
    i = grid(1)
    if i < len(out):
        at, other = x[i], y[i]
        out[i] = {call}
"""

CUDA = """extern "C" __global__ void registers(TYPE *out, const TYPE *x, const TYPE *y, TYPE x_step, TYPE y_step,
                                         int turns) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  TYPE at = x[i], other = y[i], total = 0;
  for (int n = 0; n < turns; ++n) {
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      total += CALL;
      at += x_step;
      other += y_step;
    }
  }
  out[i] = total;
}

extern "C" __global__ void arrays(TYPE *out, const TYPE *x, const TYPE *y, long long count) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < count) {
    const TYPE at = x[i], other = y[i];
    out[i] = CALL;
  }
}
"""


def of_pykc(pykc, name, kind, arguments, fast):
    call = "at / other" if name == "/" else f"math.{name}({arguments})"
    text = KERNELS.format(type=kind, call=call, options="fastmath=True" if fast else "")
    with tempfile.TemporaryDirectory() as folder:
        source, ptx = (pathlib.Path(folder) / file for file in ("k.pyk", "k.ptx"))
        source.write_text(text)
        target = "sm_" + cupy.cuda.Device().compute_capability
        subprocess.run([pykc, "compile", source, "-W", "no-W0509", "--target", target, "-o", ptx], check=True)
        module = cupy.RawModule(path=str(ptx))
        module.compile()
    return module


def of_cuda(name, kind, arguments, fast):
    call = "at / other" if name == "/" else f"{name}{'f' if kind == 'f32' else ''}({arguments})"
    text = CUDA.replace("TYPE", "float" if kind == "f32" else "double").replace("CALL", call)
    module = cupy.RawModule(code=text, options=("--use_fast_math",) if fast else ())
    module.compile()
    return module


def modules(pykc, *what):
    with cupy.cuda.Device(0):
        return {"pykc": of_pykc(pykc, *what), "libdevice": of_cuda(*what)}


def fastest(launches):
    """Seconds by system. Each is the first as often as the others: over arrays, the first is 5 % faster."""
    seconds = {name: [] for name in launches}
    for turn in range(ROUNDS):
        for name, launch in list(launches.items())[::-1 if turn % 2 else 1]:
            start, end = cupy.cuda.Event(), cupy.cuda.Event()
            start.record()
            launch()
            end.record()
            end.synchronize()
            seconds[name].append(cupy.cuda.get_elapsed_time(start, end) * 1e-3)
    return {name: min(some) for name, some in seconds.items()}


def as_arguments(system, arrays):
    """An array of pykc's kernels is its address and its length."""
    return [word for array in arrays for word in ((array, cupy.int64(array.size)) if system == "pykc" else (array,))]


def times(compiled, kind, ranges):
    """Nanoseconds by way and system, and by how much results differ, relative to the largest."""
    number = cupy.float32 if kind == "f32" else cupy.float64
    processors = cupy.cuda.Device().attributes["MultiProcessorCount"]
    ranges = (*ranges, ranges[0])[:2]

    def random(count, width):
        return [(low + cupy.random.random(count) * (high - low) * width).astype(number) for low, high in ranges]

    count = processors * BLOCKS * THREADS
    starts = random(count, 15 / 16)
    steps = [number((high - low) / 16 / TURNS / 4) for low, high in ranges]
    sums = {name: cupy.empty(count, number) for name in compiled}
    in_registers = fastest({
        name: lambda name=name, kernel=module.get_function("registers"): kernel(
            (processors * BLOCKS,), (THREADS,),
            [*as_arguments(name, [sums[name], *starts]), *steps, cupy.int32(TURNS)])
        for name, module in compiled.items()})
    values = random(ELEMENTS, 1)
    results = {name: cupy.empty(ELEMENTS, number) for name in compiled}
    over_arrays = fastest({
        name: lambda name=name, kernel=module.get_function("arrays"): kernel(
            (ELEMENTS // THREADS,), (THREADS,),
            as_arguments(name, [results[name], *values]) + ([] if name == "pykc" else [cupy.int64(ELEMENTS)]))
        for name, module in compiled.items()})
    first, second = results.values()
    both = cupy.isfinite(first) & cupy.isfinite(second)
    difference = float(cupy.abs(first - second)[both].max() / cupy.abs(second)[both].max())
    return ({name: some * processors / (count * TURNS * 4) * 1e9 for name, some in in_registers.items()},
            {name: some * processors / ELEMENTS * 1e9 for name, some in over_arrays.items()}, difference)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pykc")
    parser.add_argument("--only", help="names of functions, with commas between them")
    parser.add_argument("--fast-math", action="store_true")
    options = parser.parse_args()
    ranges = {name: row[1:] for name, row in FUNCTIONS.items()} | {name: (row,) for name, row in MORE.items()}
    ranges["/"] = ((-100, 100), (1, 100))
    names = options.only.split(",") if options.only else FAST if options.fast_math else [*ranges][:-1]
    kinds = ("f32",) if options.fast_math else ("f32", "f64")
    rows = {name: ("", "") for name in names}
    with concurrent.futures.ThreadPoolExecutor() as threads:
        compiled = {(name, kind): threads.submit(modules, options.pykc, name, kind,
                                                 "at, other" if len(ranges[name]) == 2 else "at", options.fast_math)
                    for name in names for kind in kinds}
        for (name, kind), future in compiled.items():
            *ways, difference = times(future.result(), kind, ranges[name])
            rows[name] = [row + f" {way['pykc']:.3f} | {way['libdevice']:.3f} | {way['pykc'] / way['libdevice']:.2f} |"
                          for row, way in zip(rows[name], ways)]
            if difference > 1e-4:
                print(f"{name} of {kind}: results differ by {difference:.1e}", file=sys.stderr)
    print(cupy.cuda.runtime.getDeviceProperties(0)["name"].decode())
    for way, title in enumerate(("In registers", "Over arrays")):
        print(f"\n{title}\n")
        print("| function |" + "".join(f" {kind} ns | libdevice | ratio |" for kind in kinds))
        print("| --- |" + " ---: |" * 3 * len(kinds))
        for name in names:
            print(f"| `{name}` |{rows[name][way]}")


if __name__ == "__main__":
    main()
