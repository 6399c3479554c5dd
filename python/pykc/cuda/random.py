"""Random numbers in kernels, by xoroshiro128+: the names, the seeding and the numbers are Numba's."""
from __future__ import annotations

from .. import _devices, _native
from .._kernel_names import KernelName
from ._arrays import DeviceNDArray, device_array

_pykc_path = "numba.cuda.random"
_NAMES = frozenset(f"xoroshiro128p_{kind}_float{width}" for kind in ("uniform", "normal") for width in (32, 64)) | {
    "init_xoroshiro128p_state", "xoroshiro128p_next", "xoroshiro128p_jump", "uint64_to_unit_float32",
    "uint64_to_unit_float64"}
_FILL = """from numba import cuda; from numba.cuda.random import init_xoroshiro128p_state, xoroshiro128p_jump
@cuda.jit
def fill(states, seed, start):
    init_xoroshiro128p_state(states, 0, seed)
    for i in range(start):
        xoroshiro128p_jump(states, 0)
    for i in range(1, len(states)):
        states[i, 0] = states[i - 1, 0]
        states[i, 1] = states[i - 1, 1]
        xoroshiro128p_jump(states, i)
"""


def __getattr__(name: str) -> KernelName:
    if name not in _NAMES:
        raise AttributeError(f"module 'pykc.cuda.random' has no attribute {name!r}")
    return KernelName(f"{_pykc_path}.{name}")


def create_xoroshiro128p_states(n: int, seed: int, subsequence_start: int = 0, stream=0) -> DeviceNDArray:
    """A state for each of N threads, 2**64 numbers apart: two words each, in an array of `uint64`."""
    states = device_array((n, 2), "uint64", stream=stream)
    init_xoroshiro128p_states(states, seed, subsequence_start, stream)
    return states


def init_xoroshiro128p_states(states: DeviceNDArray, seed: int, subsequence_start: int = 0, stream=0) -> None:
    import numpy
    if not len(states):
        return
    cpu = _devices.device("cpu")
    host = numpy.empty((len(states), 2), numpy.uint64)
    kernel = _native.Module(cpu, _FILL, "<random states>").kernel("fill")
    kernel.launch(1, 1, None, 0, [host, numpy.uint64(seed % 2 ** 64), subsequence_start])
    cpu.synchronize()
    states.copy_to_device(host, stream)
