"""`RawKernel` and `RawModule`: kernels in CUDA C++, on a GPU."""
from __future__ import annotations

from typing import Any

import numpy

from .. import _devices, _native
from ..cuda._arrays import DeviceNDArray, as_cuda_array, is_cuda_array
from ..cuda._streams import native_or_current
from . import nvrtc


#: Small structs by value, as numbers of their bytes.
_STRUCTS = {"struct1": "u8", "struct2": "u16", "struct4": "u32", "struct8": "u64"}


class RawModule:
    """CUDA C++, or PTX, of several kernels: `RawModule(code=text).get_function("name")`. It is compiled by NVRTC when a
    kernel of it is first launched; `name_expressions` lists the kernels that are templates or not extern "C"."""

    def __init__(self, code: str | None = None, *, path: str | None = None, options: tuple[str, ...] = (),
                 backend: str = "nvrtc", name_expressions=(), **others):
        if any(others.values()):
            raise NotImplementedError(f"RawModule has no {next(iter(others))}=")
        if backend != "nvrtc":
            raise NotImplementedError(f"backend={backend!r}: NVRTC alone compiles here")
        if (code is None) == (path is None):
            raise TypeError("one of `code` and `path` is given")
        if path is not None:
            with open(path, encoding="utf-8", errors="replace") as file:
                code = file.read()
            if code.startswith("\x7fELF"):
                raise NotImplementedError("a cubin says too little about its kernels: give PTX or CUDA C++")
        self.code, self.options, self.backend = code, tuple(options), backend
        self.name_expressions = tuple(name_expressions or ())
        self._loaded: dict[_native.Device, tuple[_native.RawModule, dict[str, nvrtc.Entry], dict[str, str]]] = {}

    def compile(self, log_stream=None) -> None:
        """Compiles and loads it now, for the device in use."""
        self._on(_devices.current())

    def get_function(self, name: str) -> RawKernel:
        """The kernel of this name."""
        return RawKernel._of(self, name)

    def get_global(self, name: str):
        raise NotImplementedError("variables of a RawModule are not reached from the host: pass arrays")

    def ptx(self, target: str) -> tuple[str, dict[str, str]]:
        """The PTX for a target, "sm_90", and the names in it of `name_expressions`."""
        if ".version" in self.code and ".entry" in self.code:
            return self.code, {}
        return nvrtc.compiled(self.code, "raw.cu", self.options, target, self.name_expressions)

    def _on(self, device: _native.Device) -> tuple:
        if device.is_cpu:
            raise NotImplementedError("CUDA C++ runs on a GPU, and the device in use is the CPU: a kernel under "
                                      "@cuda.jit or @pykc.kernel runs on both")
        found = self._loaded.get(device)
        if found is None:
            ptx, names = self.ptx(device.target)
            entries = nvrtc.entries_of(ptx)
            described = [(entry.name, [_STRUCTS.get(type_, type_) for type_ in entry.types]) for entry in entries
                         if not any(type_.startswith("struct") and type_ not in _STRUCTS for type_ in entry.types)]
            module = _native.RawModule(device, ptx, described)
            found = self._loaded[device] = module, {entry.name: entry for entry in entries}, names
        return found


class RawKernel:
    """A kernel in CUDA C++: `RawKernel(text, "name")((blocks,), (threads,), (x, y, numpy.float32(2)))`. Arrays are
    passed as pointers to their first elements; numbers take the type of their parameter."""

    def __init__(self, code: str, name: str, options: tuple[str, ...] = (), backend: str = "nvrtc", **others):
        expressions = () if 'extern "C"' in code or ".entry" in code else (name,)
        self._module = RawModule(code, options=options, backend=backend, name_expressions=expressions, **others)
        self.name = name

    @classmethod
    def _of(cls, module: RawModule, name: str) -> RawKernel:
        kernel = cls.__new__(cls)
        kernel._module, kernel.name = module, name
        return kernel

    @property
    def code(self) -> str:
        return self._module.code

    @property
    def options(self) -> tuple[str, ...]:
        return self._module.options

    def compile(self, log_stream=None) -> None:
        """Compiles and loads it now, for the device in use."""
        self._module.compile()

    def __call__(self, grid, block, args: tuple, *, shared_mem: int = 0, stream=None) -> None:
        """Launches it: GRID blocks of BLOCK threads."""
        args = tuple(args)
        module, entries, names = self._module._on(_devices.current())
        symbol = names.get(self.name, self.name)
        entry = entries.get(symbol)
        if entry is None:
            raise AttributeError(f"there is no kernel `{self.name}`: there are {', '.join(entries) or 'none'}. Kernels "
                                 'are extern "C", or named by `name_expressions`')
        if len(args) != len(entry.types):
            raise TypeError(f"`{self.name}` takes {len(entry.types)} arguments, not {len(args)}")
        values = tuple(as_parameter(value, type_, f"argument {number} of `{self.name}`")
                       for number, (value, type_) in enumerate(zip(args, entry.types)))
        on = native_or_current(stream)
        module.launch(symbol, grid, block, on, shared_mem, values)
        on.keep_in_graph(args)  # of whose arrays the launch has the addresses alone

    def __getattr__(self, name: str):
        if name in ("attributes", "num_regs", "local_size_bytes", "max_threads_per_block"):
            module, _, names = self._module._on(_devices.current())
            facts = module.resources(names.get(self.name, self.name))
            return facts if name == "attributes" else facts[name]
        raise AttributeError(f"a RawKernel has no {name}")


def as_parameter(value: Any, type_: str, what: str) -> int | float:
    """A value as a parameter of PTX takes it: an address, or a number of the parameter's type."""
    if type_.startswith("struct"):
        if type_ not in _STRUCTS:
            raise NotImplementedError(f"{what} is a struct of {type_[6:]} bytes by value: pass its parts, or an array")
        if not isinstance(value, numpy.generic) or value.nbytes != int(type_[6:]):
            raise TypeError(f"{what} is a struct of {type_[6:]} bytes: pass a NumPy scalar of them")
        return int.from_bytes(value.tobytes(), "little")
    if is_cuda_array(value) or isinstance(value, DeviceNDArray):
        if type_ not in ("u64", "i64"):
            raise TypeError(f"{what} is an array, and the kernel takes a number there")
        return as_cuda_array(value).address
    if isinstance(value, numpy.generic):
        bits, is_float = int(type_[1:]), type_[0] == "f"
        if value.dtype.itemsize * 8 != bits or (value.dtype.kind == "f") != is_float:
            raise TypeError(f"{what} is a {value.dtype}, and the kernel takes {'a float' if is_float else 'an integer'} "
                            f"of {bits} bits")
        return value.item()
    if isinstance(value, (bool, int)) or isinstance(value, float) and type_[0] == "f":
        return value
    raise TypeError(f"{what} is a {type(value).__name__}, and the kernel takes "
                    + ("a float there" if type_[0] == "f" else "an integer or an array there"))
