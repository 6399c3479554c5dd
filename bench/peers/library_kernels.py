"""Kernels of the library for Hopper's tensor cores on PyTorch's arrays: compiled to PTX by the program, launched by the
driver as the library's host functions launch them. Here, those of `stdlib/gemm.pyk`; attention_kernels.py has others."""
import ctypes
import pathlib
import struct
import subprocess

import torch

STDLIB = pathlib.Path(__file__).resolve().parents[2] / "stdlib"
NAMES = {torch.bfloat16: "bf16", torch.float16: "f16", torch.float32: "f32", torch.float64: "f64", torch.int8: "i8",
         torch.int32: "i32", torch.float8_e4m3fn: "f8e4m3"}
MAP_TYPES = {torch.bfloat16: 9, torch.float16: 6, torch.float32: 7, torch.float64: 8, torch.int32: 3, torch.int8: 0,
             torch.float8_e4m3fn: 0}  # CUtensorMapDataType
SHARED, ROWS, FEW = 226 * 1024, 128, 64
driver = ctypes.CDLL("libcuda.so.1")


def check(result: int, what: str):
    if result != 0:
        raise RuntimeError(f"{what} failed with code {result}")


def cdiv(x: int, y: int) -> int:
    return -(-x // y)


class Attribute(ctypes.Structure):
    """CUlaunchAttribute, with a number as its value."""
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_int), ("value", ctypes.c_int), ("rest", ctypes.c_int * 15)]


class LaunchConfig(ctypes.Structure):
    """CUlaunchConfig."""
    _fields_ = [("sizes", ctypes.c_uint * 6), ("shared_bytes", ctypes.c_uint), ("stream", ctypes.c_void_p),
                ("attributes", ctypes.POINTER(Attribute)), ("count", ctypes.c_uint)]


EARLY = Attribute(id=6, value=1)  # programmaticStreamSerialization, as the runtime has it for kernels that wait


class Kernel:
    """A kernel of the library for some types and constants."""

    def __init__(self, pykc: str, module: str, signature: str, shared_bytes: int = 0):
        ptx = subprocess.run([pykc, "compile", "--target", "sm_90a", "--emit", "ptx", "--sig", signature, "-o", "-",
                              STDLIB / f"{module}.pyk"], check=True, capture_output=True).stdout
        loaded, self.function, self.shared_bytes = ctypes.c_void_p(), ctypes.c_void_p(), shared_bytes
        check(driver.cuModuleLoadData(ctypes.byref(loaded), ptx + b"\0"), "cuModuleLoadData")
        check(driver.cuModuleGetFunction(ctypes.byref(self.function), loaded, signature.split("(")[0].encode()),
              "cuModuleGetFunction")
        self.begins_early = b"griddepcontrol.wait" in ptx
        check(driver.cuFuncSetAttribute(self.function, 8, shared_bytes), "cuFuncSetAttribute")

    def launch(self, grid, block, arguments):
        """A function that launches it. An argument is an array, a number of 32 bits, or a tensor map."""
        words = []
        for argument in arguments:
            if isinstance(argument, torch.Tensor):
                strides = () if argument.is_contiguous() else argument.stride()
                words += [ctypes.c_int64(word) for word in (argument.data_ptr(), *argument.shape, *strides)]
            else:
                words.append(argument)
        pointers = (ctypes.c_void_p * len(words))(*(ctypes.addressof(word) for word in words))

        def run():
            config = LaunchConfig((ctypes.c_uint * 6)(*grid, *block), self.shared_bytes,
                                  torch.cuda.current_stream().cuda_stream, ctypes.pointer(EARLY), self.begins_early)
            check(driver.cuLaunchKernelEx(ctypes.byref(config), self.function, pointers, None), "cuLaunchKernelEx")
        run.keeps = words, arguments
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
                                        (ctypes.c_uint32 * rank)(*[1] * rank), 0, 3, 2, 0), "cuTensorMapEncodeTiled")
    return place


def bits(x: float) -> ctypes.c_int32:
    """An f32 as an argument of a launch."""
    return ctypes.c_int32(struct.unpack("i", struct.pack("f", x))[0])


