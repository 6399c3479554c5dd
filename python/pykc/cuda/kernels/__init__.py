"""`numba.cuda.kernels`: what Numba has made of kernels."""
from . import reduction as reduction
from . import transpose as transpose
