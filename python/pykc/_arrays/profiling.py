"""`benchmark`: how long a function takes, of the host's time and of the device's."""
from __future__ import annotations

import math
import time
from typing import Any, Callable

import numpy

from .. import _devices
from ..cuda._streams import native_or_current


class Benchmark:
    """Times of the calls, in seconds: `cpu_times` until a call returned, `gpu_times` until the device had done its
    work, with a row for the device."""

    def __init__(self, name: str, device: str, cpu_times: list[float], gpu_times: list[float]):
        self.name, self._device = name, device
        self.cpu_times = numpy.array(cpu_times)
        self.gpu_times = numpy.array([gpu_times])

    def to_str(self, show_gpu: bool = False) -> str:
        """A line with mean, deviation, the smallest and the largest, in microseconds."""
        parts = [_text("CPU", self.cpu_times)]
        if show_gpu:
            parts.append(_text(self._device, self.gpu_times[0]))
        return f"{self.name:<20}: {'   '.join(parts)}"

    def __str__(self) -> str:
        return self.to_str(show_gpu=True)

    __repr__ = __str__


def _text(label: str, seconds) -> str:
    micro = seconds * 1e6
    text = f"{label}: {micro.mean():9.3f} us"
    if len(micro) > 1:
        text += f" +/- {micro.std():6.3f} (min: {micro.min():9.3f} / max: {micro.max():9.3f}) us"
    return text


def benchmark(func: Callable, args: tuple = (), kwargs: dict[str, Any] | None = None, n_repeat: int = 10000, *,
              name: str | None = None, n_warmup: int = 10, max_duration: float = math.inf) -> Benchmark:
    """Calls FUNC some times for nothing, then N_REPEAT times or until MAX_DURATION seconds are over, and measures each
    call: the device does one after the other."""
    if not callable(func) or not isinstance(args, tuple):
        raise ValueError("`func` is a function, and `args` a tuple")
    if n_repeat < 1 or n_warmup < 0:
        raise ValueError("`n_repeat` is 1 or more, `n_warmup` 0 or more")
    kwargs = kwargs or {}
    device = _devices.current()
    stream = native_or_current(None)
    for _ in range(n_warmup):
        func(*args, **kwargs)
    device.synchronize()
    cpu_times, gpu_times = [], []
    end = time.perf_counter() + max_duration
    while len(cpu_times) < n_repeat and (not cpu_times or time.perf_counter() < end):
        first = stream.record()
        before = time.perf_counter()
        func(*args, **kwargs)
        cpu_times.append(time.perf_counter() - before)
        last = stream.record()
        last.synchronize()
        gpu_times.append(last.milliseconds_since(first) / 1e3)
    return Benchmark(name or getattr(func, "__name__", repr(func)), device.name, cpu_times, gpu_times)
