"""`numba.misc.special`: names of kernels."""
from .._kernel_names import KernelName

literal_unroll = KernelName("numba.literal_unroll")
