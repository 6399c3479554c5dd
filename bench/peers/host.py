"""What the host pays: for a launch, and for compiling a kernel to PTX, by each system.

As a program it compiles one kernel and ends, which is how processes are timed: host.py Numba|Triton vecadd|matmul_tiled
"""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Callable

from modules import HERE, STDLIB

BATCH = 200  # launches timed as one, so that the queue never fills
BATCHES = 101
COMPILATIONS = 7
PROCESSES = 3
KERNELS = {"vecadd": "vecadd", "matmul_tiled": "tiled matmul"}  # names in the sources, and in the table


def alone(text: str, separator: str, kernel: str) -> str:
    """The text of one kernel, from those of a file."""
    return separator + next(part for part in text.split(separator)[1:] if f" {kernel}(" in part[:100])


def cuda_source(kernel: str) -> str:
    return alone((HERE / "kernels.cu").read_text(), 'extern "C"', kernel)


def pykc_source(kernel: str) -> str:
    path = STDLIB / "matmul.pyk" if kernel == "matmul_tiled" else HERE / "kernels.pyk"
    text = alone(path.read_text(), "@kernel\n", kernel)
    return "from pykc import *\n\nTILE = 16\n\n\n" + text.split("\n\n\n")[0] + "\n"


def compile_by_nvrtc(kernel: str) -> float:
    from cupy.cuda import nvrtc
    source = cuda_source(kernel)
    start = time.perf_counter()
    program = nvrtc.createProgram(source, "kernel.cu", (), ())
    nvrtc.compileProgram(program, ("--gpu-architecture=compute_90", "-std=c++17"))
    nvrtc.getPTX(program)
    nvrtc.destroyProgram(program)
    return time.perf_counter() - start


def compile_by_numba(kernel: str) -> float:
    import numba_kernels
    from numba import cuda, float32, float64
    types = (float64[::1],) * 3 if kernel == "vecadd" else (float32[:, ::1],) * 3
    start = time.perf_counter()
    cuda.compile_ptx(getattr(numba_kernels, kernel).py_func, types, cc=(9, 0))
    return time.perf_counter() - start


