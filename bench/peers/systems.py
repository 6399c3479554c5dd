"""The systems of the benchmark: a launch of one kernel, with all that it needs found before, is a function."""
import importlib
import importlib.metadata
import pathlib
from typing import Callable, Optional

import cupy as cp
import numpy as np

from modules import HERE, MODULES

Launch = Callable[[], None]


class Systems:
    """The loaded kernels. `numba` and `triton` are None where they are not wanted."""

    def __init__(self, folder: pathlib.Path, with_numba: bool, with_triton: bool):
        self.modules = {name: cp.RawModule(path=str(folder / f"{name}.ptx")) for name in MODULES}
        self.cuda = cp.RawModule(code=(HERE / "kernels.cu").read_text(), options=("-std=c++17",))
        self.numba = importlib.import_module("numba_kernels") if with_numba else None
        self.triton = importlib.import_module("triton_kernels") if with_triton else None

    def pykc(self, module: str, name: str, grid, block, *arguments) -> Launch:
        """pykc's kernels take an array as its address and its extents."""
        function, values = self.modules[module].get_function(name), []
        for value in arguments:
            values += ([value.data.ptr, *(np.int64(extent) for extent in value.shape)]
                       if isinstance(value, cp.ndarray) else [value])
        return lambda: function(grid, block, tuple(values))

    def cpp(self, name: str, grid, block, *arguments) -> Launch:
        function = self.cuda.get_function(name)
        return lambda: function(grid, block, arguments)

    def jit(self, name: str, grid, block, *arguments) -> Optional[Launch]:
        if self.numba is None:
            return None
        from numba import cuda
        values = [cuda.as_cuda_array(a) if isinstance(a, cp.ndarray) else a for a in arguments]
        launcher = getattr(self.numba, name)[grid, block]
        return lambda: launcher(*values)

    def tiles(self, name: str, grid, *arguments, **constants) -> Optional[Launch]:
        """Triton's."""
        if self.triton is None:
            return None
        import torch
        values = [torch.as_tensor(a, device="cuda") if isinstance(a, cp.ndarray) else a for a in arguments]
        launcher = getattr(self.triton, name)[grid]
        return lambda: launcher(*values, **constants)

    def three(self, name: str, grid, block, arrays, scalars=(), numbers=()) -> dict[str, Optional[Launch]]:
        """The systems that have a kernel of this name: `scalars` go to all of them, `numbers` to CUDA C++ alone."""
        return {"pykc": self.pykc("kernels", name, grid, block, *arrays, *scalars),
                "CUDA C++": self.cpp(name, grid, block, *arrays, *scalars, *numbers),
                "Numba": self.jit(name, grid, block, *arrays, *scalars)}

    def versions(self) -> dict[str, str]:
        found = {"CuPy": cp.__version__, "NVRTC": ".".join(map(str, cp.cuda.nvrtc.getVersion()))}
        for module, package in ((self.numba, "numba-cuda"), (self.triton, "triton")):
            if module:
                found[package] = importlib.metadata.version(package)
        return found
