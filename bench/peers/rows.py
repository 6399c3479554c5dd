#!/usr/bin/env python3
"""The library's kernels of rows beside PyTorch's and a copy of the same matrix, on one GPU.

    python3 bench/peers/rows.py --pykc build/release/bin/pykc [--json FILE]

Needs PyTorch. Medians of 7 graphs of 10 launches, then of 11 graphs of 5 for theirs; 16384 x 8192 elements, normal
numbers. What is read and written once counts as bytes; "of the copy" is how fast they pass beside those of the fastest
copy.
"""
import argparse
import json
import pathlib

import torch
import torch.nn.functional as functional

from selections import times_of
from torch_medians import median_seconds

ROWS, COLUMNS = 16384, 8192
TYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}


def bytes_of(name: str, itemsize: int) -> int:
    """For each element; what there is for a row or a column is left out."""
    if name == "cross_entropy":
        return itemsize
    return itemsize + 1 if name in ("quantize", "dequantize") else 2 * itemsize


def pytorch(kind: str) -> dict[str, float]:
    x = torch.randn(ROWS, COLUMNS, device="cuda", dtype=TYPES[kind])
    y, weight = torch.empty_like(x), torch.randn(COLUMNS, device="cuda", dtype=TYPES[kind])
    targets = torch.randint(COLUMNS, (ROWS,), device="cuda")
    calls = {
        "copy": lambda: y.copy_(x),
        "softmax": lambda: torch.softmax(x, 1),
        "layer_norm": lambda: functional.layer_norm(x, (COLUMNS,), weight, weight),
        "rms_norm": lambda: functional.rms_norm(x, (COLUMNS,), weight),
        "gelu": lambda: functional.gelu(x),
        "gelu_tanh": lambda: functional.gelu(x, approximate="tanh"),
        "silu": lambda: functional.silu(x),
        "cross_entropy": lambda: functional.cross_entropy(x, targets, reduction="none"),
    }
    return {f"{name} {kind}": 1e3 * seconds for name, seconds in median_seconds(calls, as_graphs=True).items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pykc", default="build/release/bin/pykc")
    parser.add_argument("--json")
    options = parser.parse_args()
    ours = times_of(options.pykc, "run", pathlib.Path(__file__).resolve().parent / "rows.pyk")
    theirs = {}
    for kind in TYPES:
        theirs |= pytorch(kind)
    copies = {kind: theirs[f"copy {kind}"] / TYPES[kind].itemsize for kind in TYPES}
    fastest = min(copies.values())  # of two bytes, one read and one written, for each element
    print(f"copies: {2e-9 * ROWS * COLUMNS / fastest:.2f} TB/s\n")
    print("| | pykc | of the copy | PyTorch | of the copy |\n| --- | ---: | ---: | ---: | ---: |")
    for row, ms in ours.items():
        name, kind = row.split()
        of_copy = bytes_of(name, TYPES[kind].itemsize) / 2 * fastest
        line = f"| {row} | {1e3 * ms:.0f} us | {100 * of_copy / ms:.0f} % |"
        peer = theirs.get(row)
        print(line + (f" {1e3 * peer:.0f} us | {100 * of_copy / peer:.0f} % |" if peer else " | |"))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"pykc": ours, "PyTorch": theirs}, indent=1) + "\n")


if __name__ == "__main__":
    main()
