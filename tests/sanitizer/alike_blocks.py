#!/usr/bin/env python3
"""Holds launches of which only some blocks are watched against launches of which all are.

usage: alike_blocks.py PYKC [--seed N] [--count N] [--verdict report]

Each random kernel comes twice. The second one could print, which it never does; that makes the device watch all of its
blocks. Both must be reported with the same codes, or none of them, and leave the same in memory; of several pairs of
lines that race the order of the blocks may hide some. The seed is fresh unless given, and printed. With `--verdict
report` differences are told, but are no failure.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

THREADS = 32
LAUNCHES = """    a = {array}
    b = {array}
    x = zeros(4096, i32)
    {kernel}[{blocks}, {threads}](a, b, x, {n})
    x[0] = 1
    {kernel}[{blocks}, {threads}](a, b, x, {n})
    print("{name}", sum_of(a), sum_of(b))
"""
HEAD = """from pykc import *


def sum_of(a):
    total = 0
    for i in range({size}):
        total += a[i] * (i % 7 + 1)
    return total

"""
SIZE = 2048


class Kernel:
    """The lines of a random kernel, its launch, and a test."""

    def __init__(self, choose, name):
        self.choose, self.name = choose, name
        self.body = []
        self.usual_index = {"a": self.any_index(), "b": self.any_index()}  # most kernels keep to one
        self.usual_place = self.any_place()
        self.statements(1, choose.randint(1, 4), may_wait=True)
        self.grid = choose.choice(["3", "5", "8", "12", "(3, 2)", "(2, 2, 2)", "(4, 3)"])
        self.array = choose.choice([f"zeros({SIZE}, i32)"] * 3 + [f"empty({SIZE}, i32)"])
        self.n = choose.choice([5, 63, 64, 70, 96, 100, 130, 200, 256])

    def index(self, array):
        return self.usual_index[array] if self.choose.random() < 0.85 else self.any_index()

    def place(self):
        return self.usual_place if self.choose.random() < 0.7 else self.any_place()

    def either(self, followed, other):
        """Mostly what changes from block to block as the device follows it."""
        return self.choose.choice(followed if self.choose.random() < 0.85 else other)

    def any_index(self):
        """A place in a global array."""
        c = self.choose.randint(0, 3)
        return self.either(
            ["i", "i", f"i + {c}", "i * 2", "i * 2 + 1", "n + i", "g", "g * 32 + t", "g * 32 + 31 - t", f"g * {c}", "t",
             "g + t", "blockIdx.x * 32 + t", "blockIdx.y * 32 + t", "blockIdx.y * 128 + blockIdx.x * 32 + t",
             "i % 32", "t * 16 + g", "blockDim.x * g + t", "i // 32", f"g * 64 + t + {c}", f"g * 40 + t * {c}",
             "(blockIdx.x + blockIdx.y * gridDim.x) * blockDim.x + t", "(blockIdx.y * 8 + g) * 32 + t"],
            [f"i % {c + 2}", f"i // {c + 1}", "g % 2 * 32 + t", "min(i, n)", "x[0]", "x[0] + i", "i // 2 * 2"])

    def any_place(self):
        """A place in a shared array."""
        c = self.choose.randint(0, 2)
        return self.either(["t", "t", "t", "31 - t", f"t + {c}", f"(t + {c}) % 32", f"{c}", "t // 2", "t ^ 1", "i % 32"],
                           ["(t + g) % 32", "x[0]", "g % 32"])

    def condition(self):
        c = self.choose.randint(0, 6)
        return self.either(
            ["i < n", "i < n", f"i > {c}", f"i >= {c} and i < n - {c}", "t == 0", "t < 16", f"g == {c}", f"g != {c}",
             f"g < {c}", "t < g", "i == n", "g * 32 > n", f"n - i > {c}", "g == gridDim.x - 1", f"i // 32 == {c}",
             "blockIdx.y == 0", "t + g < 32", f"n <= i + {c}", f"{c} >= g"],
            [f"i % {c + 1} == 0", "x[0] > 0", "x[i] > 0", f"g // 2 == {c}"])

    def statements(self, depth, count, may_wait):
        for _ in range(count):
            self.statement(depth, may_wait)

    def statement(self, depth, may_wait):
        choose = self.choose
        pad = "    " * depth
        kind = choose.random()
        array, other = choose.choice("ab"), choose.choice("ab")
        if kind < 0.25:
            self.body.append(f"{pad}{array}[{self.index(array)}] = {choose.choice(['t', 'i', 's', '1'])}")
        elif kind < 0.35:
            self.body.append(f"{pad}{array}[{self.index(array)}] = {other}[{self.index(other)}] + 1")
        elif kind < 0.45:
            self.body.append(f"{pad}s += {array}[{self.index(array)}]")
        elif kind < 0.52:
            self.body.append(f"{pad}{choose.choice(['', '', 's += '])}atomic.add({array}, {self.index(array)}, 1)")
        elif kind < 0.60:
            self.body.append(f"{pad}part[{self.place()}] = s")
        elif kind < 0.68:
            self.body.append(f"{pad}s += part[{self.place()}]")
        elif kind < 0.78 and may_wait:
            self.body.append(f"{pad}{choose.choice(['syncthreads()', 'syncthreads()', 'syncwarp()'])}")
        elif kind < 0.92 and depth < 4:
            self.body.append(f"{pad}if {self.condition()}:")
            self.statements(depth + 1, choose.randint(1, 2), may_wait=False)
        elif depth < 3:
            loop = choose.choice(["for k in range(2):", "while i < n:", "for k in range(g, n, 8):", "for k in range(t, 64, 32):"])
            self.body.append(f"{pad}{loop}")
            self.statements(depth + 1, choose.randint(1, 2), may_wait=may_wait and "range(2)" in loop)
            if loop.startswith("while"):
                self.body.append(f"{pad}    i += gridsize(1)")
        else:
            self.body.append(f"{pad}s += 1")

    def text(self, number):
        """The kernel and its test; number 1 is watched as a whole. Both have as many lines."""
        silence = "    if n < -1000:\n        print(n)" if number else "    if n < -1000:\n        s += 1"
        lines = [f"@kernel\ndef {self.name}_{number}(a: i32[:], b: i32[:], x: i32[:], n: i64):",
                 "    part = shared.array(36, i32)", "    i = grid(1)", "    t = threadIdx.x", "    g = blockIdx.x",
                 "    s = i32(0)", silence, *self.body, "    if s == 12345:", "        x[4095] = s"]
        launch = LAUNCHES.format(array=self.array, kernel=f"{self.name}_{number}", blocks=self.grid, threads=THREADS,
                                 n=self.n, name=f"{self.name}_{number}")
        return "\n".join(lines) + f"\n\n\n@test\ndef test_{self.name}_{number}():\n{launch}\n"


def outcomes(pykc, text):
    """By test: whether it failed, the codes that are told of it, and the sums that it prints."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "kernels.pyk"
        file.write_text(text)
        ran = subprocess.run([pykc, "test", "--device", "cpu", "--no-warnings", "--diagnostics", "json", str(file)],
                             capture_output=True, text=True, timeout=600, env=dict(os.environ, PYKC_CACHE="off"))
    sums = {}
    begin = ran.stdout.index("\n[\n") if not ran.stdout.startswith("[") else 0
    for line in ran.stdout[:begin].splitlines():
        name, *values = line.split()
        sums[name] = values
    found = {}
    runs = json.loads(ran.stdout[begin:])[0]["runs"]
    if len(runs) != text.count("@test"):
        sys.exit(f"nothing ran:\n{ran.stdout}\n{ran.stderr}\n{text}")
    for run in runs:
        name = run["test"][len("test_"):]
        told = {one["code"] for one in run.get("diagnostics", []) if one["code"].startswith("E06")}
        has_fault = run["outcome"] == "failed"
        found[name] = (has_fault, frozenset(told), tuple(sums.get(name, ())) if not has_fault else ())
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pykc")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 48))
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--verdict", choices=["fail", "report"], default="fail")
    options = parser.parse_args()
    print("seed", options.seed, flush=True)
    choose = random.Random(options.seed)
    verdicts, differ = collections.Counter(), 0
    for first in range(0, options.count, 40):
        kernels = [Kernel(choose, f"k{first + n}") for n in range(min(40, options.count - first))]
        text = HEAD.format(size=SIZE) + "".join("\n" + kernel.text(number) for kernel in kernels for number in (0, 1))
        found = outcomes(options.pykc, text)
        for kernel in kernels:
            some, every = found[f"{kernel.name}_0"], found[f"{kernel.name}_1"]
            verdicts["clean" if not every[0] else "told" if every[1] else "stopped"] += 1
            # What is read where nothing is written may happen to be what another thread writes, which then is no race.
            is_chance = some[0] and every[0] and "E0602" in some[1] | every[1]
            if some != every and not is_chance:
                differ += 1
                print(f"{kernel.name} differs: {some[1:]} where some blocks are watched, {every[1:]} where all are")
                print(HEAD.format(size=SIZE) + "\n" + kernel.text(0) + "\n" + kernel.text(1))
    print(f"{options.count} kernels: {dict(verdicts)}; {differ} differ")
    return 1 if differ and options.verdict == "fail" else 0


if __name__ == "__main__":
    sys.exit(main())
