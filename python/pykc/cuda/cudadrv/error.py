"""`numba.cuda.cudadrv.error`: what a device that is not there, or fails, raises."""
from ... import _native

CudaSupportError = CudaDriverError = _native.DeviceError
