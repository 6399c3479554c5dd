"""The times of a benchmark as bars, one group for each work, relative to CUDA C++ or the vendor's library: shorter is
faster. Needs Matplotlib.

    python3 bench/peers/plot.py bench/results/NAME.json bench/results/NAME.svg
"""
import json
import pathlib
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as pyplot

COLORS = {"pykc": "#2563eb", "pykc library": "#60a5fa", "CUDA C++": "#111827", "Numba": "#f59e0b", "CuPy": "#10b981",
          "cuBLAS": "#6b7280", "CUB": "#6b7280"}
BASES = ("CUDA C++", "cuBLAS", "CUB", "CuPy", "pykc library")  # the first that a work has is 1
LONGEST = 4.0  # bars end here, and say how long they are


def save(report: dict, path: pathlib.Path) -> None:
    matplotlib.rcParams["svg.hashsalt"] = "pykc"  # the same data, the same file
    works = report["works"]
    bars = sum(len(work["seconds"]) + 1 for work in works)
    figure, axes = pyplot.subplots(figsize=(9, 0.16 * bars + 1))
    place, ticks, seen = 0.0, [], {}
    for work in works:
        seconds = work["seconds"]
        base = seconds[next(name for name in BASES if name in seconds)]
        first = place
        for name in sorted(seconds, key=list(COLORS).index):
            ratio = seconds[name] / base
            seen[name] = axes.barh(place, min(ratio, LONGEST), height=0.9, color=COLORS[name])
            axes.text(min(ratio, LONGEST) + 0.03, place, f"{ratio:.2f}", va="center", fontsize=6)
            place += 1
        ticks.append(((first + place - 1) / 2, work["work"]))
        place += 1
    axes.axvline(1, color="#9ca3af", linewidth=0.8, zorder=0)
    axes.set_yticks([at for at, _ in ticks], [name for _, name in ticks], fontsize=7)
    axes.set_ylim(place - 0.5, -1)
    axes.set_xlim(0, LONGEST + 0.3)
    axes.set_xlabel("time, relative to CUDA C++ or the vendor's library (shorter is faster)", fontsize=8)
    axes.set_title(f"{report['device']}, {report['date']}", fontsize=9)
    axes.legend([seen[name] for name in COLORS if name in seen], [name for name in COLORS if name in seen], fontsize=7,
                loc="lower right")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    save(json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2]))
