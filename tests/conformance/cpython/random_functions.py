#!/usr/bin/env python3
"""Random device functions under CPython with NumPy's numbers (shim.py) and on pykc's CPU device: they must give the same.

usage: random_functions.py PYKC [--count 1000] [--seeds FIRST:LAST] [--print SEED]

Every function is made of one seed; without --seeds they are fresh, and the first is printed. The functions use what the
two languages share: where docs/conformance.md documents a difference, the generator stays on the common side, and a comment
names the rule. A kernel calls some functions for rows of inputs, and both sides write its results to files.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

import run
import shim

FUNCTIONS_IN_A_KERNEL = 8
KERNELS_IN_A_FILE = 12
PARAMETERS = {"a": "i64", "b": "i64", "c": "i32", "d": "u32", "x": "f64", "y": "f64", "z": "f32"}
INPUTS = {
    "a": [0, 1, -1, 7, -8, 63, 100, -12345, 2**31, -2**31, 2**62, 2**63 - 1, -2**63, 5, 12, -3],
    "b": [3, 0, -1, 2, -7, 64, -64, 5, 2**32, 10, -1, 2**63 - 1, -1, -5, 17, 1],
    "c": [0, 1, -1, 2, 31, -9, 100, 2**31 - 1, -2**31, 12, -40, 6, 77, -2**31, 3, 5],
    "d": [0, 1, 2, 31, 32, 9, 255, 2**32 - 1, 2**31, 12, 40, 6, 77, 65536, 3, 5],
    "x": [0.0, 1.0, -1.0, 0.5, -2.75, 1e10, -1e300, 3.0, 1e-300, float("inf"), 0.1, -0.25, 123456.75, -7.5, 2.5, 9.0],
    "y": [2.0, -0.5, 3.0, 0.0, 1.5, -4.0, 7.0, 1e308, 0.125, -1.0, float("-inf"), 4.0, -3.5, 2.5, 100.0, -9.0],
    "z": [1.0, 0.0, -1.5, 0.5, 3.25, -2.0, 1e30, 0.1, -0.75, 8.0, 1e-30, 2.5, -3.5, 1.25, 16.0, -5.0],
}
SHAPE = len(INPUTS["a"]), 2 * FUNCTIONS_IN_A_KERNEL
RESULTS = {"i64": "integers", "f64": "reals"}  # and the array that takes them
PRELUDE = '''\
from pykc import *
import math


@device
def finite(v, zero):
    """Without what min, max, round, int and copysign leave open: infinities, NaN and its sign, the sign of zero."""
    return v + zero if v - v == zero else zero


@device
def small(v):
    return v if -1000000.0 < v and v < 1000000.0 else f64(0.0)


@device
def total(first, *rest):
    result = first
    for value in rest:
        result += value
    return result


@device
def scaled(v, factor=2, offset=1):
    return v * factor + offset
'''


class Body:
    """The statements of one function. Each variable keeps one type (rule 2.4). An expression is *strong* where it is one
    of NumPy's numbers, and weak where CPython has a plain int or float; of two operands one is strong, since plain
    numbers do not wrap, and raise exceptions (rules 2.5, 3.1 and 3.2)."""

    def __init__(self, chance, variables):
        self.chance, self.variables, self.lines = chance, dict(variables), []
        self.functions = []  # (name, parameter types, result type)
        self.tuples = {}     # name -> element types
        self.constants = []  # variables of loops, which nothing assigns
        self.depth, self.made, self.loops = 1, 0, 0

    def name(self, prefix="v"):
        self.made += 1
        return f"{prefix}{self.made}"

    def line(self, text):
        self.lines.append("    " * self.depth + text)

    def pick(self, *choices):
        return self.chance.choice(choices)

    def named(self, type_):
        return [name for name, own in self.variables.items() if own == type_]

    # ---- expressions: strong ones of a type ----

    def literal(self, type_):
        if type_ in ("f64", "f32"):
            return self.pick("0.5", "2.0", "1.0", "0.25", "3.0", "-1.5", "10.0")
        return self.pick("0", "1", "2", "3", "5", "7", "10", "100") if type_ == "u32" else self.pick(
            "0", "1", "2", "3", "-1", "5", "-7", "10", "100", "1000")

    def atom(self, type_):
        names = self.named(type_)
        if names and self.chance.random() < 0.9:
            return self.chance.choice(names)
        if type_ == "bool":
            return self.comparison(0)
        return f"{type_}({self.literal(type_)})"

    def operand(self, type_):
        """The second of two operands: it may be weak."""
        if self.constants and type_ == "i64" and self.chance.random() < 0.3:
            return self.chance.choice(self.constants)
        return self.literal(type_) if self.chance.random() < 0.4 else self.atom(type_)

    def expression(self, type_, depth):
        if depth <= 0 or self.chance.random() < 0.1:
            return self.atom(type_)
        makers = {"bool": self.truth, "i64": self.integer, "i32": self.integer, "u32": self.integer,
                  "f64": self.real, "f32": self.real}
        if self.chance.random() < 0.25 and type_ != "bool":
            return self.shared_form(type_, depth)
        return makers[type_](type_, depth)

    def shared_form(self, type_, depth):
        """What numbers of all types have."""
        def part():
            return self.expression(type_, depth - 1)
        calls = [f for f in self.functions if f[2] == type_]
        tuples = [name for name, types in self.tuples.items() if set(types) == {type_}]
        kind = self.chance.randrange(9)
        if kind == 0 and calls:
            name, types, _ = self.chance.choice(calls)
            return f"{name}({', '.join(self.expression(own, depth - 2) for own in types)})"
        if kind == 1 and tuples:
            return self.of_tuple(self.chance.choice(tuples), type_)
        if kind == 2:
            return f"({part()} if {self.expression('bool', depth - 1)} else {part()})"
        if kind == 3:
            return self.extreme(type_, depth)
        if kind == 4:
            return f"abs({part()})"
        wide = type_ in ("i64", "f64")  # an integer literal that is passed, or a default, is an i64 (rule 2.5)
        if kind == 5:
            return f"total({part()}, {self.operand(type_) if wide else part()}, {part()})"
        if kind == 6 and wide:
            return self.pick(f"scaled({part()})", f"scaled({part()}, offset={self.operand(type_)})",
                             f"scaled({part()}, {self.operand(type_)})")
        if kind == 7:
            return self.pick(f"({part()} or {part()})", f"({part()} and {part()})")
        return f"({part()} {self.pick('+', '-', '*')} {self.operand(type_)})"

    def of_tuple(self, name, type_):
        count = len(self.tuples[name])
        index = self.chance.randrange(-count, count)
        forms = [f"{name}[{index}]", f"{name}[{self.expression('i64', 1)} % {count}]",
                 f"{name}[1:][{max(index - 1, 0) % (count - 1)}]"]
        if type_ not in ("f64", "f32"):
            forms += [f"sum({name})", f"min({name})", f"max({name})", f"max({name}[:2])", f"({name} + {name})[{index}]"]
        return self.chance.choice(forms)

    def extreme(self, type_, depth):
        """`min` and `max` of numbers that are no NaN (rule 3.8); zeros have one sign."""
        parts = [self.expression(type_, depth - 1) for _ in range(self.chance.randint(2, 3))]
        if type_ in ("f64", "f32"):
            parts = [f"finite({part}, {type_}(0.0))" for part in parts]
        return f"{self.pick('min', 'max')}({', '.join(parts)})"

    def integer(self, type_, depth):
        def part():
            return self.expression(type_, depth - 1)
        kind = self.chance.randrange(12)
        if kind < 3:
            return f"({part()} {self.pick('+', '-', '*')} {self.operand(type_)})"
        if kind == 3:
            return f"({part()} {self.pick('//', '%')} {part()})"
        if kind == 4:
            return f"divmod({part()}, {part()})[{self.chance.randrange(2)}]"
        if kind == 5:
            return f"({part()} {self.pick('&', '|', '^')} {self.operand(type_)})"
        if kind == 6:  # the count has the left side's type, which the result has here (rule 3.4)
            return f"({part()} {self.pick('<<', '>>')} ({part()} & {self.pick('7', '31', '63', '127')}))"
        if kind == 7:
            return self.pick(f"(-{part()})", f"(~{part()})", f"(+{part()})")
        if kind == 8:
            return f"({part()} ** {self.chance.randint(0, 5)})"
        if kind == 9 and type_ == "i64":
            return f"i64({self.pick('int', 'round')}(small(finite({self.expression('f64', depth - 1)}, f64(0.0)))))"
        if kind == 10:
            return f"{type_}({self.expression(self.pick('i64', 'i32', 'u32', 'bool'), depth - 1)})"
        if type_ == "i64":  # the join of two types
            one, other = self.pick(("i64", "i32"), ("i32", "u32"), ("u32", "i64"))
            operator = self.pick("+", "-", "*", "&", "|")
            return f"({self.expression(one, depth - 1)} {operator} {self.expression(other, depth - 1)})"
        return f"({part()} + {self.operand(type_)})"

    def real(self, type_, depth):
        def part():
            return self.expression(type_, depth - 1)
        kind = self.chance.randrange(11)
        if kind < 3:
            return f"({part()} {self.pick('+', '-', '*')} {self.operand(type_)})"
        if kind == 3:
            return f"({part()} / {part()})"
        if kind == 4:
            return f"({part()} {self.pick('//', '%')} {self.pick('2.0', '0.5', '-3.0', '7.0')})"
        if kind == 5:
            return f"math.{self.pick('floor', 'ceil', 'trunc', 'fabs')}({part()})"
        if kind == 6:
            return f"math.sqrt({part()})" if self.chance.random() < 0.3 else f"math.sqrt(abs({part()}))"
        if kind == 7:
            return self.pick(f"math.copysign({part()}, finite({part()}, {type_}(0.0)))", f"math.fmod({part()}, {part()})",
                             f"math.ldexp({part()}, i32({self.chance.randint(-4, 4)}))",
                             f"math.frexp({part()})[0]", f"math.modf({part()})[{self.chance.randrange(2)}]")
        if kind == 8:
            return f"({part()} ** 1)"  # NumPy's scalars take libm's pow for others, which rounds less well (rule 3.5)
        if kind == 9:
            return f"{type_}({self.expression(self.pick('i64', 'i32', 'u32', 'bool', 'f64', 'f32'), depth - 1)})"
        if type_ == "f64":
            return self.pick(f"({self.expression('i64', depth - 1)} / {self.expression('i64', depth - 1)})",
                             f"({part()} + {self.expression('i64', depth - 1)})",
                             f"({self.expression('f32', depth - 1)} * {part()})",
                             f"(float({self.expression('i64', depth - 1)}) * {part()})")
        return f"(-{part()})"

    def comparison(self, depth):
        type_ = self.pick("i64", "i64", "i32", "u32", "f64", "f32")
        operators = ("<", "<=", ">", ">=", "==", "!=")
        other = self.pick("i64", "i32", "u32") if type_ in ("i64", "i32", "u32") else type_
        text = f"{self.expression(type_, depth - 1)} {self.pick(*operators)} {self.expression(other, depth - 1)}"
        if self.chance.random() < 0.25:
            text += f" {self.pick(*operators)} {self.operand(other)}"
        return f"({text})"

    def truth(self, _type, depth):
        def part():
            return self.expression("bool", depth - 1)
        kind = self.chance.randrange(9)
        if kind == 0:
            return f"(not {part()})"
        if kind == 1:
            return f"({part()} {self.pick('and', 'or')} {part()})"
        if kind == 2:
            return f"({part()} {self.pick('&', '|', '^', '==', '!=')} {part()})"
        if kind == 3:
            return f"math.{self.pick('isnan', 'isinf', 'isfinite')}({self.expression('f64', depth - 1)})"
        if kind == 4:
            return f"({self.expression('i64', depth - 1)} {self.pick('in', 'not in')} (1, 2, {self.atom('i64')}))"
        if kind == 5:
            return f"({self.expression('i64', depth - 1)} in range({self.pick('5', '-3, 10', '0, 100, 7')}))"
        if kind == 6:
            return f"bool({self.expression(self.pick('i64', 'f64', 'u32'), depth - 1)})"
        if kind == 7:
            return f"{self.pick('any', 'all')}(({part()}, {part()}))"
        return self.comparison(depth)

    # ---- statements ----

    def statements(self, count):
        for _ in range(count):
            makers = [self.assign] * 4 + [self.augment] * 3 + [self.branch, self.loop] * 2
            makers += [self.make_tuple, self.unpack, self.swap]
            if self.depth == 1:
                makers += [self.inner_function] * 2
            if self.depth > 3:
                makers = [self.assign, self.augment]
            self.chance.choice(makers)()

    def block(self, count):
        """A suite: what it assigns first is unknown behind it (rule 2.10)."""
        kept = dict(self.variables), dict(self.tuples), list(self.constants), list(self.functions)
        self.depth += 1
        self.statements(count)
        self.depth -= 1
        self.variables, self.tuples, self.constants, self.functions = kept

    def assign(self):
        type_ = self.pick("i64", "i64", "i32", "u32", "f64", "f64", "f32", "bool")
        mutable = [name for name in self.named(type_) if name.startswith("v")]
        value = self.expression(type_, 3)
        name = self.chance.choice(mutable) if mutable and self.chance.random() < 0.5 else self.name()
        self.line(f"{name} = {value}")
        self.variables[name] = type_

    def augment(self):
        mutable = [(name, type_) for name, type_ in self.variables.items() if name.startswith("v") and type_ != "bool"]
        if not mutable:
            return self.assign()
        name, type_ = self.chance.choice(mutable)
        operators = ("+", "-", "*", "&", "|", "^", "//", "%") if type_ in ("i64", "i32", "u32") else ("+", "-", "*", "/")
        operator = self.pick(*operators)
        value = self.operand(type_) if operator in "+-*&|^" else self.expression(type_, 1)
        self.line(f"{name} {operator}= {value}")

    def swap(self):
        mutable = [name for name in self.named("i64") if name.startswith("v")]
        if len(mutable) < 2:
            return self.assign()
        one, other = self.chance.sample(mutable, 2)
        self.line(f"{one}, {other} = {other}, {one} + {self.operand('i64')}")

    def make_tuple(self):
        types = [self.pick("i64", "f64")] * self.chance.randint(2, 4)
        if self.chance.random() < 0.3:
            types[-1] = self.pick("i32", "f64")
        name, parts = self.name("t"), [self.expression(type_, 2) for type_ in types]
        self.line(f"{name} = ({', '.join(parts)})")
        self.tuples[name] = types

    def unpack(self):
        if not self.tuples:
            return self.make_tuple()
        source, types = self.chance.choice(list(self.tuples.items()))
        names = [self.name() for _ in types]
        if len(types) > 2 and self.chance.random() < 0.4:
            rest = self.name("t")
            self.line(f"{names[0]}, *{rest} = {source}")
            self.variables[names[0]] = types[0]
            return
        self.line(f"{', '.join(names)} = {source}")
        self.variables.update(zip(names, types))

    def branch(self):
        self.line(f"if {self.expression('bool', 3)}:")
        self.block(self.chance.randint(1, 3))
        if self.chance.random() < 0.3:
            self.line(f"elif {self.expression('bool', 2)}:")
            self.block(self.chance.randint(1, 2))
        if self.chance.random() < 0.5:
            self.line("else:")
            self.block(self.chance.randint(1, 2))

    def loop(self):
        if self.depth > 2:
            return self.branch()
        kind = self.chance.randrange(7)
        self.loops += 1
        kept = dict(self.variables), list(self.constants)
        before = None
        if kind == 0:
            counter = f"n{self.loops}"
            self.line(f"{counter} = i64(0)")
            self.line(f"while {counter} < {self.chance.randint(1, 8)} and {self.expression('bool', 1)}:")
            before = f"{counter} += 1"
        elif kind == 1:
            item = f"k{self.loops}"
            bounds = self.pick("4", "1, 6", "8, 0, -3", "0, 10, 4", "3, 3", "-2, 3")
            self.line(f"for {item} in range({bounds}):")
            self.constants.append(item)
        elif kind == 2:
            item = f"k{self.loops}"
            self.line(f"for {item} in {self.pick(f'unroll(range({self.chance.randint(1, 4)}))', 'reversed(range(5))')}:")
            self.constants.append(item)
        elif kind == 3 and self.tuples:
            source, types = self.chance.choice(list(self.tuples.items()))
            if len(set(types)) > 1:
                return self.branch()
            item = f"w{self.loops}"
            self.line(f"for {item} in {self.pick(source, f'reversed({source})', f'{source}[1:]')}:")
            self.variables[item] = types[0]
        elif kind == 4 and self.tuples:
            source, types = self.chance.choice(list(self.tuples.items()))
            if len(set(types)) > 1:
                return self.branch()
            position, item = f"k{self.loops}", f"w{self.loops}"
            self.line(f"for {position}, {item} in enumerate({source}{self.pick('', ', 1')}):")
            self.variables[item] = types[0]
            self.constants.append(position)
        elif kind == 5 and len(self.tuples) > 1:
            (one, types), (other, others) = self.chance.sample(list(self.tuples.items()), 2)
            if len(set(types)) > 1 or len(set(others)) > 1:
                return self.branch()
            first, second = f"w{self.loops}", f"u{self.loops}"
            self.line(f"for {first}, {second} in zip({one}, {other}):")
            self.variables.update({first: types[0], second: others[0]})
        else:
            item = f"k{self.loops}"
            self.line(f"for {item} in range({self.expression('i64', 2)} % 6):")
            self.constants.append(item)
        if before:
            self.depth += 1
            self.line(before)
            self.depth -= 1
        if self.chance.random() < 0.5:
            self.depth += 1
            self.line(f"if {self.expression('bool', 2)}:")
            self.line(f"    {self.pick('break', 'continue')}")
            self.depth -= 1
        self.block(self.chance.randint(1, 3))
        self.variables, self.constants = kept
        if self.chance.random() < 0.2:
            self.line("else:")
            self.block(1)

    def inner_function(self):
        """A function inside the function: it reads what is around it as that is at the call."""
        types = [self.pick("i64", "f64", "i32") for _ in range(self.chance.randint(1, 2))]
        result, name = self.pick("i64", "f64"), self.name("g")
        names = [f"p{self.made}_{i}" for i in range(len(types))]
        inner = Body(self.chance, {**self.variables, **dict(zip(names, types))})
        inner.made, inner.depth = 1000 * self.made, 2
        if self.chance.random() < 0.4:
            self.line(f"{name} = lambda {', '.join(names)}: {inner.expression(result, 2)}")
        else:
            self.line(f"def {name}({', '.join(names)}):")
            # What it assigns to is its own: it must not read a name of the outer function that it assigns (rule 11.1).
            inner.variables = {own: t for own, t in inner.variables.items() if not own.startswith("v")}
            inner.statements(self.chance.randint(0, 2))
            if self.chance.random() < 0.3:
                inner.line(f"if {inner.expression('bool', 2)}:")
                inner.line(f"    return {inner.expression(result, 1)}")
            inner.line(f"return {inner.expression(result, 2)}")
            self.lines += inner.lines
        self.functions.append((name, types, result))


def function_text(seed):
    """The text of the function, and the types of its results."""
    chance = random.Random(seed)
    body = Body(chance, PARAMETERS)
    body.statements(chance.randint(3, 8))
    types = [chance.choice(list(RESULTS)) for _ in range(2)]
    results = [body.expression(type_, 3) for type_ in types]
    header = f"@device\ndef f_{seed}({', '.join(PARAMETERS)}):"
    return "\n".join([header, *body.lines, f"    return {', '.join(results)}"]), types


def kernel_text(name, seeds):
    """The functions of the seeds, and a kernel that puts the results of function p into columns 2p and 2p + 1."""
    arguments = ", ".join(f"{parameter}[i]" for parameter in PARAMETERS)
    functions, lines = [], []
    for place, seed in enumerate(seeds):
        text, types = function_text(seed)
        functions.append(text)
        lines.append(f"    r{place} = f_{seed}({arguments})")
        lines += [f"    {RESULTS[type_]}[i, {2 * place + k}] = r{place}[{k}]" for k, type_ in enumerate(types)]
    arrays = ", ".join(f"{parameter}: {type_}[:]" for parameter, type_ in PARAMETERS.items())
    header = ["@kernel", f"def {name}(integers: i64[:, :], reals: f64[:, :], {arrays}):", "    i = grid(1)",
              "    if i >= len(a):", "        return"]
    return "\n\n\n".join([*functions, "\n".join(header + lines)])


def groups(seeds):
    """The seeds of each kernel, by the kernel's name."""
    firsts = range(0, len(seeds), FUNCTIONS_IN_A_KERNEL)
    return {f"k_{first}": seeds[first:first + FUNCTIONS_IN_A_KERNEL] for first in firsts}


