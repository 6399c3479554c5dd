"""Streams, graphs, events and devices."""
import gc
import threading

import mock_driver
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


def test_waiting_without_blocking():
    import asyncio

    @cuda.jit
    def fill(x, value):
        x[cuda.grid(1)] = value

    async def filled(value):
        stream, x = cuda.stream(), cuda.device_array(64, np.int64)
        fill[1, 64, stream](x, value)
        assert await stream.async_done() is stream
        return x.copy_to_host(stream=stream)

    async def both():
        return await asyncio.gather(filled(1), filled(2))

    assert [set(one.tolist()) for one in asyncio.run(both())] == [{1}, {2}]


def test_the_current_stream():
    stream, other = cuda.Stream(), cuda.Stream(non_blocking=True)
    assert cuda.get_current_stream() == cuda.Stream.null == cuda.default_stream() == cuda.Stream(null=True) != stream
    seen = []
    with stream as entered:
        assert entered is cuda.get_current_stream() is stream
        x = pykc.arange(1000) * 2
        with other:
            y = x + 1
            assert cuda.get_current_stream() is other
        assert cuda.get_current_stream() is stream
        thread = threading.Thread(target=lambda: seen.append(cuda.get_current_stream()))
        thread.start()
        thread.join()
        increment[8, 128](y)
        event = stream.record()
    assert seen == [cuda.Stream.null] and cuda.get_current_stream() == cuda.Stream.null
    assert (y.get() == np.arange(1000) * 2 + 2).all() and event.query() and stream.done
    other.wait_event(event)
    assert stream.use() is stream is cuda.get_current_stream()
    cuda.Stream.null.use()
    assert cuda.get_current_stream() == cuda.Stream.null
    with pytest.raises(KeyError):
        with stream:
            raise KeyError
    assert cuda.get_current_stream() == cuda.Stream.null


def test_a_graph():
    x, out, total = pykc.arange(1000, dtype="f4"), pykc.zeros(1000, "f4"), pykc.zeros((), "f4")

    def work():
        between = x * 2 + 1  # memory of the graph
        increment[8, 128](between)
        out[...] = pykc.sqrt(between)
        total[...] = out.sum() + pykc.full(3, 1.0).sum()

    work()
    stream = cuda.Stream()
    with stream:
        out.fill(0)
        stream.begin_capture()
        assert stream.is_capturing()
        work()
        graph = stream.end_capture()
        assert not stream.is_capturing() and (out.get() == 0).all()
    for value in (5, 7):
        x.fill(value)
        graph.launch(stream)
        stream.synchronize()
        others = [pykc.full(1000, 99, "f4") for _ in range(20)]
        assert np.allclose(out.get(), np.sqrt(2 * value + 2)) and all((one.get() == 99).all() for one in others)
        assert np.isclose(total.item(), 1000 * np.sqrt(2 * value + 2) + 3)
    del work, x
    gc.collect()
    others = [pykc.full(1000, 99, "f4") for _ in range(20)]
    graph.launch()
    assert np.allclose(out.get(), 4) and len(others) == 20


def test_a_graph_of_the_library():
    import pykc.gemm
    import pykc.scan
    import pykc.select
    import pykc.sort
    random = np.random.default_rng()
    keys, values = pykc.zeros(5000, "i4"), pykc.arange(5000, dtype="i4")
    in_order, places, sums, chosen = (pykc.empty(5000, "i4") for _ in range(4))
    count, a, c = pykc.zeros(1, "i8"), pykc.zeros((40, 50), "f2"), pykc.zeros((40, 40), "f4")

    def work():
        pykc.sort.sort_pairs(in_order, places, keys, values)
        pykc.scan.scan(sums, keys)
        pykc.select.unique(chosen, count, in_order)
        pykc.gemm.gemm(c, a, a.T)

    work()
    with cuda.Stream() as stream:
        stream.begin_capture()
        work()
        graph = stream.end_capture()
        for _ in range(2):
            host, factors = random.integers(-99, 99, 5000, "i4"), random.integers(-9, 9, (40, 50)).astype("f2")
            keys.set(host)
            a.set(factors)
            graph.launch()
            expected = np.argsort(host, kind="stable")
            assert (in_order.get() == host[expected]).all() and (places.get() == expected).all()
            assert (sums.get() == np.cumsum(host)).all()
            assert (chosen.get()[:count.item()] == np.unique(host)).all()
            assert (c.get() == factors.astype("f4") @ factors.T.astype("f4")).all()


