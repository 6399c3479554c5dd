"""Devices and what is asked of them, by Numba's names. On a machine without a GPU the one device is the CPU."""
from __future__ import annotations

import contextlib
import functools
import threading
from typing import TYPE_CHECKING, Any, Iterator, NamedTuple

from .. import _devices, _native
from ._faults import python_error

if TYPE_CHECKING:
    from ._dispatcher import Dispatcher


class MemoryInfo(NamedTuple):
    """Bytes of a device's memory."""

    free: int
    total: int


# What else the driver knows of a GPU: its number of each attribute, and what the CPU device says. That has no clocks and
# no bus to tell of, which is 0.
_ATTRIBUTES = {
    "MAX_PITCH": (11, 2 ** 31 - 1), "CLOCK_RATE": (13, 0), "TEXTURE_ALIGNMENT": (14, 512), "GPU_OVERLAP": (15, 0),
    "KERNEL_EXEC_TIMEOUT": (17, 0), "INTEGRATED": (18, 1), "COMPUTE_MODE": (20, 0), "SURFACE_ALIGNMENT": (30, 512),
    "ECC_ENABLED": (32, 0), "PCI_BUS_ID": (33, 0), "PCI_DEVICE_ID": (34, 0), "TCC_DRIVER": (35, 0),
    "MEMORY_CLOCK_RATE": (36, 0), "GLOBAL_MEMORY_BUS_WIDTH": (37, 0), "L2_CACHE_SIZE": (38, 0),
    "ASYNC_ENGINE_COUNT": (40, 0), "PCI_DOMAIN_ID": (50, 0), "STREAM_PRIORITIES_SUPPORTED": (78, 1),
    "GLOBAL_L1_CACHE_SUPPORTED": (79, 1), "LOCAL_L1_CACHE_SUPPORTED": (80, 1), "MULTI_GPU_BOARD": (84, 0),
    "MULTI_GPU_BOARD_GROUP_ID": (85, 0), "MAX_BLOCKS_PER_MULTIPROCESSOR": (106, 32)}


@functools.cache
def _asked(device: str, attribute: int) -> int:
    """What the driver says of a GPU."""
    return _native.driver_attribute(device, attribute)