def file_text(seeds):
    """A file whose `main` writes the results of each kernel to files."""
    main = ["def main(folder: str):"]
    main += [f"    {name} = load(folder + '/{name}.npy')" for name in PARAMETERS]
    for name in groups(seeds):
        main += [f"    integers, reals = zeros({SHAPE}, i64), zeros({SHAPE}, f64)",
                 f"    {name}[1, {SHAPE[0]}](integers, reals, {', '.join(PARAMETERS)})",
                 f"    save(folder + '/{name}_integers.npy', integers)", f"    save(folder + '/{name}_reals.npy', reals)"]
    kernels = [kernel_text(name, group) for name, group in groups(seeds).items()]
    return "\n\n\n".join([PRELUDE, *kernels, "\n".join(main)]) + "\n"


def oracle(path, seeds):
    """What CPython gives: for each kernel the integers and the reals."""
    names = run.load(path, {})
    arrays = [np.array(INPUTS[name], shim.NUMBER_TYPES[type_]) for name, type_ in PARAMETERS.items()]
    results = {}
    for name in groups(seeds):
        integers, reals = np.zeros(SHAPE, np.int64), np.zeros(SHAPE, np.float64)
        names[name][1, SHAPE[0]](integers, reals, *arrays)
        results[name] = {"integers": integers, "reals": reals}
    return results


