"""`cuda.reduce`: of a function of two numbers one that reduces a vector."""
from __future__ import annotations

import types
from typing import Any

from . import _devices
from ._capture import CUDA
from ._elementwise import BLOCK, Loaded
from ._modules import Function, as_function
from .cuda._arrays import DeviceNDArray, as_cuda_array, device_array, is_cuda_array, to_device
from .cuda._streams import native_stream

_MOST_BLOCKS_OF_CPU, _MOST_BLOCKS_OF_GPU = 128, 1024  # enough for all cores, and few numbers for the next round
# Each block leaves one number. `count` is how many of its threads have one of their own. That the loop runs in vector
# registers of the CPU takes a size of which the compiler knows that indices below it are in range, the array's, and no
# `if` around it.
_TEXT = f"""@{CUDA}.jit
def reduce_blocks(x, partial):
    shared = {CUDA}.shared.array({BLOCK}, x.dtype)
    thread = {CUDA}.threadIdx.x
    start = {CUDA}.grid(1)
    value = x[min(start, x.size - 1)]
    for i in range(start + {CUDA}.gridsize(1), x.size, {CUDA}.gridsize(1)):
        value = core(value, x[i])
    shared[thread] = value
    count = min({BLOCK}, x.size - {CUDA}.blockIdx.x * {BLOCK})
    half = {BLOCK // 2}
    while half > 0:
        {CUDA}.syncthreads()
        if thread < half and thread + half < count:
            shared[thread] = core(shared[thread], shared[thread + half])
        half //= 2
    if thread == 0:
        partial[{CUDA}.blockIdx.x] = shared[0]
"""
_START = f"""@{CUDA}.jit
def add_start(x, start, result):
    result[0] = core(start, x[0])
"""


class Reduce(Function):
    """A function under `@cuda.reduce`: `total(array)` combines the elements in any order."""

    def __init__(self, functor: types.FunctionType | Function):
        function = as_function(functor)
        if function is None:
            raise TypeError("cuda.reduce is for a function of two numbers")
        super().__init__(function.py_func)
        self._function = function
        self._loaded = Loaded()

    def __call__(self, arr, size: int | None = None, res: DeviceNDArray | None = None, init: Any = 0, stream=0):
        """The elements, the first SIZE of them, and INIT; into `res[0]` where an array is passed for it."""
        if getattr(arr, "ndim", None) != 1:
            raise TypeError("only support 1D array")
        if size is not None and size < 0:
            raise ValueError(f"there are no {size} elements")
        count = arr.size if size is None else min(size, arr.size)
        start = arr.dtype.type(init)
        if count == 0:
            if res is not None:
                res[0] = start
                return None
            return start
        partial = self._partial(arr, count, native_stream(stream))
        target = device_array(1, arr.dtype) if res is None else res[:1]
        kernel = self._loaded.kernel(_START, "add_start", {"core": self._function})
        kernel.launch(1, 1, native_stream(stream), 0, (partial, start, target))
        return None if res is not None else target.copy_to_host(stream=stream)[0]

    def all(self, arr, stream=0):
        """All elements, of which there must be one at least."""
        if arr.size == 0:
            raise ValueError("a reduction of no elements")
        return self._partial(arr, arr.size, native_stream(stream)).copy_to_host(stream=stream)[0]

    def _partial(self, arr, count: int, stream) -> DeviceNDArray:
        """An array whose first element is the reduced one."""
        source = (as_cuda_array(arr) if is_cuda_array(arr) else to_device(arr))[:count]
        kernel = self._loaded.kernel(_TEXT, "reduce_blocks", {"core": self._function})
        most_blocks = _MOST_BLOCKS_OF_CPU if _devices.current().is_cpu else _MOST_BLOCKS_OF_GPU
        while True:
            blocks = min(-(-count // BLOCK), most_blocks)
            partial = device_array(blocks, arr.dtype)
            kernel.launch(blocks, BLOCK, stream, 0, (source, partial))
            if blocks == 1:
                return partial
            source, count = partial, blocks


reduce = Reduce
