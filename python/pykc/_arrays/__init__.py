"""Arrays as NumPy and CuPy have them, on either device: `pykc.array` and what works on such arrays."""
from __future__ import annotations

import importlib

from . import operators, ufunc_table  # `operators` gives arrays their operators and methods
from .ndarray import ndarray

#: Which room has which of pykc's names.
ROOMS = {
    "creation": """array asarray ascontiguousarray asnumpy empty empty_like zeros zeros_like ones ones_like full
        full_like arange linspace eye identity tri tril triu meshgrid from_dlpack
        get_array_module""",
    "joining": """reshape ravel transpose permute_dims matrix_transpose swapaxes moveaxis expand_dims squeeze
        broadcast_to broadcast_arrays flip flipud fliplr rot90 atleast_1d atleast_2d concatenate concat stack vstack
        hstack column_stack unstack array_split split tile repeat roll where diag diagonal copyto size ndim shape""",
    "reductions": """sum prod all any count_nonzero min max nanmin nanmax ptp argmin argmax mean var std nansum nanprod
        nanmean average""",
    "scanning": "cumsum cumprod cumulative_sum cumulative_prod diff",
    "indexing": "nonzero flatnonzero argwhere take take_along_axis put_along_axis compress extract fill_diagonal",
    "sorting": """sort argsort searchsorted unique unique_all unique_counts unique_inverse unique_values isin
        median""",
    "comparing": "clip round around isclose allclose array_equal nan_to_num real imag angle trace",
    "kernels": "ElementwiseKernel ReductionKernel",
    "fusing": "fuse",
    "raw": "RawKernel RawModule",
    "memory": "get_default_memory_pool MemoryPool",
    "profiling": "benchmark",
    "namespace": "__array_namespace_info__ __array_api_version__",
    "products": "matmul dot vdot inner outer vecdot tensordot",
    "dtypes": """bool bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64
        complex128 pi e inf nan newaxis dtype finfo iinfo can_cast result_type promote_types broadcast_shapes isdtype
        astype""",
}
assert operators


def names() -> set[str]:
    """All that `find` finds."""
    return {"ndarray", *ufunc_table.NAMES, *ufunc_table.ALIASES, *" ".join(ROOMS.values()).split()}


#: Modules of CuPy's that are not here.
_ELSEWHERE = {
    "linalg": "products are `@`, `dot`, `pykc.gemm`; decompose `x.get()` by NumPy, or by a package of cuSOLVER",
    "fft": "`from pykc.fft import fft` transforms rows, or `x.get()` by NumPy, or a package of cuFFT",
    "sparse": "`from pykc.segmented import spmv` multiplies by a sparse matrix",
}


def find(name: str):
    """What `pykc.NAME` is, if it is of this folder; else an AttributeError."""
    if name == "ndarray":
        return ndarray
    for room, names in ROOMS.items():
        if name in names.split():
            return getattr(importlib.import_module(f".{room}", __name__), name)
    if name in _ELSEWHERE:
        raise AttributeError(f"module 'pykc' has no attribute {name!r}: {_ELSEWHERE[name]}")
    from . import ufuncs
    return ufuncs.find(name)
