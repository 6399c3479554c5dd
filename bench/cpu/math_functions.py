#!/usr/bin/env python3
"""The time that functions of `math` take for a value on one core of the CPU device, beside NumPy's (of the error
functions, SciPy's) and SLEEF's, where these are there: for the processor as it is and, where that has AVX-512, for
AVX2 alone. All take turns in one run, and of their medians of several passes over an array the least counts.

    python bench/cpu/math_functions.py build/release/bin/pykc [--only exp,log] [--values 131072]

A ratio is to NumPy's time, or to SLEEF's where NumPy takes more than twice as long, since it has no vector code then.
SLEEF's comes from its headers and a C compiler (Debian: libsleef-dev)."""

import argparse
import ctypes
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

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
NUMPY_KINDS = {"f32": "float32", "f64": "float64"}

# Instruction set: how each system is told of it.
SETS = {
    "AVX-512": {"pykc": {}, "numpy": {}, "sleef": ("16", "8", "avx512f", "__m512", "_mm512")},
    "AVX2": {
        "pykc": {"PYKC_PROCESSOR": "x86-64-v3"},
        "numpy": {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL "
                                              "AVX512_SPR"},
        "sleef": ("8", "4", "avx2", "__m256", "_mm256"),
    },
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

SLEEF = """
void {name}_{type}(const {c} *x, const {c} *y, {c} *z, long n) {{
  for (long i = 0; i < n; i += {width})
    {intrinsic}_storeu_{suffix}(z + i, Sleef_{name}{letter}{width}_{ulp}{set}({arguments}));
}}
"""


def program(names, values):
    """A .pyk file with a kernel for each function and type, which prints how many milliseconds each takes."""
    text = "import math\nfrom pykc import *\n"
    lines = MAIN.format(passes=PASSES, values=values)
    for name in names:
        ranges = FUNCTIONS[name][1:]
        for kind in NUMPY_KINDS:
            names_of_arguments = "xy"[:len(ranges)]
            text += KERNEL.format(name=name, type=kind,
                                  arguments=", ".join(f"{a}: {kind}[:]" for a in names_of_arguments),
                                  elements=", ".join(f"{a}[i]" for a in names_of_arguments))
            arrays = ", ".join(f"random({values}, {kind}, seed={n}) * {high - low}.0 + {low}.0"
                               for n, (low, high) in enumerate(ranges))
            lines += LINE.format(name=name, type=kind, arrays=arrays, values=values)
    return text + lines


def times_of_pykc(pykc, names, values, environment):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "math.pyk")
        with open(path, "w") as file:
            file.write(program(names, values))
        out = subprocess.run([pykc, "run", path, "--device", "cpu"],
                             env=os.environ | {"PYKC_THREADS": "1"} | environment,
                             check=True, capture_output=True, text=True).stdout
    return {(name, kind): float(ms) for name, kind, ms in map(str.split, out.splitlines())}


def sleef_source(names, singles, doubles, instruction_set, vector, intrinsic):
    text = "#include <immintrin.h>\n#include <sleef.h>\n"
    for name in names:
        for kind, c, letter, width, suffix in (("f32", "float", "f", singles, "ps"),
                                               ("f64", "double", "d", doubles, "pd")):
            text += SLEEF.format(name=name, type=kind, c=c, width=width, intrinsic=intrinsic, suffix=suffix,
                                 letter=letter, ulp="u15" if name == "erfc" else "u10", set=instruction_set,
                                 arguments=", ".join(f"{intrinsic}_loadu_{suffix}({a} + i)"
                                                     for a in "xy"[:len(FUNCTIONS[name]) - 1]))
    return text


