"""Makes examples/notebooks/*.ipynb of the scripts in examples/python that are written as notebooks, with jupytext:

    $(./scripts/python-environment.sh) scripts/build-notebooks.py

In the scripts `# %%` begins a cell. Cells with the tag active-ipynb are comments there and code in the notebook: plots,
and magics of IPython. What comes out has no outputs; a test checks that the notebooks are what the scripts say."""
import json
import pathlib

import jupytext

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"


def notebooks() -> dict[pathlib.Path, str]:
    """The notebook files with what they hold."""
    scripts = sorted((EXAMPLES / "python").glob("*.py"))
    return {EXAMPLES / "notebooks" / f"{script.stem}.ipynb": _notebook(script) for script in scripts
            if script.read_text().startswith("# %%")}


def _notebook(script: pathlib.Path) -> str:
    cells = []
    for number, cell in enumerate(jupytext.read(script).cells):
        made = {"cell_type": cell.cell_type, "id": f"cell-{number}", "metadata": {},
                "source": cell.source.splitlines(keepends=True)}
        cells.append(made if cell.cell_type == "markdown" else made | {"execution_count": None, "outputs": []})
    metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                "language_info": {"name": "python"}}
    notebook = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for path, text in notebooks().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
