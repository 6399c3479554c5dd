#!/usr/bin/env python3
"""pykc.gemm and pykc.attention beside cuBLAS, cuDNN and FlashAttention 2, on one GPU with tensor cores of Hopper.

    python3 bench/peers/tensor_cores.py --pykc build/release/bin/pykc [--json FILE]

Needs PyTorch, which has the others, and no package of pykc: the program compiles the kernels to PTX, and the driver
launches them as their host functions do. Random normal numbers, i8 uniform: products of zeros would be faster,
since the chip then draws less power. The systems take turns; medians of ROUNDS batches of BATCH launches are kept, and
what they make is compared with what PyTorch makes of the same.
"""
import argparse
import ctypes
import json
import math
import pathlib
import statistics
import struct
import subprocess

import torch
import torch.nn.functional as functional
from torch.nn.attention import SDPBackend, sdpa_kernel

ROUNDS, BATCH = 11, 5
STDLIB = pathlib.Path(__file__).resolve().parents[2] / "stdlib"
TYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32, "i8": torch.int8, "i32": torch.int32,
         "u8": torch.float8_e4m3fn}
MAP_TYPES = {torch.bfloat16: 9, torch.float16: 6, torch.float32: 7, torch.int32: 3, torch.int8: 0,
             torch.float8_e4m3fn: 0}  # CUtensorMapDataType
driver = ctypes.CDLL("libcuda.so.1")


def check(result: int, what: str):
    if result != 0:
        raise RuntimeError(f"{what} failed with code {result}")


class Kernel:
    """A kernel of the library for some types and constants."""

    def __init__(self, pykc: str, module: str, signature: str, shared_bytes: int):
        ptx = subprocess.run([pykc, "compile", "--target", "sm_90a", "--emit", "ptx", "--sig", signature, "-o", "-",
                              STDLIB / f"{module}.pyk"], check=True, capture_output=True).stdout
        loaded, self.function, self.shared_bytes = ctypes.c_void_p(), ctypes.c_void_p(), shared_bytes
        check(driver.cuModuleLoadData(ctypes.byref(loaded), ptx + b"\0"), "cuModuleLoadData")
        check(driver.cuModuleGetFunction(ctypes.byref(self.function), loaded, signature.split("(")[0].encode()),
              "cuModuleGetFunction")
        check(driver.cuFuncSetAttribute(self.function, 8, shared_bytes), "cuFuncSetAttribute")

    def launch(self, grid, threads: int, arguments):
        """A function that launches it. An argument is an array, a number of 32 bits, or a tensor map."""
        words = []
        for argument in arguments:
            if isinstance(argument, torch.Tensor):
                words += [ctypes.c_int64(word) for word in (argument.data_ptr(), *argument.shape)]
            else:
                words.append(argument)
        pointers = (ctypes.c_void_p * len(words))(*(ctypes.addressof(word) for word in words))

        def run():
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            check(driver.cuLaunchKernel(self.function, *grid, threads, 1, 1, self.shared_bytes, stream, pointers, None),
                  "cuLaunchKernel")
        run.keeps = words
        return run


def tensor_map(array: torch.Tensor, box):
    """As the runtime makes it for `tensor_map(array, box, swizzle=128)`."""
    room = ctypes.create_string_buffer(192)
    place = (ctypes.c_char * 128).from_buffer(room, -ctypes.addressof(room) % 64)
    rank = array.dim()
    extents = (ctypes.c_uint64 * rank)(*reversed(array.shape))
    strides = (ctypes.c_uint64 * rank)(*(array.stride(i) * array.element_size() for i in reversed(range(rank - 1))))
    check(driver.cuTensorMapEncodeTiled(place, MAP_TYPES[array.dtype], rank, ctypes.c_void_p(array.data_ptr()), extents,
                                        strides, (ctypes.c_uint32 * rank)(*reversed(box)),
                                        (ctypes.c_uint32 * rank)(*[1] * rank), 0, 3, 3, 0), "cuTensorMapEncodeTiled")
    return place


def median_seconds(launches) -> dict:
    samples = {name: [] for name in launches}
    for _ in range(ROUNDS):
        for name, launch in launches.items():
            launch()
            start, end = torch.cuda.Event(True), torch.cuda.Event(True)
            start.record()
            for _ in range(BATCH):
                launch()
            end.record()
            end.synchronize()
            samples[name].append(start.elapsed_time(end) * 1e-3 / BATCH)
    return {name: statistics.median(times) for name, times in samples.items()}


def numbers(shape, kind: str) -> torch.Tensor:
    if kind == "i8":
        return torch.randint(-127, 128, shape, device="cuda", dtype=torch.int8)
    return torch.randn(shape, device="cuda").to(TYPES[kind])


