#!/usr/bin/env python3
"""Holds what `pykc test` finds in running kernels against programs whose faults are planted, and ones without fault.

usage: run.py PYKC [PATH ...] [--timeout SECONDS] [-v]      PATH: .pyk files or folders; left out: this folder

A program is a `@test` function and all that stands between it and the test before it. Comments say at which lines of
it a fault must be reported:

    # fault: E0601    one of the two lines of a race, or both: a report is right if its place and its label are exactly
                      the marked lines
    # also: E0601     a line that races, too, because of the same fault: pairs of marked lines may be reported
    # fault: E0606    the same for two launches on different streams
    # fault: E0602    the line of a report; E0603, E0604 and E0607 likewise
    # fault: bounds   the line of an index out of bounds
    # says: TEXT      what a report of the program must say, `# never: TEXT` what none may

A program without a comment is clean: it must pass. known_gaps.txt names programs, `file test`, that do not come out so;
one that does is an error, too.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
CODES = ("E0601", "E0602", "E0603", "E0604", "E0606", "E0607")
PAIRS = ("E0601", "E0606")  # reports that have two lines
SAYS = re.compile(r"#\s*(says|never):\s*(.+?)\s*(?:#|$)")
MARK = re.compile(r"#\s*(fault|also):\s*(E06\d\d|bounds)\b")
HEAD = re.compile(r"^(?P<file>.+?):(?P<line>\d+):\d+: (?P<severity>error|warning|note)"
                  r"(?: (?P<code>[A-Z]\d+))?: (?P<text>.*)")
OUTCOME = re.compile(r"^(ok|FAILED) +cpu .* (\w+) \(", re.MULTILINE)
BOUNDS = re.compile(r"^note: .+?:(\d+): (?:index .* is out of bounds|.* cannot be reshaped|.* elements .* do not fit)")
VERDICTS = ("found", "clean", "found elsewhere", "missed", "false report", "wrong text", "failed")


class Program:
    """A test, its lines in the file, and the marks in them: the required and the allowed lines of each code."""

    def __init__(self, file, name, lines, marks, says):
        self.file, self.name, self.lines, self.says, self.texts = file, name, lines, says, []
        self.required, self.allowed = collections.defaultdict(set), collections.defaultdict(set)
        for kind, code, line in marks:
            self.allowed[code].add(line)
            if kind == "fault":
                self.required[code].add(line)
        self.reports, self.outcome, self.messages = [], "not run", []

    @property
    def title(self):
        return f"{self.file.relative_to(HERE).as_posix()} {self.name}"

    def judge(self):
        """One of VERDICTS, and what was reported in place of what is planted."""
        found, wrong = set(), []
        required, allowed = self.required, self.allowed
        for code, lines in self.reports:
            if code in CODES or code == "bounds":
                if lines == required.get(code) or (code not in PAIRS and lines <= required.get(code, set())):
                    found.update((code, line) for line in lines)
                elif not lines <= allowed.get(code, set()):
                    wrong.append(f"{code} at {' and '.join(sorted(map(str, lines)))}")
        missed = {(code, line) for code, lines in self.required.items() for line in lines} - found
        if not self.allowed:
            if wrong:
                return "false report", wrong
            return ("clean", []) if self.outcome == "passed" else ("failed", [self.outcome, *self.messages])
        if self.outcome not in ("passed", "failed"):
            return "failed", [self.outcome, *self.messages]
        if not missed:
            if wrong:
                return "false report", wrong
            text = "\n".join(self.texts)
            wrong = [f"{kind}: {part}" for kind, part in self.says if (part in text) != (kind == "says")]
            return ("wrong text", wrong) if wrong else ("found", [])
        if wrong or self.reports:
            reported = {f"{code} at {' and '.join(sorted(map(str, lines)))}" for code, lines in self.reports}
            not_at = "not at " + ", ".join(str(line) for _, line in sorted(missed))
            return "found elsewhere", [*sorted(reported), not_at]
        return ("missed", []) if self.outcome == "passed" else ("failed", self.messages)


def programs_of(file):
    programs, marks, says, start, is_test = [], [], [], 1, False
    lines = file.read_text().splitlines()
    tops = [n for n, line in enumerate(lines, 1) if re.match(r"[@\w#]", line)]
    for number, line in enumerate(lines, 1):
        marks += [(*mark, number) for mark in MARK.findall(line)]
        says += SAYS.findall(line)
        if line.startswith("@test"):
            is_test = True
        elif is_test and line.startswith("def "):
            end = min([n for n in tops if n > number], default=len(lines) + 1) - 1
            programs.append(Program(file, re.match(r"def (\w+)", line)[1], range(start, end + 1), marks, says))
            marks, says, start, is_test = [], [], end + 1, False
    names = [program.name for program in programs]
    for name in names:
        if sum(name in other for other in names) > 1:
            sys.exit(f"{file}: the name of {name} is a part of another test's, and --filter cannot tell them apart")
    if marks:
        sys.exit(f"{file}: marks behind the last test")
    return programs


def read_reports(text, file, programs):
    """Gives each program what was reported of it: behind what was found stands the launch that failed, of which notes
    tell an index out of bounds."""
    pending, texts, last = [], [], None
    for line in text.splitlines():
        bounds, head = BOUNDS.match(line), HEAD.match(line)
        if bounds and last is not None:
            last.reports.append(("bounds", {int(bounds[1])}))
        if not head:
            continue
        code, at = head["code"], int(head["line"])
        if head["file"] != file:
            at = f"{head['file']}:{at}"  # in the library
        if code in CODES:
            texts.append(head["text"])
            pending.append((code if head["severity"] == "error" else "note", {at}))
        elif code is None:
            if pending and head["severity"] == "note":
                pending[-1][1].add(at)
        elif code == "E0443":
            last = next((program for program in programs if at in program.lines), None)
            if last is not None:
                last.reports += [report for report in pending if report[0] != "note"]
                last.texts += texts
            pending, texts = [], []


def run(pykc, file, programs, timeout):
    command = [pykc, "test", "--device", "cpu", "--verbose", "--timeout", str(timeout), str(file)]
    if len(programs) == 1:
        command += ["--filter", programs[0].name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=(timeout + 5) * len(programs))
    except subprocess.TimeoutExpired:
        done = None
    outcomes = {name: outcome == "ok" for outcome, name in OUTCOME.findall(done.stdout)} if done else {}
    if not all(program.name in outcomes for program in programs):
        # It hung, crashed or was refused: one after the other tells where.
        if len(programs) > 1:
            for program in programs:
                run(pykc, file, [program], timeout)
        else:
            programs[0].outcome = "did not end" if done is None else f"not run, exit status {done.returncode}"
            programs[0].messages = done.stderr.splitlines()[:6] if done else []
        return
    text = re.sub(r"\x1b\[[0-9;]*m", "", done.stderr)
    read_reports(text, str(file), programs)
    for program in programs:
        program.outcome = "passed" if outcomes[program.name] else "failed"
        if not outcomes[program.name] and not program.reports:
            program.messages = [line for line in text.splitlines()
                                if (head := HEAD.match(line)) and int(head["line"]) in program.lines]


def known_gaps():
    rows = [line.split("#")[0].split() for line in (HERE / "known_gaps.txt").read_text().splitlines()]
    return {" ".join(row) for row in rows if row}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pykc")
    parser.add_argument("paths", nargs="*", type=pathlib.Path)
    parser.add_argument("--timeout", type=float, default=20, help="seconds for each test")
    parser.add_argument("-v", "--verbose", action="store_true", help="name every program")
    options = parser.parse_args()
    files = [file for path in options.paths or [HERE] for file in
             (sorted(path.resolve().rglob("*.pyk")) if path.is_dir() else [path.resolve()])]
    gaps, seen = known_gaps(), set()
    counts, by_code, errors = collections.Counter(), collections.Counter(), 0
    for file in files:
        programs = programs_of(file)
        run(options.pykc, file, programs, options.timeout)
        for program in programs:
            verdict, details = program.judge()
            is_right, is_known = verdict in ("found", "clean"), program.title in gaps
            seen.add(program.title)
            counts[verdict] += 1
            by_code.update(list(program.required) or ["clean"])
            errors += is_right == is_known
            if options.verbose or is_right == is_known:
                what = "passes, and known_gaps.txt names it" if is_right and is_known else verdict
                print(f"{program.title}: {what}{' (known)' if is_known and not is_right else ''}",
                      *details, sep="\n    ", flush=True)
    if not options.paths:
        for title in sorted(gaps - seen):
            print(f"known_gaps.txt names `{title}`, which is not there")
            errors += 1
    print(f"{sum(counts.values())} programs: " + ", ".join(f"{n} of {kind}" for kind, n in sorted(by_code.items())))
    print(", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict]) +
          f"; {len(gaps & seen)} known gaps; {errors} errors")
    sys.exit(errors > 0)


if __name__ == "__main__":
    main()
