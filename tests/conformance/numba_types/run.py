#!/usr/bin/env python3
"""Holds the types and values of Numba's dialect (rule 2.19) against Numba itself.

usage: run.py PYKC [--seed N] [--functions N]      needs numba

Every operator on every pair of types, then random functions: the same text is compiled by `numba.njit` and, as a device function of a
module that imports numba, by pykc for its CPU device. Both must give one type and one value. differences.txt names what differs on
purpose. What Numba refuses is no case. docs/conformance.md keeps the last result.
"""
import argparse
import math
import operator
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

import numpy as np
from numba import njit, types
from numba.core import errors
from numba.core.registry import cpu_target

import generate

HERE = pathlib.Path(__file__).resolve().parent
TYPES = generate.TYPES
KINDS = {types.boolean: "bool", types.int8: "i8", types.int16: "i16", types.int32: "i32", types.int64: "i64", types.uint8: "u8",
         types.uint16: "u16", types.uint32: "u32", types.uint64: "u64", types.float32: "f32", types.float64: "f64"}
CODES = list(KINDS.values())
SETS = len(next(iter(generate.VALUES.values())))
BATCH = 150

# What a launch gives back of each function: which type its result has, and the result as a float or an integer.
KERNEL = """
@cuda.jit(contract=False)
def k{n}(kinds, reals, wholes, {names}):
    t = cuda.threadIdx.x
    r = f{n}({elements})
    kinds[t] = kind(r)
    put(reals, wholes, t, r)
"""
HELPERS = "from pykc import *\n\n\n@device\ndef kind(x):\n" + "".join(
    f"    if x.dtype == {kind}:\n        return {code}\n" for code, kind in enumerate(CODES)) + """    return -1


@device
def put(reals, wholes, t, x):
    if x.dtype == f32 or x.dtype == f64:
        reals[t] = x
    else:
        wholes[t] = i64(x)
"""


def source_of(functions):
    """A program that calls each function with each set of values, and saves what comes."""
    names = [f"p_{t}" for t in TYPES]
    text = "from numba import cuda\nimport numpy as np\nimport math\nfrom kinds import kind, put\n\n"
    for n, function in enumerate(functions):
        text += f"\n@cuda.jit(device=True, contract=False)\n{function.replace('def f(', f'def f{n}(')}\n"
        text += KERNEL.format(n=n, names=", ".join(names), elements=", ".join(f"{p}[t]" for p in names))
    text += "\n\ndef main():\n"
    for t in TYPES:
        text += f"    p_{t} = np.array({generate.VALUES[t]!r}, dtype={t if t != 'bool' else 'bool'})\n"
    for what, dtype in (("kinds", "i64"), ("reals", "f64"), ("wholes", "i64")):
        text += f"    all_{what} = zeros(({len(functions)}, {SETS}), dtype={dtype})\n"
    for n in range(len(functions)):
        text += f"    k{n}[1, {SETS}](all_kinds[{n}], all_reals[{n}], all_wholes[{n}], {', '.join(names)})\n"
    for what in ("kinds", "reals", "wholes"):
        text += f"    save('{what}.npy', all_{what})\n"
    return text


def by_pykc(pykc, functions):
    """The type and the values of each; None and the error for what pykc refuses."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "kinds.pyk").write_text(HELPERS)
        (folder / "program.pyk").write_text(source_of(functions))
        done = subprocess.run([pykc, "run", "--device", "cpu", "program.pyk"], cwd=folder, capture_output=True, text=True)
        if done.returncode:
            if len(functions) == 1:
                return [(None, re.sub(r"\x1b\[[0-9;]*m", "", done.stderr).strip())]
            half = len(functions) // 2
            return by_pykc(pykc, functions[:half]) + by_pykc(pykc, functions[half:])
        kinds, reals, wholes = (np.load(folder / f"{what}.npy") for what in ("kinds", "reals", "wholes"))
    results = []
    for n in range(len(functions)):
        kind = CODES[kinds[n][0]]
        results.append((kind, list(reals[n] if kind in ("f32", "f64") else wholes[n])))
    return results


def by_numba(function):
    """The type and the values; None where Numba refuses the function or its result is no number."""
    names = {"np": np, "math": math}
    exec(function, names)
    signature = tuple(generate.NUMBA[t] for t in TYPES)
    try:
        compiled = njit(signature, error_model="numpy")(names["f"])
    except (errors.NumbaError, NotImplementedError):
        return None
    kind = KINDS.get(compiled.nopython_signatures[0].return_type)
    if not kind:
        return None
    values = []
    for at in range(SETS):
        with np.errstate(all="ignore"):
            values.append(compiled(*(generate.NUMPY[t](generate.VALUES[t][at]) for t in TYPES)))
    return kind, [float(v) if kind in ("f32", "f64") else np.uint64(v).astype(np.int64) if kind == "u64" else int(v) for v in values]


def is_same(kind, a, b, function):
    if kind not in ("f32", "f64"):
        return int(a) == int(b)
    if a == b or (a != a and b != b):
        return True
    # Functions that are not rounded exactly may differ in the last places, here and there.
    inexact = re.search(r"math\.|np\.|\*\*|pow", function)
    return bool(inexact) and abs(a - b) <= max(abs(a), abs(b)) * (1e-5 if kind == "f32" else 1e-12)


def reasons():
    """`regular expression of the function's text  reason` on each line of differences.txt."""
    rows = [line.split("  ", 1) for line in (HERE / "differences.txt").read_text().splitlines() if line and line[0] != "#"]
    return [(re.compile(pattern), reason.strip()) for pattern, reason in rows]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pykc")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    parser.add_argument("--functions", type=int, default=1000)
    parser.add_argument("--no-table", action="store_true", help="only random functions")
    options = parser.parse_args()
    pykc, known = str(pathlib.Path(options.pykc).resolve()), reasons()
    functions = [] if options.no_table else generate.table()
    functions += generate.random_functions(random.Random(options.seed), options.functions)
    counts = {"same": 0, "refused by Numba": 0, "documented": 0, "different": 0}
    for start in range(0, len(functions), BATCH):
        cases = [(function, expected) for function in functions[start:start + BATCH] if (expected := by_numba(function))]
        counts["refused by Numba"] += len(functions[start:start + BATCH]) - len(cases)
        for (function, (kind, values)), (found, results) in zip(cases, by_pykc(pykc, [case[0] for case in cases])):
            agrees = found == kind and all(is_same(kind, a, b, function) for a, b in zip(values, results))
            is_known = not agrees and any(pattern.search(function) for pattern, _ in known)
            counts["same" if agrees else "documented" if is_known else "different"] += 1
            if not agrees and not is_known:
                print(f"{function}\n    Numba {kind} {values}\n    pykc  {found} {results}\n", flush=True)
    print(f"seed {options.seed}: " + ", ".join(f"{count} {what}" for what, count in counts.items()))
    sys.exit(counts["different"] > 0)


if __name__ == "__main__":
    main()
