"""Random numbers in kernels, by xoroshiro128+: the names, the seeding and the numbers are Numba's."""
from __future__ import annotations

from .. import _devices, _native
from .._kernel_names import KernelName
from ..types import from_dtype
from ._arrays import DeviceNDArray, device_array
from ._streams import native_stream

_pykc_path = "numba.cuda.random"
_NAMES = frozenset(f"xoroshiro128p_{kind}_float{width}" for kind in ("uniform", "normal") for width in (32, 64)) | {
    "init_xoroshiro128p_state", "xoroshiro128p_next", "xoroshiro128p_jump", "uint64_to_unit_float32",
    "uint64_to_unit_float64"}
_LIBRARY = "from pykc.random import fill_powers_of_jump, fill_states\n"
_INDEX_BITS = 40  # of a thread's index and the first subsequence together


def __getattr__(name: str):
    if name == "xoroshiro128p_dtype":
        import numpy
        return numpy.dtype([("s0", "uint64"), ("s1", "uint64")], align=True)
    if name == "xoroshiro128p_type":
        return from_dtype(__getattr__("xoroshiro128p_dtype"))
    if name not in _NAMES:
        raise AttributeError(f"module 'pykc.cuda.random' has no attribute {name!r}")
    return KernelName(f"{_pykc_path}.{name}")


class States(DeviceNDArray):
    """States: two words each, for kernels; records of them, as in Numba, for the host."""

    ndim = 1
    strides = (16,)

    @property
    def shape(self) -> tuple[int, ...]:
        return (super().shape[0],)

    @property
    def size(self) -> int:
        return self.shape[0]

    def copy_to_host(self, ary=None, stream=0):
        import numpy
        words = DeviceNDArray(self, numpy.dtype("uint64"), self.stream).copy_to_host(stream=stream)
        host = words.view(self.dtype)[:, 0]
        if ary is None:
            return host
        ary[:] = host
        return ary


def create_xoroshiro128p_states(n: int, seed: int, subsequence_start: int = 0, stream=0) -> DeviceNDArray:
    """A state for each of N threads, 2**64 numbers apart."""
    states = States(device_array((n, 2), "uint64"), __getattr__("xoroshiro128p_dtype"), stream)
    init_xoroshiro128p_states(states, seed, subsequence_start, stream)
    return states


def init_xoroshiro128p_states(states: DeviceNDArray, seed: int, subsequence_start: int = 0, stream=0) -> None:
    """Seeds the states: the i-th starts 2**64 * (subsequence_start + i) numbers into the sequence of the seed."""
    import numpy
    if not len(states):
        return
    native = native_stream(stream)
    library = _native.Module(_devices.current(), _LIBRARY, "<random>")
    powers = device_array((_INDEX_BITS, 128, 2), "uint64")
    library.kernel("fill_powers_of_jump").launch(1, 128, native, 0, (powers,))
    library.kernel("fill_states").for_all(
        len(states), 0, native, 0, (states, powers, numpy.uint64(seed % 2 ** 64), subsequence_start))
