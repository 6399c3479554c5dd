"""Expressions of CUDA C as text of the language. Operators mean what they mean in C; numbers that are spelled out take
the type of what they meet, and types meet by the language's rules."""
from __future__ import annotations

import ast
import re
from typing import Callable, NamedTuple

from .c_names import ARITHMETIC, ATOMICS, CALLS, COMPARISONS, CONSTANTS, SHIFTS, SIZES, TAKEN, TYPES

_TOKENS = re.compile(r"""\s*(?:(?P<number>(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[fFuUlL]*)
    |(?P<name>[A-Za-z_]\w*(?:::\w+)?) | (?P<character>'(?:\\.|[^'\\])') | (?P<text>"[^"]*")
    |(?P<operator><<=|>>=|\+\+|--|->|\*\*|[-+*/%&|^]=|==|!=|<=|>=|&&|\|\||<<|>>|[-+*/%&|^~!<>=?:;,.(){}\[\]]))""",
                     re.VERBOSE)
_COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/|#\s*pragma[^\n]*", re.DOTALL)
_BINARY = {"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, "<=": 7, ">": 7, ">=": 7, "<<": 8,
           ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10}
_PLACE = ["[", "_ind", ".", "get", "(", ")", "]"]
_WORDS = {"||": "or", "&&": "and"}
_SPELLED = {"and": "&&", "or": "||", "not": "!"}
_FUNCTIONS = {"/": "c_quotient", "%": "c_rest"}
DTYPE = ".dtype"  # behind the name of a parameter, the type that a template has for it


class Callee(NamedTuple):
    """A function of the preamble: the places of the pointers that it takes, and of what it assigns; no places of these:
    it returns a value."""
    pointers: frozenset[int] = frozenset()
    references: frozenset[int] | None = None


Functions = dict[str, Callee]


def spelled(name: str) -> str:
    """A name of C as the text of the language has it."""
    return f"{name}_" if name in TAKEN else name


