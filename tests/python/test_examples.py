"""The scripts of examples/python run as they stand, and so do the notebooks that are made of them."""

import pathlib
import runpy
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "examples/python").glob("*.py"))
NOTEBOOKS = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))


def name(path):
    return path.name


@pytest.mark.parametrize("script", SCRIPTS, ids=name)
def test_script(script):
    done = subprocess.run([sys.executable, "-m", "pykc", str(script)], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout, done.stderr


@pytest.fixture(scope="module")
def kernel():
    """One for all notebooks, each of which begins without names: to start it, and to import matplotlib, takes longer
    than they do."""
    kernel, client = pytest.importorskip("jupyter_client.manager").start_new_kernel(kernel_name="python3")
    client.stop_channels()
    yield kernel
    kernel.shutdown_kernel(now=True)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=name)
def test_notebook(notebook, kernel):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    cells = nbformat.read(notebook, 4)
    cells.cells.insert(0, nbformat.v4.new_code_cell("%reset -f"))
    run = nbclient.NotebookClient(cells, km=kernel, timeout=60).execute()
    shown = [output for cell in run.cells for output in cell.get("outputs", ())]
    assert any("image/png" in output.get("data", ()) for output in shown)


def test_notebooks_are_what_the_scripts_say():
    pytest.importorskip("jupytext")
    made = runpy.run_path(str(ROOT / "scripts/build-notebooks.py"))["notebooks"]()
    assert sorted(made) == NOTEBOOKS
    for path, text in made.items():
        assert path.read_text() == text, f"{path}: run scripts/build-notebooks.py"


def test_there_are_examples():
    assert len(SCRIPTS) > len(NOTEBOOKS) >= 5
