"""`numba.np.numpy_support`: types of NumPy's dtypes and back."""
from .._kernel_names import KernelName
from ..types import as_dtype, from_dtype, typeof

carray, farray = KernelName("numba.carray"), KernelName("numba.farray")