def product(pykc: str, size: int, kind: str, result: str, transposed: bool):
    """One product of `size`³: what its systems take, and by how much pykc's differs from cuBLAS's."""
    a, by_rows = numbers((size, size), kind), numbers((size, size), kind)
    b = by_rows if transposed else by_rows.T.contiguous()
    c = torch.zeros(size, size, device="cuda", dtype=TYPES[result])
    blocks = torch.cuda.get_device_properties(0).multi_processor_count
    few = -(-size // 128) * -(-size // 256) <= blocks
    columns, stages = (128, 5) if few else (256, 3 if c.element_size() == 2 else 4)
    staged = 256 * columns if c.element_size() == 2 else 1024
    types = f"{result}[:, :], {kind}[:, :], {kind}[:, :]"
    kernel = Kernel(pykc, "gemm", f"gemm_tiles({types}, {transposed}, {columns}, {stages})",
                    stages * (16384 + 128 * columns) + staged + 32 * stages + 1024)
    depth = 128 // a.element_size()
    maps = [tensor_map(a, (64, depth)), tensor_map(b, (columns, depth) if transposed else (64, 64))]
    if c.element_size() == 2:
        maps.append(tensor_map(c, (64, 64)))
    one = torch.ones((), device="cuda")
    vendor = {"i8": lambda: torch._int_mm(a, by_rows.T),
              "u8": lambda: torch._scaled_mm(a, by_rows.T, one, one, out_dtype=TYPES[result], use_fast_accum=True)}.get(
        kind, lambda: torch.matmul(a, by_rows.T if transposed else b))
    launches = {"pykc": kernel.launch((blocks, 1, 1), 384, [c, a, b, *maps]), "cuBLAS": vendor}
    launches["pykc"]()
    expected = vendor().float()
    difference = ((c.float() - expected).abs().max() / expected.abs().max()).item()
    return 2 * size**3, median_seconds(launches), difference


def attention(pykc: str, length: int, d: int, causal: bool):
    """Attention of 16384 queries in all, by heads that have 2048 columns together."""
    batch, heads = max(1, 16384 // length), 2048 // d
    q, k, v = (numbers((batch, heads, length, d), "bf16") for _ in range(3))
    flat = [x.view(batch * heads, length, d) for x in (q, k, v)]
    o = torch.zeros_like(flat[0])
    groups = 3 if d == 64 and (length > 1024 or not causal) else 2
    name = {2: "attention_of_two", 3: "attention_of_three"}[groups]
    array = "bf16[:, :, :]"
    kernel = Kernel(pykc, "attention", f"{name}({array}, {array}, {array}, {array}, f32, {causal}, {d}, 128, 2)",
                    groups * 128 * d + 1024 * d + 2048)
    scale = struct.unpack("i", struct.pack("f", math.log2(math.e) / math.sqrt(d)))[0]
    maps = [tensor_map(x, (1, rows, 64)) for x, rows in zip((*flat, o), (64, 128, 128, 64))]
    grid = (-(-length // (64 * groups)), batch * heads, 1)
    launches = {"pykc": kernel.launch(grid, 128 + 128 * groups, [o, *flat, ctypes.c_int32(scale), *maps])}

    def by(backend):
        with sdpa_kernel(backend):
            return functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    launches["cuDNN"] = lambda: by(SDPBackend.CUDNN_ATTENTION)
    launches["FlashAttention 2"] = lambda: by(SDPBackend.FLASH_ATTENTION)
    launches["pykc"]()
    expected = launches["cuDNN"]().float()
    difference = (o.view_as(q).float() - expected).abs().max().item()
    return 4 * batch * heads * length**2 * d * (0.5 if causal else 1), median_seconds(launches), difference


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pykc", default="build/release/bin/pykc")
    parser.add_argument("--json")
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.manual_seed(0)
    print(torch.cuda.get_device_name(0), "PyTorch", torch.__version__)
    works = {}
    for size in (8192, 4096, 2048, 1024):
        for kind, result, transposed in (("bf16", "bf16", False), ("bf16", "bf16", True), ("f16", "f16", False),
                                         ("u8", "bf16", True), ("i8", "i32", True), ("f32", "f32", True)):
            name = f"{kind} {size}³{', b transposed' if transposed else ''}"
            works[name] = (product, size, kind, result, transposed)
    for d in (64, 128):
        for causal in (False, True):
            for length in (1024, 2048, 4096, 8192, 16384):
                works[f"attention d {d}, {length}{', causal' if causal else ''}"] = (attention, length, d, causal)
    recorded = {}
    for name, (work, *parameters) in works.items():
        operations, seconds, difference = work(options.pykc, *parameters)
        rates = {system: operations / time * 1e-12 for system, time in seconds.items()}
        recorded[name] = {**rates, "difference": difference}
        print(f"{name:36}", *(f"{system} {rate:.0f}" for system, rate in rates.items()),
              f"TFLOP/s, difference {difference:.1g}", flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(recorded, indent=1) + "\n")


if __name__ == "__main__":
    main()
