#!/usr/bin/env python3
"""What became faster or slower from one result to another: python3 bench/peers/compare.py OLD.json NEW.json

Prints each system's times in both and their ratio; exits with 1 where something of pykc takes longer than ALLOWED,
relative to what CUDA C++ took in the same run where both have it.
"""
import json
import math
import pathlib
import sys

ALLOWED = {"works": 1.05, "host": 1.25}  # what a processor does varies more from run to run


def relative(seconds: dict, system: str) -> float:
    return seconds[system] / seconds.get("CUDA C++", 1.0)


def compare(before: dict, works: list[dict], allowed: float) -> list[str]:
    """What became slower, and a printed line for each time. `before` has the seconds of systems by work."""
    slower, logs = [], []
    for work in works:
        earlier, name = before.get(work["work"], {}), work["work"]
        for system, seconds in work["seconds"].items():
            if system not in earlier:
                continue
            ratio = seconds / earlier[system]
            print(f"{name:<52}{system:<14}{earlier[system] * 1e6:>11.1f} us{seconds * 1e6:>11.1f} us{ratio:>8.3f}")
            if not system.startswith("pykc"):
                continue
            both = "CUDA C++" in earlier and "CUDA C++" in work["seconds"]
            change = relative(work["seconds"], system) / relative(earlier, system) if both else ratio
            logs.append(math.log(change))
            if change > allowed:
                slower.append(f"{name}, {system}: {change:.3f}")
    if logs:
        print(f"pykc, geometric mean of {len(logs)}: {math.exp(sum(logs) / len(logs)):.3f}")
    return slower


def main() -> int:
    old, new = (json.loads(pathlib.Path(path).read_text()) for path in sys.argv[1:3])
    slower = []
    for part, allowed in ALLOWED.items():
        before = {work["work"]: work["seconds"] for work in old.get(part, [])}
        slower += compare(before, new.get(part, []), allowed)
    for line in slower:
        print("slower:", line)
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
