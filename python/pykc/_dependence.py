"""Whether the turns of a loop share elements of arrays: what one turn writes, no other may read or write.

What cannot be known from the text is the program's word: that indices which it reads from arrays name an element once,
what functions do with arrays that they are passed, and that arrays of different names are different ones.
"""
from __future__ import annotations

import ast
from typing import Iterator, NamedTuple

from ._flow import assigned, own_nodes, read

_ABOUT = {"shape", "size", "ndim", "dtype", "strides", "itemsize", "nbytes"}  # attributes that tell nothing of elements


class _Access(NamedTuple):
    text: str
    array: str
    axes: tuple[ast.expr, ...] | None  # None where they are not known
    reads: bool
    writes: bool
    is_constant: bool  # whether it writes a constant


_Product = tuple[tuple[str, ...], int]  # of factors and a number
_Sum = dict[tuple[str, ...], int]  # of such products; () is the constant


class _Place(NamedTuple):
    """Where along an axis a turn's elements lie: the turn times `stride`, and what loops inside add. These fill the
    stride up but for `unit`, as digits do a number."""
    stride: _Product
    unit: _Product
    rest: frozenset[_Product]  # what is the same in every turn
    constant: int

    @property
    def stays_within(self) -> bool:
        """Whether it is less than the stride that comes on top of the turn's number of strides."""
        factors, count = self.unit
        return self.constant == 0 or not factors and 0 < self.constant < count


def shared_elements(loop: ast.For) -> str | None:
    """What elements turns share, as a reason against running them at a time."""
    body = _Body(loop)
    for array, accesses in body.by_array().items():
        written = [access for access in accesses if access.writes]
        if not written:
            continue
        fixed = next((access for access in written if access.axes is not None and not access.is_constant
                      and not read(access.axes) & body.varying), None)
        if fixed is not None:
            return f"every turn writes `{fixed.text}`"
        is_word = all(body.reads_indices(access) for access in written)
        is_one = len({access.text for access in accesses}) == 1
        if not any(access.reads for access in accesses) and (is_word or is_one) or body.are_apart(accesses):
            continue
        there = written[0].text
        other = next((access.text for access in accesses if access.text != there), None)
        shared = f"a turn may use in `{other}` what another writes in" if other else "turns may share the element"
        return (f"{shared} `{there}`: give the array an axis whose index is `{body.index}`, or let each turn write "
                "elements of its own")
    return None


