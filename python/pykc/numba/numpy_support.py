"""`numba.np.numpy_support`: types of NumPy's dtypes and back."""
import importlib.metadata

from .._kernel_names import KernelName
from ..types import as_dtype, from_dtype, typeof

numpy_version = tuple(map(int, importlib.metadata.version("numpy").split(".")[:2]))
carray, farray = KernelName("numba.carray"), KernelName("numba.farray")
