"""What a kernel raises, as the exception of that name."""
from __future__ import annotations

import builtins
import re
from typing import Any

from .. import _native
from .._capture import Scope

_RAISED = re.compile(r"^.*?:\d+: (?P<name>\w+)(: .*)?, in kernel ", re.DOTALL)
_OTHERS = {"assert failed": AssertionError, "is out of bounds": IndexError}


def python_error(fault: _native.KernelFault, py_func=None) -> _native.KernelFault:
    """The fault as an exception that is also the one which the kernel raised: an AssertionError, a ZeroDivisionError,
    or a class of the program that the function PY_FUNC sees."""
    text = str(fault)
    found = _RAISED.match(text)
    kind: Any = None
    if found is not None:
        name = found["name"]
        kind = Scope(py_func).find(name) if py_func is not None else None
        kind = kind if isinstance(kind, type) else getattr(builtins, name, None)
    else:
        kind = next((kind for words, kind in _OTHERS.items() if words in text), None)
    if not isinstance(kind, type) or not issubclass(kind, Exception):
        return fault
    made = type(kind.__name__, (_native.KernelFault, kind), {"__module__": kind.__module__})
    error = made.__new__(made, text)
    error.args = (text,)
    return error
