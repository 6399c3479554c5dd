#!/usr/bin/env python3
"""pykc.gemm and pykc.attention beside cuBLAS, cuDNN, FlashAttention 2 and Triton, on a GPU with tensor cores of Hopper.

    python3 bench/peers/tensor_cores.py --pykc build/release/bin/pykc [--only WORDS] [--json FILE]

Needs PyTorch, which has the others, and no package of pykc: the program compiles the kernels to PTX, and the driver
launches them as their host functions do. Random normal numbers, i8 uniform: products of zeros would be faster,
since the chip then draws less power. The systems take turns; medians of 11 batches of 5 launches are kept, those of
products as graphs, and what they make is compared with what PyTorch makes of the same.
"""
import argparse
import functools
import json
import pathlib
import statistics

import torch
import torch.nn.functional as functional
from torch.nn.attention import SDPBackend, sdpa_kernel

import attention_kernels
import library_kernels as library
import triton_products
from torch_medians import median_seconds

TYPES = {name: kind for kind, name in library.NAMES.items()}


def compared(launches, c: torch.Tensor, vendor, as_graphs: bool = True) -> tuple:
    """What the systems take, and by how much pykc's result differs from the vendor's."""
    launches["pykc"]()
    expected = vendor().double()
    difference = ((c.double() - expected).abs().max() / expected.abs().max()).item()
    return median_seconds(launches, as_graphs), difference


def numbers(shape, kind: str) -> torch.Tensor:
    if kind == "i8":
        return torch.randint(-127, 128, shape, device="cuda", dtype=torch.int8)
    return torch.randn(shape, device="cuda").to(TYPES[kind])


def product(pykc: str, matrices: int, m: int, n: int, k: int, kind: str, result: str, transposed: bool):
    """`a @ b`; of b transposed, and of fp8 and i8 whatever the order of b, the vendor multiplies with b.T."""
    a = numbers((matrices, m, k), kind)
    b = numbers((matrices, n, k), kind) if transposed else numbers((matrices, k, n), kind).mT  # b.T as it lies
    c = torch.zeros(matrices, m, n, device="cuda", dtype=TYPES[result])
    one, by_rows = torch.ones((), device="cuda"), b.contiguous()
    vendor = {"i8": lambda: torch._int_mm(a[0], by_rows[0].T)[None],
              "f8e4m3": lambda: torch._scaled_mm(a[0], by_rows[0].T, one, one, out_dtype=TYPES[result],
                                             use_fast_accum=True)[None]}.get(
        kind, lambda: torch.matmul(a[0], b[0].mT)[None] if matrices == 1 else torch.matmul(a, b.mT))
    launches = {"pykc": library.gemm(pykc, c, a, b), "cuBLAS": vendor}
    if matrices == 1 and min(m, n, k) >= 1024 and n % 8 == 0 and k % 8 == 0 and kind in ("bf16", "f16"):
        other = torch.empty_like(c[0])
        launches["Triton"] = triton_products.launch(other, a[0], b[0] if transposed else b[0].T, transposed)
    return 2 * matrices * m * n * k, *compared(launches, c, vendor)


def grouped(pykc: str, groups: int, rows: int, n: int, k: int, transposed: bool):
    """Rows of bf16 divided among matrices, as unevenly as experts are chosen."""
    ends = torch.sort(torch.randperm(rows - 1)[:groups - 1] + 1).values.tolist() + [rows]
    offsets = torch.tensor([0, *ends], device="cuda", dtype=torch.int32)
    a = numbers((1, rows, k), "bf16")
    b = numbers((groups, n, k), "bf16") if transposed else numbers((groups, k, n), "bf16").mT
    c = torch.zeros(1, rows, n, device="cuda", dtype=torch.bfloat16)

    def vendor():
        return torch._grouped_mm(a[0], b.mT, offs=offsets[1:])[None]
    launches = {"pykc": library.gemm_grouped(pykc, c, a, b, offsets), "CUTLASS": vendor}
    return 2 * rows * n * k, *compared(launches, c, vendor)


