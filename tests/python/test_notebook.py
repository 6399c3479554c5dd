"""The magic `%%pykc`, and kernels in the cells of notebooks, by an IPython of this process."""
import contextlib
import io
import os
import re
import stat
import subprocess
import sys

import numpy as np
import pytest

import pykc
from pykc._machine_code import sass

IPython = pytest.importorskip("IPython")
from IPython.testing.globalipapp import start_ipython  # noqa: E402

TYPED = '@cuda.jit("void(float32[:])")\ndef doubled(x):\n    i = cuda.grid(1)\n    if i < x.size:\n        x[i] *= 2\n'


@pytest.fixture(scope="module")
def shell():
    shell = start_ipython()
    shell.run_line_magic("load_ext", "pykc")
    yield shell
    shell.run_line_magic("unload_ext", "pykc")
    assert "pykc" not in shell.magics_manager.magics["cell"]
    assert not hasattr(pykc.Error, "_render_traceback_")


@pytest.fixture
def run(shell):
    """Runs a cell; returns its value and what it shows. An error is raised, its text shown before."""
    shell.reset(new_session=True)
    shell.run_cell("import numpy as np\nimport pykc\nfrom pykc import cuda")

    def run_cell(text, fails=False):
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            result = shell.run_cell(text, store_history=True)
        assert result.success is not fails, out.getvalue() + errors.getvalue()
        return result.result, out.getvalue() + errors.getvalue()

    return run_cell


def test_a_kernel_of_a_cell(run):
    run("SCALE = 3\n@cuda.jit\ndef scaled(x):\n    x[cuda.threadIdx.x] *= SCALE")
    assert run("x = np.ones(4)\nscaled[1, 4](x)\nx")[0].tolist() == [3] * 4
    assert run("SCALE = 5\nscaled[1, 4](x)\nx")[0].tolist() == [15] * 4  # a cell that ran again


def test_the_views(run):
    _, shown = run("%%pykc --types --ir --llvm --ptx --asm --target sm_90\n" + TYPED)
    for words in ("kernel doubled(x: f32[::])", "kernel @doubled(%x: ptr<f32, global>",
                  "define ptx_kernel void @doubled", ".target sm_90", ".visible .entry doubled", ".text"):
        assert words in shown


def test_the_cpu_as_target(run):
    _, shown = run("%%pykc --ir --llvm --target cpu\n" + TYPED)
    assert "target triple = \"x86_64" in shown
    _, shown = run("%%pykc --ptx --target cpu\n" + TYPED, fails=True)
    assert "PTX and SASS are for GPUs" in shown


def test_without_a_view_the_kernels_are_compiled(run):
    value, shown = run("%%pykc --target sm_80\n" + TYPED + "@pykc.kernel\ndef one(x: pykc.f32[:]):\n    x[0] = 1\n"
                       "@cuda.jit\ndef later(x):\n    pass\n@cuda.jit(device=True)\ndef inner(x):\n    return x\n"
                       "40 + 2")
    assert value == 42
    assert shown.splitlines()[:3] == ["`doubled` is compiled for sm_80", "`one` is compiled for sm_80",
                                      "`later` is compiled when it is launched: its parameters have no types yet"]


def test_types_of_a_launch_in_the_cell(run):
    _, shown = run("%%pykc --ptx\n@cuda.jit\ndef first(x):\n    x[0] = 1\nfirst[1, 1](np.zeros(3, np.int16))")
    assert "st.global.b16" in shown and ".target sm_" in shown
    _, shown = run("%%pykc --ptx\n@cuda.jit\ndef second(x):\n    x[0] = 1", fails=True)
    assert "`second` has no types yet: launch it first, or declare them" in shown


def test_the_line_magic(run):
    run(TYPED + "kernels = [doubled]")
    assert ".entry doubled" in run("%pykc --ptx --target sm_75 doubled")[1]
    assert ".entry doubled" in run("%pykc --ptx kernels[0]")[1]
    assert "`np` is no kernel" in run("%pykc --ptx np", fails=True)[1]
    assert "needs the name of a kernel" in run("%pykc --ptx", fails=True)[1]
    assert run("%pykc --ptx nowhere", fails=True)[1] == "UsageError: name 'nowhere' is not defined\n"
    assert run("%pykc --ptx --target sm_1 doubled", fails=True)[1].startswith("UsageError: unknown target 'sm_1'")