def test_a_graph_of_two_streams():
    x, first, second = pykc.ones(100), cuda.Stream(), cuda.Stream()
    with first:
        first.begin_capture()
        a = x + 1
        with second:
            assert second.is_capturing()
            b = a * 2
        c = a + b
        graph = first.end_capture()
        assert not second.is_capturing()
        for value in (1, 5):
            x.fill(value)
            graph.launch()
            assert (c.get() == 3 * (value + 1)).all()


@pytest.mark.parametrize("action", [lambda x: x.get(), lambda x: x.sum().item(), lambda x: pykc.asarray([1, 2]),
                                    lambda x: increment[1, 1](np.zeros(3)), lambda x: x.set(np.ones(100))])
def test_what_no_graph_can_have(action):
    x, stream = pykc.ones(100), cuda.Stream()
    x.sum()
    with stream:
        stream.begin_capture()
        with pytest.raises(ValueError, match="nothing is copied between the host and the device"):
            action(x)
        stream.end_capture().launch()
    assert (x.get() == 1).all()


def test_captures_that_are_wrong():
    stream = cuda.Stream()
    with pytest.raises(ValueError, match="captures no graph"):
        stream.end_capture()
    with pytest.raises(ValueError, match="default stream cannot capture"):
        cuda.Stream.null.begin_capture()
    with pytest.raises(KeyError):
        with stream:
            stream.begin_capture()
            raise KeyError
    assert not stream.is_capturing()
    stream.begin_capture()
    with pytest.raises(ValueError, match="cannot begin another"):
        stream.begin_capture()
    stream.end_capture().launch()


ON_A_GPU = """
import gc
import mock_driver
import pykc
from pykc import cuda

mock = mock_driver.load()

@cuda.jit
def fill(x):
    x[0] = 1

launch, x = fill[1, 1], pykc.zeros(100)
launch(x)
on = lambda: mock.mock_last_launch().contents.stream
calls = lambda name: mock.mock_calls(name.encode())
assert on() is None
stream = cuda.Stream()
with stream:
    launch(x)
    assert on() == stream.handle
    y = x + 1
    assert on() == stream.handle
    y.sum()
    assert on() == stream.handle
    with cuda.Stream.null:
        launch(x)
        assert on() is None
    pykc.sqrt(x)
    assert on() == stream.handle
    stream.begin_capture()
    z = x + 1
    graph = stream.end_capture()
x + 1
assert on() is None
waits = calls("cuStreamSynchronize")
graph.launch(stream)
del graph, z
gc.collect()
assert calls("cuStreamSynchronize") > waits  # until then the work used the memory
"""


def test_streams_of_a_gpu(tmp_path):
    mock_driver.run(tmp_path / "streams.py", ON_A_GPU)


def test_events():
    stream = cuda.stream()
    device = cuda.to_device(np.zeros(100))
    start, end = cuda.event(), cuda.event(timing=True)
    start.record(stream)
    increment[1, 128, stream](device)
    end.record(stream)
    end.synchronize()
    assert end.query() and cuda.event().query() and cuda.Event(disable_timing=True).query() and end.done
    with pytest.raises(NotImplementedError, match="interprocess"):
        cuda.Event(True, False, interprocess=True)
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
    with pytest.raises(IndexError, match="there is no device 99"):
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
    assert device.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR >= device.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
    assert device.MAX_REGISTERS_PER_MULTIPROCESSOR == device.MAX_REGISTERS_PER_BLOCK
    context = device.get_primary_context()
    assert context.device == device and context.get_memory_info().total > 0
    device.release_primary_context()


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


