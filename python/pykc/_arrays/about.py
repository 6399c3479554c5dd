"""What arrays there are, and what they are computed with."""
from __future__ import annotations

import platform
import sys
from typing import Any

import numpy

from .. import _native
from ..cuda._arrays import DeviceNDArray


def who(vardict: dict[str, Any] | None = None) -> None:
    """Prints the arrays among variables, those of the caller's module if none are given, and how much they take."""
    variables = sys._getframe(1).f_globals if vardict is None else vardict
    arrays = {name: one for name, one in variables.items() if isinstance(one, DeviceNDArray)}
    if arrays:
        rows = [("Name", "Shape", "Bytes", "Type"), *(
            (name, " x ".join(map(str, one.shape)), str(one.nbytes), one.dtype.name) for name, one in arrays.items())]
        widths = [max(map(len, column)) + 4 for column in zip(*rows)]
        lines = ["".join(part.ljust(width) for part, width in zip(row, widths)).rstrip() for row in rows]
        print("\n".join([lines[0], "=" * sum(widths), *lines[1:]]))
    total = sum({id(one): one.nbytes for one in arrays.values()}.values())
    print(f"\nUpper bound on total bytes  =       {total}")


def show_config() -> None:
    """Prints the versions of what computes, and the devices."""
    facts = {"pykc": _native.version, "LLVM": _native.llvm_version, "NumPy": numpy.__version__,
             "Python": platform.python_version(), "platform": platform.platform(),
             **{one["name"]: one.get("description", "") for one in _native.list_devices()}}
    for name, value in facts.items():
        print(f"{name:12}: {value}")