def test_one_kernel_of_several(run):
    _, shown = run("%%pykc --ptx doubled\n" + TYPED + TYPED.replace("doubled", "twice"))
    assert ".entry doubled" in shown and ".entry twice" not in shown


def test_what_the_cell_does_is_as_without_the_magic(run):
    _, shown = run("%%pykc\nx = 1\n1 / 0", fails=True)
    assert "ZeroDivisionError" in shown and "1 / 0" in shown
    assert run("x")[0] == 1
    assert "SyntaxError" in run("%%pykc\nx = = 1", fails=True)[1]


def test_an_error_shows_the_line_of_the_cell(run, shell):
    number = shell.execution_count
    _, shown = run("@cuda.jit\ndef wrong(x):\n    x[0] = missing\n\nwrong[1, 1](np.zeros(1))", fails=True)
    assert shown.splitlines() == [
        f"Cell In[{number}], line 5: wrong[1, 1](np.zeros(1))",
        f"CompileError: Cell In[{number}]:3:12: error E0201: the name `missing` is not defined",
        "  3 |     x[0] = missing",
        "    |            ^^^^^^^"]


def test_an_error_in_a_cell_under_the_magic(run, shell):
    number = shell.execution_count
    _, shown = run("%%pykc --ptx\n@pykc.kernel\ndef wrong(x: pykc.f32[:]):\n    x[0] = x.nothing", fails=True)
    assert shown.startswith(f"CompileError: Cell In[{number}]:4:14: error") and "^^^^^^^" in shown


def test_an_error_has_the_name_that_programs_know(run):
    run(TYPED)
    assert "\nLaunchError: kernel `doubled`: takes 1 argument" in run("doubled[1, 1]()", fails=True)[1]


def test_a_fault_shows_its_place(run):
    run("@cuda.jit\ndef checks(x):\n    assert x[0] > 0, 'must be positive'")
    _, shown = run("checks[1, 1](np.zeros(1))\ncuda.synchronize()", fails=True)
    place, text = shown.splitlines()[:2]
    assert place.startswith("Cell In[") and re.match(r"AssertionError: Cell In\[\d+\]:3: ", text)
    assert "must be positive" in text and "_dispatcher.py" not in shown


@pytest.fixture
def assembler(tmp_path, monkeypatch):
    """Programs in the place of NVIDIA's: the assembler copies, the disassembler tells what it was given."""
    def program(name, text):
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    program("ptxas", 'echo "$1"; cp "$2" "$4"')
    program("nvdisasm", 'echo "// disassembled"; cat "$2"')
    return program


def test_sass(run, assembler):
    _, shown = run("%%pykc --sass --target sm_90\n" + TYPED)
    assert shown.startswith("// disassembled") and ".target sm_90" in shown
    (text,) = run("doubled.inspect_sass()")[0].values()
    assert ".entry doubled" in text


def test_sass_without_an_assembler(run, monkeypatch):
    monkeypatch.setattr("pykc._machine_code._folders", list)
    _, shown = run("%%pykc --sass\n" + TYPED, fails=True)
    assert shown.startswith("UsageError: SASS is made by NVIDIA's ptxas and nvdisasm, and ptxas is not here")


def test_what_the_assembler_says_is_told(assembler):
    assembler("ptxas", 'echo "no such chip" >&2; exit 1')
    with pytest.raises(RuntimeError, match="ptxas failed: no such chip"):
        sass(".target sm_90\n")


def test_a_missing_disassembler_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    monkeypatch.setattr("sys.path", [])
    with pytest.raises(RuntimeError, match="ptxas is not here: it comes with the CUDA toolkit, or by `pip install"):
        sass(".target sm_90\n")


def test_the_package_does_not_need_ipython():
    program = "import sys; sys.modules['IPython'] = None; import pykc; from pykc import cuda; print(pykc.__version__)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).returncode == 0


def test_numpy_arrays_stay_numpys(run):
    assert isinstance(run("%%pykc\nnp.zeros(2)")[0], np.ndarray)
