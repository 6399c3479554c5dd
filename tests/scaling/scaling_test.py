#!/usr/bin/env python3
"""Time to compile, against the length of the code: fails where it grows faster than n log n with room for noise.

usage: scaling_test.py PYKC [--table]

With --table it prints the times for 500, 1000, 2000 and 5000 lines, as docs/performance.md has them.
"""
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

TARGETS = ("sm_90", "cpu")
SHORT, LONG = 500, 2000
CUT = 8000  # lines that become several parts, even without loops
MOST_GROWTH = 9  # n log n is 4.9, n squared is 16
DEPTH = 12
MOST_SECONDS_OF_A_TREE = 4  # 1 in a release build
WAYS = 60  # lines
MOST_SECONDS_OF_WAYS = 4  # a tenth in a release build
MOST_SECONDS_OF_A_SHAPE = 4  # half a second in a release build
PATIENCE = 600  # seconds of processor time; who needs more may need for ever

HEAD = """from pykc import *


@kernel
def k(out: f32[:], x: f32[:], n: i64):
    i = grid(1)
    tile = shared.array(256, f32)
    a = x[i % len(x)]
    b = a + 1.0
    s = a
"""


def arithmetic(lines):
    """Values of values: long chains, many of them alive."""
    choose = random.Random(1)
    names = ["a", "b"]
    for n in range(lines):
        yield f"v{n} = {choose.choice(names[-8:])} * {choose.choice(names[-8:])} + {n}.5"
        names.append(f"v{n}")
    yield f"s = {names[-1]}"


def memory(lines):
    """Loads and stores that all may meet."""
    for n in range(lines):
        yield f"out[i % len(out)] = out[{n % 7}] * x[{n % 5}] + {n}.0"


def control(lines):
    """Branches, loops and stores."""
    for n in range(lines // 4):
        yield from (f"if s > {n}.0:", f"    s = s - x[{n % 7}] * b", f"for j in range({n % 9}):", "    s += x[j]")


def barriers(lines):
    """Places where threads meet, and what crosses them."""
    for n in range(lines // 4):
        yield from (f"tile[threadIdx.x % 256] = s + {n}.0", "syncthreads()", f"s = s + tile[{n % 256}]", "s = s * 0.5")


def long_lived(lines):
    """All values before the first use: what is known in one part of a long function is needed in the others."""
    count = lines // 2
    for n in range(count):
        yield f"v{n} = x[i + {n}] * {n}.5"
    for n in range(count):
        yield f"s = s * 0.5 + v{count - 1 - n} * v{7 * n % count}"


def kernel(body, lines):
    return HEAD + "".join(f"    {line}\n" for line in body(lines)) + "    out[i % len(out)] = s\n"


LEAVES = {
    "arithmetic": "return v * 1.5 + 0.25",
    "array": "return v + x[i]",
    "thread": "return v + threadIdx.x",
    "assert": "assert v > -1.0\n    return v * 0.5",
}


def tree(leaf):
    """A device function that calls two others, and so on."""
    text = f"from pykc import *\n\n\n@device\ndef f0(x: f32[:], v: f32, i: i64):\n    {LEAVES[leaf]}\n"
    for d in range(1, DEPTH + 1):
        text += (f"\n\n@device\ndef f{d}(x: f32[:], v: f32, i: i64):\n"
                 f"    return f{d - 1}(x, v * {d}.5, i) - f{d - 1}(x, v + {d}.25, i)\n")
    return text + ("\n\n@kernel\ndef k(out: f32[:], x: f32[:]):\n    i = grid(1)\n    if i < len(out):\n"
                   f"        out[i] = f{DEPTH}(x, x[i], i)\n")


STEPS = {
    "sums": "p, q = q, p + q",
    "extremes": "p, q = q, min(p, q + 1)",
    "conditions": "a, b = b, (a & b) | (i < {n})",
}


def ways(step):
    """Each value is made of two before it: who follows all ways from the last to the first never ends."""
    text = ("from pykc import *\n\n\n@kernel\ndef k(out: f32[:], x: f32[:], n: i64, m: i64):\n"
            "    i = grid(1)\n    p = i\n    q = m\n    a = i < n\n    b = m < n\n")
    text += "".join(f"    {STEPS[step].format(n=n)}\n" for n in range(WAYS))
    return text + "    if b and q < len(out):\n        out[i] = x[q]\n"


def nest(bounds, body):
    """Loops within each other, each of whose bounds are made of the counter around it."""
    lines = [f"{'    ' * d}for i{d} in range({bounds.format(outer=f'i{d - 1}' if d else 'm')}):" for d in range(40)]
    return ["m = n // 2", *lines, "    " * 40 + body.format(inner="i39", all=" + ".join(f"i{d}" for d in range(40)))]


SHAPES = {
    "triangular loops": nest("{outer}, n", "s += x[{inner}]"),
    "triangular loops, all counters": nest("{outer}, n", "s += x[{all}]"),
    "triangular loops, local array": ["t = local.array(8, f32)", "for j in range(8): t[j] = s",
                                      *nest("{outer}, n", "t[{inner} % 8] += x[{inner}]"), "s = t[n % 8]"],
    "slices of slices": ["v = x" + "[n:]" * 160, "s = v[0]"],
    "slices of two slices": ["v = x[:]", "w = x[1:]", *["v, w = w[n:], v[i:]"] * 160, "s = v[0] + w[1]"],
    "squares of squares": ["p = n", *["p = p * p + i"] * 500, "s = x[p]"],
    "conversions": [f"s = f32(i64(s * {n}.5) + i)" for n in range(600)],
    "tuple that turns": ["t = (" + "s, " * 250 + ")", *["t = t[1:] + t[:1]"] * 60, "s = t[0] + t[n]"],
}


class Compiler:
    def __init__(self, pykc):
        self.pykc = pykc
        self.folder = tempfile.TemporaryDirectory()

    def seconds(self, text, target, *options):
        """Processor time, which other programs on the machine disturb less than the clock."""
        path = pathlib.Path(self.folder.name, "k.pyk")
        path.write_text(text)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([self.pykc, "compile", path, "--target", target, "-o", os.devnull, "--warnings=off", *options],
                       check=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE)))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def growth(self, kind, target, short=SHORT, long=LONG):
        return self.seconds(kernel(kind, long), target) / self.seconds(kernel(kind, short), target)


