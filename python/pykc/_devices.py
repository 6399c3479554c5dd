"""The device that launches and arrays go to: PYKC_DEVICE, else the first GPU, else the CPU; a thread may select one."""
from __future__ import annotations

import contextlib
import os
import threading
from typing import Iterator

from . import _native

_lock = threading.Lock()
_opened: dict[str, _native.Device] = {}


class _Selected(threading.local):
    device: _native.Device | None = None


_selected = _Selected()
_someone_has_another = False  # than the default
#: The chip, "sm_90", for which kernels count what their launches cost it; see `counting`.
counts_for = ""


def device(name: str = "") -> _native.Device:
    """The device of that name, "cpu" or "cuda:0"; without a name the one in use."""
    if not name:
        return current()
    with _lock:
        if name not in _opened:
            _opened[name] = _native.Device(name)
        return _opened[name]


def current() -> _native.Device:
    return _selected.device or _opened.get("") or _default()


def device_name() -> str:
    """What kernels run on: "cpu", or the name of the GPU."""
    return "cpu" if current().is_cpu else current().description


def _default() -> _native.Device:
    with _lock:
        if "" not in _opened:
            found = _native.Device(os.environ.get("PYKC_DEVICE", ""))
            _opened[""] = _opened.setdefault(found.name, found)
            if not _someone_has_another:
                _native.all_use(_opened[""])
        return _opened[""]


def select(chosen: _native.Device | None) -> None:
    """Makes it the one in use, for this thread; None: the default again."""
    global _someone_has_another
    if chosen is not None and chosen is not _opened.get(""):
        _someone_has_another = True
        _native.all_use(None)
    _selected.device = chosen


@contextlib.contextmanager
def using(chosen: _native.Device) -> Iterator[_native.Device]:
    """It is the one in use, for this thread, meanwhile."""
    before = _selected.device
    if chosen is current():
        yield chosen
        return
    select(chosen)
    try:
        yield chosen
    finally:
        select(before)


@contextlib.contextmanager
def counting(chip: str) -> Iterator[None]:
    """Within it, launches of this thread go to the CPU device, by kernels that count."""
    global counts_for
    before = _selected.device
    _selected.device = device("cpu")
    counts_for = chip
    _native.all_use(None)  # a launch as the one before would be by a kernel that does not
    try:
        yield
    finally:
        counts_for = ""
        _selected.device = before
        if not _someone_has_another:
            _native.all_use(_opened.get(""))


def close() -> None:
    with _lock:
        _native.all_use(None)
        _native.use_stream(None, None)
        _opened.clear()
    _selected.device = None
