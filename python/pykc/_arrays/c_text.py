"""Bodies of kernels as CuPy has them, in CUDA C, as text of the language: assignments, declarations, `if`, loops,
jumps, atomic operations, and the expressions of C, pointers to elements of arrays among them; and functions. Operators
mean what they mean in C; numbers that are spelled out take the type of what they meet, and types meet by the language's
rules."""
from __future__ import annotations

import re
from typing import NamedTuple

from .c_expressions import DTYPE, Callee, Expressions, Functions, in_type, operation
from .c_names import ATOMICS

_QUALIFIERS = ("__device__", "__host__", "__forceinline__", "__inline__", "inline", "static", "constexpr")
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


def translated(text: str, types: dict[str, str], known: set[str], functions: Functions, *, before: str = "",
               after: str = "", rank: int = 8, arrays: set[str] = frozenset()) -> CBody:
    """The text of a body. TYPES are those of letters, KNOWN the names of parameters, ARRAYS those of raw ones,
    FUNCTIONS what a preamble defines; RANK is that of the index `_ind`."""
    parser = _Parser(f"{before}\n;{text}" if before else text, types, known, functions, rank, arrays)
    lines = parser.statements()
    behind = parser.followed_by(after).statements()
    return CBody("\n".join(lines) or "pass", "\n".join(behind), frozenset(parser.reads), frozenset(parser.assigns),
                 frozenset(parser.alike), {name: axes for name, axes in parser.axes.items() if axes},
                 parser.has_branches)


def translated_functions(text: str, types: dict[str, str]) -> tuple[str, Functions]:
    """The text of `__device__` functions, and these."""
    parser = _Parser(text, types, set(), {}, 0)
    lines: list[str] = []
    while parser.token is not None:
        lines += parser.function()
    return "\n".join(lines) + "\n", parser.functions


def translated_expression(text: str, types: dict[str, str], known: set[str], functions: Functions) -> str:
    parser = Expressions(text, types, known, functions, 0)
    found = parser.expression()
    if parser.token is not None:
        parser.fail(f"`{parser.token}` behind an expression")
    return found


