"""The works by Numba's `prange` or by Warp: a child of pykc_bench_cpu, which tells it by lines what to do.

usage: peers.py numba|warp FOLDER THREADS

FOLDER has the inputs. The first line says what runs here. Then `run N` does work N and answers with the milliseconds
that it took, `result N` writes what it computed to FOLDER/result as float64.
"""
import importlib
import pathlib
import sys
import time

import numpy as np

MATRIX, SIDE, WIDTH, HEIGHT, STEPS = 768, 4096, 1536, 1024, 200
BODIES, ROWS, SAMPLES, WEIGHTS, POINTS, CENTERS = 8192, 1 << 19, 1 << 22, 21, 1 << 20, 64
RATE, VOLATILITY = np.float32(0.02), np.float32(0.3)
KINDS = {"bytes": np.uint8, "columns": np.int32, "starts": np.int32}


class Inputs:
    def __init__(self, folder: pathlib.Path):
        for file in folder.glob("*.bin"):
            setattr(self, file.stem, np.fromfile(file, KINDS.get(file.stem, np.float32)))
        self.a, self.b = self.a.reshape(MATRIX, MATRIX), self.b.reshape(MATRIX, MATRIX)
        self.square = self.numbers.reshape(SIDE, SIDE)
        self.bodies = self.numbers[:4 * BODIES].reshape(4, BODIES)
        self.points = self.numbers[:2 * POINTS].reshape(2, POINTS)
        self.centers = self.others[:2 * CENTERS].reshape(2, CENTERS)
        self.weights = self.others[:WEIGHTS].copy()


def main():
    peer, folder, threads = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    answers, sys.stdout = sys.stdout, sys.stderr  # what else is printed is no answer
    description, works = importlib.import_module(f"{peer}_works").make(Inputs(folder), threads)
    print(description, file=answers, flush=True)
    for line in sys.stdin:
        command, work = line.split()
        run, result = works[int(work)]
        if command == "run":
            start = time.perf_counter()
            run()
            print((time.perf_counter() - start) * 1000, file=answers, flush=True)
        else:
            np.ravel(result()).astype(np.float64).tofile(folder / "result")
            print("written", file=answers, flush=True)


if __name__ == "__main__":
    main()