def test_what_cupy_asks_the_runtime():
    device, runtime = cuda.Device(), cuda.runtime
    properties = runtime.getDeviceProperties(device.id)
    assert runtime.getDeviceCount() == len(cuda.gpus) and runtime.getDevice() == device.id
    assert properties["name"].decode() == device.name and properties["warpSize"] == 32
    assert (properties["major"], properties["minor"]) == device.compute_capability
    free, total = runtime.memGetInfo()
    assert 0 < free <= total and device.mem_info.total == total
    assert runtime.runtimeGetVersion() == runtime.driverGetVersion()
    assert bool(runtime.driverGetVersion()) == cuda.is_gpu()
    runtime.setDevice(device.id)
    runtime.deviceSynchronize()


def test_what_cupy_asks_of_streams():
    assert cuda.Stream.ptds == cuda.Stream(ptds=True) == cuda.Stream.null
    stream = cuda.Stream(non_blocking=True, priority=-1)
    assert stream.is_non_blocking and stream.priority == -1 and stream.device_id == cuda.Device().id
    assert not cuda.Stream().is_non_blocking and cuda.Stream().priority == 0
    assert cuda.stream.Stream is cuda.Stream and cuda.stream.Event is cuda.Event and not cuda.runtime.is_hip
    called = []
    stream.launch_host_func(called.append, 3)
    assert called == [3]


def test_streams_of_other_libraries():
    class Other:
        def __init__(self, found):
            self.found = found

        def __cuda_stream__(self):
            return self.found

    own = cuda.Stream()
    other = Other((0, own.ptr))
    for foreign in (own, other):
        found = cuda.Stream.from_external(foreign)
        assert found.ptr == own.ptr and found.device_id == -1
        with found:
            assert cuda.get_current_stream() == found
            x = pykc.arange(5) * 2
        assert x.tolist() == [0, 2, 4, 6, 8] and found.done
    for wrong, said in ((123, "2-tuple"), ((0,), "2-tuple"), (("a", 0), r"\(int, int\)"), ((1, 5), "unsupported")):
        with pytest.raises(TypeError, match=said):
            cuda.Stream.from_external(Other(wrong))
    with pytest.raises(TypeError, match="does not implement"):
        cuda.Stream.from_external(object())


def test_what_is_asked_of_a_gpu(tmp_path):
    mock_driver.run(tmp_path / "devices.py", """
import pytest
from pykc import cuda

device = cuda.gpus[0]
assert device.uuid == "GPU-00112233-4455-6677-8899-aabbccddeeff" and device.PCI_BUS_ID == 25
with pytest.raises(RuntimeError, match="cuDeviceGetAttribute failed"):
    device.CLOCK_RATE
""")


def test_what_cupy_asks_of_devices():
    device = cuda.Device()
    assert device == cuda.Device(device) and device <= device and not device < device
    with pytest.raises(TypeError):
        device < 3
    assert device.MAX_PITCH == 2 ** 31 - 1 and device.TEXTURE_ALIGNMENT == 512 and device.COMPUTE_MODE in range(4)
    assert device.CLOCK_RATE >= 0 and device.ASYNC_ENGINE_COUNT >= 0 and device.PCI_DOMAIN_ID >= 0
    assert len(device.uuid) == 40 and not hasattr(device, "MAX_WISHES")
    attributes = device.attributes
    assert attributes["PciBusId"] == device.PCI_BUS_ID
    assert attributes["MaxThreadsPerBlock"] == 1024 and attributes["MultiProcessorCount"] > 0
    assert all(isinstance(value, int) for value in attributes.values())
    with cuda.profile():
        assert pykc.arange(3).sum() == 3
