#!/usr/bin/env python3
"""Counts the instructions of functions of `math` and of divisions in the machine code of an H100, and prints the rows
of ir/instrument/math_costs.def.

usage: math_costs.py PYKC     with NVIDIA's ptxas and nvdisasm on the PATH

Where a function branches, threads of a warp go several ways: a row has the mean of the shortest way through the code
and of all of it. Subroutines, which are for numbers that hardly occur, are left out of all of it; of functions whose
other ways are for arguments beyond all that is usual, the shortest way counts.
"""
import heapq
import pathlib
import re
import subprocess
import sys
import tempfile

ONE = {"Sin": "sin", "Cos": "cos", "Tan": "tan", "Asin": "asin", "Acos": "acos", "Atan": "atan", "Sinh": "sinh",
       "Cosh": "cosh", "Tanh": "tanh", "Asinh": "asinh", "Acosh": "acosh", "Atanh": "atanh", "Exp": "exp",
       "Exp2": "exp2", "Exp10": "exp10", "Expm1": "expm1", "Log": "log", "Log2": "log2", "Log10": "log10",
       "Log1p": "log1p",
       "Cbrt": "cbrt", "Rsqrt": "rsqrt", "Sqrt": "sqrt", "Erf": "erf", "Erfc": "erfc", "Lgamma": "lgamma",
       "Gamma": "gamma"}
TWO = {"Pow": "pow", "Atan2": "atan2", "Hypot": "hypot", "Fmod": "fmod", "Remainder": "remainder",
       "Nextafter": "nextafter"}
SHORTEST = ("Sin", "Cos", "Tan", "Asinh", "Acosh", "Atanh", "Sinh", "Cosh", "Exp", "Exp2", "Exp10", "Expm1", "Log",
            "Log2", "Log10", "Log1p", "Cbrt", "Rsqrt", "Pow", "Atan2")
DIVISIONS = {"F32": "/", "F64": "/", "I32": "//", "U32": "//", "I64": "//", "U64": "//"}
KERNEL = """import math
from pykc import *

@kernel(wraparound=False)
def k(out: {type}[:], x: {type}[:], y: {type}[:], n: i32[:]):
    i = threadIdx.x
    out[i] = {expression}
"""


class Code:
    """The instructions of a kernel, and where each leads."""

    def __init__(self, sass):
        self.instructions, self.labels = [], {}
        for line in sass.splitlines():
            if found := re.match(r"\s+/\*[0-9a-f]+\*/\s+(@\S+ )?(\S+)(.*)", line):
                self.instructions.append((found[1] is not None, found[2].rstrip(";"), found[3]))
            elif found := re.match(r"(\.L_x_\d+|\$.+):", line):
                self.labels[found[1]] = len(self.instructions)

    def ways_from(self, place, stack):
        """Places behind an instruction, each with the stack of callers there; those behind the end are None."""
        is_guarded, name, operands = self.instructions[place]
        on = [(place + 1, stack)]
        target = re.search(r"`\((.*?)\)", operands)
        if name.startswith("EXIT"):
            return [(None, ())] + (on if is_guarded else [])
        if name.startswith("RET"):
            return [(stack[-1], stack[:-1])]
        if name.startswith("CALL"):
            return [(self.labels[target[1]], (*stack, place + 1))] + (on if is_guarded else [])
        if name.startswith("BRA") and target:
            return [(self.labels[target[1]], stack)] + (on if is_guarded else [])
        return on

    def count(self, places):
        """Instructions, and those on f64."""
        names = [self.instructions[place][1] for place in places]
        return len(names), sum(re.match("D(ADD|MUL|FMA|SETP|MNMX)", name) is not None for name in names)

    def shortest(self):
        heap, seen = [(0, (0,), ())], set()
        while True:
            length, way, stack = heapq.heappop(heap)
            if way[-1] is None:
                return self.count(way[:-1])
            if (way[-1], stack) not in seen:
                seen.add((way[-1], stack))
                for place, then in self.ways_from(way[-1], stack):
                    heapq.heappush(heap, (length + 1, (*way, place), then))

    def whole(self):
        seen, ahead = set(), [0]
        while ahead:
            place = ahead.pop()
            if place is None or place in seen:
                continue
            seen.add(place)
            is_call = self.instructions[place][1].startswith("CALL")
            ahead += [place + 1] if is_call else [then for then, _ in self.ways_from(place, ())]
        return self.count(seen)


def code_of(pykc, type_, expression, folder):
    source, ptx, cubin = (folder / name for name in ("k.pyk", "k.ptx", "k.cubin"))
    source.write_text(KERNEL.format(type=type_, expression=expression))
    subprocess.run([pykc, "compile", source, "-W", "no-W0509", "--target", "sm_90", "-o", ptx], check=True)
    subprocess.run(["ptxas", "-arch=sm_90", ptx, "-o", cubin], check=True)
    return Code(subprocess.run(["nvdisasm", "--print-code", cubin], check=True, capture_output=True, text=True).stdout)


def main(pykc):
    with tempfile.TemporaryDirectory() as name:
        def cost(type_, expression, without, is_shortest=False):
            with_it, base = (code_of(pykc, type_, text, pathlib.Path(name)) for text in (expression, without))
            means = [[(a + b) / 2 for a, b in zip(code.shortest(), code.shortest() if is_shortest else code.whole())]
                     for code in (with_it, base)]
            return "{}, {}".format(*(round(a - b) for a, b in zip(*means)))

        for row, function in {**ONE, **TWO, "Ldexp": "ldexp"}.items():
            arguments, without = ("x[i]", "x[i]") if row in ONE else ("x[i], y[i]", "x[i] + y[i]")
            if row == "Ldexp":
                arguments, without = "x[i], n[i]", "x[i]"
            costs = [cost(type_, f"math.{function}({arguments})", without, row in SHORTEST) for type_ in ("f32", "f64")]
            print(f"MATH_COST({row}, {', '.join(costs)})")
        for type_, sign in DIVISIONS.items():
            print(f"DIVISION_COST({type_}, {cost(type_.lower(), f'x[i] {sign} y[i]', 'x[i] + y[i]')})")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
