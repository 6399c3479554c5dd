"""`numba.config`: switches that scripts read or set. Those for warnings change what pykc says, none what it does."""
import os


def _switch(name: str, default: int) -> int:
    return int(os.environ.get(f"NUMBA_{name}", default))


ENABLE_CUDASIM = False
CUDA_LOW_OCCUPANCY_WARNINGS = _switch("CUDA_LOW_OCCUPANCY_WARNINGS", 0)
CUDA_WARN_ON_IMPLICIT_COPY = _switch("CUDA_WARN_ON_IMPLICIT_COPY", 1)
CUDA_ENABLE_PYNVJITLINK = 0
CUDA_USE_NVIDIA_BINDING = 0
CUDA_DEBUGINFO_DEFAULT = 0
CUDA_PER_THREAD_DEFAULT_STREAM = 0
DISABLE_JIT = 0
NUMBA_DEFAULT_NUM_THREADS = os.cpu_count() or 1
NUMBA_NUM_THREADS = _switch("NUM_THREADS", NUMBA_DEFAULT_NUM_THREADS)
THREADING_LAYER = "default"