@functools.total_ordering
class Device:
    """A device, as `cuda.gpus` lists it: `id`, `name`, `compute_capability`, and the limits that Numba names in
    capitals. In a `with` block it is the one in use. As in CuPy, `Device(0)` is the first, `Device()` that in use."""

    WARP_SIZE = 32
    MAX_GRID_DIM_X, MAX_GRID_DIM_Y, MAX_GRID_DIM_Z = 2 ** 31 - 1, 65535, 65535
    MAX_BLOCK_DIM_X, MAX_BLOCK_DIM_Y, MAX_BLOCK_DIM_Z = 1024, 1024, 64
    MAX_SHARED_MEMORY_PER_BLOCK = 48 * 1024
    MAX_REGISTERS_PER_BLOCK = MAX_REGISTERS_PER_MULTIPROCESSOR = 65536
    TOTAL_CONSTANT_MEMORY = 64 * 1024
    UNIFIED_ADDRESSING = CAN_MAP_HOST_MEMORY = MANAGED_MEMORY = CONCURRENT_KERNELS = COOPERATIVE_LAUNCH = 1

    def __init__(self, number: int | None = None, facts: dict[str, Any] | None = None):
        if facts is None:
            device = get_current_device() if number is None else _device(int(number))
            number, facts = device.id, device._facts
        self.id = number
        self._facts = facts
        self._before: list = []

    @property
    def name(self) -> str:
        """What it is called, such as the name of the GPU."""
        return self._facts["description"]

    @property
    def is_cpu(self) -> bool:
        """Whether it is the CPU device."""
        return self._facts["name"] == "cpu"

    @property
    def compute_capability(self) -> tuple[int, int]:
        """Of a GPU its own; the CPU device knows what kernels for (9, 0) use."""
        digits = "".join(c for c in self._facts["target"] if c.isdigit())
        return (9, 0) if self.is_cpu or not digits else (int(digits[:-1]), int(digits[-1]))

    @property
    def supports_float16(self) -> bool:
        """Whether kernels can compute with float16."""
        return self.compute_capability >= (5, 3)

    @property
    def supports_bfloat16(self) -> bool:
        """Whether kernels can compute with bfloat16."""
        return self.compute_capability >= (8, 0)

    @property
    def MULTIPROCESSOR_COUNT(self) -> int:
        """The multiprocessors of a GPU; the cores that the CPU device takes."""
        return self._facts["multiprocessors"]

    @property
    def COMPUTE_CAPABILITY_MAJOR(self) -> int:
        """The first number of the compute capability."""
        return self.compute_capability[0]

    @property
    def COMPUTE_CAPABILITY_MINOR(self) -> int:
        """The second number of the compute capability."""
        return self.compute_capability[1]

    @property
    def MAX_THREADS_PER_MULTI_PROCESSOR(self) -> int:
        """The most threads that a multiprocessor holds, of all its blocks."""
        return {(7, 5): 1024, (8, 6): 1536, (8, 7): 1536, (8, 9): 1536, (12, 0): 1536, (12, 1): 1536}.get(
            self.compute_capability, 2048)

    @property
    def MAX_SHARED_MEMORY_PER_BLOCK_OPTIN(self) -> int:
        """The most bytes of shared memory of a block; a launch of more than the usual ones asks for them by itself."""
        return self._facts["max_shared_bytes_per_block"]

    @property
    def MAX_SHARED_MEMORY_PER_MULTIPROCESSOR(self) -> int:
        """The bytes of shared memory of a multiprocessor, of which each block takes 1024 for the system on new GPUs."""
        return self.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN + (1024 if self.compute_capability >= (8, 0) else 0)

    @property
    def MAX_THREADS_PER_BLOCK(self) -> int:
        """The most threads of a block."""
        return self._facts["max_threads_per_block"]

    def __getattr__(self, name: str) -> int:
        if name not in _ATTRIBUTES:
            raise AttributeError(f"'Device' object has no attribute {name!r}")
        attribute, of_cpu = _ATTRIBUTES[name]
        return of_cpu if self.is_cpu else _asked(self._facts["name"], attribute)

    @property
    def uuid(self) -> str:
        """What `nvidia-smi -L` tells a GPU from all others by; the CPU device's is the same everywhere."""
        return "CPU-00000000-0000-0000-0000-000000000000" if self.is_cpu else self._facts["uuid"]

    @property
    def mem_info(self) -> MemoryInfo:
        """Bytes of its memory: (free, total)."""
        return MemoryInfo(*self._open().memory_info())

    @property
    def attributes(self) -> dict[str, int]:
        """The limits, by CUDA's names: `MaxThreadsPerBlock`."""
        named = {name: getattr(self, name) for name in (*dir(type(self)), *_ATTRIBUTES) if name.isupper()}
        return {name.replace("MULTIPROCESSOR_C", "MULTI_PROCESSOR_C").title().replace("_", ""): value
                for name, value in named.items()}

    def _open(self) -> _native.Device:
        return _devices.device(self._facts["name"])

    def synchronize(self) -> None:
        """Waits for all that the device was given."""
        self._open().synchronize()

    def get_primary_context(self) -> Context:
        """The device as what Numba calls its context."""
        return Context(self._open())

    def release_primary_context(self) -> None:
        """Numba lets go of the context; here the device stays open."""

    def use(self) -> None:
        """Makes it the one in use, for this thread."""
        _devices.select(self._open())

    def reset(self) -> None:
        """Waits for the device. Arrays stay as they are."""
        self._open().synchronize()

    def __enter__(self) -> Device:
        self._before.append(_devices.current())
        _devices.select(self._open())
        return self

    def __exit__(self, *exception) -> None:
        _devices.select(self._before.pop())

    def __eq__(self, other) -> bool:
        return isinstance(other, (Device, _native.Device)) and self._facts["name"] == _name_of(other)

    def __lt__(self, other) -> bool:
        return self.id < other.id if isinstance(other, Device) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._facts["name"])

    def __int__(self) -> int:
        return self.id

    def __repr__(self) -> str:
        return f"<CUDA device {self.id} '{self.name}'>"


