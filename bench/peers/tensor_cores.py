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
import functools
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

    def launch(self, grid, block, arguments):
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
            check(driver.cuLaunchKernel(self.function, *grid, *block, self.shared_bytes, stream, pointers, None),
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
    launches = {"pykc": kernel.launch((blocks, 1, 1), (384, 1, 1), [c, a, b, *maps]), "cuBLAS": vendor}
    launches["pykc"]()
    expected = vendor().float()
    difference = ((c.float() - expected).abs().max() / expected.abs().max()).item()
    return 2 * size**3, median_seconds(launches), difference


def bits(x: float) -> ctypes.c_int32:
    """An f32 as an argument of a launch."""
    return ctypes.c_int32(struct.unpack("i", struct.pack("f", x))[0])


class Heads:
    """Attention of 16384 queries in all, by heads that have 2048 columns together."""

    def __init__(self, length: int, d: int, causal: bool, operations: float):
        batch, heads = max(1, 16384 // length), 2048 // d
        self.length, self.d, self.causal, self.heads = length, d, causal, batch * heads
        self.operations = operations * batch * heads * length**2 * d * (0.5 if causal else 1)
        self.scale = 1 / math.sqrt(d)
        self.q, self.k, self.v = (numbers((batch, heads, length, d), "bf16") for _ in range(3))

    def flat(self, x: torch.Tensor) -> torch.Tensor:
        return x.view(self.heads, self.length, self.d)

    def forward(self, pykc: str, o: torch.Tensor, lse: torch.Tensor):
        """pykc's launch; `lse` may be empty."""
        groups, array, numbers = (3 if self.d == 64 else 2), "bf16[:, :, :]", "i32[:]"
        name = {2: "attention_of_two", 3: "attention_of_three"}[groups]
        kernel = Kernel(pykc, "attention_tiles", f"{name}({array}, f32[:, :], {array}, {array}, {array}, {numbers}, "
                        f"{numbers}, u32[:], f32, i32, i32, {int(self.causal)}, {self.d}, 128, 2, 2)",
                        groups * 256 * self.d + 1024 * self.d + 2048)
        arrays = [o, *map(self.flat, (self.q, self.k, self.v))]
        maps = [tensor_map(x, (1, rows, 64)) for x, rows in zip(arrays[1:] + arrays[:1], (64, 128, 128, 64))]
        none, counter = (torch.zeros(n, device="cuda", dtype=torch.int32) for n in (0, 1))
        band = max(1, (1 << 24) // (4 * self.d * self.length))
        launch = kernel.launch((torch.cuda.get_device_properties(0).multi_processor_count, 1, 1),
                               (128 + 128 * groups, 1, 1),
                               [o, lse, *arrays[1:], none, none, counter, bits(self.scale * math.log2(math.e)),
                                ctypes.c_int32(0), ctypes.c_int32(band), *maps])

        def run():
            counter.zero_()
            launch()
        return run

    def by(self, backend) -> torch.Tensor:
        with sdpa_kernel(backend):
            return functional.scaled_dot_product_attention(self.q, self.k, self.v, is_causal=self.causal)


BACKENDS = {"cuDNN": SDPBackend.CUDNN_ATTENTION, "FlashAttention 2": SDPBackend.FLASH_ATTENTION}


def attention(pykc: str, length: int, d: int, causal: bool):
    heads = Heads(length, d, causal, 4)
    o = torch.zeros_like(heads.flat(heads.q))
    launches = {"pykc": heads.forward(pykc, o, torch.zeros(0, 0, device="cuda"))}
    for name, backend in BACKENDS.items():
        launches[name] = functools.partial(heads.by, backend)
    launches["pykc"]()
    expected = launches["cuDNN"]().float()
    difference = (o.view_as(heads.q).float() - expected).abs().max().item()
    return heads.operations, median_seconds(launches), difference


def attention_backward(pykc: str, length: int, d: int, causal: bool):
    heads = Heads(length, d, causal, 10)
    given = [x.requires_grad_() for x in (heads.q, heads.k, heads.v)]
    slope = numbers(heads.q.shape, "bf16")
    q, k, v, do = (heads.flat(x.detach()) for x in (*given, slope))
    o, dq, dk, dv = (torch.zeros_like(q) for _ in range(4))
    lse = torch.zeros(heads.heads, length, device="cuda")
    heads.forward(pykc, o, lse)()

    padded, queries = -(-length // 128) * 128, 8192 // d
    rows = torch.empty(heads.heads, 2, padded, device="cuda")
    sums = torch.empty(heads.heads, padded * d // 4096, 4096, device="cuda")
    array, floats = "bf16[:, :, :]", "f32[:, :, :]"
    module, scale = "attention_backward", bits(heads.scale)
    maps = [tensor_map(x, (1, n, 64)) for x, n in ((k, 64), (v, 64), (q, queries), (do, queries), (dv, 64), (dk, 64))]
    prepare = Kernel(pykc, module, f"prepare({floats}, {floats}, {array}, {array}, f32[:, :], {d})", 0)
    gradients = Kernel(pykc, module, f"gradients({array}, {array}, {floats}, {floats}, {array}, {array}, {array}, "
                       f"{array}, f32, f32, {causal}, {d}, {queries})", 10 * 16384 + 3072)
    finish = Kernel(pykc, module, f"finish({array}, {floats}, f32, {d})", 0)
    parts = [prepare.launch((padded * d // 2048, heads.heads, 1), (d // 8, 2048 // d, 1), [rows, sums, o, do, lse]),
             gradients.launch((-(-length // 128), heads.heads, 1), (384, 1, 1),
                              [dk, dv, sums, rows, q, k, v, do, bits(heads.scale * math.log2(math.e)), scale, *maps]),
             finish.launch((sums.shape[1], heads.heads, 1), (256, 1, 1), [dq, sums, scale])]

    def run():
        for part in parts:
            part()
    launches = {"pykc": run}
    for name, backend in BACKENDS.items():
        launches[name] = functools.partial(torch.autograd.grad, heads.by(backend), given, slope, retain_graph=True)
    run()
    difference = max((x - heads.flat(y)).float().abs().max().item()
                     for x, y in zip((dq, dk, dv), launches["cuDNN"]()))
    return heads.operations, median_seconds(launches), difference


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pykc", default="build/release/bin/pykc")
    parser.add_argument("--json")
    parser.add_argument("--only", default="", help="works whose names hold this")
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
    for name, work in (("attention", attention), ("attention backward", attention_backward)):
        for d in (64, 128):
            for causal in (False, True):
                for length in (1024, 2048, 4096, 8192, 16384):
                    works[f"{name} d {d}, {length}{', causal' if causal else ''}"] = (work, length, d, causal)
    works = {name: work for name, work in works.items() if options.only in name}
    recorded = {}
    for name, (work, *parameters) in works.items():
        operations, seconds, difference = work(options.pykc, *parameters)
        rates = {system: operations / time * 1e-12 for system, time in seconds.items()}
        recorded[name] = {**rates, "difference": difference}
        print(f"{name:40}", *(f"{system} {rate:.0f}" for system, rate in rates.items()),
              f"TFLOP/s, difference {difference:.1g}", flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(recorded, indent=1) + "\n")


if __name__ == "__main__":
    main()
