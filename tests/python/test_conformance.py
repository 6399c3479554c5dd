"""Kernels from Python are those from .pyk files: the conformance suite, read as Python, gives the same."""
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
SUITE = HERE.parent / "conformance"
OF_THE_HOST = ("9_errors", "14_host_language", "15_grammar")  # about the language of .pyk files itself
# What test_library.py asks of the same functions, from Python, with random arrays; it takes long to compile.
OF_THE_LIBRARY = ("attention_backward", "selecting", "sorting", "top_k", "transforms")
OPTIONS = re.compile(r"^# (pykc|options):", re.MULTILINE)


def files() -> list[str]:
    found = []
    for path in sorted(SUITE.glob("*_*/*.pyk")):
        text = path.read_text(errors="replace")
        is_elsewhere = path.parent.name in OF_THE_HOST or path.stem in OF_THE_LIBRARY
        if "\n@test" in text and not OPTIONS.search(text) and not is_elsewhere:
            found.append(str(path))
    return found


def known() -> set[str]:
    lines = (HERE / "conformance_known.txt").read_text().splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def test_conformance():
    done = subprocess.run([sys.executable, str(HERE / "conformance.py"), *files()], capture_output=True, text=True)
    outcomes = [json.loads(line) for line in done.stderr.splitlines() if line.startswith('["')]
    assert done.returncode == 0 and len(outcomes) > 600, done.stderr[-2000:]
    failed = {}
    for path, name, error in outcomes:
        if error and "without the package ml_dtypes" not in error:  # which gives NumPy the narrow floats
            place = str(pathlib.Path(path).relative_to(SUITE))
            failed[f"{place} {name}".strip()] = error
    files_of_failed = {name.split()[0] for name in failed}
    new = {name: error for name, error in failed.items() if known().isdisjoint((name, name.split()[0]))}
    assert not new, "\n".join(f"{name}: {error}" for name, error in new.items())
    assert not known() - failed.keys() - files_of_failed, "these no longer fail: take them off the list"
    print(f"{len(outcomes) - len(failed)} of {len(outcomes)} tests pass")
