"""`numba.misc`, as far as its names are public."""
from . import special
