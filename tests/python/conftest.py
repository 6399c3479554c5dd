"""What a run that is to be repeated needs, and what several files do."""
import sys

import pytest


@pytest.fixture
def first_configurations(monkeypatch):
    """For tests that are not about which configuration is the fastest; `library_test` runs each of them."""
    monkeypatch.setenv("PYKC_AUTOTUNE", "off")


def pytest_terminal_summary(terminalreporter):
    arrays = sys.modules.get("random_arrays")
    if arrays is not None:
        terminalreporter.write_line(f"random arrays: PYKC_SEED={arrays.SEED}")
