"""Streams, events and devices."""
import numpy as np
import pytest

import pykc
from pykc import cuda


@cuda.jit
def increment(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


def test_streams():
    stream = cuda.stream()
    device = cuda.to_device(np.zeros(100), stream)
    with stream.auto_synchronize():
        for _ in range(5):
            increment[1, 128, stream](device)
    host = device.copy_to_host(stream=stream)
    stream.synchronize()
    assert (host == 5).all()
    cuda.default_stream().synchronize()
    with pytest.raises(TypeError, match="is no stream"):
        increment[1, 1, "s"]


def test_events():
    stream = cuda.stream()
    device = cuda.to_device(np.zeros(100))
    start, end = cuda.event(), cuda.event(timing=True)
    start.record(stream)
    increment[1, 128, stream](device)
    end.record(stream)
    end.synchronize()
    assert end.query() and cuda.event().query()
    end.wait(cuda.stream())
    assert cuda.event_elapsed_time(start, end) >= 0 and start.elapsed_time(end) >= 0
    with pytest.raises(RuntimeError, match="not recorded"):
        cuda.event().elapsed_time(end)


def test_the_names_of_cupy():
    device = cuda.to_device(np.zeros(100))
    stream, start, end = cuda.Stream(non_blocking=True), cuda.Event(), cuda.Event()
    start.record(stream)
    increment[1, 128, stream](device)
    end.record(stream)
    end.synchronize()
    assert cuda.get_elapsed_time(start, end) >= 0 and (device.copy_to_host() == 1).all()
    cuda.Stream.null.synchronize()
    with cuda.Device(0):
        cuda.Device().synchronize()
    cuda.Device(0).use()
    assert cuda.Device() == cuda.Device(0) == cuda.get_current_device()
    with pytest.raises(IndexError):
        cuda.Device(99)


def test_mapped():
    one, other = np.zeros(100), np.ones(50)
    with cuda.mapped(one, other) as (a, b):
        increment[1, 128](a)
        increment[1, 128](b)
    assert (one == 1).all() and (other == 2).all()
    with cuda.mapped(one) as a:
        increment[1, 128](a)
    assert (one == 2).all()


def test_limits_of_a_device():
    device = cuda.get_current_device()
    assert (device.COMPUTE_CAPABILITY_MAJOR, device.COMPUTE_CAPABILITY_MINOR) == device.compute_capability
    assert device.MAX_THREADS_PER_MULTI_PROCESSOR in (1024, 1536, 2048)
    assert device.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN >= device.MAX_SHARED_MEMORY_PER_BLOCK


def test_callback():
    called = []
    cuda.stream().add_callback(lambda stream, status, arg: called.append(arg), 3)
    assert called == [3]


def test_occupancy():
    @cuda.jit("void(float32[:])")
    def typed(x):
        x[cuda.grid(1)] = 1

    @cuda.jit
    def untyped(x):
        x[cuda.grid(1)] = 1

    context = cuda.current_context()
    blocks, threads = context.get_max_potential_block_size(typed, None, 0, 0)
    resident = context.get_active_blocks_per_multiprocessor(typed, threads, 0)
    assert 0 < threads <= 1024 and blocks == resident * context.device.MULTIPROCESSOR_COUNT > 0
    special = untyped.specialize(np.zeros(1))
    assert context.get_max_potential_block_size(special, None, 1024, 32)[1] == 32
    with pytest.raises(pykc.LaunchError, match="2000"):
        context.get_active_blocks_per_multiprocessor(typed, 2000, 0)
    for function, error in ((untyped, TypeError), (3, TypeError)):
        with pytest.raises(error, match="a kernel"):
            context.get_active_blocks_per_multiprocessor(function, 128, 0)
    with pytest.raises(NotImplementedError, match="b2d_func"):
        context.get_max_potential_block_size(typed, lambda threads: 0, 0, 0)


def test_devices(capsys):
    assert cuda.is_available() and len(cuda.gpus) == len(cuda.list_devices()) >= 1
    device = cuda.get_current_device()
    assert device in list(cuda.gpus) and device.MULTIPROCESSOR_COUNT >= 1 and device.MAX_THREADS_PER_BLOCK == 1024
    assert len(device.compute_capability) == 2
    free, total = cuda.current_context().get_memory_info()
    assert 0 < free <= total
    with cuda.gpus[0]:
        assert cuda.get_current_device().id == 0
    cuda.select_device(0)
    assert cuda.detect() and "CUDA device" in capsys.readouterr().out
    assert pykc.device("cpu").is_cpu and (pykc.device_name() == "cpu") == pykc.device().is_cpu
    assert cuda.is_gpu() != pykc.device().is_cpu
