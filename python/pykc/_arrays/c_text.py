"""Bodies of kernels as CuPy has them, in CUDA C, as text of the language: assignments, declarations, `if`, loops,
jumps, atomic operations, and the expressions of C but for pointers; and functions of numbers. Operators mean what they
mean in C; numbers that are spelled out take the type of what they meet, and types meet by the language's rules."""
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
_MACROS = re.compile(r"^[ \t]*#define[ \t]+(\w+)(\([\w ,]*\))?(?!\w)[ \t]*((?:[^/\n]|/(?!/))*)(?://.*)?$",
                     re.MULTILINE)
_BINARY = {"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, "<=": 7, ">": 7, ">=": 7, "<<": 8,
           ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10}
_PLACE = ["[", "_ind", ".", "get", "(", ")", "]"]
_WORDS = {"||": "or", "&&": "and"}
_QUALIFIERS = ("__device__", "__host__", "__forceinline__", "__inline__", "inline", "static", "constexpr")
_SPELLED = {"and": "&&", "or": "||", "not": "!"}
_FUNCTIONS = {"/": "c_quotient", "%": "c_rest"}
_DTYPE = ".dtype"  # behind the name of a parameter, the type that a template has for it
#: Lines that `_expanded` of the kernels replaces: an element is done, with or without `after_loop`.
CONTINUE, RETURN = "<continue>", "<return>"


class CBody(NamedTuple):
    """A body as text of the language, what follows it, the names that it reads and assigns, those of arrays that it
    indexes as the loop goes, `x[_ind.get()]`, and how many axes those have that it indexes by an array of indices. The
    lines CONTINUE and RETURN stand for the end of an element."""
    text: str
    after: str
    reads: frozenset[str]
    assigns: frozenset[str]
    alike: frozenset[str]
    axes: dict[str, int]
    has_branches: bool


def translated(text: str, types: dict[str, str], known: set[str], functions: set[str], *, before: str = "",
               after: str = "", rank: int = 8) -> CBody:
    """The text of a body. TYPES are those of letters, KNOWN the names of parameters, FUNCTIONS those that a preamble
    defines; RANK is that of the index `_ind`."""
    parser = _Parser(f"{before}\n;{text}" if before else text, types, known, functions, rank)
    lines = parser.statements()
    behind = parser.followed_by(after).statements()
    return CBody("\n".join(lines) or "pass", "\n".join(behind), frozenset(parser.reads), frozenset(parser.assigns),
                 frozenset(parser.alike), {name: axes for name, axes in parser.axes.items() if axes},
                 parser.has_branches)


def translated_functions(text: str, types: dict[str, str]) -> tuple[str, set[str]]:
    """The text of `__device__` functions, and their names."""
    parser = _Parser(text, types, set(), set(), 0)
    lines: list[str] = []
    while parser.token is not None:
        lines += parser.function()
    return "\n".join(lines) + "\n", parser.functions


def with_macros(preamble: str, *texts: str) -> tuple[str, ...]:
    """The preamble without its macros, `#define K 3` and `#define SQUARE(x) ((x) * (x))`, and TEXTS, with what these
    stand for."""
    if re.search(r"^def ", preamble, re.MULTILINE):  # in the language of kernels, where they are comments
        return (preamble, *texts)
    preamble = preamble.replace("\\\n", " ")
    found = (_MACROS.sub("", preamble), *texts)
    for name, parameters, value in reversed(_MACROS.findall(preamble)):  # what one stands for has the names before it
        replaced = _called if parameters else _named
        found = tuple(replaced(text, name, parameters, value.strip()) for text in found)
    return found


def _named(text: str, name: str, _: str, value: str) -> str:
    return re.sub(rf"\b{name}\b", lambda _: value, text)


def _called(text: str, name: str, parameters: str, value: str) -> str:
    """The text with the VALUE in place of calls of a macro that has parameters."""
    names = [one.strip() for one in parameters[1:-1].split(",")]
    at = 0
    while call := re.compile(rf"\b{name}\s*\(").search(text, at):
        arguments, end = _arguments(text, call.end())
        given = dict(zip(names, arguments))
        body = re.sub(r"[A-Za-z_]\w*", lambda word: given.get(word[0], word[0]), value)
        text, at = text[:call.start()] + body + text[end:], call.start() + (len(body) if name in value else 0)
    return text


