#!/usr/bin/env python3
"""The time that functions of `math` take for a value on one core of the CPU device, beside NumPy's (and, for the error
functions, SciPy's, if it is there), in one run: both take turns, and of their medians of several passes over an array
the least counts.

    python bench/cpu/math_functions.py build/release/bin/pykc [--only exp,log] [--values 131072]"""

import argparse
import math
import os
import statistics
import subprocess
import tempfile
import time

import numpy

try:
    import scipy.special as special
except ImportError:
    special = None

PASSES, ROUNDS = 15, 4

# Function: its name in NumPy or SciPy, and the range of its argument, or of both.
FUNCTIONS = {
    "exp": ("exp", (-20, 20)),
    "exp2": ("exp2", (-20, 20)),
    "expm1": ("expm1", (-5, 5)),
    "log": ("log", (0, 1000)),
    "log2": ("log2", (0, 1000)),
    "log10": ("log10", (0, 1000)),
    "log1p": ("log1p", (-1, 10)),
    "pow": ("power", (0, 10), (-10, 10)),
    "sin": ("sin", (-100, 100)),
    "cos": ("cos", (-100, 100)),
    "tan": ("tan", (-100, 100)),
    "asin": ("arcsin", (-1, 1)),
    "acos": ("arccos", (-1, 1)),
    "atan": ("arctan", (-10, 10)),
    "atan2": ("arctan2", (-10, 10), (-10, 10)),
    "sinh": ("sinh", (-5, 5)),
    "cosh": ("cosh", (-5, 5)),
    "tanh": ("tanh", (-5, 5)),
    "cbrt": ("cbrt", (-1000, 1000)),
    "erf": ("erf", (-4, 4)),
    "erfc": ("erfc", (-4, 8)),
}

KERNEL = """
@kernel
def {name}_{type}({arguments}, z: {type}[:]):
    i = grid(1)
    if i < len(z):
        z[i] = math.{name}({elements})
"""

MAIN = """
def milliseconds(function, arrays):
    times = []
    for n in range({passes}):
        start, end = event(), event()
        start.record()
        function[cdiv({values}, 1024), 1024](*arrays)
        end.record()
        times.append(elapsed(start, end))
    return sorted(times)[{passes} // 2]


def main():
"""

LINE = """    print("{name}", "{type}", milliseconds({name}_{type}, ({arrays}, empty({values}, {type}))))
"""


def program(names, values):
    """A .pyk file with a kernel for each function and type, which prints how many milliseconds each takes."""
    text = "import math\nfrom pykc import *\n"
    lines = MAIN.format(passes=PASSES, values=values)
    for name in names:
        ranges = FUNCTIONS[name][1:]
        for kind in ("f32", "f64"):
            names_of_arguments = "xy"[:len(ranges)]
            text += KERNEL.format(name=name, type=kind,
                                  arguments=", ".join(f"{a}: {kind}[:]" for a in names_of_arguments),
                                  elements=", ".join(f"{a}[i]" for a in names_of_arguments))
            arrays = ", ".join(f"random({values}, {kind}, seed={n}) * {high - low}.0 + {low}.0"
                               for n, (low, high) in enumerate(ranges))
            lines += LINE.format(name=name, type=kind, arrays=arrays, values=values)
    return text + lines


def times_of_pykc(pykc, names, values):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "math.pyk")
        with open(path, "w") as file:
            file.write(program(names, values))
        out = subprocess.run([pykc, "run", path, "--device", "cpu"], env=os.environ | {"PYKC_THREADS": "1"},
                             check=True, capture_output=True, text=True).stdout
    return {(name, kind): float(ms) for name, kind, ms in map(str.split, out.splitlines())}


def time_of_peer(name, kind, values):
    """Of NumPy's or SciPy's function, in milliseconds; none where neither has it."""
    peer, *ranges = FUNCTIONS[name]
    function = getattr(numpy, peer, None) or getattr(special, peer, None)
    if function is None:
        return None
    random = numpy.random.default_rng(1)
    arrays = [random.uniform(low, high, values).astype(kind) for low, high in ranges]
    out = numpy.empty(values, kind)
    times = []
    for _ in range(PASSES):
        start = time.perf_counter()
        function(*arrays, out)
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pykc")
    parser.add_argument("--only", default=",".join(FUNCTIONS), help="names of functions, with commas between them")
    parser.add_argument("--values", type=int, default=1 << 17)
    options = parser.parse_args()
    names = options.only.split(",")
    kinds = (("f32", "float32"), ("f64", "float64"))
    own, peers = {}, {}
    for _ in range(ROUNDS):
        for key, time_of_own in times_of_pykc(options.pykc, names, options.values).items():
            own[key] = min(time_of_own, own.get(key, math.inf))
        for name in names:
            for kind, numpy_kind in kinds:
                time_of_other = time_of_peer(name, numpy_kind, options.values)
                if time_of_other is not None:
                    peers[name, kind] = min(time_of_other, peers.get((name, kind), math.inf))
    print("| function | f32 ns | NumPy | ratio | f64 ns | NumPy | ratio |\n| --- |" + " ---: |" * 6)
    for name in names:
        row = f"| `{name}` |"
        for kind, _ in kinds:
            ours, theirs = own[name, kind], peers.get((name, kind))
            nanoseconds = 1e6 / options.values
            row += f" {ours * nanoseconds:.2f} |"
            row += f" {theirs * nanoseconds:.2f} | {ours / theirs:.2f} |" if theirs else " | |"
        print(row)


if __name__ == "__main__":
    main()