def _name_of(device: Device | _native.Device) -> str:
    return device._facts["name"] if isinstance(device, Device) else device.name


class _Before(threading.local):
    """The devices that were in use before each `with` of a native one around."""

    def __init__(self):
        self.devices: list[_native.Device] = []


_before = _Before()


def _use(native: _native.Device) -> None:
    """Makes it the one in use, for this thread."""
    _devices.select(_devices.device(native.name))


def _enter(native: _native.Device) -> _native.Device:
    _before.devices.append(_devices.current())
    _use(native)
    return native


def _exit(native: _native.Device, *exception) -> None:
    _devices.select(_before.devices.pop())


def _number(native: _native.Device) -> int:
    """Its number in `cuda.gpus`."""
    return Context(native).device.id


# What `x.device` of an array has as CuPy's devices have it.
for _named, _member in {
        "use": _use, "id": property(_number), "__enter__": _enter, "__exit__": _exit, "__int__": _number,
        "__eq__": lambda native, other: isinstance(other, (Device, _native.Device)) and native.name == _name_of(other),
        "__hash__": lambda native: hash(native.name)}.items():
    setattr(_native.Device, _named, _member)


def list_devices() -> list[Device]:
    """The devices that kernels can use: those of the kind of the default one."""
    return _like(_devices.current())


def _like(native: _native.Device) -> list[Device]:
    return [Device(number, facts) for number, facts in
            enumerate(facts for facts in _facts_of_all() if (facts["name"] == "cpu") == native.is_cpu)]


@functools.cache
def _facts_of_all() -> list[dict[str, Any]]:
    """Of the machine's devices, which stay what they are: to ask the driver takes its time."""
    return _native.list_devices()


class _Gpus:
    """The devices that kernels can use: `cuda.gpus[0]`, `len`, a loop over them, `lst`, `current`."""

    @property
    def lst(self) -> list[Device]:
        return list_devices()

    @property
    def current(self) -> Device:
        return get_current_device()

    def __getitem__(self, number: int) -> Device:
        return list_devices()[number]

    def __len__(self) -> int:
        return len(list_devices())

    def __iter__(self) -> Iterator[Device]:
        return iter(list_devices())


gpus = _Gpus()


def get_current_device() -> Device:
    """The device in use."""
    name = _devices.current().name
    return next(device for device in list_devices() if device._facts["name"] == name)


def select_device(device_id: int) -> Context:
    """Makes the device of that number in `cuda.gpus` the one in use, for this thread. IndexError where there is
    none."""
    _devices.select(_device(device_id)._open())
    return current_context()


def _device(number: int) -> Device:
    devices = list_devices()
    if not -len(devices) <= number < len(devices):
        raise IndexError(f"there is no device {number}: `cuda.gpus` has {len(devices)}")
    return devices[number]


class Deallocations:
    """Numba's list of memory to free later. Nothing waits to be freed here."""

    def clear(self) -> None:
        pass

    def __len__(self) -> int:
        return 0


