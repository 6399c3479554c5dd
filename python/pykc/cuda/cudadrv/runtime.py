"""`numba.cuda.cudadrv.runtime`."""
from .. import runtime as runtime
from ..runtime import get_version as get_version