class Heads:
    """Attention of 16384 queries in all, by heads that have 2048 columns together."""

    def __init__(self, length: int, d: int, causal: bool, operations: float, kind: str = "bf16"):
        batch, heads = max(1, 16384 // length), 2048 // d
        self.causal = causal
        self.operations = operations * batch * heads * length**2 * d * (0.5 if causal else 1)
        given = [numbers((batch, heads, length, d), kind) for _ in range(3)]
        self.flat = [x.view(-1, length, d) for x in given]
        self.given = [x.to(torch.bfloat16) for x in given]  # as others take them

    def by(self, backend) -> torch.Tensor:
        with sdpa_kernel(backend):
            return functional.scaled_dot_product_attention(*self.given, is_causal=self.causal)


BACKENDS = {"cuDNN": SDPBackend.CUDNN_ATTENTION, "FlashAttention 2": SDPBackend.FLASH_ATTENTION}


def attention(pykc: str, length: int, d: int, causal: bool, kind: str = "bf16"):
    """One attention, forward; of fp8 beside what others take for bf16."""
    heads = Heads(length, d, causal, 4, kind)
    o = torch.zeros_like(heads.given[0])
    launches = {"pykc": attention_kernels.attention(pykc, o.view_as(heads.flat[0]), *heads.flat, causal)}
    for name, backend in BACKENDS.items():
        launches[name] = functools.partial(heads.by, backend)
    return heads.operations, *compared(launches, o, launches["cuDNN"], as_graphs=False)


def attention_backward(pykc: str, length: int, d: int, causal: bool):
    """Its gradients; those of all three arrays are compared."""
    heads = Heads(length, d, causal, 10)
    for x in heads.given:
        x.requires_grad_()
    slope = numbers(heads.given[0].shape, "bf16")
    outcome = torch.zeros(4, *heads.flat[0].shape, device="cuda", dtype=torch.bfloat16)
    o, lse = outcome[0], torch.zeros(heads.flat[0].shape[:2], device="cuda")
    attention_kernels.attention(pykc, o, *heads.flat, causal, lse)()
    launches = {"pykc": attention_kernels.attention_backward(pykc, *outcome[1:], slope.view_as(o), *heads.flat, o, lse,
                                                             causal)}
    for name, backend in BACKENDS.items():
        launches[name] = functools.partial(torch.autograd.grad, heads.by(backend), heads.given, slope,
                                           retain_graph=True)
    return heads.operations, *compared(launches, outcome[1:], lambda: torch.stack(
        [x.view_as(o) for x in launches["cuDNN"]()]), as_graphs=False)


def works():
    """The works by name: a function, and what it takes."""
    found = {}
    kinds = (("bf16", "bf16", False), ("bf16", "bf16", True), ("f16", "f16", False), ("f8e4m3", "bf16", True),
             ("f8e4m3", "bf16", False), ("i8", "i32", True), ("i8", "i32", False), ("f32", "f32", True),
             ("f32", "f32", False), ("f64", "f64", False), ("f64", "f64", True))
    shapes = [(1, n, n, n) for n in (8192, 4096, 2048, 1024)] + [
        (1, 16, 16384, 16384), (1, 64, 16384, 16384), (1, 16, 4096, 16384), (1, 512, 512, 16384),
        (1, 1024, 1024, 16384), (1, 4097, 4099, 4101), (64, 1024, 1024, 1024)]
    for matrices, m, n, k in shapes:
        for kind, result, transposed in kinds:
            if m == n == k and matrices == 1 and m % 1024 == 0 or kind == "bf16":
                shape = f"{n}³" if m == n == k else f"{m} x {n} x {k}"
                stack = f"{matrices} x " if matrices > 1 else ""
                name = f"{kind} {stack}{shape}{', b transposed' if transposed else ''}"
                found[name] = product, matrices, m, n, k, kind, result, transposed
    for transposed in (False, True):
        for groups in (8, 64):
            name = f"bf16 {groups} groups, 16384 x 4096 x 4096{', b transposed' if transposed else ''}"
            found[name] = grouped, groups, 16384, 4096, 4096, transposed
    for name, work in (("attention", attention), ("attention backward", attention_backward)):
        for d in (64, 128):
            for causal in (False, True):
                for length in (1024, 2048, 4096, 8192, 16384):
                    found[f"{name} d {d}, {length}{', causal' if causal else ''}"] = work, length, d, causal
    for causal in (False, True):
        for length in (1024, 4096, 16384):
            name = f"attention of fp8 d 128, {length}{', causal' if causal else ''}"
            found[name] = attention, length, 128, causal, "f8e4m3"
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pykc", default="build/release/bin/pykc")
    parser.add_argument("--only", default="", help="works whose name has these words")
    parser.add_argument("--json")
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.manual_seed(0)
    print(torch.cuda.get_device_name(0), "PyTorch", torch.__version__)
    recorded = {}
    for name, (work, *parameters) in works().items():
        if options.only not in name:
            continue
        operations, seconds, difference = work(options.pykc, *parameters)
        rates = {system: operations / time * 1e-12 for system, time in seconds.items()}
        recorded[name] = {**rates, "difference": difference}
        print(f"{name:44}", *(f"{system} {rate:.{0 if rate >= 100 else 1}f}" for system, rate in rates.items()),
              f"TFLOP/s, difference {difference:.1g}", flush=True)
        if options.json:  # what is there so far, for a run that is cut short
            pathlib.Path(options.json).write_text(json.dumps(recorded, indent=1) + "\n")


if __name__ == "__main__":
    main()
