"""`memoize`: functions that are asked once for each of their arguments, as CuPy's programs keep kernels."""
from __future__ import annotations

import functools
import threading
from typing import Any, Callable

from .. import _devices

_memos: list[dict[tuple, Any]] = []


def memoize(for_each_device: bool = False, for_each_thread: bool = False) -> Callable:
    """`@memoize()`: a function whose results are kept by its arguments, and by the device in use or the thread where
    that is asked for."""
    def decorate(function: Callable) -> Callable:
        memo: dict[tuple, Any] = {}
        _memos.append(memo)

        @functools.wraps(function)
        def remembering(*args, **keywords):
            key = (for_each_device and _devices.current().name, for_each_thread and threading.get_ident(), args,
                   frozenset(keywords.items()))
            if key not in memo:
                memo[key] = function(*args, **keywords)
            return memo[key]
        return remembering
    return decorate


def clear_memo() -> None:
    """Forgets what all functions under `memoize` have kept."""
    for memo in _memos:
        memo.clear()