def _arguments(text: str, start: int) -> tuple[list[str], int]:
    """The arguments of a call, and the place behind it."""
    found, depth = [""], 0
    for place, character in enumerate(text[start:], start):
        if character == ")" and not depth:
            return [one.strip() for one in found], place + 1
        depth += (character in "([{") - (character in ")]}")
        found = [*found, ""] if character == "," and not depth else [*found[:-1], found[-1] + character]
    return found, len(text)


def spelled(name: str) -> str:
    """A name of C as the text of the language has it."""
    return f"{name}_" if name in TAKEN else name


def translated_expression(text: str, types: dict[str, str], known: set[str], functions: set[str]) -> str:
    parser = _Parser(text, types, known, functions, 0)
    found = parser.expression()
    if parser.token is not None:
        parser.fail(f"`{parser.token}` behind an expression")
    return found


class _Parser:
    def __init__(self, text: str, types: dict[str, str], known: set[str], functions: set[str], rank: int):
        self.text = _COMMENTS.sub(" ", text)
        self.types = {**TYPES, **types}
        self.functions, self.rank = functions, rank
        self.blocks = [{name: name for name in known}]  # what is declared in each block around, by its name in the text
        self.given = set(known) | functions  # the names that the text has
        self.reads: set[str] = set()
        self.assigns: set[str] = set()
        self.alike: set[str] = set()
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
                                  "`if`, loops, atomic operations, and expressions of CUDA C without "
                                  "pointers")

    def followed_by(self, text: str) -> _Parser:
        """The parser of a text that stands behind this one."""
        parser = _Parser(text, self.types, set(), self.functions, self.rank)
        parser.blocks, parser.given = self.blocks, self.given
        parser.counts, parser.axes = self.counts, self.axes
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

    def function(self) -> list[str]:
        """`__device__ float f(float x, int n) { … }`, or a template of types, `template <typename T> … T f(T x)`."""
        outer = self.types
        templates = self.template()
        self.types = {**outer, **{letter: letter for letter in templates}}
        while self.token in _QUALIFIERS:
            self.take()
        self.returns = self.type_here()
        if self.returns is None:
            self.fail(f"`{self.token}`", "a preamble has functions, `__device__ float f(float x) { return … }`, which "
                      "return a value, or text of the language of kernels, `def f(x): …`")
        name = self.take()
        self.functions.add(name)
        self.blocks, self.given = [{}], set(self.functions)
        self.take("(")
        parameters = []
        while not self.takes(")"):
            type_ = self.type_here()
            if not type_:
                self.fail(f"`{self.token}` as a type")
            parameter = self.declared(self.take())
            parameters.append(parameter if type_ in templates or type_.endswith(_DTYPE) else f"{parameter}: {type_}")
            if type_ in templates:  # the first parameter of a type tells which it is
                self.types[type_] = parameter + _DTYPE
            if self.token != ")":
                self.take(",")
        if self.token != "{":
            self.fail("a function without a body")
        for letter in templates:
            if self.types[letter] == letter:
                self.fail(f"the type `{letter}` of a template, which no parameter has,")
        self.returns = self.types.get(self.returns, self.returns)
        body = [f"    {line}" for line in self.statement()]
        self.types = outer
        return ["", f"def {name}({', '.join(parameters)}):", *body, ""]

    def template(self) -> list[str]:
        """The names of the types of `template <typename T, class U>`."""
        letters: list[str] = []
        while self.takes("template"):
            self.take("<")
            while not self.takes(">"):
                if self.take() not in ("typename", "class_"):
                    self.fail("a template of numbers")
                letters.append(self.take())
                self.takes(",")
        return letters

    # --- statements ---------------------------------------------------------------------------------------------------

    def statements(self) -> list[str]:
        lines: list[str] = []
        while self.token is not None:
            lines += self.statement()
        return lines

    def statement(self) -> list[str]:
        if self.takes(";"):
            return []
        if self.takes("{"):
            lines = []
            self.blocks.append({})
            while not self.takes("}"):
                lines += self.statement()
            self.blocks.pop()
            return lines or ["pass"]
        if self.takes("if"):
            return self.branch()
        if self.token in ("for", "while"):
            return self.loop()
        if self.takes("do"):
            return self.do()
        if self.token == "break" and self.steps and self.steps[-1] is not None:
            self.take()
            self.take(";")
            return ["break"]
        steps = [step for step in self.steps if step is not None]
        if self.token == "continue" and steps:
            self.take()
            self.take(";")
            return [*steps[-1], "continue"]
        if self.takes("switch"):
            return self.switch()
        if self.returns is not None and self.takes("return"):
            value = self.expression()
            self.take(";")
            return [f"return {_as(self.returns, value)}"]
        if self.token in ("continue", "return") and self.returns is None:
            self.has_branches = True
            jump = CONTINUE if self.take() == "continue" else RETURN
            self.take(";")
            return [jump]
        if self.takes("typedef"):
            type_ = self.type_here() or self.fail(f"`{self.token}` as a type")
            self.types = {**self.types, self.take(): type_}
            self.ends()
            return []
        if self.token in ("break", "continue", "goto", "using"):
            self.fail(f"`{self.token}`")
        if self.token in ATOMICS:
            lines = [self.atomic()]
            self.ends()
            return lines
        if self.token in ("sincos", "sincosf"):
            return self.sine_and_cosine()
        declared = self.type_here()
        lines = []
        while True:
            self.later = []
            lines += self.assignment(declared)
            lines += self.later
            if not self.takes(","):
                break
        self.later = None
        self.ends()
        return lines

    def ends(self) -> None:
        """The last statement needs no semicolon."""
        if self.token is not None:
            self.take(";")

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
        self.blocks.append({})
        if is_for:
            begin = self.statement()
        condition = "True" if is_for and self.token == ";" else self.expression()
        if is_for:
            self.take(";")
            while self.token != ")":
                step += self.assignment(None)
                self.takes(",")
        self.take(")")
        self.steps.append(step)
        lines = [*begin, f"while {condition}:", *(f"    {line}" for line in [*self.statement(), *step] or ["pass"])]
        self.steps.pop()
        self.blocks.pop()
        return lines

    def do(self) -> list[str]:
        """`do … while (…);`, whose condition is asked from the second turn on."""
        self.has_branches = True
        first = f"__first{self.at}"
        self.steps.append([])
        lines = [f"    {line}" for line in self.statement()]
        self.steps.pop()
        self.take("while")
        self.take("(")
        condition = self.expression()
        self.take(")")
        self.ends()
        return [f"{first} = True", f"while {first} or bool({condition}):", f"    {first} = False", *lines]

    def switch(self) -> list[str]:
        """`switch`, whose cases end by jumps, as branches."""
        self.has_branches = True
        subject = f"__case{self.at}"
        self.take("(")
        lines = [f"{subject} = {self.expression()}"]
        self.take(")")
        self.take("{")
        self.blocks.append({})
        self.steps.append(None)
        word, otherwise = "if", []
        while not self.takes("}"):
            conditions = []
            while self.token in ("case", "default"):
                conditions.append(f"{subject} == {self.expression()}" if self.take() == "case" else "")
                self.take(":")
            if not conditions:
                self.fail(f"`{self.token}`", "a case belongs there")
            body = [f"    {line}" for line in self.case() or ["pass"]]
            if "" in conditions:
                otherwise = ["else:", *body] if len(conditions) == 1 else self.fail("a `default:` beside a case")
            else:
                lines += [f"{word} {' or '.join(conditions)}:", *body]
                word = "elif"
        self.steps.pop()
        self.blocks.pop()
        return [*lines, *(otherwise if word == "elif" else otherwise[1:] and ["if True:", *otherwise[1:]])]

    def case(self) -> list[str]:
        lines: list[str] = []
        in_braces = self.takes("{")
        self.blocks.append({})
        while self.token not in ("case", "default", "break", "}"):
            lines += self.statement()
        self.blocks.pop()
        ends = self.takes("break")
        if ends:
            self.take(";")
        if in_braces:
            self.take("}")
            if not ends and self.takes("break"):
                ends = True
                self.take(";")
        if not ends and self.token != "}" and lines[-1:] not in ([CONTINUE], [RETURN], ["continue"]):
            self.fail("a case that goes on in the next one", "end it by `break;`")
        return lines

    def sine_and_cosine(self) -> list[str]:
        """`sincos(x, &s, &c);`"""
        self.take()
        self.take("(")
        value = self.expression()
        targets = []
        for _ in range(2):
            self.take(",")
            self.take("&")
            targets.append(self.place())
        self.take(")")
        self.ends()
        return [f"{target} = np.{name}({value})" for target, name in zip(targets, ("sin", "cos"))]

    def atomic(self) -> str:
        """`atomicAdd(&y[k], x)` of an element of a raw array: its old value."""
        self.has_branches = True
        operation = ATOMICS[self.take()]
        self.take("(")
        self.take("&")
        token = self.take()
        name = self.known(token) or self.fail(f"`{token}`, which is no parameter,")
        self.assigns.add(name)
        index = self.index_of(name)
        self.take(",")
        value = self.expression()
        self.take(")")
        return f"atomic.{operation}({name}, ({index}), {value})"

    def type_here(self) -> str | None:
        """The type of a declaration that begins here, "" for auto; nothing where none does."""
        start = self.at
        while self.token in ("const", "constexpr"):
            self.at += 1
        for length in (4, 3, 2, 1):
            words = "".join if "<" in self.tokens[self.at:self.at + length] else " ".join
            text = words(self.tokens[self.at:self.at + length])
            following = self.peek(length)
            if following == "const":  # `int const n`
                length += 1
                following = self.peek(length)
            if following == "&" and self.at > start:  # `const T& x`, which is the value of one
                length += 1
                following = self.peek(length)
            if text in self.types and following == "*":
                self.fail("a pointer", "index the array itself")
            if (text in self.types or text == "auto") and following is not None and re.match(r"[A-Za-z_]", following):
                self.at += length
                return self.types.get(text, "")
        self.at = start
        return None

    def declaration(self, type_: str) -> list[str]:
        """What is behind the type: `x`, `x = 1`, `x {1}`, `x(1, 2)`, or `x[3]`, which may have values."""
        if self.token == "i" and self.returns is None:
            self.fail("`i`, which is the index of the element,", "declare another name")
        name = self.declared(self.take())
        if self.token == "[" and type_:
            return self.array(name, type_)
        value = "0"
        if self.takes("="):
            value = self.initial()
        elif self.token in ("{", "("):
            values = self.listed({"{": "}", "(": ")"}[self.take()])
            value = values[0] if len(values) == 1 else _as(type_, ", ".join(values)) if values else "0"
        if type_.endswith(_DTYPE):
            return [f"{name} = {_as(type_, value)}"]
        return [f"{name}: {type_} = {value}" if type_ else f"{name} = {value}"]

    def initial(self) -> str:
        """The value behind `=`, which may have braces."""
        if not self.takes("{"):
            return self.expression()
        values = self.listed("}")
        return values[0] if len(values) == 1 else "0" if not values else self.fail("a list of values")

    def array(self, name: str, type_: str) -> list[str]:
        """`T x[3] = {1, 2};`: what is not listed is 0, and where nothing is, what was there."""
        extents = []
        while self.token == "[":
            is_counted = self.peek(1) == "]" and not extents  # by its values
            self.at += 2 * is_counted
            extents.append("" if is_counted else self.index())
        lines = []
        if self.takes("=") or self.token == "{":
            self.take("{")
            values = self.nested()
            extents[0] = extents[0] or str(len(values))
            lines = self.filled(name, "", extents, values)
            self.counts[name] = int(extents[0]) if len(extents) == 1 else 0
        elif not extents[0]:
            self.fail(f"`{name}[]` without values", "say how many elements it has")
        return [f"{name} = local.array(({', '.join(extents)},), {type_})", *lines]

    def nested(self) -> list:
        """The values up to a brace, those of inner braces as lists."""
        values = []
        while not self.takes("}"):
            values.append(self.nested() if self.takes("{") else self.expression())
            if self.token != "}":
                self.take(",")
        return values

    def filled(self, name: str, before: str, extents: list[str], values: list) -> list[str]:
        """The assignments of the values to the elements behind the indices BEFORE."""
        extent, *inner = extents
        if not extent.isdigit() or len(values) > int(extent):
            self.fail(f"values of `{name}`, whose extent is no number or too small")
        lines = []
        for place, value in enumerate(values + [[] if inner else "0"] * (int(extent) - len(values))):
            if isinstance(value, list) != bool(inner):
                self.fail(f"values of `{name}`, whose braces do not stand around those of each axis")
            lines += self.filled(name, f"{before}{place}, ", inner, value) if inner else [
                f"{name}[{before}{place}] = {value}"]
        return lines

    def listed(self, end: str) -> list[str]:
        values = []
        while not self.takes(end):
            values.append(self.expression())
            if self.token != end:
                self.take(",")
        return values

    def assignment(self, declared: str | None) -> list[str]:
        if declared is not None:
            return self.declaration(declared)
        return [self.changed()]

    def changed(self) -> str:
        if self.token in ("++", "--"):
            step = self.take()
            return f"{self.place()} {step[0]}= 1"
        target = self.place()
        if self.token == "." and self.peek(1) in ("real", "imag"):
            return self.part(target)
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
        found = _operation(operator[:-1], target, value)
        return f"{target} {operator} {value}" if found[0] == "(" else f"{target} = {found}"

    def part(self, target: str) -> str:
        """`z.real(x)`, which changes a complex number."""
        self.take(".")
        part = self.take()
        self.take("(")
        value = self.expression()
        self.take(")")
        return f"{target} = c_with_{part}({target}, {value})"

    def place(self) -> str:
        name = self.take()
        if not re.match(r"[A-Za-z_]", name):
            self.fail(f"`{name}`")
        if self.token == "(":
            self.fail(f"a call of `{name}` whose value is not used", "there are atomicAdd and its kin, and sincos")
        name = self.known(name) or self.fail(f"`{name}`, which nothing declares,", f"declare it: `float {name} = …;`")
        self.assigns.add(name)
        return self.element(name) if self.token == "[" else name

    # --- expressions --------------------------------------------------------------------------------------------------

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
                left = _operation(operator, left, right)
        return left

    def unary(self) -> str:
        if self.takes("~"):
            inner = self.unary()
            return f"(~{inner})" if _is_number(inner) else f"c_inverse({inner})"
        if self.token in ("-", "+"):
            return f"({self.take()}{self.unary()})"
        if self.takes("!"):
            return f"(not {self.unary()})"
        if self.token in ("*", "&", "++", "--"):
            self.fail(f"`{self.token}` before a value")
        if self.token == "(":
            cast = self.cast()
            if cast is not None:
                return _as(cast, self.unary())
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
        if self.token == "->" or self.token == "." and self.peek(2) != "(":
            self.fail(f"`{self.token}`")
        return token

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
        return _as(type_, inner)

    def call(self, name: str) -> str:
        found = name if name in self.functions else self.types.get(name) or CALLS.get(name)
        if found is None:
            self.fail(f"the function `{name}`, which `math.h` has not,",
                      "define it in `preamble`, in the language of kernels")
        self.take("(")
        return _as(found, ", ".join(self.listed(")")))


def _as(type_: str, value: str) -> str:
    """The value in a type."""
    return f"c_as({type_.removesuffix(_DTYPE)}, {value})" if type_.endswith(_DTYPE) else f"{type_}({value})"


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


def _operation(operator: str, left: str, right: str) -> str:
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
