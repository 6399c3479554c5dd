"""Eigenvalues of matrices that need not be Hermitian. NumPy finds them on the host, one after the other by their very
nature, so that there is little for a device to do at once."""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy

from .creation import asarray
from .matrices import matrices
from .ndarray import ndarray


class EigResult(NamedTuple):
    eigenvalues: ndarray
    eigenvectors: ndarray


def eig(a) -> EigResult:
    """The eigenvalues of matrices, in any order, and the vectors, as columns; both are complex, as in CuPy. NumPy finds
    them on the host."""
    a = matrices(a)
    return EigResult(*(_complex(one, a) for one in numpy.linalg.eig(a.get())))


def eigvals(a) -> ndarray:
    """The eigenvalues of matrices, in any order, which are complex. NumPy finds them on the host."""
    a = matrices(a)
    return _complex(numpy.linalg.eigvals(a.get()), a)


def _complex(found: Any, of: ndarray) -> ndarray:
    return asarray(found, numpy.result_type(of.dtype, numpy.complex64), device=of.device)