class _Body:
    """The body of a loop: which of its names vary, and what they are."""

    def __init__(self, loop: ast.For):
        assert isinstance(loop.target, ast.Name)
        self.index = loop.target.id
        self.varying = assigned(loop.body) | {self.index}
        self._nodes = list(own_nodes(loop.body))
        self._definitions: dict[str, list[ast.expr | None]] = {}  # None for what is no plain assignment
        self._extents: dict[str, list[_Sum]] = {}  # of the loops inside
        for node in self._nodes:
            self._define(node)

    def _define(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            self._definitions.setdefault(node.targets[0].id, []).append(node.value)
        elif isinstance(node, (ast.AugAssign, ast.For, ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.withitem)):
            for name in assigned(node.targets if isinstance(node, ast.Assign) else
                                 [node.optional_vars] if isinstance(node, ast.withitem) else [node.target]):
                self._definitions.setdefault(name, []).append(None)
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name) and isinstance(node.iter, ast.Call) \
                and len(node.iter.args) == 1:  # of `range` or `prange`
            self._extents.setdefault(node.target.id, []).append(self._sum(node.iter.args[0]))

    # --- accesses ------------------------------------------------------------------------------------------------

    def by_array(self) -> dict[str, list[_Access]]:
        found: dict[str, list[_Access]] = {}
        for access in self._accesses():
            found.setdefault(access.array, []).append(access)
        return found

    def _accesses(self) -> Iterator[_Access]:
        inner: set[int] = set()
        updated = {id(node.target) for node in self._nodes if isinstance(node, ast.AugAssign)}
        constants = {id(target) for node in self._nodes if isinstance(node, ast.Assign)
                     and isinstance(node.value, ast.Constant) for target in node.targets}
        for node in self._nodes:  # what is indexed comes behind its index
            if not isinstance(node, (ast.Subscript, ast.Attribute)) or id(node) in inner:
                continue
            part: ast.expr = node
            while isinstance(part, (ast.Subscript, ast.Attribute)):
                inner.add(id(part))
                is_about = isinstance(part, ast.Attribute) and part.attr in _ABOUT
                part = part.value
                if is_about:
                    break
            else:
                array, axes = self._place(node)
                if array is not None:
                    writes = not isinstance(node.ctx, ast.Load)
                    yield _Access(ast.unparse(node), array, axes, not writes or id(node) in updated, writes,
                                  id(node) in constants)

    def _place(self, node: ast.expr, depth: int = 0) -> tuple[str | None, tuple[ast.expr, ...] | None]:
        """The array and the indices along its axes; no array where it is one of this turn's own."""
        if isinstance(node, ast.Name):
            if node.id not in self.varying:
                return node.id, ()
            values = self._definitions.get(node.id, [None])
            if not isinstance(values[0], (ast.Name, ast.Subscript, ast.Attribute)) or depth > 8:
                return None, ()
            array, axes = self._place(values[0], depth + 1)
            return array, axes if len(values) == 1 else None
        if isinstance(node, ast.Attribute):
            array, axes = self._place(node.value, depth)
            return array, axes if axes else None  # a field of an element, or `a.T`
        if not isinstance(node, ast.Subscript):
            return None, ()
        array, axes = self._place(node.value, depth)
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if axes is None or any(isinstance(axis, ast.Slice) for axis in axes) or any(
                isinstance(index, ast.Constant) and type(index.value) is not int for index in indices):
            return array, None
        return array, (*axes, *indices)

    # --- where they lie ------------------------------------------------------------------------------------------

    def are_apart(self, accesses: list[_Access]) -> bool:
        """Whether these accesses of an array are of other elements in each turn, by one of its axes."""
        if any(access.axes is None for access in accesses):
            return False
        return any(_are_apart([self._along(access.axes[axis]) for access in accesses])
                   for axis in range(min(len(access.axes) for access in accesses)))

    def reads_indices(self, access: _Access) -> bool:
        """Whether an index comes from elsewhere: an array, or a function."""
        axes = [part for axis in access.axes or () for part in (ast.iter_child_nodes(axis) if isinstance(axis, ast.Slice)
                                                                else (axis,))]
        factors = [factor for axis in axes for product in self._sum(axis) for factor in product]
        return any(isinstance(node, (ast.Subscript, ast.Call))
                   for factor in factors for node in ast.walk(ast.parse(factor)))

    def _along(self, index: ast.expr) -> _Place | None:
        total = self._sum(index)
        own = [factors for factors in total if self.index in factors]
        if len(own) != 1 or self.index in self._definitions or self._varies(_without(own[0], self.index)):
            return None
        stride = unit = (_without(own[0], self.index), total[own[0]])
        inside = {factors for factors in total if factors != own[0] and self._varies(factors)}
        rest = frozenset((factors, total[factors]) for factors in total.keys() - inside - {own[0], ()})
        while inside:
            digits = {factors: self._digit(factors, total[factors], unit) for factors in inside}
            found = next((factors for factors, digit in digits.items() if digit is not None), None)
            if found is None:
                return None
            inside.remove(found)
            unit = digits[found]
        is_sure = not stride[0] or unit != stride  # else it may be 0, and no loop that would not run says it is not
        return _Place(stride, unit, rest, total.get((), 0)) if is_sure else None

    def _digit(self, factors: tuple[str, ...], count: int, unit: _Product) -> _Product | None:
        """What a product with the index of a loop inside grows by in each of its turns, if these fill the unit."""
        for name in factors:
            grows = (_without(factors, name), count)
            extents = self._extents.get(name, [])
            if extents and len(extents) == len(self._definitions[name]) and not self._varies(grows[0]) and all(
                    _product(dict([grows]), extent) == dict([unit]) for extent in extents):
                return grows
        return None

    def _varies(self, factors: tuple[str, ...]) -> bool:
        return any(read(ast.parse(factor)) & self.varying for factor in factors)

    def _sum(self, node: ast.expr, depth: int = 0) -> _Sum:
        """An index as a sum of products; variables of the turn are replaced by what they were assigned."""
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return {(): node.value} if node.value else {}
        if isinstance(node, ast.Name) and depth < 8:
            values = self._definitions.get(node.id, [])
            if len(values) == 1 and isinstance(values[0], (ast.BinOp, ast.Name)):
                return self._sum(values[0], depth + 1)
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
            left, right = self._sum(node.left, depth), self._sum(node.right, depth)
            if isinstance(node.op, ast.Mult):
                return _product(left, right)
            sign = 1 if isinstance(node.op, ast.Add) else -1
            return _added(left, {factors: sign * count for factors, count in right.items()})
        return {(ast.unparse(node),): 1}


def _added(*sums: _Sum) -> _Sum:
    total: _Sum = {}
    for one in sums:
        for factors, count in one.items():
            total[factors] = total.get(factors, 0) + count
    return {factors: count for factors, count in total.items() if count}


def _product(left: _Sum, right: _Sum) -> _Sum:
    return _added(*({tuple(sorted(a + b)): left[a] * right[b]} for a in left for b in right))


def _without(factors: tuple[str, ...], name: str) -> tuple[str, ...]:
    left = list(factors)
    left.remove(name)
    return tuple(left)


def _are_apart(places: list[_Place | None]) -> bool:
    different = set(places)
    first = places[0]
    if None in different or any((place.stride, place.rest) != (first.stride, first.rest) for place in different):
        return False
    factors, count = first.stride
    classes = {place.constant % count for place in different}
    is_plain = not factors and all(place.unit == place.stride for place in different)
    return (len(different) == 1 or is_plain and len(classes) == len(different)
            or all(place.stays_within for place in different))
