"""Streams and events, by Numba's names."""
from __future__ import annotations

import contextlib
import functools
from typing import Any, Callable, Iterator

from .. import _devices, _native


class Stream:
    """A queue of launches and copies, which run one after the other; those of different streams are independent. On the
    CPU device each has run when its call returns. A `with` block waits for the stream at its end. `Stream()` is a new
    one, as in CuPy, `Stream.null` the one of launches that name none."""

    null: Stream

    def __init__(self, native: _native.Stream | None = None, *, non_blocking: bool = True):
        self._native = native or _devices.current().create_stream()

    @property
    def handle(self) -> int:
        """The CUstream of the driver, as a number; 0 on the CPU device."""
        return self._native.native_handle

    def __int__(self) -> int:
        return self.handle

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.handle

    def synchronize(self) -> None:
        """Waits for all that was given to the stream so far."""
        self._native.synchronize()

    @contextlib.contextmanager
    def auto_synchronize(self) -> Iterator[Stream]:
        """Waits for the stream where the block ends."""
        yield self
        self.synchronize()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *exception) -> None:
        self.synchronize()

    def add_callback(self, callback: Callable, arg: Any = None) -> None:
        """Calls `callback(stream, status, arg)` once the stream has come so far; here, it waits for that."""
        self.synchronize()
        callback(self, 0, arg)

    def __repr__(self) -> str:
        return f"<CUDA stream {self.handle} of {_devices.current().name}>"


def native_stream(stream) -> _native.Stream | None:
    """The native stream behind what a program passes as one; None, 0 is the default one."""
    if stream is None or isinstance(stream, int) and stream == 0:
        return None
    if isinstance(stream, Stream):
        return stream._native
    if isinstance(stream, _native.Stream):
        return stream
    if isinstance(stream, int):
        return _devices.current().wrap_stream(stream)
    if hasattr(stream, "__cuda_stream__"):
        found = stream.__cuda_stream__
        return _devices.current().wrap_stream((found() if callable(found) else found)[1])
    raise TypeError(f"a {type(stream).__name__} is no stream")


def interface_stream(stream) -> int | None:
    """The stream as the CUDA array interface names it."""
    return native_stream(stream).native_handle or 1 if stream else None


def stream() -> Stream:
    """A new stream."""
    return Stream(_devices.current().create_stream())


def default_stream() -> Stream:
    """The stream of launches and copies that name none."""
    return Stream(_devices.current().default_stream)


class _Null:
    def __get__(self, instance, owner) -> Stream:
        return default_stream()


Stream.null = _Null()
legacy_default_stream = per_thread_default_stream = default_stream


class _External(Stream):
    """A stream that is looked at once work is put on it."""

    def __init__(self, handle: int):
        self._handle = handle

    @functools.cached_property
    def _native(self) -> _native.Stream:
        return _devices.current().wrap_stream(self._handle)

    @property
    def handle(self) -> int:
        return self._handle


def external_stream(ptr: int) -> Stream:
    """A stream that another library made, by its handle."""
    return _External(ptr)


class Event:
    """A place in a stream, to wait for and to measure from. Until `record` it has none: a RuntimeError says so."""

    def __init__(self):
        self._native: _native.Event | None = None

    def _recorded(self) -> _native.Event:
        if self._native is None:
            raise RuntimeError("the event was not recorded")
        return self._native

    def record(self, stream=0) -> None:
        """Marks what was given to the stream so far."""
        self._native = (native_stream(stream) or _devices.current().default_stream).record()

    def synchronize(self) -> None:
        """Waits until the stream has come to the event."""
        if self._native is not None:
            self._native.synchronize()

    def query(self) -> bool:
        """Whether the stream has come to the event; here, it waits for that. One that was not recorded is done."""
        self.synchronize()
        return True

    def wait(self, stream=0) -> None:
        """What is given to the stream from now on waits for the event."""
        (native_stream(stream) or _devices.current().default_stream).wait(self._recorded())

    def elapsed_time(self, evtend: Event) -> float:
        """Milliseconds from this event to the other."""
        return event_elapsed_time(self, evtend)


def event(timing: bool = True) -> Event:
    """A new event. TIMING is taken for Numba's sake: every event can be measured from."""
    return Event()


def event_elapsed_time(evtstart: Event, evtend: Event) -> float:
    """Milliseconds between two events."""
    return evtend._recorded().milliseconds_since(evtstart._recorded())


get_elapsed_time = event_elapsed_time  # CuPy's name
