"""Runs stumpy's GPU tests under Numba's simulator, and with pykc in place of Numba, and tells how long both take.

    python tests/python/stumpy_suite.py WHEEL            # all files in one process, first one, then the other
    python tests/python/stumpy_suite.py WHEEL --each     # each file in processes of its own, in turn

Two virtual environments with the same NumPy are made in build/stumpy, and stumpy's tests are taken from its source on
PyPI. Three times are told of each: pytest's own, that of the processes from start to end, and the processor's, which
counts where other programs run beside it. pykc has nothing in its cache.
"""
from __future__ import annotations

import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys
import tarfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
STUMPY, NUMBA = "stumpy==1.14.1", "numba==0.61.2"
BESIDE = ("numpy==2.2.6", "scipy", "pandas<3", "polars", "pytest")  # 0.61 takes NumPy up to 2.2, the tests pandas 2
SIDES = {
    "simulator": {"NUMBA_ENABLE_CUDASIM": "1"},
    "pykc": {"PYKC_DEVICE": "cpu", "PYKC_CACHE": "off"},
}


class Times:
    """Seconds, and how many tests have passed and failed."""

    def __init__(self):
        self.by_pytest = self.wall = self.processor = 0.0
        self.passed = self.failed = 0

    def __str__(self) -> str:
        return (f"{self.passed} passed, {self.failed} failed, {self.by_pytest:.1f} s as pytest counts, "
                f"{self.wall:.1f} s with the start of the processes, {self.processor:.1f} s of the processor")


def environment(folder: pathlib.Path, side: str, packages: tuple[str, ...]) -> pathlib.Path:
    """A virtual environment with these packages, and stumpy with what it finds there."""
    path = folder / side
    if not (path / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", path], check=True)
        for options in ([*BESIDE, *packages], ["--no-deps", STUMPY]):
            pip(path, "install", "--quiet", *options)
        (path / "ready").touch()
    return path


def pip(path: pathlib.Path, *arguments: str) -> None:
    subprocess.run([path / "bin/pip", "--disable-pip-version-check", *arguments], check=True)


def tests(folder: pathlib.Path, path: pathlib.Path) -> pathlib.Path:
    """stumpy's tests, with what makes `import numba` mean pykc where that is installed."""
    if not list(folder.glob("stumpy-*/tests")):
        pip(path, "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest",
            str(folder), STUMPY)
        with tarfile.open(next(folder.glob("stumpy-*.tar.gz"))) as packed:
            packed.extractall(folder, filter="data")
    found = next(folder.glob("stumpy-*/tests"))
    (found / "conftest.py").write_text("try:\n    import pykc\nexcept ImportError:\n    pass\nelse:\n"
                                       "    pykc.install_as_numba()\n")
    return found


def run(path: pathlib.Path, side: str, files: list[str], times: Times) -> None:
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([path / "bin/python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *files], text=True,
                          cwd=pathlib.Path(files[0]).parents[1], env={**os.environ, **SIDES[side]}, capture_output=True)
    times.wall += time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    times.processor += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    last = done.stdout.splitlines()[-1]
    print(f"{side}: {last}", flush=True)
    if done.returncode:
        print(done.stdout[-4000:], done.stderr[-4000:])
    for word in ("passed", "failed"):
        setattr(times, word, getattr(times, word) + sum(map(int, re.findall(rf"(\d+) {word}", last))))
    times.by_pytest += float(re.search(r"in ([\d.]+)s", last)[1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=pathlib.Path)
    parser.add_argument("--each", action="store_true", help="each file in processes of its own")
    arguments = parser.parse_args()
    folder = ROOT / "build/stumpy"
    paths = {"simulator": environment(folder, "simulator", (NUMBA,)), "pykc": environment(folder, "pykc", ())}
    pip(paths["pykc"], "install", "--quiet", "--no-deps", "--force-reinstall", str(arguments.wheel.resolve()))
    files = sorted(map(str, tests(folder, paths["pykc"]).glob("test_gpu_*.py")))
    times = {side: Times() for side in SIDES}
    for group in [[file] for file in files] if arguments.each else [files]:
        for side in SIDES:
            run(paths[side], side, group, times[side])
    for side in SIDES:
        print(f"{side}: {times[side]}")
    for what in ("by_pytest", "wall", "processor"):
        ratio = getattr(times["simulator"], what) / getattr(times["pykc"], what)
        print(f"the simulator takes {ratio:.1f} times as long ({what})")
    return int(any(one.failed for one in times.values()))


if __name__ == "__main__":
    sys.exit(main())
