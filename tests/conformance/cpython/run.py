#!/usr/bin/env python3
"""Runs the suite's @test functions under CPython with NumPy: an oracle that nobody of this project made.

usage: run.py [FILE|FOLDER…]      needs NumPy 2; ml_dtypes for bf16

A test passes, or differs for a reason that differences.txt gives, or cannot be run here (what it uses is no Python or is not in the
shim). Anything else is a failure. docs/conformance.md keeps the last result.
"""
import __future__
import ast
import builtins
import collections
import pathlib
import sys
import warnings

import numpy as np

import shim

SUITE = pathlib.Path(__file__).resolve().parent.parent
NOT_HERE = (NotImplementedError, ImportError, NameError, AttributeError, SyntaxError, UnboundLocalError)


class CalledTypes(ast.NodeTransformer):
    """`x.dtype(1)` converts in a kernel, and is `x.dtype.type(1)` in NumPy."""

    def visit_Call(self, call):
        self.generic_visit(call)
        if isinstance(call.func, ast.Attribute) and call.func.attr == "dtype":
            call.func = ast.copy_location(ast.Attribute(call.func, "type", ast.Load()), call.func)
        return call


def load(path, modules):
    """The names of a .pyk file that has been run as Python; imports find the shim and other .pyk files."""
    def find(name, globals_=None, locals_=None, fromlist=(), level=0):
        if name in shim.MODULES:
            return shim.MODULES[name] if fromlist or "." not in name else shim.MODULES[name.split(".")[0]]
        file = path.parent / (name.replace(".", "/") + ".pyk")
        if not file.exists():  # NumPy's own imports come here too
            return builtins.__import__(name, globals_, locals_, fromlist, level)
        if name not in modules:
            modules[name] = shim.types.SimpleNamespace(**load(file, modules))
        return modules[name]

    changed = {"__import__": find, "isinstance": shim.is_instance}
    names = {**shim.NAMES, "__name__": path.stem, "__builtins__": {**vars(builtins), **changed}}
    tree = CalledTypes().visit(ast.parse(path.read_text(), str(path)))
    code = compile(tree, str(path), "exec", __future__.annotations.compiler_flag, dont_inherit=True)
    exec(code, names)
    return names


def reasons():
    """`folder/file.pyk [test]  reason` on each line of differences.txt."""
    table = {}
    for line in (SUITE / "cpython" / "differences.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            place, reason = line.split("  ", 1)
            table[place] = reason.strip()
    return table


def outcome_of(test):
    try:
        test()
    except NOT_HERE as error:
        return "not here", f"{type(error).__name__}: {error}"
    except BaseException as error:
        frame = error.__traceback__
        while frame.tb_next:
            frame = frame.tb_next
        return "differs", f"line {frame.tb_lineno}: {type(error).__name__}: {error}"
    return "same", ""


def main():
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    files = []
    for argument in map(pathlib.Path, sys.argv[1:] or [SUITE]):
        files += sorted(argument.resolve().rglob("*.pyk")) if argument.is_dir() else [argument.resolve()]
    table, counts, failed = reasons(), collections.Counter(), 0
    for path in files:
        text = path.read_text(errors="replace")
        if "@test" not in text or "# expect: E" in text:
            continue
        place = str(path.relative_to(SUITE))
        try:
            tests = [value for value in load(path, {}).values() if isinstance(value, shim.types.FunctionType) and hasattr(value, "is_test")]
        except BaseException as error:
            counts["file not here"] += 1
            print(f"not here  {place}: {type(error).__name__}: {error}")
            continue
        for test in tests:
            name = f"{place} {test.__name__}"
            outcome, message = outcome_of(test)
            reason = table.get(name) or table.get(place)
            if outcome == "differs" and reason:
                outcome = "differs as documented"
            counts[outcome] += 1
            if outcome in ("differs", "not here"):
                print(f"{outcome:9} {name}: {message}")
            failed += outcome == "differs"
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.most_common()))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