KINDS = (arithmetic, memory, control, barriers, long_lived)


def print_table(compiler):
    for target in TARGETS:
        for kind in KINDS:
            times = [compiler.seconds(kernel(kind, lines), target) for lines in (500, 1000, 2000, 5000)]
            print(f"| {kind.__name__}, {target} | " + " | ".join(f"{1000 * t:.0f} ms" for t in times) + " |")
        for leaf in LEAVES:
            for options in ((), ("--checked",)):
                seconds = compiler.seconds(tree(leaf), target, *options)
                print(f"tree of {DEPTH} levels, {leaf}, {target} {' '.join(options)}: {1000 * seconds:.0f} ms")


def check(compiler):
    mistakes = []
    for target in TARGETS:
        for kind in KINDS:
            growth = compiler.growth(kind, target)
            if growth > MOST_GROWTH:  # once more: another program may have disturbed it
                growth = min(growth, compiler.growth(kind, target))
            print(f"{kind.__name__}, {target}: {LONG} lines take {growth:.1f} times as long as {SHORT}")
            if growth > MOST_GROWTH:
                mistakes.append(f"{kind.__name__}, {target}: grows by {growth:.1f}, more than {MOST_GROWTH}")
        for leaf in LEAVES:
            seconds = compiler.seconds(tree(leaf), target, "--checked")
            if seconds > MOST_SECONDS_OF_A_TREE:
                mistakes.append(f"a tree of {DEPTH} levels, {leaf}, {target}: {seconds:.1f} s")
        for step in STEPS:
            seconds = compiler.seconds(ways(step), target)
            if seconds > MOST_SECONDS_OF_WAYS:
                mistakes.append(f"many ways, {step}, {target}: {seconds:.1f} s")
        for name, lines in SHAPES.items():
            seconds = compiler.seconds(kernel(lambda _: lines, 0), target)
            print(f"{name}, {target}: {seconds:.2f} s")
            if seconds > MOST_SECONDS_OF_A_SHAPE:
                mistakes.append(f"{name}, {target}: {seconds:.1f} s")
    growth = compiler.growth(long_lived, "cpu", LONG, CUT)
    print(f"long_lived, cpu: {CUT} lines take {growth:.1f} times as long as {LONG}")
    if growth > MOST_GROWTH:
        mistakes.append(f"long_lived, cpu: from {LONG} to {CUT} lines by {growth:.1f}")
    print("\n".join(mistakes))
    return 1 if mistakes else 0


def main():
    compiler = Compiler(sys.argv[1])
    if "--table" in sys.argv:
        print_table(compiler)
        return 0
    return check(compiler)


if __name__ == "__main__":
    sys.exit(main())
