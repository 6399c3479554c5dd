"""Streams, events and graphs, by Numba's and CuPy's names."""
from __future__ import annotations

import contextlib
import functools
import threading
from typing import TYPE_CHECKING, Any, Callable, Iterator

from .. import _devices, _native

if TYPE_CHECKING:
    import asyncio


class _Current(threading.local):
    stream: Stream | None = None  # None: the default one

    def __init__(self):
        self.before: list[Stream | None] = []  # what it was outside of each `with` block


_current = _Current()


def _use(stream: Stream | None) -> None:
    if stream is not None and stream._is_default:
        stream = None
    _native.use_stream(stream and stream._device, stream and stream._native)
    _current.stream = stream  # keeps both


class Stream:
    """A queue of launches and copies, which run one after the other; those of different streams are independent. On the
    CPU device each has run when its call returns. `Stream()` is a new one, as in CuPy; `Stream.null` is the default
    one, and so is `Stream.ptds`. NON_BLOCKING and PRIORITY are taken for CuPy's sake: a stream waits for the default
    one of the driver, and none goes before others.

    `with stream:` makes it the current one of this thread, which takes all that names no stream: launches, what arrays
    compute, events. What it takes follows what the current one before was given, and the block waits for it at its end.
    `use()` makes it the current one for good."""

    null: Stream
    ptds: Stream
    is_non_blocking = False
    priority = 0
    _is_default = False
    _captures = False

    def __init__(self, null: bool = False, non_blocking: bool = False, ptds: bool = False, priority: int | None = None):
        self._device = _devices.current()
        self._is_default = bool(null or ptds)
        self._native = self._device.default_stream if self._is_default else self._device.create_stream()
        self.is_non_blocking, self.priority = non_blocking, priority or 0

    @staticmethod
    def from_external(stream) -> ExternalStream:
        """A stream of another library, by its `__cuda_stream__`; it is kept alive."""
        made = ExternalStream(_foreign_handle(stream))
        made._foreign_stream_ref = stream
        return made

    @property
    def device_id(self) -> int:
        """The number of its device in `cuda.gpus`."""
        return int(self._device)

    @property
    def handle(self) -> int:
        """The CUstream of the driver, as a number; 0 on the CPU device."""
        return self._native.native_handle

    ptr = handle  # CuPy's name

    @property
    def done(self) -> bool:
        """Whether all is done that the stream was given; here, it waits for that."""
        self.synchronize()
        return True

    def __int__(self) -> int:
        return self.handle

    def __eq__(self, other) -> bool:
        return self is other or (isinstance(other, Stream) and self._is_default and other._is_default)

    def __hash__(self) -> int:
        return 0 if self._is_default else id(self)

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

    def use(self) -> Stream:
        """Makes it the current stream of this thread."""
        if get_current_stream() != self and not self.is_capturing():
            self._native.wait(native_or_current(None).record())
        _use(self)
        return self

    def __enter__(self) -> Stream:
        _current.before.append(_current.stream)
        return self.use()

    def __exit__(self, kind, *exception) -> None:
        _use(_current.before.pop())
        if self._captures:
            if kind is not None:
                with contextlib.suppress(_native.DeviceError, ValueError):
                    self.end_capture()
        elif self.is_capturing():  # it takes part in the capture of the stream around it
            native_or_current(None).wait(self._native.record())
        elif get_current_stream() != self:
            self.synchronize()

    def record(self, event: Event | None = None) -> Event:
        """EVENT, or a new one, which marks what was given to the stream so far."""
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        """What is given to the stream from now on waits for the event."""
        event.wait(self)

    def begin_capture(self, mode: int | None = None) -> None:
        """From now on what the stream is given is not done but becomes a graph, by work of this thread. Kernels must
        have been compiled: call once before what is captured. Arrays that it makes are the graph's, and each launch
        computes them anew; nothing is copied between the host and the device."""
        self._native.begin_capture()
        self._captures = True

    def end_capture(self) -> Graph:
        """What the stream was given since `begin_capture`."""
        graph = Graph(self._native.end_capture())
        self._captures = False
        return graph

    def is_capturing(self) -> bool:
        """Whether the stream captures a graph, or takes part in a capture."""
        return self._native.is_capturing

    def async_done(self) -> asyncio.Future[Stream]:
        """For `await`: the stream, once all is done that it was given so far. A thread waits for it."""
        import asyncio
        event = self._native.record()

        def waited() -> Stream:
            event.synchronize()
            return self
        return asyncio.get_running_loop().run_in_executor(None, waited)

    def add_callback(self, callback: Callable, arg: Any = None) -> None:
        """Calls `callback(stream, status, arg)` once the stream has come so far; here, it waits for that."""
        self.synchronize()
        callback(self, 0, arg)

    def launch_host_func(self, callback: Callable, arg: Any) -> None:
        """Calls `callback(arg)` once the stream has come so far; here, it waits for that."""
        self.synchronize()
        callback(arg)

    def __repr__(self) -> str:
        return f"<CUDA stream {self.handle} of {_devices.current().name}>"


