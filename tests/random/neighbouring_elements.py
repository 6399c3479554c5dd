#!/usr/bin/env python3
"""Holds the CPU device's vectors of neighbouring elements against code that is not optimised.

usage: neighbouring_elements.py PYKC [--seed N] [--count N] [--verdict report]

The threads of a random kernel read and store neighbouring elements of arrays, of which several may be one: elements
`stride * i + k`, those of rows, or fields of records. None touches what another does, so the results are the same at
-O 0 and -O 3. The seed is fresh unless given, and printed. With `--verdict report` differences are told, but are no
failure.
"""
import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

LENGTH = 517  # of the threads that do something: no multiple of a vector
KERNEL = """

@struct
class {name}_fields:
{fields}


@kernel
def {name}(a: {array}, b: {array}, c: {array}, out: {type}[:]):
    i = grid(1)
    t = {type}(0)
    if i < len(out):
{body}
        out[i] = t


def run_{name}():
    x, y = {x}, {y}
    out = zeros({length}, {type})
    {name}[5, 128]({arrays}, out)
    for array in [{all}, out]:
        sum_of_all = 0
        for element in array:
            sum_of_all = (sum_of_all * 31 + int(element)) % 1000003
        print("{name}", sum_of_all)
"""


class Kernel:
    """A random kernel: its name, and its text."""

    def __init__(self, choose, name):
        self.choose, self.name = choose, name
        self.form = choose.choice(["flat", "rows", "records"])
        self.stride = choose.choice([2, 2, 3, 4])
        self.type = choose.choice(["i16", "i32", "i64", "f32", "f64"])
        body = "\n".join(line for _ in range(choose.randint(3, 9)) for line in self.statement())
        array = {"flat": f"{self.type}[:]", "rows": f"{self.type}[:, :]", "records": f"{name}_fields[:]"}[self.form]
        self.text = KERNEL.format(
            name=name, fields=self.fields(), array=array, type=self.type, body=body, length=LENGTH,
            x=self.filled(13), y=self.filled(7), arrays=choose.choice(["x, x, x", "x, x, y", "x, y, x", "x, y, y"]),
            all=", ".join(self.parts("x") + self.parts("y")))

    def fields(self):
        """Of one type, or of several."""
        types = [self.type] * self.stride
        if self.choose.random() < 0.5:
            types = [self.choose.choice(["i16", "i32", "f32", "f64"]) for _ in types]
        return "\n".join(f"    f{k}: {one}" for k, one in enumerate(types))

    def filled(self, modulus):
        if self.form == "records":
            return f"zeros({LENGTH}, {self.name}_fields)"
        rows = f".reshape({LENGTH}, {self.stride})" if self.form == "rows" else ""
        return f"(arange({LENGTH * self.stride}, dtype={self.type}) % {modulus}){rows}"

    def parts(self, array):
        """The vectors that hold all elements."""
        if self.form == "records":
            return [f"{array}.f{k}" for k in range(self.stride)]
        return [array if self.form == "flat" else f"{array}.ravel()"]

    def element(self):
        array, k = self.choose.choice("abc"), self.choose.randrange(self.stride)
        return {"flat": f"{array}[{self.stride} * i + {k}]", "rows": f"{array}[i, {k}]",
                "records": f"{array}[i].f{k}"}[self.form]

    def statement(self):
        choose, pad = self.choose, " " * 8
        lines = []
        if choose.random() < 0.2:
            lines.append(f"{pad}if {self.element()} > {choose.randrange(20)}:")
            pad += " " * 4
        if choose.random() < 0.2 and self.form != "records":  # of all neighbours
            lines.append(f"{pad}for k in range({self.stride}):")
            pad += " " * 4
            place = f"i, {self.stride} - 1 - k" if self.form == "rows" else f"{self.stride} * i + k"
            lines.append(f"{pad}{self.element()} += {choose.choice('abc')}[{place}]")
            return lines
        lines.append(pad + choose.choice([
            f"{self.element()} = {self.element()} + {choose.randrange(9)}",
            f"{self.element()} = {choose.randrange(9)}",
            f"t += {self.element()}",
            f"{self.element()} += {self.element()} - {self.element()}"]))
        return lines


def sums(pykc, level, text):
    """What the kernels leave in the arrays, by name."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "kernels.pyk"
        file.write_text(text)
        ran = subprocess.run([pykc, "run", "--device", "cpu", "-O", level, str(file)], capture_output=True, text=True,
                             timeout=600, env=dict(os.environ, PYKC_CACHE="off"))
    if ran.returncode != 0:
        sys.exit(f"{ran.stdout}\n{ran.stderr}\n{text}")
    found = {}
    for line in ran.stdout.splitlines():
        name, value = line.split()
        found.setdefault(name, []).append(value)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pykc")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 48))
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--verdict", choices=["fail", "report"], default="fail")
    options = parser.parse_args()
    print("seed", options.seed, flush=True)
    choose = random.Random(options.seed)
    kernels = [Kernel(choose, f"k{n}") for n in range(options.count)]
    calls = "".join(f"    run_{kernel.name}()\n" for kernel in kernels)
    text = "from pykc import *\n" + "".join(kernel.text for kernel in kernels) + "\n\ndef main():\n" + calls
    plain, optimised = sums(options.pykc, "0", text), sums(options.pykc, "3", text)
    if len(plain) != options.count:
        sys.exit(f"of {options.count} kernels {len(plain)} ran")
    differ = [kernel for kernel in kernels if plain[kernel.name] != optimised.get(kernel.name)]
    for kernel in differ:
        print(f"{kernel.name} differs: {plain[kernel.name]}, optimised {optimised.get(kernel.name)}{kernel.text}")
    print(f"{options.count} kernels; {len(differ)} differ")
    return 1 if differ and options.verdict == "fail" else 0


if __name__ == "__main__":
    sys.exit(main())
