"""What a run that is to be repeated needs."""
import sys


def pytest_terminal_summary(terminalreporter):
    arrays = sys.modules.get("random_arrays")
    if arrays is not None:
        terminalreporter.write_line(f"random arrays: PYKC_SEED={arrays.SEED}")
