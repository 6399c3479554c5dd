"""`numpy.polynomial`, as far as CuPy has it: `pykc.polynomial.polynomial` and `polyutils`. Coefficients stand with the
lowest power first."""
from . import polynomial as polynomial
from . import polyutils as polyutils
