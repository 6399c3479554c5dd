"""What a kernel raises, as the exception of that name, and arguments that do not fit as Python's TypeError."""
from __future__ import annotations

import builtins
import re
from typing import Any

from .. import _native
from .._capture import Scope
from ._arguments import argument_types

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


#: Of several signatures none fits the arguments, or more than one.
_NO_SIGNATURE = {"E0285": "No matching definition", "E0286": "Ambiguous overloading"}
#: Too many arguments, too few, or another type; of the kernel itself where a kernel around it, `<k>`, calls it so.
_NO_PARAMETER = ("E0245", "E0246", "E0249")

#: An argument does not fit its parameter.
ArgumentError = type("LaunchError", (_native.LaunchError, TypeError), {"__module__": "pykc"})
#: The arguments fit none of several signatures, or more than one, or are not those of a kernel that another calls.
SignatureError = type("CompileError", (_native.CompileError, TypeError), {"__module__": "pykc"})


def with_types(error: Exception, args: tuple) -> Exception:
    """A launch whose arguments do not fit is Python's TypeError, too."""
    if isinstance(error, TypeError):
        return error
    if isinstance(error, _native.LaunchError):
        return ArgumentError(*error.args) if "parameter" in str(error) or "argument" in str(error) else error
    first = next(iter(getattr(error, "diagnostics", ())), {"code": "", "file": ""})  # errors of CUDA C++ have none
    code, text = first["code"], str(error)
    if code in _NO_SIGNATURE:
        text += f"\n{_NO_SIGNATURE[code]} for argument type(s) {', '.join(map(str, argument_types(args)))}"
    elif code not in _NO_PARAMETER or not first["file"].startswith("<"):
        return error
    made = SignatureError(text)
    made.diagnostics = error.diagnostics
    return made
