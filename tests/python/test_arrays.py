"""Arrays in a device's memory."""
import itertools

import numpy as np
import pytest

from pykc import cuda


@pytest.fixture
def host():
    return np.arange(24, dtype=np.float32).reshape(4, 6)


def test_to_device_and_back(host):
    device = cuda.to_device(host)
    assert (device.shape, device.strides, device.dtype, device.size, device.ndim, device.nbytes, len(device)) == \
        (host.shape, host.strides, host.dtype, 24, 2, 96, 4)
    assert (device.copy_to_host() == host).all()
    out = np.zeros_like(host)
    assert device.copy_to_host(out) is out and (out == host).all()
    assert (cuda.to_device([1, 2, 3]).copy_to_host() == [1, 2, 3]).all()


@pytest.mark.parametrize("shape", [(), (0,), (5,), (3, 0, 2), (2, 3, 4)])
@pytest.mark.parametrize("order", "CF")
def test_shapes_and_orders(shape, order):
    host = np.asarray(np.random.default_rng(1).random(shape), order=order)
    device = cuda.to_device(host)
    back = device.copy_to_host()
    assert (back == host).all() and back.shape == shape
    assert cuda.device_array_like(device).strides == device.strides


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i8", "f2", "f8", "c8", "c16"])
def test_dtypes(dtype):
    host = np.arange(5).astype(dtype)
    device = cuda.to_device(host)
    assert device.dtype == host.dtype and (device.copy_to_host() == host).all()


def test_records():
    host = np.array([(1, 2.5), (3, 4.5)], [("a", np.int32), ("b", np.float64)])
    device = cuda.to_device(host)
    assert device.dtype == host.dtype and (device.copy_to_host() == host).all()


@pytest.mark.parametrize("index", [np.s_[1], np.s_[1:3], np.s_[:, 2], np.s_[::2, 1::3], np.s_[..., 0], np.s_[-1, -2],
                                   np.s_[::-1], np.s_[2:2], np.s_[1, ...]])
def test_slices(host, index):
    found = cuda.to_device(host)[index]
    found = found.copy_to_host() if hasattr(found, "copy_to_host") else found
    assert np.array_equal(found, host[index]) and np.shape(found) == host[index].shape


@pytest.mark.parametrize("index", [np.s_[1], np.s_[1:3], np.s_[:, 2], np.s_[::2, 1::3], np.s_[-1, -2], np.s_[:]])
@pytest.mark.parametrize("on_device", [False, True])
def test_assignment(host, index, on_device):
    device = cuda.to_device(host)
    value = np.full(host[index].shape, 99, np.float32)
    device[index] = cuda.to_device(value) if on_device and value.ndim else value
    host[index] = value
    assert (device.copy_to_host() == host).all()
    device[index] = 7
    host[index] = 7
    assert (device.copy_to_host() == host).all()


def test_errors(host):
    device = cuda.to_device(host)
    with pytest.raises(IndexError):
        device[9]
    with pytest.raises(IndexError):
        device[1, 1, 1]
    with pytest.raises(ValueError):
        device[0] = np.zeros(5, np.float32)
    with pytest.raises(TypeError, match="incompatible dtype"):
        device.copy_to_host(np.zeros((4, 6)))
    with pytest.raises(ValueError, match="incompatible shape"):
        device.copy_to_device(np.zeros((6, 4), np.float32))
    with pytest.raises(ValueError):
        device.reshape(5, 5)


def test_views(host):
    device = cuda.to_device(host)
    assert (device.T.copy_to_host() == host.T).all()
    assert (device.reshape(6, 4).copy_to_host() == host.reshape(6, 4)).all()
    assert device.reshape((2, -1)).shape == (2, 12)
    assert (device.ravel().copy_to_host() == host.ravel()).all()
    assert (device.view(np.int32).copy_to_host() == host.view(np.int32)).all()
    assert device.view(np.uint8).shape == (4, 24)
    assert device[1].is_c_contiguous() and not device[:, 1].is_c_contiguous() and device.T.is_f_contiguous()
    device[1][:] = 5
    assert (device.copy_to_host()[1] == 5).all()


def test_copies_between_devices_arrays(host):
    source, target = cuda.to_device(host), cuda.device_array((4, 6), np.float32)
    target.copy_to_device(source)
    assert (target.copy_to_host() == host).all()
    target[::2].copy_to_device(source[1::2])
    assert (target.copy_to_host()[::2] == host[1::2]).all()
    target.copy_to_device(np.asfortranarray(host))
    assert (target.copy_to_host() == host).all()


def test_bounds_beyond_64_bits():
    host = np.arange(6)
    device = cuda.to_device(host)
    far = 1 << 70
    for part in (slice(far), slice(-far, far), slice(None, None, far), slice(None, None, -far), slice(far, None, -1)):
        assert (device[part].copy_to_host() == host[part]).all(), part
    for index in (far, -far):
        with pytest.raises(IndexError):
            device[index]