class Expressions:
    """Reads a text; what it has declared so far is known to the expressions."""

    def __init__(self, text: str, types: dict[str, str], known: set[str], functions: Functions, rank: int,
                 arrays: set[str] = frozenset()):
        self.text = _COMMENTS.sub(" ", text)
        self.types = {**TYPES, **types}
        self.functions, self.rank = functions, rank
        self.blocks = [{name: name for name in known}]  # what is declared in each block around, by its name in the text
        self.given = set(known) | set(functions)  # the names that the text has
        self.reads: set[str] = set()
        self.assigns: set[str] = set()
        self.alike: set[str] = set()
        self.pointers = set(arrays)  # the names in the text of arrays, and of parts that begin at an element
        self.counts: dict[str, int] = {}  # of the elements of the body's own arrays
        self.axes: dict[str, int] = {}  # of arrays that are indexed by one of those; 0 by a number
        self.has_branches = False
        self.later: list[str] | None = None  # what `x[k++]` has yet to do behind a statement; None: none may stand here
        self.returns: str | None = None  # the type of the function that is read
        self.steps: list[list[str] | None] = []  # of the loops around, what `continue` has yet to do; None: a `switch`
        self.tokens = list(self._tokens())
        self.at = 0

    def _tokens(self):
        at = 0
        while self.text[at:].strip():
            match = _TOKENS.match(self.text, at)
            if match is None:
                self.fail(f"`{self.text[at:].strip()[:10]}`")
            token = match.group().strip()
            if match["name"]:
                token = token.removeprefix("std::").removeprefix("thrust::")
                token = _SPELLED.get(token) or spelled(token)
            elif match["character"]:
                token = str(ord(ast.literal_eval(token)))
            yield token
            at = match.end()

    def fail(self, what: str, instead: str = "write a kernel under @pykc.kernel instead"):
        raise NotImplementedError(f"{what} in `{self.text.strip()}`: {instead}. Bodies have assignments, declarations, "
                                  "`if`, loops, atomic operations, and expressions of CUDA C with "
                                  "pointers to elements of raw arrays")

    def followed_by(self, text: str) -> Expressions:
        """The parser of a text that stands behind this one."""
        parser = type(self)(text, self.types, set(), self.functions, self.rank)
        parser.blocks, parser.given = self.blocks, self.given
        parser.counts, parser.axes, parser.pointers = self.counts, self.axes, self.pointers
        return parser

    def declared(self, name: str) -> str:
        """The name in the text of what is declared here, another one where the text has had this one."""
        block = self.blocks[-1]
        found = name
        while name not in block and (found in self.given or found != name and found in self.tokens):
            found = f"{found}_"
        self.given.add(found)
        block[name] = found
        return found

    def known(self, name: str) -> str | None:
        """The name in the text of what is declared around."""
        return next((block[name] for block in reversed(self.blocks) if name in block), None)

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

    def listed(self, end: str) -> list[str]:
        values = []
        while not self.takes(end):
            values.append(self.expression())
            if self.token != end:
                self.take(",")
        return values

    def expression(self) -> str:
        condition = self.binary(1)
        if not self.takes("?"):
            return condition
        first = self.perhaps(self.expression)
        self.take(":")
        return f"({first} if {condition} else {self.perhaps(self.expression)})"

    def perhaps(self, part: Callable[..., str], *arguments) -> str:
        """A part that is not always evaluated, in which nothing may be stepped."""
        later, self.later = self.later, None
        found = part(*arguments)
        self.later = later
        return found

    def binary(self, least: int) -> str:
        left = self.unary()
        while self.token in _BINARY and _BINARY[self.token] >= least or self.token == "**":
            operator = self.take()
            if operator == "**":
                self.fail("`**`", "write pow(x, y)")
            least_right = _BINARY[operator] + 1
            right = self.perhaps(self.binary, least_right) if operator in _WORDS else self.binary(least_right)
            if operator in _WORDS:  # true or false, whereas Python's give the value of a side
                left = f"(bool({left}) {_WORDS[operator]} bool({right}))"
            else:
                left = operation(operator, left, right)
        return left

    def unary(self) -> str:
        if self.takes("~"):
            inner = self.unary()
            return f"(~{inner})" if _is_number(inner) else f"c_inverse({inner})"
        if self.token in ("-", "+"):
            return f"({self.take()}{self.unary()})"
        if self.takes("!"):
            return f"(not {self.unary()})"
        if self.takes("*"):
            return self.pointed()
        if self.token in ("&", "++", "--"):
            self.fail(f"`{self.token}` before a value")
        if self.token == "(":
            cast = self.cast()
            if cast is not None:
                return in_type(cast, self.unary())
        value = self.postfix()
        while self.token == "." and self.peek(1) in ("real", "imag") and self.peek(2) == "(":
            self.take()
            value += f".{self.take()}"
            self.take("(")
            self.take(")")
        return value

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
        if token == "sizeof":
            return self.size()
        if token == "_ind":
            return self.of_the_index()
        if token in ATOMICS:
            self.at -= 1
            return self.atomic()
        if token == "nan" and self.token == "(" and (self.peek(1) or "").startswith('"'):
            self.at += 2
            self.take(")")
            return "math.nan"
        if token == "complex" and self.token == "<":
            self.at -= 1
            token = "".join(self.tokens[self.at:self.at + 4])
            self.at += 4
        if self.token == "(":
            return self.call(token)
        if token in CONSTANTS and self.known(token) is None:
            return str(CONSTANTS[token])
        token = self.known(token) or self.fail(f"`{token}`, which is no parameter,")
        self.reads.add(token)
        if self.token in ("++", "--") and self.later is not None:
            step = f"{token} {self.take()[0]}= 1"
            if any(line.startswith(f"{token} ") for line in self.later):
                self.fail(f"`{token}`, which is stepped twice")
            self.assigns.add(token)
            self.later.append(step)
            return token
        if self.token == "[":
            return self.element(token)
        if self.token == "." and self.peek(1) == "size":
            for expected in (".", "size", "(", ")"):
                self.take(expected)
            return f"{token}.size"
        if token in self.pointers and token not in self.counts:
            self.fail(f"the pointer `{token}`", f"read an element of it, `{token}[0]`, or pass it to a function")
        if self.token == "->" or self.token == "." and self.peek(2) != "(":
            self.fail(f"`{self.token}`")
        return token

    def atomic(self) -> str:
        """`atomicAdd(&y[k], x)` of an element of a raw array: its old value."""
        self.has_branches = True
        operation = ATOMICS[self.take()]
        self.take("(")
        name, index = self.pointer() or self.fail(f"`{self.token}`", "name an element of an array: `&x[k]`")
        self.assigns.add(name)
        values = []
        while self.takes(","):
            values.append(self.expression())
        self.take(")")
        return f"atomic.{operation}({', '.join([name, f'({index or 0})', *values])})"

    def pointer(self) -> tuple[str, str] | None:
        """A pointer that stands here, as an array and the index of an element, none for the first: `&x[k]`, `x + k`;
        nothing where none does."""
        start = self.at
        if self.takes("&"):
            name = self.known(self.take())
            if name in self.pointers and self.token == "[":
                return name, self.index_of(name)
            self.at = start
            return None
        if self.takes("("):
            found = self.pointer()
            if found is None or not self.takes(")"):
                self.at = start
                return None
        else:
            name = self.known(self.token or "")
            if name not in self.pointers or self.peek(1) in ("[", ".", "->"):
                return None
            self.at += 1
            found = name, ""
        while self.token in ("+", "-"):
            sign = self.take()
            offset = self.binary(10)
            found = found[0], f"{found[1]} {sign} {offset}" if found[1] or sign == "-" else offset
        self.reads.add(found[0])
        return found

    def part(self) -> str | None:
        """A pointer that stands here, as the part of the array that begins there."""
        found = self.pointer()
        return found and (f"{found[0]}[{found[1]}:]" if found[1] else found[0])

    def pointed(self) -> str:
        """The element behind `*`."""
        name = self.known(self.token or "")
        if name in self.pointers:
            self.at += 1
            self.reads.add(name)
            return f"{name}[0]"
        found = self.pointer() if self.takes("(") else None
        if found is None:
            self.fail(f"`*{self.token}`", "it is no pointer")
        self.take(")")
        return f"{found[0]}[{found[1] or 0}]"

    def of_the_index(self) -> str:
        """`_ind.size()`, `_ind.ndim`, `_ind.get()[1]`."""
        self.reads.add("_ind")
        self.take(".")
        asked = self.take()
        if asked == "ndim":
            return str(self.rank)
        if asked not in ("size", "get"):
            self.fail(f"`_ind.{asked}`")
        self.take("(")
        self.take(")")
        if asked == "size":
            return "__size"
        text = self.index()
        if not re.fullmatch(r"[-+\d ()]+", text):
            self.fail(f"`_ind.get()[{text}]`", "the axis is a number, or one less `_ind.ndim`")
        axis = eval(text)
        return f"__i{axis}" if 0 <= axis < self.rank else self.fail(f"the axis {axis} of an index of {self.rank}")

    def element(self, name: str) -> str:
        """`x[k]`, or `x[_ind.get()]`, at the place of the loop in an array of its shape."""
        if self.tokens[self.at:self.at + len(_PLACE)] != _PLACE:
            index = self.index_of(name)
            while self.token == "[":
                index += f", {self.index()}"
            return f"{name}[{index}]"
        self.at += len(_PLACE)
        self.alike.add(name)
        self.reads.add("i")
        return f"{name}[i]"

    def index_of(self, name: str) -> str:
        """`[k]`, or `[place]` of an array with an index for each axis: `int place[] = {k, l};`"""
        index = self.index()
        count = self.counts.get(index, 0)
        if self.axes.setdefault(name, count) != count:
            self.fail(f"`{name}[{index}]`, which is indexed in another way before", "index it by numbers alone")
        return ", ".join(f"{index}[{axis}]" for axis in range(count)) or index

    def index(self) -> str:
        self.take("[")
        inner = self.expression()
        self.take("]")
        return inner

    def size(self) -> str:
        """`sizeof(int)`"""
        type_ = self.cast() if self.token == "(" else None
        if type_ not in SIZES:
            self.fail("`sizeof` of what is no type")
        return f"u64({SIZES[type_]})"

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
        return in_type(type_, inner)

    def call(self, name: str) -> str:
        if name in self.functions and self.functions[name].references is not None:
            self.fail(f"`{name}`, which returns nothing, as a value")
        found = name if name in self.functions else self.types.get(name) or CALLS.get(name)
        if found is None:
            self.fail(f"the function `{name}`, which `math.h` has not,",
                      "define it in `preamble`, in the language of kernels")
        self.take("(")
        values = self.arguments(self.functions[name]) if name in self.functions else self.listed(")")
        return in_type(found, ", ".join(values))

    def arguments(self, callee: Callee) -> list[str]:
        values: list[str] = []
        while not self.takes(")"):
            is_reference = callee.references is not None and len(values) in callee.references
            values.append(self.place() if is_reference else self.part() or self.expression())
            if len(values) - 1 in callee.pointers and values[-1].partition("[")[0] not in self.pointers:
                self.fail(f"`{values[-1]}`, which is no pointer,", "pass the element of an array: `&x[k]`")
            if self.token != ")":
                self.take(",")
        return values


