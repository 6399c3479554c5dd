#!/usr/bin/env python3
"""pykc.sort, pykc.select, pykc.segmented and pykc.top_k beside CUB, cuSPARSE and PyTorch, on one GPU.

    python3 bench/peers/selections.py --pykc build/release/bin/pykc [--nvcc nvcc] [--json FILE]

Needs NVIDIA's compiler, with CUB and cuSPARSE; PyTorch, where it is there, for top_k. Medians of 7 batches of 20
launches, from the host's first call to the GPU's last work: pykc's first, then theirs. 2^28 elements where a name has
no size; the product of a sparse matrix has 2^20 rows of 32 elements in random columns.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

ROUNDS, LAUNCHES = 7, 20


def times_of(*command) -> dict[str, float]:
    """What a program prints: "sort i32 2^28: 5.1", in milliseconds."""
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return {name: float(ms) for name, _, ms in (line.partition(": ") for line in output.splitlines())}


def pytorch(names) -> dict[str, float]:
    try:
        import torch
    except ImportError:
        return {}
    x, found = torch.randint(1 << 24, (1 << 28,), device="cuda").to(torch.float32), {}
    for name in names:
        count, times = int(name.split()[-1]), []
        for round in range(ROUNDS + 1):  # the first one is not counted
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            for _ in range(LAUNCHES):
                torch.topk(x, count)
            end.record()
            end.synchronize()
            times.append(start.elapsed_time(end) / LAUNCHES)
        found[name] = statistics.median(times[1:])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pykc", default="build/release/bin/pykc")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--json")
    options = parser.parse_args()
    here = pathlib.Path(__file__).resolve().parent
    ours = times_of(options.pykc, "run", here / "selections.pyk")
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "selections"
        subprocess.run([options.nvcc, "-O3", "-std=c++17", "-arch=native", "-o", program, here / "selections.cu",
                        "-lcusparse"], check=True)
        theirs = times_of(program)
    theirs |= pytorch(name for name in ours if name.startswith("top_k"))
    print("| | pykc | peer | ratio |\n| --- | ---: | ---: | ---: |")
    for name, ms in ours.items():
        peer = theirs.get(name.removesuffix(", as a graph"))
        print(f"| {name} | {ms:.3f} ms | " + (f"{peer:.3f} ms | {ms / peer:.2f} |" if peer else "| |"))
    if options.json:
        rows = {"pykc": ours, "peers": theirs}
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
