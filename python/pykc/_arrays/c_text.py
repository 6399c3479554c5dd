"""Bodies of kernels as CuPy has them, in CUDA C, as text of the language: assignments, declarations, `if`, loops,
atomic operations, and the expressions of C but for pointers. Operators mean what they mean in C; numbers that are
spelled out take the type of what they meet, and types meet by the language's rules."""
from __future__ import annotations

import re
from typing import NamedTuple

_TOKENS = re.compile(r"""\s*(?:(?P<number>(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[fFuUlL]*)
    |(?P<name>[A-Za-z_]\w*(?:::\w+)?)
    |(?P<operator><<=|>>=|\+\+|--|->|\*\*|[-+*/%&|^]=|==|!=|<=|>=|&&|\|\||<<|>>|[-+*/%&|^~!<>=?:;,.(){}\[\]]))""",
                     re.VERBOSE)
_COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/|#\s*pragma[^\n]*", re.DOTALL)
_BINARY = {"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, "<=": 7, ">": 7, ">=": 7, "<<": 8,
           ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10}
_WORDS = {"||": "or", "&&": "and"}
_FUNCTIONS = {"/": "c_quotient", "%": "c_rest"}
TYPES = {"bool": "bool", "char": "i8", "short": "i16", "int": "i32", "long": "i64", "long long": "i64",
         "unsigned": "u32", "unsigned int": "u32", "unsigned char": "u8", "unsigned short": "u16",
         "unsigned long": "u64", "unsigned long long": "u64", "size_t": "u64", "ptrdiff_t": "i64", "float": "f32",
         "double": "f64", **{f"{sign}int{bits}{end}": f"{kind}{bits}" for sign, kind in (("", "i"), ("u", "u"))
                             for bits in (8, 16, 32, 64) for end in ("", "_t")},
         "float16": "f16", "float32": "f32", "float64": "f64", "complex<float>": "c64", "complex<double>": "c128",
         "complex64": "c64", "complex128": "c128"}
_MATH = """sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log log2 log10 log1p
    sqrt cbrt pow hypot fmod remainder floor ceil trunc rint round copysign fmin fmax erf erfc tgamma lgamma isnan isinf
    isfinite fma rsqrt ldexp""".split()
_CALLS = {**{name: f"math.{name}" for name in _MATH}, **{f"{name}f": f"math.{name}" for name in _MATH},
          "round": "c_round", "roundf": "c_round", "rint": "np.rint", "rintf": "np.rint", "tgamma": "math.gamma",
          "tgammaf": "math.gamma", "fabs": "abs", "fabsf": "abs", "abs": "abs", "min": "min", "max": "max",
          "floor": "np.floor", "floorf": "np.floor", "ceil": "np.ceil", "ceilf": "np.ceil", "trunc": "np.trunc",
          "truncf": "np.trunc", "isnan": "math.isnan", "fmin": "np.fmin", "fmax": "np.fmax", "fminf": "np.fmin",
          "fmaxf": "np.fmax", "rsqrt": "rsqrt", "rsqrtf": "rsqrt", "fma": "fma", "fmaf": "fma", "__expf": "math.exp",
          "__logf": "math.log", "__sinf": "math.sin", "__cosf": "math.cos", "signbit": "np.signbit"}

_ATOMICS = {"atomicAdd": "add", "atomicSub": "sub", "atomicMax": "max", "atomicMin": "min", "atomicAnd": "and_",
            "atomicOr": "or_", "atomicXor": "xor", "atomicExch": "exch"}

#: What the translated text calls.
PRELUDE = """import math
import numpy as np


def c_quotient(a, b):
    if isinstance(a, int) and isinstance(b, int):
        quotient = a // b
        return quotient + 1 if quotient < 0 and quotient * b != a else quotient
    return a / b


def c_rest(a, b):
    rest = a % b
    return rest - b if rest != 0 and (a < 0) != (b < 0) else rest


def c_round(x):
    return math.copysign(np.floor(abs(x) + 0.5), x)


"""


class CBody(NamedTuple):
    """A body as text of the language, and the names that it reads, assigns, or assigns on some paths alone."""
    text: str
    reads: frozenset[str]
    assigns: frozenset[str]
    has_branches: bool


def translated(text: str, types: dict[str, str], known: set[str], functions: set[str]) -> CBody:
    """The text of a body. TYPES are those of letters, KNOWN the names of parameters, FUNCTIONS those that a preamble
    defines."""
    return _Parser(text, types, known, functions).body()


def translated_expression(text: str, types: dict[str, str], known: set[str], functions: set[str]) -> str:
    parser = _Parser(text, types, known, functions)
    found = parser.expression()
    if parser.token is not None:
        parser.fail(f"`{parser.token}` behind an expression")
    return found


