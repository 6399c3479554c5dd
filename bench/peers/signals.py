#!/usr/bin/env python3
"""pykc.fft, pykc.convolve and pykc.random beside cuFFT, CuPy's ndimage and cuRAND, on one GPU.

    python3 bench/peers/signals.py --pykc build/release/bin/pykc [--json FILE]

Needs CuPy, which has the others. Medians of ROUNDS batches of LAUNCHES: pykc's first, then theirs. 2^27 numbers of c64
in rows, 2^26 of c128; 2^28 random numbers of f32, 2^27 of f64; matrices of 8192 x 8192.
"""
import argparse
import json
import pathlib
import statistics
import subprocess

import cupy as cp
import cupyx.scipy.ndimage as ndimage
from cupy.cuda import cufft
from cupy_backends.cuda.libs import curand

ROUNDS, LAUNCHES = 7, 3


def median_ms(run) -> float:
    run()
    run()
    times = []
    for _ in range(ROUNDS):
        start, end = cp.cuda.Event(), cp.cuda.Event()
        start.record()
        for _ in range(LAUNCHES):
            run()
        end.record()
        end.synchronize()
        times.append(cp.cuda.get_elapsed_time(start, end) / LAUNCHES)
    return statistics.median(times)


def bytes_of(name: str) -> int:
    """That must move."""
    if name.startswith("convolve2d"):
        return 2 * 8192**2 * (8 if "f64" in name else 4)
    return 2 << 30 if name.startswith("fft") else 1 << 30


def peer(name: str):
    """A function that does the same, or None."""
    work, kind, *last = name.split()
    if work == "fft":
        numbers = cp.ones(1 << (27 if kind == "c64" else 26), "complex64" if kind == "c64" else "complex128")
        result, n = cp.empty_like(numbers), 1 << int(last[0][2:])
        plan = cufft.Plan1d(n, cufft.CUFFT_C2C if kind == "c64" else cufft.CUFFT_Z2Z, numbers.size // n)
        return lambda: plan.fft(numbers, result, cufft.CUFFT_FORWARD)
    if work in ("uniform", "normal"):
        generator = curand.createGenerator(curand.CURAND_RNG_PSEUDO_PHILOX4_32_10)
        x = cp.empty(1 << 28, cp.float32) if kind == "f32" else cp.empty(1 << 27, cp.float64)
        more = (0.0, 1.0) if work == "normal" else ()
        fill = getattr(curand, f"generate{work.capitalize()}" + ("Double" if kind == "f64" else ""))
        return lambda: fill(generator, x.data.ptr, x.size, *more)
    if work == "convolve2d":
        dtype, size = "float32" if kind == "f32" else "float64", int(last[0])
        x, filter = cp.ones((8192, 8192), dtype), cp.ones((size, size), dtype)
        result = cp.empty_like(x)
        return lambda: ndimage.convolve(x, filter, output=result, mode="constant")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pykc", default="build/release/bin/pykc")
    parser.add_argument("--json")
    options = parser.parse_args()
    print(cp.cuda.runtime.getDeviceProperties(0)["name"].decode(), "CuPy", cp.__version__)
    source = pathlib.Path(__file__).with_suffix(".pyk")
    output = subprocess.run([options.pykc, "run", source], check=True, capture_output=True, text=True).stdout
    recorded = {}
    for line in output.splitlines():
        name, ms = line.rsplit(": ", 1)
        recorded[name] = {"pykc": float(ms)}
        run = peer(name)
        if run is not None:
            recorded[name]["peer"] = median_ms(run)
        cp.get_default_memory_pool().free_all_blocks()
        rates = ", ".join(f"{system} {time:.3f} ms {bytes_of(name) / time * 1e-6:.0f} GB/s"
                          for system, time in recorded[name].items())
        print(f"{name:24} {rates}", flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(recorded, indent=1) + "\n")


if __name__ == "__main__":
    main()
