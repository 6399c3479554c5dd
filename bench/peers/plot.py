"""The times of a benchmark as bars, one group for each work: on the left relative to CUDA C++ or the vendor's library,
on the right, below, what the host pays. Shorter is faster. Needs Matplotlib.

    python3 bench/peers/plot.py bench/results/NAME.json bench/results/NAME.svg
"""
import json
import math
import pathlib
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as pyplot

COLORS = {"pykc": "#2563eb", "pykc library": "#60a5fa", "pykc.reduce": "#bfdbfe", "CUDA C++": "#111827",
          "Numba": "#f59e0b", "Triton": "#a855f7", "CuPy": "#10b981", "cuBLAS": "#6b7280", "CUB": "#6b7280"}
BASES = ("CUDA C++", "cuBLAS", "CUB", "CuPy", "pykc library")  # the first that a work has is 1
LONGEST = 4.0  # bars end here, and say how long they are
INCHES_A_BAR, HEAD, COLUMN, NAMES = 0.13, 0.6, 7.0, 2.9
ROOM_FOR_AN_AXIS = 4  # in bars


def relative(seconds: dict) -> dict:
    base = seconds[next(name for name in BASES if name in seconds)]
    return {name: time / base for name, time in seconds.items()}


def duration(seconds: float) -> str:
    for unit, name in ((1, "s"), (1e-3, "ms")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds * 1e6:.3g} us"


def bars_of(works: list[dict]) -> int:
    return sum(len(work["seconds"]) + 1 for work in works)


def draw(axes, works: list[dict], values_of, longest: float, text_of) -> None:
    """A group of bars for each work, from the top down."""
    place, ticks = 0, []
    for work in works:
        values = values_of(work["seconds"])
        first = place
        for name in sorted(values, key=list(COLORS).index):
            length = min(values[name], longest)
            axes.barh(place, length, height=0.9, color=COLORS[name])
            axes.annotate(text_of(values[name]), (length, place), (2, 0), textcoords="offset points", va="center",
                          fontsize=6)
            place += 1
        ticks.append(((first + place - 1) / 2, work["work"]))
        place += 1
    axes.set_yticks([at for at, _ in ticks], [name for _, name in ticks], fontsize=7)
    axes.set_ylim(place - 0.5, -1)
    axes.tick_params(axis="x", labelsize=7)


def save(report: dict, path: pathlib.Path) -> None:
    matplotlib.rcParams["svg.hashsalt"] = "pykc"  # the same data, the same file
    works, host = report["works"], report.get("host", [])
    half = next(i for i in range(len(works) + 1) if 2 * bars_of(works[:i]) >= bars_of(works) + bars_of(host))
    left, right = works[:half], works[half:]
    panels = [(0, 0, left), (1, 0, right), (1, bars_of(right) + ROOM_FOR_AN_AXIS, host)]  # column, first bar, works
    panels = [panel for panel in panels if panel[2]]
    height = HEAD + INCHES_A_BAR * (max(top + bars_of(group) for _, top, group in panels) + ROOM_FOR_AN_AXIS)
    width = COLUMN * (1 + max(column for column, _, _ in panels))
    figure = pyplot.figure(figsize=(width, height))
    for column, top, group in panels:
        size = INCHES_A_BAR * bars_of(group)
        bottom = height - HEAD - INCHES_A_BAR * top - size
        axes = figure.add_axes(((column * COLUMN + NAMES) / width, bottom / height, (COLUMN - NAMES - 0.2) / width,
                                size / height))
        if group is host:
            draw(axes, host, lambda seconds: seconds, math.inf, duration)
            axes.set_xscale("log")
            axes.set_xlim(right=10 * axes.get_xlim()[1])  # room for the text
            axes.set_xlabel("seconds of the host", fontsize=8)
        else:
            draw(axes, group, relative, LONGEST, "{:.2f}".format)
            axes.axvline(1, color="#9ca3af", linewidth=0.8, zorder=0)
            axes.set_xlim(0, LONGEST + 0.3)
            axes.set_xlabel("time, relative to CUDA C++ or the vendor's library", fontsize=8)
    seen = {name for work in works + host for name in work["seconds"]}
    names = [name for name in COLORS if name in seen]
    figure.legend([pyplot.Rectangle((0, 0), 1, 1, color=COLORS[name]) for name in names], names, fontsize=8,
                  loc="upper center", ncols=len(names), title=f"{report['device']}, {report['date']}")
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    save(json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2]))
