#!/usr/bin/env python3
"""pykc's kernels beside CUDA C++ (NVRTC), Numba-CUDA, Triton, CuPy and the vendor's libraries, on one GPU in one run.

    python3 bench/peers/run.py --json bench/results/NAME.json --svg bench/results/NAME.svg

Needs CuPy; numba-cuda, Triton and PyTorch for their columns; Matplotlib for the plot. Every system gets the same
arrays. Each work is checked against float64 on the host or the GPU, then all its systems are timed in turn: two
launches, the second between two events, so that the host has queued it before it starts; the median is kept. `pykc
library` is a kernel of the library, or what the C++ API generates for functions of elements and reductions, measured by
pykc_bench_elementwise, a program of its own. Before the works come what a launch costs the host, and compiling.

`--programs` is where pykc and its pykc_bench_* stand; rows of programs that are not there are left out. `--ptx FOLDER`
takes kernels that `--compile-only FOLDER` wrote on another machine.
"""
import argparse
import datetime
import json
import math
import pathlib
import statistics
import sys

from modules import compile_modules

ROUNDS = 11


def median_seconds(launches, reset) -> dict[str, float]:
    """Of one launch. The systems take turns, so that what disturbs the machine disturbs all of them."""
    import cupy as cp
    samples: dict[str, list[float]] = {name: [] for name in launches}
    for _ in range(ROUNDS):
        for name, launch in launches.items():
            reset()
            launch()
            reset()
            start, end = cp.cuda.Event(), cp.cuda.Event()
            start.record()
            launch()
            end.record()
            end.synchronize()
            samples[name].append(cp.cuda.get_elapsed_time(start, end) * 1e-3)
    return {name: statistics.median(times) for name, times in samples.items()}


def copy_bandwidth(size: int) -> float:
    """Bytes a second, read and written, of a copy within the device."""
    import cupy as cp
    x, y = cp.ones(size, cp.uint8), cp.empty(size, cp.uint8)
    copy = lambda: y.data.copy_from_device_async(x.data, size, cp.cuda.Stream.null)
    return 2 * size / median_seconds({"copy": copy}, lambda: None)["copy"]


def result_of(work, library: dict) -> dict:
    """Checks and times what systems make of a work; `library` has the rows of pykc_bench_elementwise by name."""
    import cupy as cp
    launches = {name: launch for name, launch in work.systems.items() if launch}
    errors = {}
    for name, launch in launches.items():
        work.output.fill(0)  # which is right nowhere: what another system wrote must not pass for this one's
        work.reset()
        launch()
        cp.cuda.Device().synchronize()
        if name not in work.unchecked:
            errors[name] = work.error()
    wrong = [name for name, error in errors.items() if not error <= work.tolerance]
    seconds = median_seconds(launches, work.reset)
    if work.name in library:
        assert library[work.name]["bytes"] == work.bytes, work.name
        seconds |= library[work.name]["seconds"]
    return {"work": work.name, "bytes": work.bytes, "flops": work.flops, "seconds": seconds, "errors": errors,
            "wrong": wrong}


def text_of(result: dict, bandwidth: float) -> str:
    text = f"{result['work']}\n"
    for name, seconds in sorted(result["seconds"].items(), key=lambda item: item[1]):
        text += f"    {name:<14}{seconds * 1e6:>13.2f} us"
        if result.get("bytes"):
            rate = result["bytes"] / seconds
            text += f"{rate / 1e9:>9.0f} GB/s {rate / bandwidth:>6.1%} of a copy"
        elif result.get("flops"):
            text += f"{result['flops'] / seconds / 1e12:>9.2f} TFLOP/s"
        if name in result.get("wrong", ()):
            text += "   WRONG"
        if name in result.get("errors", ()):
            text += f"  (error {result['errors'][name]:.1e})"
        text += "\n"
    return text


def mean_ratio(results: list[dict]) -> float:
    ratios = [work["seconds"]["pykc"] / work["seconds"]["CUDA C++"] for work in results
              if {"pykc", "CUDA C++"} <= work["seconds"].keys()]
    return math.prod(ratios) ** (1 / max(1, len(ratios)))


def measure(options, folder: pathlib.Path, report: dict) -> None:
    """Adds to the report, and prints, what is measured as it comes."""
    import cupy as cp
    import host
    from systems import Systems
    from works import Works
    systems = Systems(folder, not options.no_numba, not options.no_triton)
    report |= {"date": datetime.date.today().isoformat(),
               "device": cp.cuda.runtime.getDeviceProperties(0)["name"].decode(),
               "driver": cp.cuda.runtime.driverGetVersion(), "versions": systems.versions(),
               "copy_bandwidth": copy_bandwidth(1 << 30), "works": [], "host": []}
    print(f"copy within the device: {report['copy_bandwidth'] / 1e9:.0f} GB/s", flush=True)
    for rows_of in () if options.no_host else (host.launches, host.compilations):
        for row in rows_of(systems, options.programs):
            report["host"].append(row)
            print(text_of(row, 0), flush=True)
    rows = host.measured(options.programs / "pykc_bench_elementwise", "cuda:0") if options.scale == 1 else []
    library = {row["work"]: row for row in rows}
    for work in Works(systems, options.scale):
        if options.only in work.name:
            report["works"].append(result_of(work, library))
            print(text_of(report["works"][-1], report["copy_bandwidth"]), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, default="build/release/bin", help="pykc and its benchmarks")
    parser.add_argument("--ptx", type=pathlib.Path, help="a folder of compiled kernels")
    parser.add_argument("--compile-only", type=pathlib.Path, help="compile into this folder, and stop")
    parser.add_argument("--target", default="sm_90")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--svg", type=pathlib.Path)
    parser.add_argument("--only", default="", help="works whose name holds this text")
    parser.add_argument("--scale", type=float, default=1, help="of the sizes")
    parser.add_argument("--no-numba", action="store_true")
    parser.add_argument("--no-triton", action="store_true")
    parser.add_argument("--no-host", action="store_true", help="no costs of launches and compiling")
    options = parser.parse_args()
    folder = options.compile_only or options.ptx or pathlib.Path("build/peers")
    if options.ptx is None:
        compile_modules(options.programs / "pykc", folder, options.target)
    if options.compile_only:
        return 0
    report: dict = {}
    try:
        measure(options, folder, report)
    finally:  # what has been measured is kept
        if options.json:
            options.json.write_text(json.dumps(report, indent=1) + "\n")
    print(f"pykc beside CUDA C++, geometric mean of the times: {mean_ratio(report['works']):.3f}")
    if options.svg:
        import plot
        plot.save(report, options.svg)
    return 1 if any(result["wrong"] for result in report["works"]) else 0


if __name__ == "__main__":
    sys.exit(main())