def in_turn(*launches):
    def run():
        for launch in launches:
            launch()
    return run if len(launches) > 1 else launches[0]


def type_of(x: torch.Tensor) -> str:
    return f"{NAMES[x.dtype]}[{', '.join([':' if x.is_contiguous() else '::'] * x.dim())}]"


def multiprocessors() -> int:
    return torch.cuda.get_device_properties(0).multi_processor_count


def lies_by_rows(x: torch.Tensor) -> bool:
    return x.is_contiguous() and x.shape[2] * x.element_size() % 16 == 0


def operand(pykc: str, x: torch.Tensor, may_lie_by_columns: bool):
    """An array that tiles can be read from, whether it lies by columns, and the launches that make it."""
    if lies_by_rows(x):
        return x, False, []
    if may_lie_by_columns and lies_by_rows(x.mT):
        return x.mT, True, []
    matrices, rows, columns = x.shape
    per = 128 // x.element_size()
    to = torch.empty(matrices, rows, cdiv(columns, per) * per, device="cuda", dtype=x.dtype)
    if lies_by_rows(x.mT):
        kernel = Kernel(pykc, "gemm_tiles", f"lay_out_turned({type_of(to)}, {type_of(x.mT)})")
        blocks = cdiv(rows * x.element_size(), 128) * cdiv(columns, 128) * matrices
        return to, False, [kernel.launch((blocks, 1, 1), (256, 1, 1), [to, x.mT])]
    kernel = Kernel(pykc, "gemm_tiles", f"lay_out({type_of(to)}, {type_of(x)}, {x.stride(1) < x.stride(2)})")
    blocks = cdiv(to.shape[2], 64) * cdiv(rows, 64) * matrices
    return to, False, [kernel.launch((blocks, 1, 1), (64, 4, 1), [to, x])]


