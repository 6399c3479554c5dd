"""Functions under `@njit` that run as Python with their outermost loops as kernels of the CPU device.

With `parallel=True` each thread of such a kernel takes some turns of a loop over `prange`, one behind the other. How
many does not depend on the cores, and what the threads reduce is put together in their order: a function gives the same
wherever it runs.
"""
from __future__ import annotations

import ast
import builtins
import copy
import types
import warnings
from typing import Any, NamedTuple

from ._capture import Scope
from ._flow import Liveness, own_nodes, read
from ._host import REFUSALS, HostCode, PykcWarning, first_line, prange
from ._loops import LoopCode, Refused, turns_code, whole_code

_THREADS = 1024  # of a loop: enough for the cores of large machines, few beside the turns of a long loop
_TURNS, _DONE = "_pykc_turns", "_pykc_done"
_NEUTRAL = {"add": 0, "multiply": 1, "bitwise_xor": 0}  # threads begin the others with what the variable holds


class WholeLoop(HostCode):
    """A loop of a function, in one thread."""

    def __init__(self, function: types.FunctionType, code: LoopCode, has_loops: bool):
        # A function of its own, since the builder of modules knows a function by its object.
        super().__init__(types.FunctionType(function.__code__, function.__globals__, function.__name__,
                                            function.__defaults__, function.__closure__), code.text)
        self._code = code
        self._has_loops = has_loops  # which are compiled where this one is not
        self._is_refused = False

    def __call__(self, variables: dict[str, Any], *turns: range) -> tuple | None:
        """What the variables that the loop is for hold behind it; None where it has to run as Python."""
        if self._is_refused or not all(name in variables for name in self._code.parameters):
            return None
        try:
            return self._run(variables, *turns)
        except REFUSALS as error:
            self._is_refused = True
            if not self._has_loops:
                warnings.warn(f"this loop of `{self.__name__}` runs as plain Python, since pykc does not compile it: "
                              f"{first_line(error)}", PykcWarning, stacklevel=2)
            return None

    def _run(self, variables: dict[str, Any]) -> tuple:
        return tuple(_number(result[0]) for result in self.run([variables[name] for name in self._code.parameters]))


