"""`numba.core`, as far as its names are public."""
from .. import types
from . import config, errors
