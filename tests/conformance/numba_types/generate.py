"""The functions that Numba and pykc both compile: each is `def f(b, i8, …): …`, over one parameter of every type."""
import re

import numpy as np
from numba import types

TYPES = ["bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64"]
NUMBA = dict(zip(TYPES, (types.boolean, types.int8, types.int16, types.int32, types.int64, types.uint8, types.uint16, types.uint32,
                         types.uint64, types.float32, types.float64)))
NUMPY = dict(zip(TYPES, (np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.float32,
                         np.float64)))
CAST = {"bool": "bool", "i8": "np.int8", "i16": "np.int16", "i32": "np.int32", "i64": "np.int64", "u8": "np.uint8", "u16": "np.uint16",
        "u32": "np.uint32", "u64": "np.uint64", "f32": "np.float32", "f64": "np.float64"}
# Near the ends, where widths show, and small ones; no zeros among the divisors but in one set.
VALUES = {"bool": [True, False, True, True], "i8": [100, 0, -128, 3], "i16": [30000, 0, -32768, 7], "i32": [2147483647, 0, -2147483648, 5],
          "i64": [9007199254740993, 0, -4611686018427387904, 11], "u8": [200, 0, 255, 2], "u16": [60000, 0, 65535, 6],
          "u32": [4294967295, 0, 4000000001, 13], "u64": [9223372036854775807, 0, 3, 17], "f32": [0.10000000149011612, 0.0, -2.5, 1.5],
          "f64": [0.1, 0.0, -1e10, 2.25]}
ONLY_OF_INTEGERS = re.compile(r"[~&|^]|<<|>>")
FLOAT = re.compile(r"\bf\d\d\b|\d\.\d|1e-")
BINARY = ["+", "-", "*", "/", "//", "%", "&", "|", "^"]
COMPARISONS = ["==", "!=", "<", "<=", ">", ">="]
UNARY = ["-{}", "+{}", "~{}", "not {}", "abs({})", "int({})", "float({})", "round({})", "bool({})", "{} ** 2", "{} ** 3", "2 ** ({} % 5)",
         "{} << 3", "{} >> 2", "1 << ({} % 7)", "{} * 2", "{} * 2.0", "{} + 1", "{} / 2", "{} // 3", "{} % 3", "{} & 255", "{} > 0",
         "{} == 1.5", "math.sqrt(abs({}))", "math.sin({})", "math.floor({} / 4) * 1.0", "math.fabs({})"]
FUNCTIONS = ["min({}, {})", "max({}, {})", "divmod({}, {})[0]", "divmod({}, {})[1]", "({0} if {0} > {1} else {1})", "({} and {})",
             "({} or {})", "math.atan2({}, {})", "math.copysign({}, {})", "math.hypot({}, {})", "{} ** ({} % 3)"]
LITERALS = ["0", "1", "3", "255", "-7", "0.5", "2.0", "1e-3", "4294967295", "True", "(1 << 63)", "(2 ** 10 - 1)"]
SMALL_LITERALS = [text for text in LITERALS if text != "(1 << 63)"]  # Numba takes what only a u64 holds for either sign in larger expressions
WHOLE_LITERALS = [text for text in SMALL_LITERALS if "." not in text and "e-" not in text]


def function(*lines):
    return f"def f({', '.join(TYPES).replace('bool', 'b')}):\n" + "".join(f"    {line}\n" for line in lines)


def name(kind):
    return "b" if kind == "bool" else kind


def is_expression(text):
    return text.count("\n") == 2


def as_one(functions):
    """A function that returns the results of all, which return an expression each; one alone may be more."""
    if len(functions) == 1 and not is_expression(functions[0]):
        start, result = functions[0].rsplit("return ", 1)
        return f"{start}return ({result.strip()},)\n"
    head = functions[0].split("\n", 1)[0]
    return head + "\n    return (" + "".join(text.split("return ", 1)[1].strip() + ", " for text in functions) + ")\n"


def table():
    """Every operator and function on every type and pair of types, and on pairs with a literal. Of what only integers have, no floats."""
    return [text for text in all_texts() if not (ONLY_OF_INTEGERS.search(text) and FLOAT.search(text.split(":", 1)[1]))]


def all_texts():
    texts = []
    for a in TYPES:
        texts += [form.format(name(a)) for form in UNARY]
        texts += [f"{CAST[to]}({name(a)})" for to in TYPES if not (a[0] == "f" and to[0] in "iu")]
        for b in TYPES:
            texts += [f"{name(a)} {op} {name(b)}" for op in BINARY + COMPARISONS]
            texts += [form.format(name(a), name(b)) for form in FUNCTIONS]
            texts += [f"{name(a)} {op} ({name(b)} & 7)" for op in ("<<", ">>") if "f" not in a + b]
        for literal in LITERALS:
            texts += [f"{name(a)} {op} {literal}" for op in ("+", "*", "/", "//", "<", "==", "&")]
            texts += [f"min({name(a)}, {literal})", f"({name(a)} if b else {literal})"]
    functions = [function(f"return {text}") for text in texts]
    for a in TYPES:  # what a variable becomes that is assigned both
        for b in TYPES:
            functions.append(function(f"x = {name(a)}", "if i8 > 5:", f"    x = {name(b)}", "return x"))
            functions.append(function(f"x = {name(a)}", f"x = x + {name(b)}", "return x"))
            functions.append(function(f"s = {name(a)}", "for k in range(3):", f"    s += {name(b)}", "return s"))
    return functions


