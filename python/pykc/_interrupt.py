"""Ctrl-C, and a notebook's "interrupt", for kernels of the CPU device.

Python handles signals in its main thread, between two instructions of its own, and so not while a launch is under way.
But it writes the number of a signal to a descriptor at once. A thread that reads there stops the kernels; then the
launch raises, and Python comes to its KeyboardInterrupt."""
from __future__ import annotations

import os
import signal
import sys
import threading
import time

from . import _devices

_PAUSE, _TRIES = 0.01, 200  # seconds; longer than a kernel is compiled


def stop_kernels_on_interrupt() -> None:
    """From here on an interrupt stops kernels of the CPU device. Called in the main thread; where an event loop has the
    descriptor for itself, nothing is done."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    if before != -1:
        signal.set_wakeup_fd(before)
        os.close(reader)
        os.close(writer)
        return
    os.register_at_fork(after_in_child=lambda: signal.set_wakeup_fd(-1))
    threading.Thread(target=_listen, args=(reader,), name="pykc interrupt", daemon=True).start()


def _listen(reader: int) -> None:
    while numbers := os.read(reader, 64):
        if signal.SIGINT in numbers:
            _stop()


def _stop() -> None:
    """Stops kernels until the main thread has left the call that the signal found it in: its kernel may still be under
    way to the device. A thread that waits for events comes back to the same place, and has no kernel."""
    found = _place_of_main_thread()
    for _ in range(_TRIES):
        _devices.device("cpu").cancel()
        time.sleep(_PAUSE)
        if _place_of_main_thread() != found:
            return


def _place_of_main_thread() -> tuple:
    frame = sys._current_frames()[threading.main_thread().ident]
    return frame, frame.f_lasti
