"""`numba.cuda.testing`, as far as tests of programs use it."""
from __future__ import annotations

import unittest

from .. import _config

_QUIET = ("CUDA_LOW_OCCUPANCY_WARNINGS", "CUDA_WARN_ON_IMPLICIT_COPY")


class CUDATestCase(unittest.TestCase):
    """Tests in which launches warn of nothing."""

    def setUp(self) -> None:
        self._before = {name: getattr(_config, name) for name in _QUIET}
        for name in _QUIET:
            setattr(_config, name, 0)

    def tearDown(self) -> None:
        for name, value in self._before.items():
            setattr(_config, name, value)


class ContextResettingTestCase(CUDATestCase):
    """Tests behind each of which the device is closed."""

    def tearDown(self) -> None:
        from ._contexts import close
        super().tearDown()
        close()


def skip_on_cudasim(reason: str):
    """Numba's simulator is not here: the test runs."""
    return lambda test: test


def skip_unless_cudasim(reason: str):
    """Numba's simulator is not here: the test is skipped."""
    return unittest.skip(reason)