def compile_by_triton(kernel: str) -> float:
    """Up to PTX: the time of ptxas, which Triton always runs, is left out."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    import triton_kernels
    if kernel == "vecadd":
        source = ASTSource(triton_kernels.vecadd, {"z": "*fp64", "x": "*fp64", "y": "*fp64", "n": "i32",
                                                   "BLOCK": "constexpr"}, {"BLOCK": 1024})
    else:
        source = ASTSource(triton_kernels.matmul, {"c": "*fp32", "a": "*fp32", "b": "*fp32", "m": "i32", "k": "i32",
                                                   "n": "i32", "M": "constexpr", "N": "constexpr", "K": "constexpr"},
                           {"M": 64, "N": 64, "K": 16})
    stages = {}
    with triton.knobs.compilation.scope():
        triton.knobs.compilation.always_compile = True
        triton.knobs.compilation.listener = lambda *, times, **_: stages.update(times.lowering_stages)
        start = time.perf_counter()
        triton.compile(source, target=GPUTarget("cuda", 90, 32))
        seconds = time.perf_counter() - start
    return seconds - stages["cubin"] * 1e-6


IN_PROCESS = {"CUDA C++": compile_by_nvrtc, "Numba": compile_by_numba, "Triton": compile_by_triton}


def seconds_of_launch(launch: Callable[[], None], synchronize: Callable[[], None]) -> float:
    times = []
    for _ in range(BATCHES):
        start = time.perf_counter()
        for _ in range(BATCH):
            launch()
        times.append((time.perf_counter() - start) / BATCH)
        synchronize()
    return statistics.median(times)


def launches(systems, programs: pathlib.Path) -> list[dict]:
    """Of a kernel with three arrays that does next to nothing, asynchronous."""
    import cupy as cp
    import numpy as np
    x, y, z = (cp.zeros(32) for _ in range(3))
    ours = {"CuPy": systems.cpp("vecadd", (1,), (32,), z, x, y, np.int64(32)),
            "Numba": systems.jit("vecadd", (1,), (32,), z, x, y),
            "Triton": systems.tiles("vecadd", (1,), z, x, y, 32, BLOCK=32)}
    seconds = {name: seconds_of_launch(launch, cp.cuda.Device().synchronize) for name, launch in ours.items() if launch}
    rows = measured(programs / "pykc_bench_launch") or [{"work": "launch, 3 arrays", "seconds": {}}]
    for row in rows:
        if row["work"] == "launch, 3 arrays":
            row["seconds"].update(seconds)
    return rows


def compilations(systems, programs: pathlib.Path) -> list[dict]:
    """To PTX for sm_90, with empty caches: again in a process that has compiled before, and by a process of its own."""
    here = ["CUDA C++"] + ["Numba"] * bool(systems.numba) + ["Triton"] * bool(systems.triton)
    by_pykc = in_process_by_pykc(programs / "pykc_bench_compile")
    rows = []
    for kernel, title in KERNELS.items():
        seconds = {}
        if kernel in by_pykc:
            seconds["pykc"] = by_pykc[kernel]
        for name in here:
            IN_PROCESS[name](kernel)
            seconds[name] = statistics.median(IN_PROCESS[name](kernel) for _ in range(COMPILATIONS))
        rows.append({"work": f"compile {title}, in process", "seconds": seconds})
        with tempfile.TemporaryDirectory() as folder:
            times = {name: seconds_of_process(command) for name, command in
                     commands(kernel, pathlib.Path(folder), programs / "pykc", here).items()}
        rows.append({"work": f"compile {title}, whole process", "seconds": times})
    return rows


def commands(kernel: str, folder: pathlib.Path, pykc: pathlib.Path, names: list[str]) -> dict[str, list[str]]:
    (folder / "kernel.cu").write_text(cuda_source(kernel))
    (folder / "kernel.pyk").write_text(pykc_source(kernel))
    result = {}
    if shutil.which("nvcc"):
        result["CUDA C++"] = ["nvcc", "-ptx", "-arch=sm_90", "-std=c++17", str(folder / "kernel.cu"), "-o",
                              str(folder / "nvcc.ptx")]
    if pykc.exists():
        result["pykc"] = [str(pykc), "compile", str(folder / "kernel.pyk"), "--target", "sm_90", "-o",
                          str(folder / "pykc.ptx")]
    return result | {name: [sys.executable, __file__, name, kernel] for name in names if name != "CUDA C++"}


def seconds_of_process(command: list[str]) -> float:
    times = []
    for _ in range(PROCESSES):
        with tempfile.TemporaryDirectory() as cache:
            environment = os.environ | {"PYKC_CACHE": "off", "TRITON_CACHE_DIR": cache}
            start = time.perf_counter()
            subprocess.run(command, check=True, env=environment)
            times.append(time.perf_counter() - start)
    return statistics.median(times)


def in_process_by_pykc(program: pathlib.Path) -> dict[str, float]:
    """By the kernel's name in the sources."""
    if not program.exists():
        return {}
    text = subprocess.run([program, "--benchmark_filter=sm_90/compiled", "--benchmark_format=json"], check=True,
                          stdout=subprocess.PIPE).stdout
    names = {"vecadd": "vecadd", "tiled_matmul": "matmul_tiled"}
    return {names[entry["name"].split("/")[0]]: entry["real_time"] * 1e-3 for entry in json.loads(text)["benchmarks"]
            if entry["name"].endswith("_median")}


def measured(program: pathlib.Path, *arguments: str) -> list[dict]:
    """What a program of ours reports; nothing where it is not there."""
    if not program.exists():
        return []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "report.json"
        subprocess.run([program, *arguments, path], check=True)
        return json.loads(path.read_text())


if __name__ == "__main__":
    IN_PROCESS[sys.argv[1]](sys.argv[2])
