"""`numba.core`, as far as its names are public."""
from .. import _config as config
from .. import types
from . import errors
