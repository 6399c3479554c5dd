"""`numba.np`, as far as its names are public."""
from . import numpy_support
