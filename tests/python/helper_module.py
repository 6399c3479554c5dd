"""What kernels of test_capture.py refer to by the name of a module."""
from pykc import cuda

FACTOR = 3


@cuda.jit(device=True)
def scaled(x):
    return x * FACTOR


def plain(x):
    return x + 1
