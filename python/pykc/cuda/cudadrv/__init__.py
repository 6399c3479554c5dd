"""`numba.cuda.cudadrv`, as far as programs ask it whether there is a device, and catch what it raises."""
from . import devicearray, devices, driver, error