def build_sleef(names, instruction_set, folder):
    """SLEEF's functions as loops over arrays; none where its headers or a compiler are missing."""
    source, library = os.path.join(folder, "sleef.c"), os.path.join(folder, f"{instruction_set}.so")
    with open(source, "w") as file:
        file.write(sleef_source(names, *SETS[instruction_set]["sleef"]))
    flags = "-mavx512f" if instruction_set == "AVX-512" else "-mavx2 -mfma"
    try:
        subprocess.run(["cc", "-O2", *flags.split(), "-shared", "-fPIC", "-o", library, source, "-lsleef"],
                       check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return library


def median_of_passes(function):
    times = []
    for _ in range(PASSES):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3


def time_peers(names, values, library):
    """Prints the milliseconds of NumPy's or SciPy's functions, and of SLEEF's; run in a process of its own, since NumPy
    chooses its code when it is loaded."""
    import numpy
    try:
        import scipy.special as special
    except ImportError:
        special = None
    sleef = ctypes.CDLL(library) if library else None
    found = []
    for name in names:
        peer, *ranges = FUNCTIONS[name]
        for kind, numpy_kind in NUMPY_KINDS.items():
            random = numpy.random.default_rng(1)
            arrays = [random.uniform(low, high, values).astype(numpy_kind) for low, high in ranges]
            out = numpy.empty(values, numpy_kind)
            function = getattr(numpy, peer, None) or getattr(special, peer, None)
            if function is not None:
                found.append(("numpy", name, kind, median_of_passes(lambda: function(*arrays, out))))
            if sleef is not None:
                call = getattr(sleef, f"{name}_{kind}")
                addresses = [ctypes.c_void_p(a.ctypes.data) for a in (arrays[0], arrays[-1], out)]
                found.append(("sleef", name, kind, median_of_passes(lambda: call(*addresses, ctypes.c_long(values)))))
    print(json.dumps(found))


def times_of_peers(names, values, library, environment):
    out = subprocess.run([sys.executable, __file__, "--peers", library or "", "--only", ",".join(names),
                          "--values", str(values)], env=os.environ | environment, check=True, capture_output=True,
                         text=True).stdout
    return json.loads(out)


def keep_least(times, key, milliseconds):
    times[key] = min(milliseconds, times.get(key, math.inf))


def print_table(names, values, times):
    nanoseconds = 1e6 / values
    print("| function |" + "".join(f" {kind} ns | NumPy | SLEEF | ratio |" for kind in NUMPY_KINDS))
    print("| --- |" + " ---: |" * 8)
    for name in names:
        row = f"| `{name}` |"
        for kind in NUMPY_KINDS:
            ours, numpys, sleefs = (times.get((system, name, kind)) for system in ("pykc", "numpy", "sleef"))
            has_vectors = numpys is not None and (sleefs is None or numpys < 2 * sleefs)
            peer = numpys if has_vectors else sleefs
            for value in (ours, numpys, sleefs):
                row += f" {value * nanoseconds:.2f} |" if value is not None else " |"
            row += f" {ours / peer:.2f} |" if peer is not None else " |"
        print(row)


def has_avx512():
    with open("/proc/cpuinfo") as file:
        return "avx512f" in file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pykc", nargs="?")
    parser.add_argument("--only", default=",".join(FUNCTIONS), help="names of functions, with commas between them")
    parser.add_argument("--values", type=int, default=1 << 17)
    parser.add_argument("--peers", help=argparse.SUPPRESS)  # the process that times them
    options = parser.parse_args()
    names = options.only.split(",")
    if options.peers is not None:
        return time_peers(names, options.values, options.peers)
    sets = [name for name in SETS if name != "AVX-512" or has_avx512()]
    times = {name: {} for name in sets}
    with tempfile.TemporaryDirectory() as folder:
        libraries = {name: build_sleef(names, name, folder) for name in sets}
        for _ in range(ROUNDS):
            for name in sets:
                own = times_of_pykc(options.pykc, names, options.values, SETS[name]["pykc"])
                for (function, kind), milliseconds in own.items():
                    keep_least(times[name], ("pykc", function, kind), milliseconds)
                for *key, milliseconds in times_of_peers(names, options.values, libraries[name], SETS[name]["numpy"]):
                    keep_least(times[name], tuple(key), milliseconds)
    for name in sets:
        print(f"\n{name}:\n")
        print_table(names, options.values, times[name])


if __name__ == "__main__":
    main()
