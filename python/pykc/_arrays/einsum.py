"""`einsum`: sums of products by letters for axes. Two operands at a time become one product of stacks of matrices."""
from __future__ import annotations

import math

import numpy

from .arguments import as_dtype
from .creation import asarray
from .ndarray import delivered, ndarray
from .products import matmul

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def einsum(*operands, out: ndarray | None = None, dtype=None, casting: str = "safe",
           optimize: object = True) -> ndarray:
    """Sums of products: `einsum("ij,jk->ik", a, b)` is `a @ b`. More than two operands are taken in the order that
    NumPy finds cheapest, unless `optimize` is False."""
    text, arrays = _by_text(operands)
    terms, result = _parsed(text, arrays)
    dtype = numpy.result_type(*(a.dtype for a in arrays)) if dtype is None else as_dtype(dtype)
    for a in arrays:
        if not numpy.can_cast(a.dtype, dtype, casting):
            raise TypeError(f"einsum: cannot cast an operand from {a.dtype} to {dtype} according to the rule "
                            f"'{casting}'")
    parts = [_distinct(a.astype(dtype, copy=False), term) for a, term in zip(arrays, terms)]
    extents = _extents(parts, result)
    parts = [_without_ones(a, term, extents) for a, term in parts]
    for places in _order(terms, result, arrays, optimize):
        chosen = [parts.pop(place) for place in sorted(places, reverse=True)]
        made = chosen.pop()
        while chosen:
            other = chosen.pop()
            made = _product(made, other, set(result).union(*(term for _, term in parts + chosen)), dtype)
        parts.append(made)
    (a, term), = parts
    a, term = _summed(a, term, set(result), dtype)
    a = a.transpose([term.index(letter) for letter in result if letter in term])
    if out is not None:
        return delivered(a, out)
    return a.copy() if any(a.place == one.place for one in arrays) and len(arrays) > 1 else a


