"""What type checkers are told is what there is."""
import ast
import pathlib
import subprocess
import sys

import pytest

import pykc

PACKAGE = pathlib.Path(__file__).parents[2] / "python" / "pykc"


def declared(stub: str) -> list[str]:
    """What a stub says. The order of members, and whether `__buffer__` is seen, are up to the version of Python."""
    tree = ast.parse(stub)
    for one in tree.body:
        if isinstance(one, ast.ClassDef):
            members = [member for member in one.body if getattr(member, "name", "") != "__buffer__"]
            one.body = sorted(members or [ast.Pass()], key=ast.unparse)
    return sorted(map(ast.unparse, tree.body))


def test_the_stub_of_the_native_module(tmp_path):
    pytest.importorskip("nanobind")
    made = tmp_path / "_native.pyi"
    subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "pykc._native", "-o", str(made)], check=True)
    assert declared(made.read_text()) == declared((PACKAGE / "_native.pyi").read_text()), \
        "make it anew: python -m nanobind.stubgen -m pykc._native -o python/pykc/_native.pyi"


def test_a_program_under_mypy(tmp_path):
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text("""import pykc
from pykc import cuda

def of_errors(error: pykc.CompileError) -> str:
    return error.diagnostics[0]["message"]

device: pykc._native.Device = pykc.device("cpu")
name: str = device.name
stream: cuda.Stream = cuda.stream()
wrong: int = device.name
try:
    pass
except pykc.LaunchError as error:
    value: ValueError = error
""")
    done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path), "--follow-imports=silent",
                           str(program)], capture_output=True, text=True, env={"MYPYPATH": str(PACKAGE.parent)})
    assert [line for line in done.stdout.splitlines() if ": error:" in line] == [
        f'{program}:10: error: Incompatible types in assignment (expression has type "str", variable has type "int")'
        "  [assignment]"], done.stdout + done.stderr


def test_the_stub_of_the_package():
    for error, bases in ((pykc.CompileError, ()), (pykc.LaunchError, (ValueError,)), (pykc.KernelFault, (RuntimeError,))):
        assert issubclass(error, (pykc.Error, *bases)) and all(issubclass(error, base) for base in bases)
