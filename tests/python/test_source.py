"""Where the text of a function comes from, and the lines that errors name."""
import linecache
import subprocess
import sys

import numpy as np
import pytest

import pykc
from pykc import cuda
from pykc._source import SourceError, function_text, text_of


def test_lines_and_indentation():
    @cuda.jit
    def kernel(x):
        x[0] = 1

    text = kernel.text
    assert text.indentation == "    "
    assert text.text.startswith("def kernel(x):\n    x[0] = 1")
    assert linecache.getline(__file__, text.line).strip() == "def kernel(x):"


def test_two_lambdas_in_a_line():
    pair = (lambda a: a + 1, lambda a: a * 2)
    assert "a + 1" in function_text(pair[0]).text
    assert "a * 2" in function_text(pair[1]).text


def test_exec_without_text_says_what_to_do():
    names = {}
    exec("def f(x):\n    x[0] = 1\n", names)
    with pytest.raises(SourceError, match="linecache.cache"):
        cuda.jit(names["f"])[1, 1](np.zeros(1))


def test_exec_with_text():
    name, text = "<made>", "def f(x):\n    x[0] = 41 + 1\n"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names = {}
    exec(compile(text, name, "exec"), names)
    x = np.zeros(1)
    cuda.jit(names["f"])[1, 1](x)
    cuda.synchronize()
    assert x[0] == 42


def test_command_line():
    program = ("from pykc import cuda\nimport array\n@cuda.jit\ndef f(n):\n    print(n + 1)\n"
               "f[1, 1](41)\ncuda.synchronize()\n")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "42", done.stderr


def test_text_of_one_function():
    assert text_of("import math\n\ndef f(x):\n    pass\n").line == 3
    with pytest.raises(SourceError):
        text_of("x = 1")


def test_annotations_are_ignored_as_in_numba():
    Unknown = object()

    @cuda.jit
    def kernel(x: np.ndarray, n: "an integer" = 3,  # noqa: F722
               m: Unknown
               = 2) -> None:
        x[0] = n + m + 0 * missing  # noqa: F821

    with pytest.raises(pykc.CompileError) as error:
        kernel[1, 1](np.zeros(1))
    (first,) = error.value.diagnostics
    assert first["message"] == "the name `missing` is not defined"
    assert linecache.getline(__file__, first["line"])[first["column"] - 1:].startswith("missing")


def test_error_names_the_line_of_the_file():
    @cuda.jit
    def kernel(x):
        i = cuda.grid(1)
        x[i] = missing  # noqa: F821

    with pytest.raises(pykc.CompileError) as error:
        kernel[1, 1](np.zeros(1))
    place = error.value.diagnostics[0]
    assert place["file"] == __file__
    line = linecache.getline(__file__, place["line"])
    assert line[place["column"] - 1:].startswith("missing")
    assert "the name `missing` is not defined" in str(error.value)
    assert "^^^^^^^" in str(error.value)


def test_error_in_a_helper_names_its_line():
    @cuda.jit(device=True)
    def helper(x):
        return x.nothing

    @cuda.jit
    def kernel(x):
        x[0] = helper(x[0])

    with pytest.raises(pykc.CompileError) as error:
        kernel[1, 1](np.zeros(1))
    assert any("x.nothing" in linecache.getline(d["file"], d["line"])
               for d in error.value.diagnostics)


def test_what_a_kernel_cannot_know_is_named():
    thing = object()

    @cuda.jit
    def kernel(x):
        x[0] = thing

    with pytest.raises(pykc.CaptureError, match=r"test_source.py:\d+: a kernel cannot use `thing`, a object"):
        kernel[1, 1](np.zeros(1))
