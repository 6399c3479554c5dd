"""What the statements of a function read and assign: the names that hold a value which somebody reads later."""
from __future__ import annotations

import ast
from typing import Iterable, Iterator, NamedTuple

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp,
           ast.GeneratorExp)


def read(nodes: ast.AST | Iterable[ast.AST | None]) -> set[str]:
    """The names that are read, also by functions that are made there."""
    listed = [nodes] if isinstance(nodes, ast.AST) else nodes
    found = [inner for node in listed if node is not None for inner in ast.walk(node)]
    updated = {node.target for node in found if isinstance(node, ast.AugAssign)}
    return {node.id for node in found
            if isinstance(node, ast.Name) and (node in updated or not isinstance(node.ctx, ast.Store))}


def assigned(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that may be assigned."""
    found = list(own_nodes(nodes))
    return ({node.id for node in found if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
            | {node.name for node in found if isinstance(node, (ast.FunctionDef, ast.ClassDef))})


def own_nodes(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All nodes that are no other scope's."""
    for node in nodes:
        yield node
        if not isinstance(node, _SCOPES):
            yield from own_nodes(ast.iter_child_nodes(node))


def jumps_of(loop: ast.For | ast.While) -> Iterator[ast.Break | ast.Continue]:
    """The `break` and `continue` that are this loop's, not those of a loop in it."""
    def search(nodes: Iterable[ast.AST]) -> Iterator[ast.Break | ast.Continue]:
        for node in nodes:
            if isinstance(node, (ast.Break, ast.Continue)):
                yield node
            elif isinstance(node, (ast.For, ast.While)):
                yield from search(node.orelse)
            elif not isinstance(node, _SCOPES):
                yield from search(ast.iter_child_nodes(node))
    return search(loop.body)


class _Jumps(NamedTuple):
    """What is live where `continue` and `break` lead."""
    head: frozenset[str]
    behind: frozenset[str]


_NOWHERE = _Jumps(frozenset(), frozenset())


class Liveness:
    """Goes through statements from the last to the first; `behind` has what is live behind each loop."""

    def __init__(self):
        self.behind: dict[ast.stmt, frozenset[str]] = {}

    def before(self, statements: list[ast.stmt], after: frozenset[str] = frozenset(), jumps=_NOWHERE) -> frozenset[str]:
        """The names whose values at the beginning are read, if those of AFTER are read at the end."""
        for statement in reversed(statements):
            after = self._before(statement, after, jumps)
        return after

    def _before(self, statement: ast.stmt, after: frozenset[str], jumps: _Jumps) -> frozenset[str]:
        match statement:
            case ast.If():
                return (self.before(statement.body, after, jumps) | self.before(statement.orelse, after, jumps)
                        | read(statement.test))
            case ast.For() | ast.While():
                return self._before_loop(statement, after, jumps)
            case ast.With():
                return ((self.before(statement.body, after, jumps) - assigned(statement.items))
                        | read(statement.items))
            case ast.Return() | ast.Raise():
                return frozenset(read(statement))
            case ast.Break():
                return jumps.behind
            case ast.Continue():
                return jumps.head
            case ast.Try() | ast.Match():  # any of it may be left at any place
                return after | jumps.head | jumps.behind | read(statement)
            case _:
                return (after - _surely_assigned(statement)) | read(statement)

    def _before_loop(self, loop: ast.For | ast.While, after: frozenset[str], jumps: _Jumps) -> frozenset[str]:
        self.behind[loop] = self.behind.get(loop, frozenset()) | after
        is_for = isinstance(loop, ast.For)
        head: frozenset[str] = self.before(loop.orelse, after, jumps) | (frozenset() if is_for else read(loop.test))
        while True:
            body = self.before(loop.body, head, _Jumps(head, after))
            turned = head | (body - assigned([loop.target]) if is_for else body)
            if turned == head:
                return head | read(loop.iter) if is_for else head
            head = turned


def _surely_assigned(statement: ast.stmt) -> set[str]:
    may_not = {node.target.id for node in own_nodes([statement]) if isinstance(node, ast.NamedExpr)}
    return assigned([statement]) - may_not


def held_elements(tree: ast.AST, arrays: set[str]) -> set[str]:
    """The arrays of which a variable gets an element, by an assignment or as what a loop goes through."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.For) and isinstance(node.iter, ast.Name):
            found.add(node.iter.id)
        if isinstance(node, ast.Assign) and any(isinstance(target, (ast.Name, ast.Tuple)) for target in node.targets):
            values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            found |= {value.value.id for value in values if isinstance(value, ast.Subscript)
                      and isinstance(value.value, ast.Name) and not _is_field_or_part(value.slice)}
    return found & arrays


def _is_field_or_part(index: ast.expr) -> bool:
    return isinstance(index, ast.Slice) or isinstance(index, ast.Constant) and isinstance(index.value, str)


def written(tree: ast.AST, arrays: set[str]) -> set[str]:
    """The arrays to whose elements something is assigned."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            while isinstance(node, (ast.Subscript, ast.Attribute)):
                node = node.value
            found |= {node.id} if isinstance(node, ast.Name) else set()
    return found & arrays