def _by_text(operands: tuple) -> tuple[str, list[ndarray]]:
    """Letters and arrays, of `(text, a, b …)` or `(a, [0, 1], b, [1, 2] …)`."""
    if not operands:
        raise ValueError("must specify the einstein sum subscripts string and at least one operand")
    if isinstance(operands[0], str):
        return operands[0].replace(" ", ""), [asarray(one) for one in operands[1:]]

    def text(places) -> str:
        return "".join("..." if place is Ellipsis else _LETTERS[place] for place in places)

    terms = ",".join(text(places) for places in operands[1::2][:len(operands) // 2])
    return terms + ("->" + text(operands[-1]) if len(operands) % 2 else ""), \
        [asarray(one) for one in operands[0:len(operands) // 2 * 2:2]]


def _parsed(text: str, arrays: list[ndarray]) -> tuple[list[str], str]:
    """The letters of each operand and of the result; what `...` stands for has letters as well."""
    left, arrow, result = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(arrays):
        raise ValueError(f"einsum: {len(terms)} terms, and {len(arrays)} operands")
    rest = [letter for letter in _LETTERS if letter not in text]
    widest = 0
    for number, (term, a) in enumerate(zip(terms, arrays)):
        named = term.replace("...", "", 1)
        if any(letter not in _LETTERS for letter in named + result.replace("...", "", 1)):
            raise ValueError(f"einsum: `{text}` has other signs than letters, `,`, `->` and `...`")
        hidden = a.ndim - len(named)
        if hidden < 0 or hidden and "..." not in term:
            raise ValueError(f"einsum: the term `{term}` is for another number of axes than {a.ndim}")
        widest = max(widest, hidden)
        terms[number] = term.replace("...", "".join(rest[:hidden][::-1]))
    dots = "".join(rest[:widest][::-1])
    if not arrow:
        letters = "".join(terms)
        result = dots + "".join(sorted(one for one in set(letters) if letters.count(one) == 1 and one not in dots))
    elif "..." in result:
        result = result.replace("...", dots)
    if len(set(result)) != len(result):
        raise ValueError(f"einsum: the result `{result}` has a letter twice")
    for letter in result:
        if all(letter not in term for term in terms):
            raise ValueError(f"einsum: no operand has the letter `{letter}` of the result")
    return terms, result


def _distinct(a: ndarray, term: str) -> tuple[ndarray, str]:
    """A view in which each letter is one axis: the diagonal, where it was several."""
    for letter in dict.fromkeys(term):
        while term.count(letter) > 1:
            first = term.index(letter)
            second = term.index(letter, first + 1)
            if a.shape[first] != a.shape[second]:
                raise ValueError(f"einsum: the letter `{letter}` has the extents {a.shape[first]}, {a.shape[second]}")
            a = a.diagonal(0, first, second)
            term = term[:first] + term[first + 1:second] + term[second + 1:] + letter
    return a, term


def _extents(parts: list[tuple[ndarray, str]], result: str) -> dict[str, int]:
    extents: dict[str, int] = {}
    for a, term in parts:
        for letter, extent in zip(term, a.shape):
            known = extents.setdefault(letter, extent)
            if known != extent and 1 not in (known, extent):
                raise ValueError(f"einsum: the letter `{letter}` has the extents {known} and {extent}")
            extents[letter] = extent if known == 1 else known
    return extents


def _without_ones(a: ndarray, term: str, extents: dict[str, int]) -> tuple[ndarray, str]:
    """Without axes of extent 1 that stand for longer ones of others."""
    repeated = [place for place, letter in enumerate(term) if a.shape[place] != extents[letter]]
    kept = "".join(letter for place, letter in enumerate(term) if place not in repeated)
    return (a.squeeze(tuple(repeated)) if repeated else a), kept


def _order(terms: list[str], result: str, arrays: list[ndarray], optimize: object) -> list[tuple[int, ...]]:
    """Which operands are taken together, by their places in the list, to whose end the result goes."""
    if len(arrays) < 3 or not optimize:
        return [(0, 1)] * (len(arrays) - 1) if len(arrays) > 1 else [(0,)]
    shapes = [numpy.broadcast_to(numpy.float32(0), a.shape) for a in arrays]
    return numpy.einsum_path(f"{','.join(terms)}->{result}", *shapes, optimize="greedy")[0][1:]


def _summed(a: ndarray, term: str, wanted: set[str], dtype: numpy.dtype) -> tuple[ndarray, str]:
    """Without the axes that nobody wants any more."""
    axes = tuple(place for place, letter in enumerate(term) if letter not in wanted)
    if not axes:
        return a, term
    kept = "".join(letter for letter in term if letter in wanted)
    return (a.any(axes) if dtype.kind == "b" else a.sum(axes, dtype)), kept


def _product(one: tuple[ndarray, str], other: tuple[ndarray, str], wanted: set[str],
             dtype: numpy.dtype) -> tuple[ndarray, str]:
    (a, left), (b, right) = _summed(*one, wanted | set(other[1]), dtype), _summed(*other, wanted | set(one[1]), dtype)
    stack = [letter for letter in left if letter in right and letter in wanted]
    depth = [letter for letter in left if letter in right and letter not in wanted]
    rows, columns = [one for one in left if one not in right], [one for one in right if one not in left]
    extents = {**dict(zip(left, a.shape)), **dict(zip(right, b.shape))}

    def arranged(array: ndarray, term: str, *groups: list[str]) -> ndarray:
        order = [term.index(letter) for group in groups for letter in group]
        return array.transpose(order).reshape([extents[letter] for letter in stack]
                                              + [math.prod(extents[letter] for letter in group)
                                                 for group in groups[1:]])

    letters = stack + rows + columns
    shape = [extents[letter] for letter in letters]
    if not depth:
        made = arranged(a, left, stack, rows, []) * arranged(b, right, stack, [], columns)
    else:
        made = matmul(arranged(a, left, stack, rows, depth), arranged(b, right, stack, depth, columns), dtype=dtype)
    return made.reshape(shape), "".join(letters)