class Graph:
    """Work that a stream has captured, to be launched as one, any number of times; on a GPU that costs the host far
    less than its parts. It keeps the arrays that it uses."""

    def __init__(self, native: _native.Graph):
        self._native = native

    def launch(self, stream=None) -> None:
        """Puts all of the work on the stream, or on the current one."""
        self._native.launch(native_or_current(stream))


def get_current_stream() -> Stream:
    """What takes work of this thread that names no stream."""
    return _current.stream or default_stream()


def native_or_current(stream) -> _native.Stream:
    """The stream, or the current one of the device in use."""
    if named := native_stream(stream):
        return named
    current, device = _current.stream, _devices.current()
    return current._native if current is not None and current._device == device else device.default_stream


def native_stream(stream) -> _native.Stream | None:
    """The native stream behind what a program passes as one; None, 0 is the current one."""
    if stream is None or isinstance(stream, int) and stream == 0:
        return None
    if isinstance(stream, Stream):
        return stream._native
    if isinstance(stream, _native.Stream):
        return stream
    if isinstance(stream, int):
        return _devices.current().wrap_stream(stream)
    if hasattr(stream, "__cuda_stream__"):
        return _devices.current().wrap_stream(_foreign_handle(stream))
    raise TypeError(f"a {type(stream).__name__} is no stream")


def _foreign_handle(stream) -> int:
    """The CUstream behind another library's stream, as a number."""
    if not hasattr(stream, "__cuda_stream__"):
        raise TypeError(f"a {type(stream).__name__} does not implement __cuda_stream__")
    found = stream.__cuda_stream__
    found = found() if callable(found) else found
    if not isinstance(found, tuple) or len(found) != 2:
        raise TypeError(f"__cuda_stream__ must return a 2-tuple, not {found!r}")
    if not all(isinstance(one, int) for one in found):
        raise TypeError(f"__cuda_stream__ must return (int, int), not {found!r}")
    if found[0] != 0:
        raise TypeError(f"__cuda_stream__ is of the unsupported version {found[0]}")
    return found[1]


def interface_stream(stream) -> int | None:
    """The stream, else the current one, as the CUDA array interface names it."""
    named = stream or _current.stream
    return native_stream(named).native_handle or 1 if named else None


def stream() -> Stream:
    """A new stream."""
    return Stream()


def default_stream() -> Stream:
    """The stream of launches and copies that name none, where no other is the current one."""
    return Stream(null=True)


class _Null:
    def __get__(self, instance, owner) -> Stream:
        return default_stream()


Stream.null = Stream.ptds = _Null()
legacy_default_stream = per_thread_default_stream = default_stream


class ExternalStream(Stream):
    """A stream that another library made, by its handle. It is looked at once work is put on it."""

    device_id = -1  # as in CuPy: which device it is of, nobody says

    def __init__(self, ptr: int):
        self._handle = ptr

    @functools.cached_property
    def _device(self) -> _native.Device:
        return _devices.current()

    @functools.cached_property
    def _native(self) -> _native.Stream:
        return self._device.wrap_stream(self._handle)

    @property
    def handle(self) -> int:
        return self._handle


external_stream = ExternalStream  # Numba's name


class Event:
    """A place in a stream, to wait for and to measure from. Until `record` it has none: a RuntimeError says so.

    BLOCK and DISABLE_TIMING are taken for CuPy's sake: every event can be measured from."""

    def __init__(self, block: bool = False, disable_timing: bool = False, interprocess: bool = False):
        if interprocess:
            raise NotImplementedError("events are of one process: `interprocess=False`")
        self._native: _native.Event | None = None

    def _recorded(self) -> _native.Event:
        if self._native is None:
            raise RuntimeError("the event was not recorded")
        return self._native

    def record(self, stream=0) -> None:
        """Marks what was given to the stream so far."""
        self._native = native_or_current(stream).record()

    def synchronize(self) -> None:
        """Waits until the stream has come to the event."""
        if self._native is not None:
            self._native.synchronize()

    def query(self) -> bool:
        """Whether the stream has come to the event; here, it waits for that. One that was not recorded is done."""
        self.synchronize()
        return True

    @property
    def done(self) -> bool:
        """`query()`, as CuPy names it."""
        return self.query()

    def wait(self, stream=0) -> None:
        """What is given to the stream from now on waits for the event."""
        native_or_current(stream).wait(self._recorded())

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


# In CuPy `cuda.stream` is a module.
stream.Stream, stream.ExternalStream, stream.Event = Stream, ExternalStream, Event
stream.get_current_stream, stream.get_elapsed_time = get_current_stream, get_elapsed_time
