"""`python -m pykc script.py args…`: runs a script in which Numba is pykc."""
from __future__ import annotations

import os
import runpy
import sys

from ._redirect import run_as_numba

USAGE = """usage: python -m pykc script.py [arguments]
       python -m pykc -m module [arguments]

Runs a Python program in which `import numba` gives pykc."""

_INSTEAD = {
    "cupy": "CuPy is not installed; `import pykc as cp` has its arrays and functions on both devices (docs/cupy.md)",
    "cupyx": "CuPy is not installed; `pykc.benchmark` measures, kernels are functions under `@cuda.jit` (docs/cupy.md)",
}


def main() -> int:
    try:
        return run()
    except ModuleNotFoundError as error:
        if note := _INSTEAD.get((error.name or "").split(".")[0]):
            error.add_note(note)
        raise


def run() -> int:
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE)
        return 0 if arguments else 2
    run_as_numba()
    if arguments[0] == "-m":
        if len(arguments) < 2:
            print(USAGE, file=sys.stderr)
            return 2
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        return 0
    sys.argv = arguments
    sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
    runpy.run_path(arguments[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
