"""`cupy.lib`: `pykc.lib.stride_tricks`."""
from . import stride_tricks as stride_tricks