class Writer:
    """A random function. Bitwise operators and shifts stand among integers alone, and counts of shifts are small. Numba gives each
    assignment a type of its own, pykc only where all uses of a name lie in one suite (2.19): in functions with branches and loops each
    variable keeps the type that it is given."""

    def __init__(self, rng):
        self.rng = rng
        self.names = [name(t) for t in TYPES]
        self.kept = {}  # variable -> type

    def integer(self, depth):
        rng = self.rng
        if depth <= 0 or rng.random() < 0.15:
            names = [name(t) for t in TYPES if t[0] != "f"]
            return rng.choice(names) if rng.random() < 0.75 else rng.choice(WHOLE_LITERALS)
        left, right = self.integer(depth - 1), self.integer(depth - 1)
        choice = rng.random()
        if choice < 0.7:
            return f"({left} {rng.choice([op for op in BINARY if op != '/'])} {right})"
        if choice < 0.8:
            return rng.choice(["(-{})", "(~{})", "abs({})", "int({})"]).format(left)
        if choice < 0.9:
            return f"({left} {rng.choice(['<<', '>>'])} {rng.randint(0, 20)})"
        return f"{CAST[rng.choice([t for t in TYPES if t[0] != 'f'])]}({left})"

    def expression(self, depth):
        rng = self.rng
        if depth <= 0 or rng.random() < 0.15:
            return rng.choice(self.names) if rng.random() < 0.75 else rng.choice(SMALL_LITERALS)
        if rng.random() < 0.2:
            return self.integer(depth)
        left, right = self.expression(depth - 1), self.expression(depth - 1)
        choice = rng.random()
        if choice < 0.6:
            return f"({left} {rng.choice(['+', '-', '*', '/', '//', '%'])} {right})"
        if choice < 0.7:
            return rng.choice(["min({}, {})", "max({}, {})"]).format(left, right)
        if choice < 0.8:
            return f"({left} if {self.condition(depth - 1)} else {right})"
        if choice < 0.9:
            return rng.choice(["(-{})", "abs({})", "int(bool({}))", "bool({})"]).format(left)
        return f"{CAST[rng.choice(['bool', 'f32', 'f64'])]}({left})"

    def condition(self, depth):
        return f"{self.expression(depth)} {self.rng.choice(COMPARISONS)} {self.expression(depth)}"

    def value(self, variable, depth):
        """An expression of the type that the variable keeps."""
        kind = self.kept[variable]
        return f"{CAST[kind]}({self.expression(depth) if kind[0] == 'f' else self.integer(depth)})"

    def statements(self, depth, indent):
        rng, lines = self.rng, []
        for _ in range(rng.randint(1, 3)):
            choice = rng.random()
            target = rng.choice(["x", "y", "z"])
            if choice < 0.45 or depth == 0:
                lines.append(f"{indent}{target} = {self.value(target, 2)}")
            elif choice < 0.65:
                operator, right = rng.choice(["+", "-", "*"]), self.value(target, 1)
                keeps = self.kept[target] in ("i64", "u64", "f32", "f64")
                changed = f"{target} {operator}= {right}" if keeps else f"{target} = {CAST[self.kept[target]]}({target} {operator} {right})"
                lines.append(indent + changed)
            elif choice < 0.85:
                lines.append(f"{indent}if {self.condition(1)}:")
                lines += self.statements(depth - 1, indent + "    ")
                if rng.random() < 0.5:
                    lines.append(f"{indent}else:")
                    lines += self.statements(depth - 1, indent + "    ")
            else:
                lines.append(f"{indent}for k{depth} in range({rng.randint(1, 4)}):")
                lines += self.statements(depth - 1, indent + "    ")
        return lines

    def function(self):
        choice = self.rng.random()
        if choice < 0.5:
            return function(f"return {self.expression(3)}")
        variables, result = ["x", "y", "z"], f"return {self.rng.choice(['x', 'y', 'z', 'x + y', 'x * z'])}"
        if choice < 0.6:  # a line: each assignment may change the type
            starts = [f"{variable} = {self.expression(1)}" for variable in variables]
            self.names += variables
            changes = [f"{self.rng.choice(variables)} = {self.expression(2)}" for _ in range(4)]
            return function(*starts, *changes, result)
        self.kept = {variable: self.rng.choice(TYPES[1:]) for variable in variables}
        starts = [f"{variable} = {self.value(variable, 1)}" for variable in variables]
        self.names += variables
        return function(*starts, *self.statements(2, ""), result)


def random_functions(rng, count):
    return [Writer(rng).function() for _ in range(count)]