def parts_for(tiles: int, steps: int, blocks: int) -> int:
    return max(1, min(16, blocks // tiles, steps // 16))


def plan(n: int, others: int, steps: int, blocks: int, are_slow: bool):
    if n <= FEW:
        columns = 16 if n <= 16 else 32 if n <= 32 else 64
    else:
        columns = 128 if (2 if are_slow else 1) * others * cdiv(n, 256) <= blocks else 256
    parts = parts_for(others * cdiv(n, columns), steps, blocks)
    if columns == 128 and (parts == 1 or steps <= 64) and 2 * others * cdiv(n, 128) <= blocks:
        return 64, parts_for(others * cdiv(n, 64), steps, blocks)
    return columns, parts


def tiles_kernel(pykc: str, name: str, c, a, b, between: str, turned, columns: int, a_by_columns, b_by_columns,
                 may_be_copied=True):
    """The kernel of `pykc.gemm_tiles` of that name, and its tensor maps; `a_by_columns` is None where it never is so."""
    pieces = 2 if c.element_size() == 4 else columns // 64
    stages = min(11, (SHARED - 16384 * pieces) // (16384 + 128 * columns))
    is_copied = lies_by_rows(c) and may_be_copied
    orders = [order for order in (a_by_columns, b_by_columns) if order is not None]
    constants = ", ".join(map(str, ["tuple[]", "same", *turned, columns, stages, *orders, is_copied]))
    kernel = Kernel(pykc, "gemm", f"{name}({type_of(c)}, {type_of(a)}, {type_of(b)}, {between}, {constants})",
                    min(232448, stages * (16384 + 128 * columns) + 16384 * max(pieces, 1) + 2048))
    depth = 128 // a.element_size()
    maps = [tensor_map(a, (1, depth, depth) if a_by_columns else (1, 64, depth)),
            tensor_map(b, (1, 64, 64) if b_by_columns else (1, columns, depth))]
    return kernel, maps + ([tensor_map(c, (1, 64, 128 // c.element_size()))] if is_copied and columns >= 64 else [])


def comes_by_registers(a, b) -> bool:
    is_seldom_read = b.element_size() == 4 or a.shape[1] <= 6144
    return b.element_size() != 2 and not lies_by_rows(b) and lies_by_rows(b.mT) and is_seldom_read


def by_groups(pykc: str, c, a, b):
    by_registers = comes_by_registers(a, b)
    turned = by_registers or (c.shape[1] <= FEW and c.shape[1] < c.shape[2])
    if turned:
        a, b = b, a
    (matrices, m, n), blocks = c.mT.shape if turned else c.shape, multiprocessors()
    columns, parts = plan(n, matrices * cdiv(m, ROWS), cdiv(a.shape[2] * a.element_size(), 128), blocks,
                          by_registers or a.element_size() == 4)
    a, a_by_columns, before_a = operand(pykc, a, by_registers or a.element_size() == 2)
    b, b_by_columns, before_b = operand(pykc, b, b.element_size() == 2 and columns >= 64)
    kind = torch.int32 if a.dtype == torch.int8 else torch.float32
    sums = c if parts == 1 else torch.empty(matrices * parts, *c.shape[1:], device="cuda", dtype=kind)
    kernel, maps = tiles_kernel(pykc, "gemm_tiles", sums, a, b, "i32", [turned], columns, a_by_columns, b_by_columns,
                                by_registers or not turned)
    launches = [*before_a, *before_b,
                kernel.launch((blocks, 1, 1), (384, 1, 1), [sums, a, b, ctypes.c_int32(parts), *maps])]
    if parts > 1:
        add = Kernel(pykc, "gemm", f"add_parts({type_of(c)}, {type_of(sums)}, tuple[], same, {parts})")
        launches.append(add.launch((cdiv(c.shape[2], 128), cdiv(c.shape[1], 8), matrices), (32, 8, 1), [c, sums]))
    return in_turn(*launches)


def by_warps(pykc: str, c, a, b):
    """Of f64, by `pykc.gemm_doubles`."""
    matrices, m, n = c.shape
    a, a_by_columns, before_a = operand(pykc, a, True)
    b, b_by_columns, before_b = operand(pykc, b, True)
    down = 2 if matrices * cdiv(m, 128) * cdiv(n, 64) <= 3 * multiprocessors() else 4
    constants = f"tuple[], same, {down}, 4, 4, {a_by_columns}, {b_by_columns}"
    kernel = Kernel(pykc, "gemm", f"gemm_doubles({type_of(c)}, {type_of(a)}, {type_of(b)}, {constants})",
                    4 * 128 * (32 * down + 64) + 2048)
    maps = [tensor_map(a, (1, 16, 16) if a_by_columns else (1, 8 * down, 16)),
            tensor_map(b, (1, 16, 16))]
    return in_turn(*before_a, *before_b, kernel.launch((cdiv(m, 32 * down) * cdiv(n, 64), matrices, 1), (128, 1, 1),
                                                       [c, a, b, *maps]))


def gemm(pykc: str, c, a, b):
    """The launches of `gemm(c, a, b, transposed=True)` for stacks of matrices."""
    return (by_warps if a.dtype == torch.float64 else by_groups)(pykc, c, a, b)


def gemm_grouped(pykc: str, c, a, b, offsets):
    """Of `gemm_grouped(c, a, b, offsets, transposed=True)`; `c` and `a` are stacks of one matrix."""
    a, _, before_a = operand(pykc, a, False)
    b, b_by_columns, before_b = operand(pykc, b, b.element_size() == 2)
    groups, rows = len(b), c.shape[1]
    tiles = torch.empty(cdiv(rows, ROWS) + groups + 1, 3, device="cuda", dtype=torch.int32)
    listing = Kernel(pykc, "gemm", f"list_tiles(i32[:, :], {type_of(offsets)}, i32)").launch(
        (cdiv(groups, 128), 1, 1), (128, 1, 1), [tiles, offsets, ctypes.c_int32(rows)])
    kernel, maps = tiles_kernel(pykc, "gemm_grouped_tiles", c, a, b, "i32[:, :]", [], 256, None, b_by_columns)
    return in_turn(*before_a, *before_b, listing,
                   kernel.launch((multiprocessors(), 1, 1), (384, 1, 1), [c, a, b, tiles, *maps]))