def test_parts_of_one_array():
    host = np.arange(40)
    parts = [slice(1, None), slice(None, -1), slice(None, None, -1), slice(19, None, -1), slice(20, 0, -1), slice(20),
             slice(0, 40, 2), slice(39, None, -2)]
    for to, source in itertools.product(parts, repeat=2):
        if len(host[to]) != len(host[source]):
            continue
        expected = host.copy()
        expected[to] = host[source]
        device = cuda.to_device(host)
        device[to] = device[source]
        assert (device.copy_to_host() == expected).all(), (to, source)


def test_split_and_iteration():
    device = cuda.to_device(np.arange(10))
    assert [part.copy_to_host().tolist() for part in device.split(4)] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert list(device) == list(range(10))


def test_kernels_on_views(host):
    @cuda.jit
    def double(x):
        i, j = cuda.grid(2)
        if i < x.shape[0] and j < x.shape[1]:
            x[i, j] *= 2

    device = cuda.to_device(host)
    double[1, (8, 8)](device[1:3, ::2])
    host[1:3, ::2] *= 2
    assert (device.copy_to_host() == host).all()


def test_memory_of_the_host():
    for make in (cuda.pinned_array, cuda.mapped_array, cuda.managed_array):
        if make is not cuda.pinned_array and cuda.is_gpu():
            continue
        array = make((3, 4), dtype=np.int32)
        array[:] = 5
        assert isinstance(array, np.ndarray) and array.sum() == 60
    assert cuda.pinned_array((2, 3), np.int16, order="F").flags.f_contiguous and cuda.pinned_array(0).size == 0
    assert cuda.pinned_array_like(np.zeros((2, 3), np.int8)).shape == (2, 3)


def test_as_cuda_array(host):
    device = cuda.to_device(host)
    assert cuda.is_cuda_array(device) and not cuda.is_cuda_array(host) and cuda.as_cuda_array(device) is device
    for wrong in (3, host, host[0]):
        with pytest.raises(TypeError, match="cuda array interface"):
            cuda.as_cuda_array(wrong)
    assert (np.asarray(device) == host).all()


def test_arrays_outlive_a_closed_device(host):
    device = cuda.to_device(host)
    cuda.close()
    assert (device.copy_to_host() == host).all()


@pytest.mark.parametrize("order", "CFAK")
def test_reshape_and_ravel_in_an_order(host, order):
    for array in (host, np.asfortranarray(host), host.reshape(-1)):
        device = cuda.to_device(array)
        expected = array.ravel("C" if order == "K" and array.flags.c_contiguous else order)
        in_place = array.flags.f_contiguous if order == "F" else order in "AK" or array.flags.c_contiguous
        if not in_place:
            with pytest.raises(NotImplementedError):
                device.ravel(order)
            continue
        flat = device.ravel(order)
        assert (flat.copy_to_host() == expected).all() and flat.address == device.address
        assert (flat.reshape(3, 8, order="F").copy_to_host() == expected.reshape(3, 8, order="F")).all()
    with pytest.raises(NotImplementedError):
        cuda.to_device(host)[:, ::2].ravel()
    with pytest.raises(ValueError):
        cuda.to_device(host).ravel("X")


def test_a_record_of_an_array_is_changed_in_place():
    inner = np.dtype([("i", np.int32), ("j", np.float32, (2, 2))])
    packed = np.dtype([("a", np.int8), ("b", np.float64), ("name", "U3")])
    device = cuda.to_device(np.zeros(2, np.dtype([("x", np.int32), ("y", inner)])))
    device[1]["x"] = 7
    device[1]["y"]["i"] = 8
    device[1]["y"]["j"][0, 1] = 2.5
    assert (device[1]["x"], device[1]["y"]["i"], device[1]["y"]["j"][0, 1]) == (7, 8, 2.5)
    host = device.copy_to_host()
    assert host["x"].tolist() == [0, 7] and host["y"]["i"].tolist() == [0, 8]
    assert host["y"]["j"].tolist() == [[[0, 0], [0, 0]], [[0, 2.5], [0, 0]]]
    odd = cuda.to_device(np.zeros(2, packed))
    odd[1]["b"], odd[1]["name"] = 1.5, "abc"
    assert odd[1]["b"] == 1.5 and odd.copy_to_host()[1].tolist() == (0, 1.5, "abc")

    @cuda.jit
    def change(record):
        record.x += 1

    change[1, 1](device[1])
    assert device[1]["x"] == 8


def test_shapes_that_are_none():
    assert cuda.device_array(np.array([2, 3])).shape == cuda.device_array([2, 3]).shape == (2, 3)
    for shape in (1.5, [1.5], (2, 2.5), np.array([1.5])):
        with pytest.raises(TypeError):
            cuda.device_array(shape)


def test_masked_arrays_are_refused(host):
    class Masked:
        __cuda_array_interface__ = {**cuda.to_device(host).__cuda_array_interface__, "mask": cuda.to_device(host)}

    with pytest.raises(NotImplementedError, match="Masked"):
        cuda.as_cuda_array(Masked())