class Context:
    """What `cuda.current_context()` gives: the device in use."""

    def __init__(self, native: _native.Device):
        self._native = native

    @property
    def device(self) -> Device:
        """The device."""
        return next(device for device in _like(self._native) if device._facts["name"] == self._native.name)

    def get_memory_info(self) -> MemoryInfo:
        """Bytes of the device's memory: (free, total)."""
        return MemoryInfo(*self._native.memory_info())

    @property
    def deallocations(self) -> Deallocations:
        """Numba's list of memory that waits to be freed; empty here."""
        return Deallocations()

    def get_active_blocks_per_multiprocessor(self, func: Dispatcher, blocksize: int, memsize: int, flags=None) -> int:
        """How many blocks of BLOCKSIZE threads and MEMSIZE bytes of dynamic shared memory a multiprocessor runs at a
        time. FUNC is a kernel with one signature, or specialized."""
        return _kernel_of(func).active_blocks(blocksize, memsize, func.example())

    def get_max_potential_block_size(self, func: Dispatcher, b2d_func: None, memsize: int, blocksizelimit: int,
                                     flags=None) -> tuple[int, int]:
        """The least number of blocks that fills the device, and the threads of a block that keep it busiest: at most
        BLOCKSIZELIMIT, unless that is 0. MEMSIZE bytes hold for blocks of all sizes: B2D_FUNC, by which Numba finds
        those of each, is None."""
        if b2d_func is not None:
            raise NotImplementedError("memsize holds for blocks of all sizes: pass None for b2d_func")
        threads = _kernel_of(func).suggested_block_size(memsize, func.example())
        threads = min(threads, blocksizelimit or threads)
        blocks = self.get_active_blocks_per_multiprocessor(func, threads, memsize)
        return blocks * self.device.MULTIPROCESSOR_COUNT, threads

    def synchronize(self) -> None:
        """Waits for all that the device was given."""
        self._native.synchronize()

    def reset(self) -> None:
        """Waits for the device. Arrays stay as they are."""
        self._native.synchronize()

    def push(self) -> None:
        """Makes it the device in use, for this thread."""
        _devices.select(self._native)

    def pop(self) -> None:
        """Makes the default device the one in use again, for this thread."""
        _devices.select(None)

    def __enter__(self) -> Context:
        return self

    def __exit__(self, *exception) -> None:
        pass


def _kernel_of(func: Dispatcher) -> _native.Kernel:
    if not hasattr(func, "example"):
        raise TypeError(f"a kernel under @cuda.jit is asked for, not a {type(func).__name__}")
    return func._kernel()


def current_context(devnum: int | None = None) -> Context:
    """The device in use, or that of number DEVNUM, as what Numba calls its context."""
    return Context(_devices.current() if devnum is None else list_devices()[devnum]._open())


def synchronize() -> None:
    """Waits for all that the device was given. What stopped a kernel (KernelFault, and an assertion or index error of
    Python) is raised here at the latest."""
    try:
        _devices.current().synchronize()
    except _native.KernelFault as fault:
        raise python_error(fault) from None


def close() -> None:
    """Forgets the open devices; the next call opens them again. Arrays keep their device."""
    _devices.close()


def is_available() -> bool:
    """Whether kernels can run. The CPU device is always there."""
    return True


def is_gpu() -> bool:
    """Whether kernels run on a GPU."""
    return not _devices.current().is_cpu


def detect() -> bool:
    """Prints the devices that kernels can use. Returns whether there are any."""
    devices = list_devices()
    print(f"Found {len(devices)} CUDA devices")
    for device in devices:
        major, minor = device.compute_capability
        print(f"id {device.id}  {device.name}  [SUPPORTED]  compute capability: {major}.{minor}")
    return bool(devices)


def profile_start() -> None:
    """From here on a profiler looks that was started to wait (`nsys profile --capture-range=cudaProfilerApi`, `ncu
    --profile-from-start off`). Does nothing on the CPU device."""
    _devices.current().start_profiler()


def profile_stop() -> None:
    """The end of what a profiler looks at."""
    _devices.current().stop_profiler()


@contextlib.contextmanager
def profiling() -> Iterator[None]:
    """`with cuda.profiling():` for what a profiler is to look at."""
    profile_start()
    try:
        yield
    finally:
        profile_stop()


profile = profiling  # CuPy's name


@contextlib.contextmanager
def defer_cleanup() -> Iterator[None]:
    """Numba frees nothing within the block; pykc's pool of memory never waits for the device to free."""
    yield


def require_context(function):
    """Numba's decorator for functions that need a device; every function here finds its own."""
    return function


def is_float16_supported() -> bool:
    """Whether kernels can use float16: always."""
    return True


def is_bfloat16_supported() -> bool:
    """Whether kernels can use bfloat16: always."""
    return True


def is_supported_version() -> bool:
    """Numba's question after the toolkit's version: always true, for none is needed."""
    return True