class _Parser:
    def __init__(self, text: str, types: dict[str, str], known: set[str], functions: set[str]):
        self.text = _COMMENTS.sub(" ", text)
        self.types = {**TYPES, **types}
        self.known, self.functions = set(known), functions
        self.reads: set[str] = set()
        self.assigns: set[str] = set()
        self.has_branches = False
        self.steps: list[list[str]] = []  # of the loops around, what `continue` has yet to do
        self.tokens = list(self._tokens())
        self.at = 0

    def _tokens(self):
        at = 0
        while self.text[at:].strip():
            match = _TOKENS.match(self.text, at)
            if match is None:
                self.fail(f"`{self.text[at:].strip()[:10]}`")
            yield match.group().strip()
            at = match.end()

    def fail(self, what: str, instead: str = "write a kernel under @pykc.kernel instead"):
        raise NotImplementedError(f"{what} in `{self.text.strip()}`: {instead}. Bodies have assignments, declarations, "
                                  "`if`, loops, atomic operations as statements, and expressions of CUDA C without "
                                  "pointers")

    @property
    def token(self) -> str | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def peek(self, distance: int) -> str | None:
        return self.tokens[self.at + distance] if self.at + distance < len(self.tokens) else None

    def take(self, expected: str | None = None) -> str:
        token = self.token
        if token is None or expected is not None and token != expected:
            self.fail(f"`{token}`" if token else "the end",
                      f"`{expected}` belongs there" if expected else "it goes on there")
        self.at += 1
        return token

    def takes(self, token: str) -> bool:
        if self.token != token:
            return False
        self.at += 1
        return True

    # --- statements ---------------------------------------------------------------------------------------------------

    def body(self) -> CBody:
        lines: list[str] = []
        while self.token is not None:
            lines += self.statement()
        return CBody("\n".join(lines) or "pass", frozenset(self.reads), frozenset(self.assigns), self.has_branches)

    def statement(self) -> list[str]:
        if self.takes(";"):
            return []
        if self.takes("{"):
            lines = []
            while not self.takes("}"):
                lines += self.statement()
            return lines or ["pass"]
        if self.takes("if"):
            return self.branch()
        if self.token in ("for", "while"):
            return self.loop()
        if self.token in ("break", "continue") and self.steps:
            jump = self.take()
            self.take(";")
            return [*(self.steps[-1] if jump == "continue" else ()), jump]
        if self.token in ("do", "switch", "return", "continue", "break", "goto"):
            self.fail(f"`{self.token}`")
        if self.token in _ATOMICS:
            return [self.atomic()]
        declared = self.type_here()
        lines = []
        while True:
            lines.append(self.assignment(declared))
            if not self.takes(","):
                break
        if self.token is not None:
            self.take(";")
        return lines

    def branch(self) -> list[str]:
        self.has_branches = True
        self.take("(")
        lines = [f"if {self.expression()}:"]
        self.take(")")
        lines += [f"    {line}" for line in self.statement() or ["pass"]]
        if self.takes("else"):
            lines += ["else:", *(f"    {line}" for line in self.statement() or ["pass"])]
        return lines

    def loop(self) -> list[str]:
        """`while`; a `for` is one that takes its step where a turn ends."""
        self.has_branches = True
        begin: list[str] = []
        step: list[str] = []
        is_for = self.take() == "for"
        self.take("(")
        if is_for:
            begin = self.statement()
        condition = "True" if is_for and self.token == ";" else self.expression()
        if is_for:
            self.take(";")
            while self.token != ")":
                step.append(self.assignment(None))
                self.takes(",")
        self.take(")")
        self.steps.append(step)
        lines = [*begin, f"while {condition}:", *(f"    {line}" for line in [*self.statement(), *step] or ["pass"])]
        self.steps.pop()
        return lines

    def atomic(self) -> str:
        """`atomicAdd(&y[k], x);` of an element of a raw array, whose old value nothing asks for."""
        self.has_branches = True
        operation = _ATOMICS[self.take()]
        self.take("(")
        self.take("&")
        name = self.take()
        if name not in self.known:
            self.fail(f"`{name}`, which is no parameter,")
        self.assigns.add(name)
        index = self.index()
        self.take(",")
        value = self.expression()
        self.take(")")
        if self.token is not None:
            self.take(";")
        return f"atomic.{operation}({name}, {index}, {value})"

    def type_here(self) -> str | None:
        """The type of a declaration that begins here, "" for auto; nothing where none does."""
        start = self.at
        while self.token == "const":
            self.at += 1
        for length in (4, 3, 2, 1):
            words = "".join if "<" in self.tokens[self.at:self.at + length] else " ".join
            text = words(self.tokens[self.at:self.at + length])
            following = self.peek(length)
            if (text in self.types or text == "auto") and following is not None and re.match(r"[A-Za-z_]", following):
                self.at += length
                return self.types.get(text, "")
        self.at = start
        return None

    def assignment(self, declared: str | None) -> str:
        if self.token in ("++", "--"):
            step = self.take()
            return f"{self.place()} {step[0]}= 1"
        if declared is not None:
            name = self.take()
            if name == "i":
                self.fail("`i`, which is the index of the element,", "declare another name")
            self.known.add(name)
            annotation = f": {declared}" if declared else ""
            value = self.expression() if self.takes("=") else "0"
            return f"{name}{annotation} = {value}"
        target = self.place()
        operator = self.take() if self.token is not None else self.fail("an expression that does nothing", "assign it")
        if operator in ("++", "--"):
            return f"{target} {operator[0]}= 1"
        if operator == "=":
            return f"{target} = {self.expression()}"
        if operator not in ("+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="):
            self.fail(f"`{operator}`")
        name = re.match(r"\w+", target).group()
        self.reads.add(name)
        value = self.expression()
        if operator in ("/=", "%="):
            return f"{target} = {_FUNCTIONS[operator[0]]}({target}, {value})"
        return f"{target} {operator} {value}"

    def place(self) -> str:
        name = self.take()
        if not re.match(r"[A-Za-z_]", name):
            self.fail(f"`{name}`")
        if name not in self.known:
            self.fail(f"`{name}`, which nothing declares,", "declare it: `float " + name + " = …;`")
        self.assigns.add(name)
        return f"{name}[{self.index()}]" if self.token == "[" else name

    # --- expressions --------------------------------------------------------------------------------------------------

    def expression(self) -> str:
        condition = self.binary(1)
        if not self.takes("?"):
            return condition
        first = self.expression()
        self.take(":")
        return f"({first} if {condition} else {self.expression()})"

    def binary(self, least: int) -> str:
        left = self.unary()
        while self.token in _BINARY and _BINARY[self.token] >= least or self.token == "**":
            operator = self.take()
            if operator == "**":
                self.fail("`**`", "write pow(x, y)")
            right = self.binary(_BINARY[operator] + 1)
            if operator in _WORDS:  # true or false, whereas Python's give the value of a side
                left = f"(bool({left}) {_WORDS[operator]} bool({right}))"
            elif operator in _FUNCTIONS:
                left = f"{_FUNCTIONS[operator]}({left}, {right})"
            else:
                left = f"({left} {operator} {right})"
        return left

    def unary(self) -> str:
        if self.token in ("-", "+", "~"):
            return f"({self.take()}{self.unary()})"
        if self.takes("!"):
            return f"(not {self.unary()})"
        if self.token in ("*", "&", "++", "--"):
            self.fail(f"`{self.token}` before a value")
        if self.token == "(":
            cast = self.cast()
            if cast is not None:
                return f"{cast}({self.unary()})"
        return self.postfix()

    def cast(self) -> str | None:
        for length in (4, 3, 2, 1):
            words = self.tokens[self.at + 1:self.at + 1 + length]
            text = ("".join if "<" in words else " ".join)(words)
            if text in self.types and self.peek(length + 1) == ")":
                self.at += length + 2
                return self.types[text]
        return None

    def postfix(self) -> str:
        token = self.take()
        if token == "(":
            inner = self.expression()
            self.take(")")
            return f"({inner})"
        if token[0].isdigit() or token[0] == ".":
            return _number(token)
        if not re.match(r"[A-Za-z_]", token):
            self.fail(f"`{token}`")
        if token in ("true", "false"):
            return token.capitalize()
        if token == "static_cast":
            return self.static_cast()
        if token == "_ind" and self.peek(1) == "size":
            for expected in (".", "size", "(", ")"):
                self.take(expected)
            self.reads.add("_ind")
            return "_size"
        if self.token == "(":
            return self.call(token)
        if token not in self.known:
            self.fail(f"`{token}`, which is no parameter,")
        self.reads.add(token)
        if self.token == "[":
            return f"{token}[{self.index()}]"
        if self.token in (".", "->"):
            self.fail(f"`{self.token}`")
        return token

    def index(self) -> str:
        self.take("[")
        inner = self.expression()
        self.take("]")
        return inner

    def static_cast(self) -> str:
        self.take("<")
        words = []
        while self.token != ">":
            words.append(self.take())
        self.take(">")
        type_ = self.types.get(" ".join(words))
        if type_ is None:
            self.fail(f"the type `{' '.join(words)}`")
        self.take("(")
        inner = self.expression()
        self.take(")")
        return f"{type_}({inner})"

    def call(self, name: str) -> str:
        name = name.removeprefix("std::").removeprefix("thrust::")
        found = name if name in self.functions else self.types.get(name) or _CALLS.get(name)
        if found is None:
            self.fail(f"the function `{name}`, which `math.h` has not,",
                      "define it in `preamble`, in the language of kernels")
        self.take("(")
        arguments = []
        while not self.takes(")"):
            arguments.append(self.expression())
            if self.token != ")":
                self.take(",")
        return f"{found}({', '.join(arguments)})"


def _number(token: str) -> str:
    if token[:2] in ("0x", "0X"):
        return token.rstrip("uUlL")
    text = token.rstrip("fFuUlL")
    is_float = any(character in text for character in ".eE") or token[-1] in "fF"
    if not is_float:
        return str(int(text, 8)) if text[0] == "0" and len(text) > 1 else text
    return repr(float(text))
