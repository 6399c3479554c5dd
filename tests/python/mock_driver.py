"""A driver for tests of GPUs that have none: where it is, and what it was asked for last."""
import ctypes
import os
import pathlib
import subprocess
import sys

import pykc

PACKAGE = pathlib.Path(pykc.__file__).parent.parent
LIBRARY = PACKAGE.parent / "tests/unit/runtime/mock_cuda/libmock_cuda.so"


class Launch(ctypes.Structure):
    """mock_cuda::Launch, of tests/mock_cuda/mock_cuda.h."""
    _fields_ = [("function", ctypes.c_char * 64), ("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3),
                ("shared", ctypes.c_uint), ("stream", ctypes.c_void_p), ("words", ctypes.c_uint64 * 8)]


def environment(device: str) -> dict[str, str]:
    """For a process that has this driver, and imports what lies beside this file. Skips the test where none is built."""
    if not LIBRARY.exists():
        import pytest
        pytest.skip("the mock driver is not built")
    return {**os.environ, "PYKC_CUDA_LIBRARY": str(LIBRARY), "PYKC_DEVICE": device,
            "PYTHONPATH": os.pathsep.join((str(PACKAGE), str(pathlib.Path(__file__).parent)))}


def load() -> ctypes.CDLL:
    """The driver of such a process."""
    mock = ctypes.CDLL(os.environ["PYKC_CUDA_LIBRARY"])
    mock.mock_last_launch.restype = ctypes.POINTER(Launch)
    return mock


def run(script: pathlib.Path, text: str, *options: str) -> None:
    """Runs a program, which asserts, with this driver. It is a file, since kernels need their text."""
    script.write_text(text)
    done = subprocess.run([sys.executable, *options, str(script)], capture_output=True, text=True, timeout=120,
                          env=environment("cuda:0"))
    assert done.returncode == 0, done.stderr
