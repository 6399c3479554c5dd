"""The scripts of examples/python, which are written for Numba, run unchanged."""

import pathlib
import subprocess
import sys

import pytest

SCRIPTS = sorted((pathlib.Path(__file__).parents[2] / "examples/python").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_example(script):
    done = subprocess.run([sys.executable, "-m", "pykc", str(script)], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout, done.stderr


def test_there_are_examples():
    assert SCRIPTS