class SpreadLoop(WholeLoop):
    """A loop over `prange` on all threads."""

    def _run(self, variables: dict[str, Any], turns: range) -> tuple:
        import numpy
        reductions = self._code.results
        if not turns:
            return tuple(variables[name] for name in reductions)
        values = [_start(name, variables[name], reductions.get(name)) for name in self._code.parameters]
        length = -(-len(turns) // _THREADS)
        results = self.run(values, -(-len(turns) // length),
                           {"begin": turns.start, "end": turns.stop, "length": length},
                           ["begin + thread * length", "min(begin + (thread + 1) * length, end)"])
        return tuple(_number(getattr(numpy, how).reduce(parts, initial=variables[name]))
                     for (name, how), parts in zip(reductions.items(), results))


def _start(name: str, value: Any, how: str | None) -> Any:
    """What a variable holds when a thread begins, which reduces it by HOW."""
    import numpy
    if how is not None and not isinstance(value, (int, float, complex, numpy.generic)):
        raise NotImplementedError(f"`{name}`, a {type(value).__name__}, is no number, which a loop could reduce")
    return type(value)(_NEUTRAL[how]) if how in _NEUTRAL else value


def _number(value: Any) -> Any:
    """As Python has it, where Python has numbers of that type."""
    return value.item() if value.dtype.name in ("bool", "int64", "float64", "complex128") else value


class Lifted(NamedTuple):
    """What became of the loops of a function."""
    function: types.FunctionType | None  # the function in Python, with its loops compiled; None where it has none
    is_spread: bool  # whether some run on all threads
    refused: list[str]  # why others over `prange` do not


def lifted(function: HostCode, parallel: bool) -> Lifted:
    """The function in Python, with its outermost loops as kernels: those over `prange` on all threads, if PARALLEL."""
    lifter = _Lifter(function, parallel)
    tree = lifter.visit(copy.deepcopy(function.text.tree))
    return Lifted(_made_of(tree, function, lifter.loops) if lifter.loops else None, bool(lifter.turns), lifter.refused)


class _Lifter(ast.NodeTransformer):
    """Puts calls of `loops` in the place of a function's outermost loops that are compiled."""

    def __init__(self, function: HostCode, parallel: bool):
        self.loops: dict[str, WholeLoop] = {}
        self.turns: dict[ast.For, LoopCode] = {}
        self.refused: list[str] = []
        self._parallel = parallel
        self._function = function.py_func
        self._text = function.text
        self._scope = Scope(function.py_func)
        code = function.py_func.__code__
        self._variables = {*code.co_varnames, *code.co_cellvars}
        self._liveness = Liveness()
        self._read_later: set[str] = set()  # by functions inside

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        if node.name != self._text.name or self._liveness.behind:
            return node
        self._liveness.before(node.body)
        self._read_later = read(inner for inner in own_nodes(node.body)
                                if isinstance(inner, (ast.FunctionDef, ast.Lambda)))
        if self._parallel:
            self._find_turns(node)
        self.generic_visit(node)
        return node

    def _find_turns(self, parent: ast.AST) -> None:
        for node in ast.iter_child_nodes(parent):
            if not isinstance(node, ast.For) or not isinstance(node.iter, ast.Call) or \
                    self._value(node.iter.func) is not prange:
                self._find_turns(node)
                continue
            try:
                self.turns[node] = turns_code(node, self._text, self._variables, self._behind(node), self._is_builtin)
            except Refused as reason:
                place = f"{self._text.file}:{self._text.line + node.lineno - 1}"
                self.refused.append(f"{place}: this loop over `prange` runs on one thread, since {reason}")

    def visit_For(self, node: ast.For | ast.While) -> ast.AST | list[ast.stmt]:
        turns = node.iter if node in self.turns else None
        code = self.turns[node] if turns else self._whole(node)
        count = len(self.loops)
        self.generic_visit(node)
        if code is None:
            return node
        name = f"_pykc_loop{len(self.loops)}"
        kind = SpreadLoop if turns else WholeLoop
        self.loops[name] = kind(self._function, code, len(self.loops) > count)
        return _call_of(name, node, code, turns)

    visit_While = visit_For

    def _whole(self, loop: ast.For | ast.While) -> LoopCode | None:
        if any(inner in self.turns for inner in ast.walk(loop)):
            return None
        try:
            return whole_code(loop, self._text, self._variables, self._behind(loop))
        except Refused:
            return None

    def _behind(self, loop: ast.For | ast.While) -> frozenset[str]:
        return self._liveness.behind[loop] | self._read_later

    def _value(self, node: ast.expr) -> Any:
        """What a name of the module stands for, or an attribute of it."""
        if isinstance(node, ast.Attribute):
            return getattr(self._value(node.value), node.attr, None)
        return self._scope.find(node.id) if isinstance(node, ast.Name) and node.id not in self._variables else None

    def _is_builtin(self, name: str) -> bool:
        known = self._scope.globals.get(name, getattr(builtins, name, None))
        return name not in self._variables and name not in self._scope.cells and known is getattr(builtins, name, self)


def _call_of(name: str, loop: ast.For | ast.While, code: LoopCode, turns: ast.expr | None = None) -> list[ast.stmt]:
    """The statements in place of a loop, which runs as Python where the call says so."""
    results = f"else:\n    {', '.join(code.results)}, = {_DONE}" if code.results else ""
    arguments = f"locals(), {_TURNS}" if turns else "locals()"
    text = f"{_DONE} = {name}({arguments})\nif {_DONE} is None: pass\n{results}"
    statements = ast.parse(f"{_TURNS} = 0\n{text}" if turns else text).body
    for statement in statements:
        for node in ast.walk(statement):
            ast.copy_location(node, loop)
    statements[-1].body = [loop]
    if turns:
        statements[0].value = turns
        loop.iter = ast.copy_location(ast.Name(_TURNS, ast.Load()), loop)
    return statements


def _made_of(tree: ast.FunctionDef, function: HostCode, values: dict[str, Any]) -> types.FunctionType:
    """The Python function of a tree, in the scope of FUNCTION, which knows these values by their names, too."""
    old = function.py_func
    cells = {**dict(zip(old.__code__.co_freevars, old.__closure__ or ())),
             **{name: types.CellType(value) for name, value in values.items()}}
    around = ast.parse(f"def around({', '.join(cells)}): pass")
    around.body[0].body = [ast.increment_lineno(tree, function.text.line - 1)]
    code = compile(around, function.text.file, "exec")
    for name in ("around", tree.name):
        code = next(part for part in code.co_consts if isinstance(part, types.CodeType) and part.co_name == name)
    made = types.FunctionType(code, old.__globals__, old.__name__, old.__defaults__,
                              tuple(cells[name] for name in code.co_freevars))
    made.__kwdefaults__ = old.__kwdefaults__
    return made