class _Parser(Expressions):
    """Reads functions and statements."""

    def function(self) -> list[str]:
        """`__device__ float f(float x, int n) { … }`, or a template of types, `template <typename T> … T f(T x)`."""
        outer = self.types
        templates = self.template()
        self.types = {**outer, **{letter: letter for letter in templates}}
        while self.token in _QUALIFIERS:
            self.take()
        self.returns = self.type_here() or (self.take() if self.token == "void" else None)
        if self.returns is None:
            self.fail(f"`{self.token}`", "a preamble has functions, `__device__ float f(float x) { return … }`, or "
                      "text of the language of kernels, `def f(x): …`")
        if self.returns.endswith("*"):
            self.fail("a function that returns a pointer", "return the index of the element")
        name = self.take()
        self.functions[name] = Callee()
        self.blocks, self.given, self.pointers = [{}], set(self.functions), set()
        self.take("(")
        parameters = []
        self.results: list[str] = []  # what the function may assign of what it is passed
        places, pointers = set(), set()
        while not self.takes(")"):
            type_ = self.type_here()
            if not type_:
                self.fail(f"`{self.token}` as a type")
            parameter = self.declared(self.take())
            is_pointer = type_.endswith("*")
            is_free = is_pointer or type_ in templates or type_.endswith(DTYPE)
            parameters.append(parameter if is_free else f"{parameter}: {type_}")
            if is_pointer:
                self.pointers.add(parameter)
                pointers.add(len(parameters) - 1)
            if self.is_reference:
                places.add(len(parameters) - 1)
                self.results.append(parameter)
            letter = type_.rstrip("*")
            if letter in templates:  # the first parameter of a type tells which it is
                self.types[letter] = (f"{parameter}[0]" if is_pointer else parameter) + DTYPE
            if self.token != ")":
                self.take(",")
        if self.token != "{":
            self.fail("a function without a body")
        for letter in templates:
            if self.types[letter] == letter:
                self.fail(f"the type `{letter}` of a template, which no parameter has,")
        self.returns = self.types.get(self.returns, self.returns)
        self.functions[name] = Callee(frozenset(pointers), frozenset(places) if self.returns == "void" else None)
        if places and self.returns != "void":
            self.fail("a function that returns a value and assigns a reference", "let it be `void`")
        body = [f"    {line}" for line in [*self.statement(), *self.returned()]]
        self.types = outer
        return ["", "@device(wraparound=False)", f"def {name}({', '.join(parameters)}):", *body, ""]

    def returned(self) -> list[str]:
        """What a function without a value gives back: its references."""
        return [f"return {', '.join(self.results)}"] if self.returns == "void" and self.results else []

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
        if self.returns == "void" and self.takes("return"):
            self.take(";")
            return self.returned() or ["return"]
        if self.returns is not None and self.takes("return"):
            value = self.expression()
            self.take(";")
            return [f"return {in_type(self.returns, value)}"]
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
        if self.functions.get(self.token, Callee()).references is not None and self.peek(1) == "(":
            return self.called()
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

    def called(self) -> list[str]:
        """`split(x, y, z);` of a function that assigns its references."""
        self.has_branches = True
        name = self.take()
        self.take("(")
        values = self.arguments(self.functions[name])
        self.ends()
        targets = [values[place] for place in sorted(self.functions[name].references) if place < len(values)]
        self.reads |= {re.match(r"\w+", target).group() for target in targets}
        return [f"{', '.join(targets)} = " * bool(targets) + f"{name}({', '.join(values)})"]

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

    def type_here(self) -> str | None:
        """The type of a declaration that begins here, "" for auto; nothing where none does."""
        start = self.at
        self.is_reference = False
        while self.token in ("const", "constexpr"):
            self.at += 1
        for length in (4, 3, 2, 1):
            words = "".join if "<" in self.tokens[self.at:self.at + length] else " ".join
            text = words(self.tokens[self.at:self.at + length])
            following = self.peek(length)
            if following == "const":  # `int const n`
                length += 1
                following = self.peek(length)
            is_reference = following == "&"
            if is_reference:  # of `const T& x`, the value of one
                length += 1
                following = self.peek(length)
            if text in self.types and following == "*":
                self.at += length + 1
                while self.token in ("const", "__restrict__", "__restrict"):
                    self.at += 1
                return self.types[text] + "*"
            if (text in self.types or text == "auto") and following is not None and re.match(r"[A-Za-z_]", following):
                self.is_reference = is_reference and self.at == start
                self.at += length
                return self.types.get(text, "")
        self.at = start
        return None

    def declaration(self, type_: str) -> list[str]:
        """What is behind the type: `x`, `x = 1`, `x {1}`, `x(1, 2)`, or `x[3]`, which may have values."""
        if self.token == "i" and self.returns is None:
            self.fail("`i`, which is the index of the element,", "declare another name")
        if self.is_reference:
            self.fail("a reference that is no parameter", "use what it stands for")
        if type_.endswith("*"):
            self.takes("*")  # `T *p = x, *q = y`
        name = self.declared(self.take())
        if self.token == "[" and type_:
            return self.array(name, type_)
        part = self.part_behind_equals() if type_.endswith("*") or not type_ else None
        if part:
            self.pointers.add(name)
            return [f"{name} = {part}"]
        if type_.endswith("*"):
            self.fail(f"the pointer `{name}`", "let it begin at an element of an array: `= &x[k]`")
        value = "0"
        if self.takes("="):
            value = self.initial()
        elif self.token in ("{", "("):
            values = self.listed({"{": "}", "(": ")"}[self.take()])
            value = values[0] if len(values) == 1 else in_type(type_, ", ".join(values)) if values else "0"
        if type_.endswith(DTYPE):
            return [f"{name} = {in_type(type_, value)}"]
        return [f"{name}: {type_} = {value}" if type_ else f"{name} = {value}"]

    def part_behind_equals(self) -> str | None:
        start = self.at
        part = self.part() if self.takes("=") else None
        if part is None:
            self.at = start
        return part

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
        if len(extents) == 1:
            self.pointers.add(name)
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

    def assignment(self, declared: str | None) -> list[str]:
        if declared is not None:
            return self.declaration(declared)
        return [self.changed()]

    def changed(self) -> str:
        if self.token in ("++", "--"):
            step = self.take()
            target = self.place()
            return self.moved(target, step, "1") if target in self.pointers else f"{target} {step[0]}= 1"
        target = self.place()
        if target in self.pointers:
            step = self.take()
            if step != "=":
                return self.moved(target, step, "1" if step in ("++", "--") else self.expression())
            return f"{target} = {self.part() or self.fail(f'`{self.token}`', 'it is no pointer')}"
        if self.token == "." and self.peek(1) in ("real", "imag"):
            return self.changed_part(target)
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
        found = operation(operator[:-1], target, value)
        return f"{target} {operator} {value}" if found[0] == "(" else f"{target} = {found}"

    def moved(self, pointer: str, step: str, count: str) -> str:
        """`++p`, `p += count`"""
        if step not in ("++", "+="):
            self.fail(f"`{pointer} {step}`", "a pointer moves forwards")
        return f"{pointer} = {pointer}[{count}:]"

    def changed_part(self, target: str) -> str:
        """`z.real(x)`, which changes a complex number."""
        self.take(".")
        part = self.take()
        self.take("(")
        value = self.expression()
        self.take(")")
        return f"{target} = c_with_{part}({target}, {value})"

    def place(self) -> str:
        if self.takes("*"):
            element = self.pointed()
            self.assigns.add(element.partition("[")[0])
            return element
        name = self.take()
        if not re.match(r"[A-Za-z_]", name):
            self.fail(f"`{name}`")
        if self.token == "(":
            self.fail(f"a call of `{name}` whose value is not used", "there are atomicAdd and its kin, and sincos")
        name = self.known(name) or self.fail(f"`{name}`, which nothing declares,", f"declare it: `float {name} = …;`")
        self.assigns.add(name)
        return self.element(name) if self.token == "[" else name