def in_type(type_: str, value: str) -> str:
    """The value in a type."""
    return f"c_as({type_.removesuffix(DTYPE)}, {value})" if type_.endswith(DTYPE) else f"{type_}({value})"


def _number(token: str) -> str:
    """A number, with the type that its ending says."""
    is_hexadecimal = token[:2] in ("0x", "0X")
    text = token.rstrip("uUlL" if is_hexadecimal else "fFuUlL")
    if not is_hexadecimal:
        if any(character in text for character in ".eE") or token[-1] in "fF":
            return repr(float(text))
        text = str(int(text, 8)) if text[0] == "0" and len(text) > 1 else text
    ending = token[len(text):].lower() if is_hexadecimal else token.lstrip("0123456789").lower()
    type_ = ("u" if "u" in ending else "i") + ("64" if "l" in ending else "32")
    return f"{type_}({text})" if ending else text


def _is_number(text: str) -> bool:
    return re.fullmatch(r"\(?-?(\d+|0[xX][\da-fA-F]+)\)?", text) is not None


def operation(operator: str, left: str, right: str) -> str:
    """Two values by an operator of C. Where one may have no sign, a function converts them as C does."""
    if operator in _FUNCTIONS:
        return f"{_FUNCTIONS[operator]}({left}, {right})"
    has_unsigned = "u32(" in left + right or "u64(" in left + right
    is_plain = any(re.fullmatch(r"\d+|\d*\.\d*(e[-+]?\d+)?", side) for side in (left, right))
    if operator in COMPARISONS and (has_unsigned or not is_plain) or has_unsigned:
        functions = {**COMPARISONS, **ARITHMETIC, **SHIFTS}
        # A number that is spelled out is an `int` where it fits one.
        sides = (f"i32({side})" if _is_number(side) and abs(eval(side)) < 2 ** 31 else side for side in (left, right))
        return f"{functions[operator]}({', '.join(sides)})"
    return f"({left} {operator} {right})"
