#!/usr/bin/env python3
"""Holds the types and values of Numba's dialect (rule 2.19) against Numba itself.

usage: run.py PYKC [--seed N] [--functions N] [--part 0/4] [--no-table]      needs numba

Every operator on every pair of types, then random functions: the same text is compiled by `numba.njit` and, as a device function of a
module that imports numba, by pykc for its CPU device. Both must give one type and one value. differences.txt names what differs on
purpose. What Numba refuses is no case. docs/conformance.md keeps the last result.
"""
import argparse
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("NUMBA_OPT", "0")  # before numba is imported: its code runs once

import numpy as np
from numba import njit, types
from numba.core import errors

import generate

HERE = pathlib.Path(__file__).resolve().parent
TYPES = generate.TYPES
KINDS = {types.boolean: "bool", types.int8: "i8", types.int16: "i16", types.int32: "i32", types.int64: "i64", types.uint8: "u8",
         types.uint16: "u16", types.uint32: "u32", types.uint64: "u64", types.float32: "f32", types.float64: "f64"}
CODES = list(KINDS.values())
SETS = len(next(iter(generate.VALUES.values())))
BATCH = 60

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


def as_saved(kind, value):
    return float(value) if kind in ("f32", "f64") else int(np.uint64(value).astype(np.int64)) if kind == "u64" else int(value)


def by_numba(functions):
    """The type and the values of each; None where Numba refuses it or its result is no number. Expressions are compiled together."""
    if len(functions) > 1 and not all(generate.is_expression(function) for function in functions):
        return [by_numba([function])[0] for function in functions]
    names = {"np": np, "math": math}
    exec(generate.as_one(functions), names)
    try:
        compiled = njit(tuple(generate.NUMBA[t] for t in TYPES), error_model="numpy")(names["f"])
    except (errors.NumbaError, NotImplementedError):
        half = len(functions) // 2
        return [None] if not half else by_numba(functions[:half]) + by_numba(functions[half:])
    kinds = [KINDS.get(result) for result in compiled.nopython_signatures[0].return_type]
    rows = [compiled(*(generate.NUMPY[t](generate.VALUES[t][at]) for t in TYPES)) for at in range(SETS)]
    return [kind and (kind, [as_saved(kind, row[n]) for row in rows]) for n, kind in enumerate(kinds)]


def is_same(kind, a, b, function):
    if kind not in ("f32", "f64"):
        return int(a) == int(b)
    if a == b or (a != a and b != b):
        return True
    # Functions that are not rounded exactly may differ in the last places, here and there.
    inexact = re.search(r"math\.|np\.|\*\*|pow", function)
    return bool(inexact) and abs(a - b) <= max(abs(a), abs(b)) * (1e-5 if kind == "f32" else 1e-12)


def reasons():
    """`regular expression  reason` on each line of differences.txt; it is searched in the function's text and what differs."""
    rows = [line.split("  ", 1) for line in (HERE / "differences.txt").read_text().splitlines() if line and line[0] != "#"]
    return [(re.compile(pattern), reason.strip()) for pattern, reason in rows]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pykc")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    parser.add_argument("--functions", type=int, default=1000)
    parser.add_argument("--no-table", action="store_true", help="only random functions")
    parser.add_argument("--part", default="0/1", help="`1/4`: the second quarter of the table")
    options = parser.parse_args()
    pykc, known = str(pathlib.Path(options.pykc).resolve()), reasons()
    part, parts = map(int, options.part.split("/"))
    functions = [] if options.no_table else generate.table()[part::parts]
    functions += generate.random_functions(random.Random(options.seed), options.functions)
    counts = {"same": 0, "refused by Numba": 0, "documented": 0, "different": 0}
    for start in range(0, len(functions), BATCH):
        batch = functions[start:start + BATCH]
        cases = [case for case in zip(batch, by_numba(batch)) if case[1]]
        counts["refused by Numba"] += len(batch) - len(cases)
        for (function, (kind, values)), (found, results) in zip(cases, by_pykc(pykc, [case[0] for case in cases])):
            difference = "" if found == kind else f"Numba {kind}, pykc {found}: {results if found is None else ''}"
            if found:
                rows = [(a, b) for a, b in zip(values, results) if not is_same(kind, a, b, function)]
                difference += "".join(f"\nNumba {a}, pykc {b}" for a, b in rows)
            agrees = not difference
            is_known = not agrees and any(pattern.search(f"{function}\n{difference}") for pattern, _ in known)
            counts["same" if agrees else "documented" if is_known else "different"] += 1
            if not agrees and not is_known:
                print(f"{function}\n    Numba {kind} {values}\n    pykc  {found} {[*map(float, results)] if found else results}\n", flush=True)
    print(f"seed {options.seed}: " + ", ".join(f"{count} {what}" for what, count in counts.items()))
    sys.exit(counts["different"] > 0)


if __name__ == "__main__":
    main()
