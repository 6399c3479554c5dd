#!/usr/bin/env python3
"""pykc's arrays beside NumPy's, on the device that PYKC_DEVICE names: prints a table of the milliseconds of each, medians
of several runs, and their ratio. A pause stands before the runs of each, as threads of OpenBLAS go on turning.

usage: arrays.py [NAME …]   only the rows with these names
"""

import statistics
import sys
import time

import numpy

import pykc

RUNS = 15
SHORT = 1e-3  # seconds; what takes less is done several times
PAUSE = 0.1  # seconds

#: Expressions over a module of arrays `np` and inputs of float32: a vector `x` of 2^20, integers `i` below 1000 as long,
#: matrices `a` of 1000², `m` of 2048², `s` of 512² and `t` of 100², vectors `v` of 2048 and `w` of 512.
ROWS = {
    "add": "x + x", "clip": "np.clip(x, -1, 1)", "exp": "np.exp(x)", "where": "np.where(x > 0, x, -x)",
    "sum": "x.sum()", "max": "x.max()", "sum of columns": "a.sum(0)", "sum of rows": "a.sum(1)",
    "std of columns": "a.std(0)", "argmax": "x.argmax()", "cumsum": "x.cumsum()", "diff": "np.diff(x)",
    "dot": "np.dot(x, x)", "norm of rows": "np.linalg.norm(a, axis=1)",
    "einsum ij,ij->i": "np.einsum('ij,ij->i', a, a)", "copy of a transpose": "np.ascontiguousarray(a.T)",
    "concatenate": "np.concatenate([x, x])", "roll": "np.roll(a, 3, 1)", "take": "x[i]", "mask": "x[x > 0]",
    "nonzero": "np.nonzero(x > 0)[0]",
    "sort": "np.sort(x)", "argsort": "np.argsort(x)", "partition": "np.partition(x, 1000)", "median": "np.median(x)",
    "percentile": "np.percentile(x, [10, 50, 90])", "unique": "np.unique(i)", "isin": "np.isin(i, i[:100])",
    "searchsorted": "np.searchsorted(np.sort(a[0]), x[:100000])", "bincount": "np.bincount(i)",
    "histogram": "np.histogram(x, 100)[0]", "convolve": "np.convolve(x[:100000], x[:100])", "fft": "np.fft.fft(x)",
    "interp": "np.interp(x, np.linspace(-3, 3, 100), np.linspace(0, 1, 100))", "matrix @ matrix": "a @ a",
    "matrix @ vector": "m @ v", "vector @ matrix": "v @ m", "solve": "np.linalg.solve(s, w)",
    "inv": "np.linalg.inv(s)", "cholesky": "np.linalg.cholesky(s @ s.T + 99 * np.eye(512, dtype='f4'))",
    "qr": "np.linalg.qr(t)", "svd": "np.linalg.svd(t)", "eigh": "np.linalg.eigh(t + t.T)",
}


def inputs(random: numpy.random.Generator) -> dict[str, numpy.ndarray]:
    shapes = {"x": 1 << 20, "a": (1000, 1000), "m": (2048, 2048), "s": (512, 512), "t": (100, 100), "v": 2048, "w": 512}
    made = {name: random.standard_normal(shape, "f4") for name, shape in shapes.items()}
    return made | {"i": random.integers(0, 1000, 1 << 20, "i4")}


def seconds(expression, names: dict, count: int, wait) -> float:
    start = time.perf_counter()
    for _ in range(count):
        eval(expression, names)
    wait()
    return (time.perf_counter() - start) / count


def milliseconds(expression, names: dict, wait) -> float:
    """Of one evaluation, the median."""
    seconds(expression, names, 1, wait)  # compiles
    time.sleep(PAUSE)
    count = max(1, int(SHORT / seconds(expression, names, 1, wait)))
    return statistics.median(seconds(expression, names, count, wait) for _ in range(RUNS)) * 1e3


def main() -> None:
    host = inputs(numpy.random.default_rng(1))
    of_numpy = {"np": numpy} | host
    of_pykc = {"np": pykc} | {name: pykc.array(value) for name, value in host.items()}
    peers = [(of_numpy, lambda: None), (of_pykc, pykc.cuda.synchronize)]
    print("| | NumPy | pykc | ratio |\n| --- | --- | --- | --- |")
    for name, text in ROWS.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        expression = compile(text, name, "eval")
        theirs, mine = (milliseconds(expression, *peer) for peer in peers)
        print(f"| `{text}` | {theirs:.3g} ms | {mine:.3g} | {mine / theirs:.2f} |", flush=True)


if __name__ == "__main__":
    main()
