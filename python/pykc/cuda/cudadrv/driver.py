"""`numba.cuda.cudadrv.driver`: what the driver's calls raise, and what programs ask it."""
from ... import _native
from .._contexts import Device, list_devices
from ..runtime import get_version

CudaAPIError = _native.DeviceError


class Driver:
    """What stands for the driver: the devices, and its version. Its functions, `cuMemAlloc` and the like, are not
    there."""

    is_available = True
    initialization_error = None

    def get_device_count(self) -> int:
        """How many devices there are."""
        return len(list_devices())

    def get_device(self, devnum: int = 0) -> Device:
        """The device of that number."""
        return list_devices()[devnum]

    def get_version(self) -> tuple[int, int]:
        """The version of CUDA, (12, 8)."""
        return get_version()


driver = Driver()
