"""`numba.cuda.kernels.reduction`."""
from ..._reduce import Reduce as Reduce
