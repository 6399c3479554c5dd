"""What arrays and their functions take and refuse, beside NumPy's: one expression of both."""
import warnings

import numpy as np
import pytest
from random_arrays import assert_same

import pykc


def outcome(expression, module):
    """What an expression of `xp` gives, or the error that it raises."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return eval(expression, {"xp": module})
    except Exception as error:
        return error


def agree(found, expected):
    if isinstance(expected, Exception):
        kinds = (TypeError, ValueError, IndexError, OverflowError, np.linalg.LinAlgError)
        kind = next((kind for kind in kinds if isinstance(expected, kind)), type(expected))
        assert isinstance(found, kind), (found, expected)
    elif isinstance(expected, (tuple, list)):
        assert type(found) is type(expected) and len(found) == len(expected)
        for one, other in zip(found, expected):
            agree(one, other)
    elif isinstance(found, pykc.ndarray):
        assert_same(found, expected, exact=False)
    else:
        assert not isinstance(found, Exception), found
        assert found == expected, (found, expected)


def same(expression):
    agree(outcome(expression, pykc), outcome(expression, np))


UNARY = "negative square invert absolute sign reciprocal conjugate positive logical_not bitwise_count".split()
BINARY = "add subtract multiply power left_shift floor_divide remainder gcd maximum equal".split()


@pytest.mark.parametrize("name", UNARY + BINARY)
def test_a_wider_out_does_not_change_what_is_computed(name):
    for dtype in ("u1", "i1", "u2", "?", "u4"):
        x = f"xp.asarray([100, 120, 30, 9]).astype('{dtype}')"
        operands = x if name in UNARY else f"{x}, {x}[::-1] * True" if name == "subtract" else f"{x}, {x}[3:] // 3"
        for out in ("i8", "f4"):
            same(f"xp.{name}({operands}, out=xp.zeros(4, '{out}'))")


@pytest.mark.parametrize("expression", [
    "xp.add(xp.asarray([1+1j]), 1, out=xp.zeros(1, 'f4'), casting='unsafe')",
    "xp.add(xp.asarray([1.5, 2]), xp.asarray([1+1j, 2]), dtype='i2', casting='unsafe')",
    "xp.add(xp.asarray([1+1j]), 1, out=xp.zeros(1, 'f4'))",
    "xp.divmod(xp.arange(3), 2, xp.zeros(3, int))",
    "xp.divmod(xp.arange(3), 2, None, xp.zeros(3, int))",
    "xp.arange(3) == type('Own', (int,), {})(2)",
    "xp.arange(3) + type('Own', (float,), {})(2.5)",
])
def test_functions_of_elements(expression):
    same(expression)
