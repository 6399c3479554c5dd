#!/usr/bin/env python3
"""Fails when an error or a warning of the compiler is expected by no file of the suite.

usage: error_coverage.py
"""
import pathlib
import re
import sys

SUITE = pathlib.Path(__file__).resolve().parent
CATALOGUE = SUITE.parent.parent / "base" / "diagnostics"
ROW = re.compile(r'^DIAGNOSTIC\(\w+, "([EW]\d{4})"', re.MULTILINE)
EXPECTATION = re.compile(r"# expect:(.*)$", re.MULTILINE)
# What no file of a suite can show, and where it is tested.
ELSEWHERE = {
    "E0101": "a file of more than 64 MiB: tests/unit/frontend/syntax",
    "E0120": "a literal: tests/unit/frontend/syntax",
    "E0261": "a second name for an array: tests/unit/frontend/check",
    "E0280": "a kernel that the command line names: tests/unit/frontend/check",
    "E0281": "a kernel that the command line names: tests/unit/frontend/check",
    "E0283": "a signature of the command line: tests/unit/frontend/check",
    "E0288": "the import of an embedding program: tests/unit/driver",
    "E0310": "a limit of an embedding program: tests/unit/driver",
    "E0311": "a limit of an embedding program: tests/unit/driver",
    "E0312": "a limit of an embedding program: tests/unit/driver",
    "E0313": "a limit of an embedding program: tests/unit/driver",
    "E0314": "a choice of an embedding program: tests/unit/driver",
    "E0360": "depends on the target: tests/unit/frontend/check",
    "E0282": "a kernel that the command line names: tests/unit/frontend/check",
}


def codes_of_catalogue():
    for part in ("syntax", "check", "kernel", "warning"):
        yield from ROW.findall((CATALOGUE / f"{part}.def").read_text())


def expectations():
    for path in sorted(SUITE.rglob("*.pyk")):
        for line in EXPECTATION.findall(path.read_text(errors="replace")):
            yield from re.findall(r"[EW]\d{4}", line)


def main():
    expected = list(expectations())
    missing = [code for code in codes_of_catalogue() if code not in expected and code not in ELSEWHERE]
    for code in missing:
        print(f"{code} is expected by no file of {SUITE.name}")
    print(f"{len(expected)} diagnostics expected, {len(set(expected))} codes; {len(missing)} codes without a file")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
