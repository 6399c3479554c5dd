#!/usr/bin/env python3
"""Runs the planted faults under NVIDIA's compute-sanitizer, on a GPU, to be held beside what run.py says.

usage: compute_sanitizer.py PYKC [--jobs N] [--seconds N] [--tool PATH]

Each program runs under the tool that looks for its kind of fault: racecheck for races, memcheck for bounds, initcheck
for uninitialised memory, synccheck for divergence; the clean ones under racecheck. A fault counts as found where the
tool reports anything. Programs that are not begun when the seconds are over are left out, and so said.
"""
import argparse
import collections
import concurrent.futures
import pathlib
import re
import subprocess
import time

import run

TOOLS = {"E0601": "racecheck", "bounds": "memcheck", "E0602": "initcheck", "E0603": "synccheck", "E0604": "synccheck"}
SUMMARY = re.compile(r"(?:ERROR|RACECHECK) SUMMARY: (\d+)")


def tool_of(program):
    return TOOLS[next(iter(program.required))] if program.required else "racecheck"


def check(options, program, end):
    if time.monotonic() > end:
        return "not begun", 0.0
    begin = time.monotonic()
    command = [options.tool, "--tool", tool_of(program), options.pykc, "test", "--device", "cuda:0", "--filter",
               program.name, str(program.file)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                              timeout=options.patience)
    except subprocess.TimeoutExpired:
        return "did not end", float(options.patience)
    counts = SUMMARY.findall(done.stdout + done.stderr)
    verdict = "no summary" if not counts else "reported" if any(int(count) for count in counts) else "silent"
    return verdict, time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pykc")
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--patience", type=float, default=20, help="seconds for each program")
    parser.add_argument("--tool", default="compute-sanitizer")
    options = parser.parse_args()
    programs = [program for file in sorted(run.HERE.rglob("*.pyk")) for program in run.programs_of(file)]
    programs = [program for start in range(7) for program in programs[start::7]]  # what is left out is of all kinds
    end = time.monotonic() + options.seconds
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        outcomes = list(pool.map(lambda program: check(options, program, end), programs))
    table, seconds = collections.defaultdict(collections.Counter), collections.Counter()
    for program, (verdict, took) in zip(programs, outcomes):
        kind = next(iter(program.required), "clean")
        table[kind][verdict] += 1
        seconds[kind] += took
        print(f"{program.title}\t{kind}\t{tool_of(program)}\t{verdict}\t{took:.2f}")
    for kind, counts in sorted(table.items()):
        print(f"{kind}: {sum(counts.values())} programs, " + ", ".join(f"{n} {verdict}" for verdict, n in
              counts.most_common()) + f"; {seconds[kind]:.0f} s in all")


if __name__ == "__main__":
    main()
