#!/usr/bin/env python3
"""Random functions that assign few names again and again, in branches and loops: in Numba's dialect, where such a name may stand for
several variables (rule 2.19), they must give what CPython gives.

usage: variables.py PYKC [--count 100] [--seed N]

Without --seed it is a fresh one, which is printed. Every name holds a number at first, so none is ever unassigned; here and there one
is a tuple or the array for three lines.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

NAMES = "abcd"
INPUTS = [(2, 0.5), (7, 4.0), (-1, -2.5)]
HEAD = "    b = 1.5\n    c = x\n    d = 3\n"
RESULTS = 5


class Function:
    """The body of `def f(out, a, x)`, line by line."""

    def __init__(self, seed):
        self.random, self.lines, self.loops = random.Random(seed), [], 0
        self.suite("    ", 3, [])
        self.suite("    ", 3, [])
        self.add("    ", "out[4] = a + 2 * b + 3 * c + 5 * d")

    def add(self, indent, line):
        self.lines.append(indent + line)

    def name(self):
        return self.random.choice(NAMES)

    def number(self):
        return self.random.choice([f"{self.random.randint(0, 9)}", f"{self.random.randint(0, 9)}.5", self.name(),
                                   f"{self.name()} + {self.name()}", f"{self.name()} - 1", f"{self.name()} / 2"])

    def suite(self, indent, depth, loops):
        """`loops`: for each loop around it, whether it may be left or continued."""
        for _ in range(self.random.randint(1, 4)):
            kinds = [self.assign] * 4 + [self.read] * 2 + [self.add_to, self.swap, self.leave]
            kinds += [] if any(loops) else [self.other_type]
            kinds += [self.branch] * 2 + [self.count, self.repeat] if depth else []
            self.random.choice(kinds)(indent, depth, loops)

    def assign(self, indent, *_):
        self.add(indent, f"{self.name()} = {self.number()}")

    def read(self, indent, *_):
        self.add(indent, f"out[{self.random.randint(0, 3)}] += {self.number()}")

    def add_to(self, indent, *_):
        self.add(indent, f"{self.name()} += {self.number()}")

    def swap(self, indent, *_):
        first, second = self.random.sample(NAMES, 2)
        self.add(indent, f"{first}, {second} = {self.number()}, {self.number()}")

    def other_type(self, indent, *_):
        name = self.name()
        self.add(indent, f"{name} = " + self.random.choice(["out", f"({self.number()}, 0.25)"]))
        self.add(indent, f"out[1] += {name}[1]")
        self.add(indent, f"{name} = {self.random.randint(0, 9)}")

    def leave(self, indent, _, loops):
        words = ["return"] + ["break", "continue"] * 3 if loops and loops[-1] else ["return"]
        self.add(indent, f"if {self.name()} > {self.random.randint(2, 12)}:")
        self.add(indent, "    " + self.random.choice(words))

    def branch(self, indent, depth, loops):
        self.add(indent, f"if {self.name()} > {self.random.randint(0, 9)}:")
        self.suite(indent + "    ", depth - 1, loops)
        self.otherwise(indent, depth, loops)

    def count(self, indent, depth, loops):
        self.add(indent, f"for {self.name()} in range({self.random.randint(0, 3)}):")
        self.suite(indent + "    ", depth - 1, [*loops, self.random.random() < 0.5])
        self.otherwise(indent, depth, loops)

    def repeat(self, indent, depth, loops):
        self.loops += 1
        self.add(indent, f"n{self.loops} = 0")
        self.add(indent, f"while n{self.loops} < {self.random.randint(0, 3)}:")
        self.add(indent, f"    n{self.loops} += 1")
        self.suite(indent + "    ", depth - 1, [*loops, self.random.random() < 0.5])
        self.otherwise(indent, depth, loops)

    def otherwise(self, indent, depth, loops):
        if self.random.random() < 0.4:
            self.add(indent, "else:")
            self.suite(indent + "    ", depth - 1, loops)

    def text(self, name):
        return f"def {name}(out, a, x):\n{HEAD}" + "\n".join(self.lines) + "\n"


def expected(function, inputs):
    names, out = {}, [0.0] * RESULTS
    exec(function.text("f"), names)
    names["f"](out, *inputs)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pykc")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int)
    args = parser.parse_args()
    first = args.seed if args.seed is not None else random.randrange(10**9)
    print(f"seeds {first} to {first + args.count - 1}")
    kernels, calls = [], []
    for seed in range(first, first + args.count):
        function = Function(seed)
        kernels.append("@cuda.jit(contract=False)\n" + function.text(f"k{seed}"))
        for inputs in INPUTS:
            calls.append(f"    out = np.zeros({RESULTS})\n    k{seed}[1, 1](out, {inputs[0]}, {inputs[1]})\n"
                         f"    assert out.tolist() == {expected(function, inputs)}, \"seed {seed}\"\n")
    text = "import numpy as np\nfrom numba import cuda\n\n\n" + "\n\n".join(kernels) + "\n\ndef main():\n" + "".join(calls)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "variables.pyk"
        path.write_text(text)
        run = subprocess.run([args.pykc, "run", path, "--device", "cpu", "--warnings=off"])
    sys.exit(run.returncode)


if __name__ == "__main__":
    main()
