#!/usr/bin/env python3
"""Holds what `pykc analyze` counts and predicts against the counters and times of a GPU, launch by launch.

usage: compare.py NCU.csv ANALYZE.json        of one file and chip, launch for launch:

    ncu --csv --clock-control none --print-units base --metrics METRICS pykc run --device cuda:0 kernels.pyk > NCU.csv
    pykc analyze kernels.pyk --chip H100 --json ANALYZE.json

METRICS are the names below, with commas between them: without arguments they are printed. Counts of a grid of which
blocks were left out are scaled.

What limits a launch on the GPU is the unit that is used most, where it is used for USED of its peak; else it waits, for
memory's latency, for warps to start, or for one another's atomics. A predicted limit is right where it is that one, or
its unit is used as much but for CLOSE.
"""
import collections
import csv
import json
import sys

LOADS, STORES = ("l1tex__t_{}_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_{}_pipe_lsu_mem_global_op_st.sum")
DIVERGENT = "smsp__sass_branch_targets_threads_divergent.sum"
SHARED = ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
          "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum")
TIME = "gpu__time_duration.sum"
PERCENT = "{}.avg.pct_of_peak_sustained_elapsed"
UNITS = {  # by what `pykc analyze` calls them
    "memory": ["dram__throughput"],
    "the L2 cache": ["lts__throughput"],
    "loads and stores": ["l1tex__data_pipe_lsu_wavefronts", "l1tex__lsuin_requests"],
    "issue": ["sm__inst_executed"],
    "arithmetic": ["sm__inst_executed_pipe_fma", "sm__inst_executed_pipe_fp64"],
}
USED, CLOSE = 60, 10  # percent
METRICS = [LOADS.format("sectors"), STORES.format("sectors"), DIVERGENT, *SHARED, TIME,
           *(PERCENT.format(name) for names in UNITS.values() for name in names)]


def launches_of(path):
    launches = collections.OrderedDict()
    lines = [line for line in open(path, errors="replace") if line.startswith('"')]
    for row in csv.DictReader(lines):
        launch = launches.setdefault(int(row["ID"]), {"name": row["Kernel Name"]})
        if row["Metric Value"] != "n/a":
            launch[row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
    return list(launches.values())


def limit_of(gpu, predicted):
    """What limits a launch on the GPU, how much of its peak that is used, and whether it is what was predicted."""
    used = {unit: max(gpu.get(PERCENT.format(name), 0) for name in names) for unit, names in UNITS.items()}
    most = max(used, key=used.get)
    is_waiting = used[most] < USED
    is_right = is_waiting if predicted not in UNITS else used[predicted] >= used[most] - CLOSE
    return "waiting" if is_waiting else most, used[most], is_right


def counted(report):
    scale = report["blocks"] / report["blocks_counted"]
    sums = collections.Counter()
    for access in report["accesses"]:
        kind = access["kind"].split()[-1]
        if access["memory"] == "shared":
            sums["conflicts"] += (access["wavefronts"] - access["ideal_wavefronts"]) * scale
        elif kind in ("load", "store"):
            sums[kind, "sectors"] += access["sectors"] * scale
    sums["divergent"] = sum(line["divergent"] for line in report["lines"]) * scale
    return sums


def main():
    if len(sys.argv) != 3:
        sys.exit(",".join(METRICS))
    measured, reports = launches_of(sys.argv[1]), json.load(open(sys.argv[2]))
    if len(measured) != len(reports):
        sys.exit(f"{len(measured)} launches on the GPU, {len(reports)} analyzed")
    errors, same, right = [], collections.Counter(), 0
    print(f"{'kernel':22} {'load sectors':>26} {'store sectors':>26} {'bank conflicts':>24} {'divergent':>21} "
          f"{'us':>8} {'predicted':>9}  {'limit':20} predicted")
    for gpu, report in zip(measured, reports):
        ours = counted(report)

        def pair(theirs, mine, width):
            close = abs(theirs - mine) <= 0.02 * max(theirs, mine)
            return f"{theirs:>{width}.0f} {'=' if close else '!'}{mine:>{width}.0f}", close
        cells = []
        for what, theirs, mine, width in (
                ("load sectors", gpu[LOADS.format("sectors")], ours["load", "sectors"], 12),
                ("store sectors", gpu[STORES.format("sectors")], ours["store", "sectors"], 12),
                ("bank conflicts", sum(gpu[name] for name in SHARED), ours["conflicts"], 11),
                ("divergent branches", gpu[DIVERGENT], ours["divergent"], 9)):
            text, close = pair(theirs, mine, width)
            cells.append(text)
            same[what] += close
        took, predicted = gpu[TIME] * 1e-3, report["prediction"]["seconds"] * 1e6
        errors.append(abs(predicted - took) / took)
        limit, percent, is_right = limit_of(gpu, report["prediction"]["limit"])
        right += is_right
        print(f"{gpu['name'][:22]:22}", *cells, f"{took:8.1f} {predicted:9.1f}  {f'{limit} {percent:.0f} %':20}",
              f"{'=' if is_right else '!'}{report['prediction']['limit']}")
    print(f"\n{len(reports)} launches; within 2 %: " + ", ".join(f"{what} {n}" for what, n in same.items()))
    print(f"predicted time: off by {100 * sum(errors) / len(errors):.0f} % on average, "
          f"{100 * sorted(errors)[len(errors) // 2]:.0f} % at the median, {100 * max(errors):.0f} % at most; "
          f"within 25 %: {sum(error <= 0.25 for error in errors)}; right limit: {right}")


if __name__ == "__main__":
    main()
