"""`numba.cuda.cudadrv.driver`: what the driver's calls raise."""
from ... import _native

CudaAPIError = _native.DeviceError
