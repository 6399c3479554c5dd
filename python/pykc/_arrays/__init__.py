"""Arrays as NumPy and CuPy have them, on either device: `pykc.array` and what works on such arrays."""
from __future__ import annotations

import importlib

from . import operators, ufunc_table  # `operators` gives arrays their operators and methods
from .ndarray import ndarray

#: Which room has which of pykc's names.
ROOMS = {
    "creation": """array asarray asanyarray ascontiguousarray asnumpy empty empty_like zeros zeros_like ones ones_like
        full full_like arange linspace logspace geomspace eye identity tri tril triu meshgrid indices mgrid ogrid r_
        c_ fromfunction vander ix_ tril_indices triu_indices diag_indices tril_indices_from triu_indices_from
        diag_indices_from mask_indices asfortranarray asarray_chkfinite copy from_dlpack fromDlpack get_array_module bartlett
        blackman hamming hanning kaiser""",
    "files": "frombuffer fromiter fromfile fromstring loadtxt genfromtxt save savez savez_compressed savetxt load",
    "joining": """reshape ravel transpose permute_dims matrix_transpose swapaxes moveaxis expand_dims squeeze rollaxis
        broadcast broadcast_to broadcast_arrays flip flipud fliplr rot90 atleast_1d atleast_2d atleast_3d
        concatenate concat stack block vstack row_stack hstack dstack column_stack append insert delete
        unstack array_split split hsplit vsplit dsplit tile repeat resize trim_zeros roll apply_along_axis
        apply_over_axes where diag diagflat diagonal copyto size ndim shape""",
    "padding": "pad",
    "reductions": """sum prod all any count_nonzero min max amin amax nanmin nanmax ptp argmin argmax mean var std
        nansum nanprod nanmean nanvar nanstd nanargmin nanargmax average""",
    "scanning": "cumsum cumprod nancumsum nancumprod cumulative_sum cumulative_prod diff",
    "indexing": """nonzero flatnonzero argwhere take take_along_axis put put_along_axis putmask place choose select
        piecewise compress extract fill_diagonal scatter_add unravel_index ravel_multi_index""",
    "sorting": """sort sort_complex argsort lexsort searchsorted unique unique_all unique_counts
        unique_inverse unique_values isin in1d union1d intersect1d setdiff1d setxor1d""",
    "selection": "partition argpartition",
    "statistics": """bincount digitize histogram histogram2d histogramdd histogram_bin_edges quantile percentile
        nanquantile nanpercentile median nanmedian cov corrcoef""",
    "calculus": "interp convolve correlate gradient trapezoid trapz ediff1d unwrap",
    "polynomials": "poly poly1d polyfit polyval polyadd polysub polymul polydiv polyder polyint roots",
    "einsum": "einsum",
    "comparing": """clip round around fix sinc i0 isclose allclose array_equal array_equiv nan_to_num real imag angle
        isreal iscomplex isrealobj iscomplexobj isposinf isneginf shares_memory may_share_memory byte_bounds trace""",
    "conversions": "array2string array_str array_repr isfortran require real_if_close packbits unpackbits",
    "kernels": "ElementwiseKernel ReductionKernel",
    "fusing": "fuse",
    "raw": "RawKernel RawModule",
    "about": "who show_config",
    "memory": "get_default_memory_pool MemoryPool get_default_pinned_memory_pool PinnedMemoryPool",
    "profiling": "benchmark",
    "memoizing": "memoize clear_memo",
    "namespace": "__array_namespace_info__ __array_api_version__",
    "products": "matmul dot vdot inner outer vecdot tensordot kron cross",
    "dtypes": """bool bool_ True_ False_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32
        float64 complex64 complex128 byte short intc int_ intp longlong ubyte ushort uintc uint uintp ulonglong half
        single double csingle cdouble generic number integer signedinteger unsignedinteger inexact floating
        complexfloating pi e inf nan euler_gamma newaxis s_ index_exp ndindex dtype finfo iinfo isscalar issubdtype
        min_scalar_type can_cast result_type promote_types broadcast_shapes isdtype astype common_type ndenumerate
        iterable base_repr binary_repr format_float_positional format_float_scientific get_printoptions set_printoptions
        printoptions AxisError exceptions""",
}
assert operators


def names() -> set[str]:
    """All that `find` finds."""
    return {"ndarray", *ufunc_table.NAMES, *ufunc_table.ALIASES, *" ".join(ROOMS.values()).split()}


#: Modules of CuPy's that are not here.
_ELSEWHERE = {
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
