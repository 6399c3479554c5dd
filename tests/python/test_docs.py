"""What the pages on Python show is what happens: a block of Python, and the error that the block after it tells."""

import linecache
import pathlib
import re

import numpy as np
import pytest

import pykc
import pykc._arrays
from pykc import cuda

DOCS = pathlib.Path(__file__).parents[2] / "docs"
MODULES = {f"pykc.cuda{name}" for name in ("", "._arguments", "._arrays", "._contexts", "._dispatcher", "._linking",
                                          "._streams")}
OF_THREAD = re.compile(r"index \d+ |block .*", re.DOTALL)
SHOWN = re.compile(r"```python\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)


def test_the_errors_of_teaching():
    names = {"cuda": cuda, "np": np}
    found = SHOWN.findall((DOCS / "teaching.md").read_text())
    assert len(found) >= 8
    for program, shown in found:
        if cuda.is_gpu() and "only some of the threads" in shown:
            continue  # a GPU does not tell
        names.update({name: np.ones(1000, np.float32) for name in "xyz"})
        linecache.cache["lesson.py"] = (len(program), None, program.splitlines(keepends=True), "lesson.py")
        with pytest.raises((pykc.Error, ValueError)) as error:
            exec(compile(program, "lesson.py", "exec"), names)
            cuda.synchronize()
        told = f"{type(error.value).__name__}: {str(error.value).strip()}"
        if cuda.is_gpu():  # any of the threads may be the first
            told, shown = (OF_THREAD.sub("", text).strip() for text in (told, shown))
        assert told == shown.strip()


def test_the_reference_has_all_names():
    reference = (DOCS / "reference/cuda.md").read_text()
    for name in vars(cuda):
        value = getattr(cuda, name)
        is_own = getattr(value, "__module__", None) in MODULES and not name.startswith("_") and name != "cuda_name"
        assert not is_own or re.search(rf" pykc\.cuda\.{name}\b", reference), f"docs/reference/cuda.md lacks {name}"
    arrays = (DOCS / "reference/arrays.md").read_text()
    for name in set(pykc._arrays.names()) - set(pykc._arrays.ROOMS["dtypes"].split()):
        assert re.search(rf"[ `.]{name}\b", arrays), f"docs/reference/arrays.md lacks {name}"
    for name in pykc._NAMES:
        assert f" pykc.{name}\n" in (DOCS / "reference/pykc.md").read_text(), f"docs/reference/pykc.md lacks {name}"


@pytest.mark.parametrize("page", ["docs/python.md", "docs/cupy.md", "README.md"])
def test_the_programs(page):
    """Those that begin with imports; others are parts of them."""
    programs = re.findall(r"```python\n((?:import|from) (?!pykc import \*).*?)```", (DOCS.parent / page).read_text(),
                          re.DOTALL)
    assert programs
    for program in programs:
        linecache.cache[page] = (len(program), None, program.splitlines(keepends=True), page)
        names = {}
        exec(compile(program, page, "exec"), names)
        assert "z" not in names or (names["z"] == 2 * names["x"]).all()
