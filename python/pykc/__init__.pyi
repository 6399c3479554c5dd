# The names of the package whose types tools need; the others are found when they are asked for.
from types import FunctionType
from typing import Any, Callable, overload

from . import cuda as cuda
from . import fft as fft
from . import numba as numba
from . import lib as lib
from . import linalg as linalg
from . import polynomial as polynomial
from . import random as random
from . import testing as testing
from . import types as types
from ._capture import CaptureError as CaptureError
from ._costs import costs as costs
from ._devices import device_name as device_name
from ._host import PykcWarning as PykcWarning
from ._host import jit as jit
from ._host import njit as njit
from ._host import prange as prange
from ._kernel import Kernel
from ._kernel import autotune as autotune
from ._kernel import cdiv as cdiv
from ._kernel import config as config
from ._kernel import vectorize as vectorize
from ._native import Device
from ._native import list_devices as list_devices
from ._redirect import install_as_numba as install_as_numba
from ._source import SourceError as SourceError
from ._struct import struct as struct
from .cuda._contexts import is_available as is_available

__version__: str

class Error(Exception): ...

class CompileError(Error):
    diagnostics: list[dict[str, Any]]

class LaunchError(Error, ValueError): ...
class KernelFault(Error, RuntimeError): ...
class DeviceError(Error, RuntimeError): ...

@overload
def kernel(function: FunctionType) -> Kernel: ...
@overload
def kernel(**options: Any) -> Callable[[FunctionType], Kernel]: ...
@overload
def device(what: str = ...) -> Device: ...  # type: ignore  # without arguments it is this one
@overload
def device(what: FunctionType) -> Kernel: ...
@overload
def device(**options: Any) -> Callable[[FunctionType], Kernel]: ...
def __getattr__(name: str) -> Any: ...
