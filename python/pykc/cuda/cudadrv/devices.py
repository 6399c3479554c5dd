"""`numba.cuda.cudadrv.devices`, as far as its names are public."""
from .._contexts import gpus
