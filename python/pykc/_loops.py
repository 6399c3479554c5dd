"""The loops of a function as functions of their own: whole ones, and the turns of those whose turns may run at a time.
"""
from __future__ import annotations

import ast
from typing import Callable, Iterable, NamedTuple

from ._dependence import shared_elements
from ._flow import Liveness, assigned, jumps_of, own_nodes, read
from ._source import FunctionText, parsed_text

_NAME, _FIRST, _LAST = "_pykc_loop", "_pykc_first", "_pykc_last"
_LEAVES = (ast.Return, ast.Yield, ast.YieldFrom, ast.Await)

#: Updates of a variable that can be put together from those of parts of the turns, and the ufunc that does it.
_OPERATORS = {ast.Add: "add", ast.Sub: "add", ast.Mult: "multiply", ast.Div: "multiply", ast.BitOr: "bitwise_or",
              ast.BitAnd: "bitwise_and", ast.BitXor: "bitwise_xor"}
_FUNCTIONS = {"min": "minimum", "max": "maximum"}
_COMMUTATIVE = (ast.Add, ast.Mult, ast.BitOr, ast.BitAnd, ast.BitXor)


class Refused(Exception):
    """Why the turns of a loop run one after the other."""


class LoopCode(NamedTuple):
    """A loop as a function of variables of the function around it."""
    text: FunctionText  # for turns that may run at a time, the first and the one behind the last come first
    parameters: list[str]
    results: dict[str, str]  # variables that it returns; of such turns also the ufunc that puts their results together


def whole_code(loop: ast.For | ast.While, text: FunctionText, variables: set[str], behind: frozenset[str]) -> LoopCode:
    """A loop of TEXT, a function with these VARIABLES, of which those in BEHIND are read behind the loop."""
    for node in own_nodes([loop]):
        if isinstance(node, _LEAVES):
            raise Refused(f"`{type(node).__name__.lower()}` leaves it")
    results = sorted(assigned([loop]) & variables & behind)
    parameters = sorted(Liveness().before([loop], frozenset(results)) & variables)
    lines = _lines(text, loop, loop)
    indentation = lines[:len(lines) - len(lines.lstrip())]
    code = parsed_text(f"def {_NAME}({', '.join(parameters)}):\n{lines}{indentation}{_return(results)}", text.file,
                       text.line + loop.lineno - 2, text.indentation)
    return LoopCode(code, parameters, dict.fromkeys(results, ""))


def turns_code(loop: ast.For, text: FunctionText, variables: set[str], behind: frozenset[str],
               is_builtin: Callable[[str], bool]) -> LoopCode:
    """The turns of a loop over `prange`, if these may run at a time."""
    _check_form(loop)
    index, body = loop.target.id, loop.body
    before = Liveness().before(body) - {index}
    written = assigned(body)
    reductions = {name: _reduction(name, body, is_builtin) for name in sorted(before & written)}
    for name in sorted((written | {index}) & behind - reductions.keys()):
        raise Refused(f"`{name}` is read behind the loop, where it holds what the last turn leaves: use another name "
                      "there, or an array of one element for each turn")
    for name in sorted(written - variables):
        raise Refused(f"`{name}` is a variable of the module or of a function around this one, which all turns share")
    reason = shared_elements(loop)
    if reason is not None:
        raise Refused(reason)
    parameters = sorted(before & variables)
    first, last = loop.body[0], loop.body[-1]
    code = parsed_text(f"def {_NAME}({', '.join([_FIRST, _LAST, *parameters])}):\n"
                       f" for {index} in range({_FIRST}, {_LAST}):\n{_lines(text, first, last)} {_return(reductions)}",
                       text.file, text.line + first.lineno - 3, text.indentation)
    return LoopCode(code, parameters, reductions)


def _lines(text: FunctionText, first: ast.stmt, last: ast.stmt) -> str:
    """The lines of these statements, each where it stands."""
    lines = text.text.splitlines(keepends=True)[first.lineno - 1:last.end_lineno]
    column = len(lines[0].encode()[:first.col_offset].decode())
    before = lines[0][:column]
    return "".join([before if before.isspace() else " " * column, lines[0][column:], *lines[1:]])


def _return(results: Iterable[str]) -> str:
    return f"return {', '.join(results)}\n" if results else "\n"


def _check_form(loop: ast.For) -> None:
    call = loop.iter
    assert isinstance(call, ast.Call)
    if not isinstance(loop.target, ast.Name) or loop.orelse:
        raise Refused("it has an `else`" if loop.orelse else "it has more than one index")
    if len(call.args) == 3 and getattr(call.args[2], "value", None) != 1:
        raise Refused("its step is not 1: count the turns, and make the index of their number, `k = start + i * step`")
    if any(isinstance(jump, ast.Break) for jump in jumps_of(loop)):
        raise Refused("`break` leaves it, and the turns behind would run as well")
    for node in own_nodes(loop.body):
        if isinstance(node, _LEAVES):
            raise Refused(f"`{type(node).__name__.lower()}` leaves it, and the turns behind would run as well")


def _reduction(name: str, body: list[ast.stmt], is_builtin: Callable[[str], bool]) -> str:
    """The ufunc that a loop reduces a variable by, if it does nothing else with it."""
    places = [node for statement in body for node in ast.walk(statement)
              if isinstance(node, ast.Name) and node.id == name]
    found = {}
    for statement in own_nodes(body):
        update = _update(name, statement, is_builtin)
        if update is not None:
            found[statement] = update
    in_updates = sum(1 if isinstance(statement, ast.AugAssign) else 2 for statement in found)
    if len(places) == in_updates and len(set(found.values())) == 1:
        return found.popitem()[1]
    compared = any(isinstance(node, ast.Compare) and name in read(node) for node in own_nodes(body))
    remedy = (f": write `{name} = max({name}, …)` or `min` where that is meant" if compared else
              ": only sums, products, `min`, `max`, `|`, `&` and `^` of turns can be put together, and nothing else in "
              "the loop may use them")
    raise Refused(f"`{name}` holds what an earlier turn has left in it{remedy}")


def _update(name: str, statement: ast.AST, is_builtin: Callable[[str], bool]) -> str | None:
    """`x += e`, `x = x + e` or `x = max(x, e)`, where x is nowhere in e."""
    def is_name(node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == name

    if isinstance(statement, ast.AugAssign) and is_name(statement.target):
        return _OPERATORS.get(type(statement.op))
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1 or not is_name(statement.targets[0]):
        return None
    value = statement.value
    if isinstance(value, ast.BinOp):
        is_update = is_name(value.left) or is_name(value.right) and isinstance(value.op, _COMMUTATIVE)
        return _OPERATORS.get(type(value.op)) if is_update else None
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and is_builtin(value.func.id):
        return _FUNCTIONS.get(value.func.id) if any(map(is_name, value.args)) else None
    return None

