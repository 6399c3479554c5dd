"""Names that only kernels know. Python programs refer to them and pass them on; nothing can be called outside."""
from __future__ import annotations


class KernelName:
    """What stands behind `cuda.syncthreads` and its kin in Python."""

    def __init__(self, path: str):
        self._pykc_path = path  # as the language imports it, "numba.cuda.atomic.add"

    def __getattr__(self, name: str) -> KernelName:
        if name.startswith("_"):
            raise AttributeError(name)
        member = KernelName(f"{self._pykc_path}.{name}")
        self.__dict__[name] = member
        return member

    def _outside(self) -> RuntimeError:
        name = self._pykc_path.removeprefix("numba.")
        return RuntimeError(f"`{name}` is for kernels: it has a value only in a function under @cuda.jit, "
                            "while a launch runs it")

    def __call__(self, *arguments, **keywords):
        raise self._outside()

    def __index__(self):
        raise self._outside()

    __int__ = __float__ = __bool__ = __len__ = __iter__ = __index__

    def __getitem__(self, index):
        raise self._outside()

    def __add__(self, other):
        raise self._outside()

    __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __lt__ = __gt__ = __le__ = __ge__ = __add__

    def __repr__(self) -> str:
        return f"<{self._pykc_path.removeprefix('numba.')}, a name of kernels>"


class VectorName(KernelName):
    """A type of vectors, `float32x4`. On the host it has a dtype, with the fields x, y, z and w, and makes a vector."""

    def __init__(self, path: str, element: str, count: int):
        super().__init__(path)
        self._element, self._count = element, count

    @property
    def dtype(self):
        import numpy
        from . import types
        element = getattr(types, self._element).dtype
        return numpy.dtype((numpy.record, [(name, element) for name in "xyzw"[:self._count]]))

    @property
    def alignment(self) -> int:
        """In a record: one, two and four numbers lie as one access takes them."""
        size = self.dtype.itemsize
        return size // 3 if self._count == 3 else min(size, 16)

    def __call__(self, *parts):
        import numpy
        numbers = [number for part in parts for number in (part.item() if isinstance(part, numpy.void) else (part,))]
        return numpy.array(tuple(numbers), self.dtype)[()]

    def __getitem__(self, axes):
        from .types import Type
        return Type(self._pykc_path.rpartition(".")[2])[axes]


class ConstName(KernelName):
    """`const`. Outside of kernels `const.array(shape, dtype)` makes constant memory that the host fills."""

    def array(self, shape, dtype):
        from ._constants import host_constant
        return host_constant(shape, dtype)


class AlignedName(KernelName):
    """`is_aligned`. Outside of kernels it looks at where an array begins."""

    def __call__(self, array, bytes: int) -> bool:
        address = array.address if hasattr(array, "address") else array.ctypes.data
        return address % bytes == 0


NATIVE_TYPES = {"i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16",
                "u32": "uint32", "u64": "uint64", "f16": "float16", "bf16": "bfloat16", "f32": "float32",
                "f64": "float64", "c64": "complex64", "c128": "complex128", "f8e4m3": "float8_e4m3fn",
                "f8e5m2": "float8_e5m2"}
_C_NAMES = {"char": "int8", "uchar": "uint8", "short": "int16", "ushort": "uint16", "int": "int32", "uint": "uint32",
            "long": "int64", "ulong": "uint64", "longlong": "int64", "ulonglong": "uint64", "float": "float32",
            "double": "float64"}
_NUMBERS = {native: number for native, number in NATIVE_TYPES.items() if not number.startswith("complex")}
#: The types of vectors: of each name what one has, and how many.
VECTORS = {**{f"{number}x{count}": (number, count) for number in _NUMBERS.values() for count in (1, 2, 3, 4)},
           **{f"{name}{count}": (number, count) for name, number in _C_NAMES.items() for count in (1, 2, 3, 4)}}
#: What `pykc` calls them besides.
NATIVE_VECTORS = {f"{native}x{count}": f"{number}x{count}" for native, number in _NUMBERS.items()
                  for count in (1, 2, 3, 4)}

CUDA = {*VECTORS} | set("""
    threadIdx blockIdx blockDim gridDim laneid warpsize grid gridsize shared local const atomic cg fp16
    syncthreads syncthreads_count syncthreads_and syncthreads_or syncwarp grid_sync
    threadfence threadfence_block threadfence_system
    shfl_sync shfl_up_sync shfl_down_sync shfl_xor_sync vote_sync_intrinsic match_any_sync match_all_sync
    all_sync any_sync eq_sync ballot_sync activemask lanemask_lt lanemask_le lanemask_eq lanemask_ge lanemask_gt
    redux_sync_add redux_sync_min redux_sync_max redux_sync_and redux_sync_or redux_sync_xor elect_sync
    popc brev clz ffs fma cbrt selp nanosleep mulhi byte_perm
    clock clock64 globaltimer ldca ldcg ldcs ldlu ldcv ldg stcg stcs stwb stwt
    prefetch_l1 prefetch_l2 memcpy_async memcpy_async_commit memcpy_async_wait is_aligned is_shared
    barrier_sync barrier_arrive wait_turn grid_dependency_wait grid_dependency_launch
    cluster_sync cluster_arrive cluster_wait cluster_ctarank cluster_nctarank
    map_shared_rank ptx tensor_map unroll
    cuda_arch cuda_arch_specific
""".split())

#: What `pykc` has beside these, for functions under `@pykc.kernel`.
NATIVE = CUDA | {*NATIVE_VECTORS} | {f"{name}_r{direction}" for name in ("add", "mul", "div", "fma", "sqrt")
                                     for direction in "nduz"} | set("""
    constexpr static_assert libdevice assume likely unlikely
    float_as_int int_as_float double_as_longlong longlong_as_double half_as_short short_as_half
    bfe bfi dp4a dp2a_hi dp2a_lo funnelshift_l funnelshift_lc funnelshift_r funnelshift_rc sad saturate
    rsqrt rcbrt exp10 sinpi cospi tanpi sincos sincospi rhypot norm3d norm4d rnorm3d rnorm4d fdim
    erfinv erfcinv erfcx normcdf normcdfinv
""".split())


def cuda_name(name: str) -> KernelName:
    if name not in CUDA:
        raise AttributeError(f"module 'pykc.cuda' has no attribute {name!r}")
    return kernel_name(name)


def kernel_name(name: str) -> KernelName:
    path = f"numba.cuda.{name}"
    if own := {"const": ConstName, "is_aligned": AlignedName}.get(name):
        return own(path)
    return VectorName(path, *VECTORS[name]) if name in VECTORS else KernelName(path)