def one_by_one(pykc, seeds, folder, trouble):
    """Where a whole file cannot be run: the lines of each of its functions alone."""
    if len(seeds) == 1:
        return [(seeds[0], trouble)]
    return [line for seed in seeds for line in compare(pykc, [seed], folder)]


def compare(pykc, seeds, folder):
    """What differs in one file: pairs of a seed and what is to be told."""
    path = folder / "functions.pyk"
    path.write_text(file_text(seeds))
    try:
        expected = oracle(path, seeds)
    except Exception as error:  # a plain number of Python where one of NumPy was meant: the generator's mistake
        return one_by_one(pykc, seeds, folder, f"CPython raises {type(error).__name__}: {error}")
    for name, type_ in PARAMETERS.items():
        np.save(folder / f"{name}.npy", np.array(INPUTS[name], shim.NUMBER_TYPES[type_]))
    done = subprocess.run([pykc, "run", "--device", "cpu", "--no-warnings", "--no-contract", str(path), str(folder)],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return one_by_one(pykc, seeds, folder, " / ".join(done.stderr.splitlines()[:3]))
    told = []
    for name, group in groups(seeds).items():
        for kind, wanted in expected[name].items():
            found = np.load(folder / f"{name}_{kind}.npy")
            same = (wanted == found) | ((wanted != wanted) & (found != found))
            for row, column in np.argwhere(~same):
                place = f"input {row}, result {column % 2}"
                values = f"CPython {wanted[row, column]!r}, pykc {found[row, column]!r}"
                told.append((group[column // 2], f"{place}: {values}"))
    return told


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pykc", nargs="?", default="pykc")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seeds", help="FIRST:LAST")
    parser.add_argument("--print", type=int, dest="shown", help="only show the function of a seed")
    options = parser.parse_args()
    if options.shown is not None:
        print(function_text(options.shown)[0])
        return 0
    first = int(options.seeds.split(":")[0]) if options.seeds else time.time_ns() // 1_000_000 % 10**9
    last = int(options.seeds.split(":")[1]) if options.seeds else first + options.count
    print(f"seeds {first}:{last}", flush=True)
    warnings.simplefilter("ignore")
    differing = set()
    for start in range(first, last, FUNCTIONS_IN_A_KERNEL * KERNELS_IN_A_FILE):
        seeds = list(range(start, min(start + FUNCTIONS_IN_A_KERNEL * KERNELS_IN_A_FILE, last)))
        with tempfile.TemporaryDirectory() as folder, np.errstate(all="ignore"):
            for seed, text in compare(options.pykc, seeds, pathlib.Path(folder)):
                if seed not in differing:
                    print(f"seed {seed}, {text}", flush=True)
                differing.add(seed)
    print(f"{last - first} functions, {len(differing)} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
