"""The launches of `stdlib/attention.pyk` and `attention_backward.pyk` on PyTorch's arrays; see library_kernels.py."""
import ctypes
import math

import torch

from library_kernels import NAMES, Kernel, bits, cdiv, in_turn, multiprocessors, tensor_map


def attention(pykc: str, o, q, k, v, causal: bool, lse=None):
    """Of `attention(o, q, k, v, causal, lse=lse)` for stacks with as many queries as keys."""
    heads, length, d = q.shape
    kind, is_fp8 = NAMES[q.dtype], q.element_size() == 1
    groups, array, starts = 3 if d == 64 else 2, f"{kind}[:, :, :]", "i32[:]"
    name = "attention_of_three" if groups == 3 else "attention_of_two"
    types = f"bf16[:, :, :], f32[:, :], {array}, {array}, {array}, {starts}, {starts}, u32[:], f32, f32, i32, i32"
    kernel = Kernel(pykc, "attention_tiles", f"{name}({types}, {int(causal)}, {d}, 128, 2, 2)",
                    (groups * 384 if is_fp8 else groups * 256) * d + (512 if is_fp8 else 1024) * d + 2048)
    none, counter = (torch.zeros(n, device="cuda", dtype=torch.int32) for n in (0, 1))
    steps = []
    if is_fp8:
        values, v = v, torch.empty(heads, d, cdiv(length, 128) * 128, device="cuda", dtype=v.dtype)
        turn = Kernel(pykc, "attention_tiles", f"turn_values({array}, {array}, i32[:])")
        steps.append(turn.launch((v.shape[2] // 128, heads, 1), (256, 1, 1), [v, values, none]))
    width = 128 // q.element_size()
    maps = [tensor_map(x, (1, rows, columns))
            for x, rows, columns in ((q, 64, width), (k, 128, width), (v, 128, width), (o, 64, 64))]
    cached = min(max(1 << 23, length << 13), 1 << 26) if causal else 1 << 24
    band = max(1, cached // (2 * length * d * q.element_size()))
    lse = torch.zeros(0, 0, device="cuda") if lse is None else lse
    return in_turn(*steps, counter.zero_, kernel.launch(
        (multiprocessors(), 1, 1), (128 + 128 * groups, 1, 1),
        [o, lse, q, k, v, none, none, counter, bits(math.log2(math.e) / math.sqrt(d)), bits(1), ctypes.c_int32(0),
         ctypes.c_int32(band), *maps]))


def attention_backward(pykc: str, dq, dk, dv, do, q, k, v, o, lse, causal: bool):
    """Of `attention_backward(dq, dk, dv, do, q, k, v, o, lse, causal)` for as many queries as keys."""
    heads, length, d = q.shape
    padded, queries, scale = cdiv(length, 128) * 128, 8192 // d, 1 / math.sqrt(d)
    rows = torch.empty(heads, 2, padded, device="cuda")
    sums = torch.empty(heads, padded * d // 4096, 4096, device="cuda")
    none = torch.zeros(0, device="cuda", dtype=torch.int32)
    module, array, floats, starts = "attention_backward", "bf16[:, :, :]", "f32[:, :, :]", "i32[:]"
    maps = [tensor_map(x, (1, n, 64)) for x, n in ((k, 64), (v, 64), (q, queries), (do, queries), (dv, 64), (dk, 64))]
    prepare = Kernel(pykc, module, f"prepare({floats}, {floats}, {array}, {array}, f32[:, :], {starts}, {d})")
    arrays = ", ".join([array] * 2 + [floats] * 2 + [array] * 4 + [starts] * 2)
    gradients = Kernel(pykc, module, f"gradients({arrays}, f32, f32, i32, {int(causal)}, {d}, {queries})",
                       10 * 16384 + 3072)
    finish = Kernel(pykc, module, f"finish({array}, {floats}, {starts}, f32, {d})")
    return in_turn(
        prepare.launch((padded * d // 2048, heads, 1), (d // 8, 2048 // d, 1), [rows, sums, o, do, lse, none]),
        gradients.launch((cdiv(length, 128), heads, 1), (384, 1, 1),
                         [dk, dv, sums, rows, q, k, v, do, none, none, bits(scale * math.log2(math.e)), bits(scale),
                          ctypes.c_int32(0), *maps]),
        finish.launch((sums.shape[1], heads, 1), (256, 1, 1), [dq, sums, none, bits(scale)]))
