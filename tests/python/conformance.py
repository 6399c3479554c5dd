"""Runs the conformance suite's files as Python: kernels by the package, host functions by Python and NumPy.

    python tests/python/conformance.py FILE.pyk…     # a line of JSON for each test: its name, and its error or ""

What host functions of .pyk files have beside Python's names is below. A file whose first lines ask for a checked build
is left out by the caller: it would write where it must not.
"""
from __future__ import annotations

import __future__

import builtins
import contextlib
import io
import json
import linecache
import math
import os
import sys
import traceback
import types

import numpy as np

import pykc
from pykc import cuda
from pykc.types import Type

MAKES_ARRAYS = """zeros ones empty full zeros_like ones_like empty_like full_like arange linspace array asarray
                  asfortranarray eye""".split()
FUNCTIONS = "allclose array_equal where concatenate cumsum bincount dot matmul sort isnan isinf sign exp sin".split()


class Skipped(Exception):
    """The test cannot run here."""


class Raises:
    """`with raises("text"):`, whatever class of Python's it is."""

    def __init__(self, *expected, **options):
        pass

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace) -> bool:
        assert kind is not None, "nothing was raised"
        return True


def skip(reason: str):
    raise Skipped(reason)


def dtype_of(value):
    return value.dtype if isinstance(value, Type) else value


def with_dtypes(function):
    """A function of NumPy that takes pykc's types, too."""
    def made(*arguments, **options):
        array = function(*map(dtype_of, arguments), **{name: dtype_of(value) for name, value in options.items()})
        return array if array.dtype.names is None else array.view(np.recarray)
    return made


def random(shape, dtype=np.float64, seed=None):
    return np.random.default_rng(seed).random(shape).astype(dtype_of(dtype))


def host_names(tests: list) -> dict:
    def test(function=None, **options):
        if function is None:
            return test
        tests.append(function)
        return function

    return {**{name: with_dtypes(getattr(np, name)) for name in MAKES_ARRAYS},
            **{name: getattr(np, name) for name in FUNCTIONS},
            "save": np.save, "load": lambda file: np.load(file).view(np.recarray), "test": test, "raises": Raises,
            "skip": skip, "math": math, "vectorize": pykc.vectorize, "random": random, "event": cuda.event,
            "stream": cuda.stream, "synchronize": cuda.synchronize, "cdiv": lambda a, b: -(-a // b)}


def run(path: str):
    """The name and the error of each test, "" where there is none; of the file itself where it cannot be read."""
    with open(path) as file:
        text = file.read()
    tests: list = []
    module = types.ModuleType("conformance_" + os.path.basename(path).removesuffix(".pyk"))
    names = vars(module)
    own = host_names(tests)
    names.update(__file__=path, __builtins__={**vars(builtins), **own})
    for name in ("test", "raises", "skip"):
        setattr(pykc, name, own[name])
    sys.modules[module.__name__] = module
    sys.path.insert(0, os.path.dirname(path))  # where what it imports stands
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    try:
        exec(compile(text, path, "exec", flags=__future__.annotations.compiler_flag), names)
        for function in tests:
            yield function.__name__, outcome(function)
    except Exception as error:
        yield "", told(error)
    finally:
        del sys.modules[module.__name__], sys.path[0]


def outcome(function) -> str:
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            function()
            cuda.synchronize()
    except Skipped:
        return ""
    except Exception as error:
        return told(error)
    return ""


def told(error: Exception) -> str:
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]} ({place.filename}:{place.lineno})"


if __name__ == "__main__":
    pykc.install_as_numba()
    os.environ["PYKC_AUTOTUNE"] = "off"  # a test is not about which configuration is the fastest
    for path in sys.argv[1:]:
        for name, error in run(path):
            print(json.dumps([path, name, error]), file=sys.stderr, flush=True)
