"""What arrays are asked for beside numbers: bits, texts, places, views by strides, and assertions about them."""
import threading

import numpy as np
import pytest
from random_arrays import assert_same
from test_array_functions import check

import pykc
import pykc.testing
from pykc.lib.stride_tricks import as_strided, sliding_window_view


@pytest.mark.parametrize("bitorder", ["big", "little"])
def test_bits(bitorder):
    bits = np.random.default_rng(1).integers(0, 2, (3, 19))
    for axis in (None, 0, 1, -1):
        check("packbits", bits, axis, bitorder)
        check("packbits", bits > 0, axis, bitorder=bitorder)
        packed = np.packbits(bits, axis, bitorder)
        for count in (None, 0, 5, -3, 100):
            check("unpackbits", packed, axis, count, bitorder)
    check("packbits", np.zeros((0, 3), bool))
    check("packbits", np.ones(3))
    check("unpackbits", bits)
    check("unpackbits", np.ones(2, "u1"), count=-17)
    check("packbits", bits, bitorder="middle")


def test_texts():
    x = np.array([[1.23456789, 1e-9], [2, 3]])
    for name in ("array2string", "array_str", "array_repr"):
        assert getattr(pykc, name)(pykc.array(x), precision=2) == getattr(np, name)(x, precision=2)
    assert pykc.array_str(pykc.array(x), None, 3, True) == np.array_str(x, None, 3, True)


def test_places_of_parts():
    x = np.arange(12).reshape(3, 4)
    for k in (-1, 0, 2):
        check("tril_indices_from", x, k)
        check("triu_indices_from", x, k)
    check("triu_indices_from", x[0])
    check("diag_indices_from", np.zeros((3, 3, 3)))
    check("diag_indices_from", x)
    check("diag_indices_from", x[0])
    for one, other in zip(pykc.mask_indices(4, pykc.triu, 1), np.mask_indices(4, np.triu, 1)):
        assert_same(one, other)


def test_shapes_repeated_and_cut():
    x = np.arange(6).reshape(2, 3)
    for shape in (4, (3, 5), (0, 2), (2, 2, 2)):
        check("resize", x, shape)
    check("resize", x[:0], (2, 2))
    check("resize", x, -3)
    for trim in ("fb", "f", "b", "F", ""):
        check("trim_zeros", np.array([0, 0, 1, 0, 2, 0]), trim)
    check("trim_zeros", np.zeros(3))
    check("trim_zeros", np.ones(3), "x")
    own, host = pykc.broadcast(pykc.zeros((3, 1)), pykc.zeros(4)), np.broadcast(np.zeros((3, 1)), np.zeros(4))
    assert (own.shape, own.nd, own.size) == (host.shape, host.nd, host.size) and own.values[1].shape == (3, 4)


def test_piecewise():
    x = np.linspace(-2.5, 2.5, 6)
    check("piecewise", x, [x < 0, x >= 0], [-1, 1])
    check("piecewise", x, [x < 0, x > 1], [lambda part: -part, lambda part: part * 2, 9])
    check("piecewise", x, x < 0, [lambda part, y: part * y, 5], 3)
    check("piecewise", x, [x < 9], [1, 2, 3])
    check("piecewise", np.arange(4), [np.array([True, False, True, False])], [7])
    check("piecewise", np.array(3.0), [False], [4, 5])
    assert pykc.piecewise(pykc.array(3.0), pykc.array(True), [4, 5]).item() == 4


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4"])
def test_unwrap(dtype):
    x = np.cumsum(np.random.default_rng(2).normal(0, 3, (4, 9)), 1)
    x = (x * 50).astype(dtype) if dtype == "i4" else x.astype(dtype)
    for period in (255, 256) if dtype == "i4" else (2 * np.pi, 4):
        wrapped = x % np.dtype(dtype).type(period)
        check("unwrap", wrapped, axis=0, period=period, scale=100)
        check("unwrap", wrapped, period=period, discont=period, scale=100)
        check("unwrap", wrapped, period / 1.5, 1, period=period, scale=100)
    check("unwrap", np.array([0, np.pi, 0, -np.pi, 3 * np.pi]))


def test_what_is_near_to_real():
    check("real_if_close", np.array([1 + 1e-15j, 2]))
    check("real_if_close", np.array([1 + 1e-3j, 2]))
    check("real_if_close", np.array([1 + 1e-3j, 2]), 0.01)
    check("real_if_close", np.array([1.5]))


def test_orders_and_owners():
    x = pykc.arange(6).reshape(2, 3)
    owner = pykc.zeros((2, 3))
    assert not pykc.isfortran(owner) and pykc.isfortran(owner.T) and not pykc.isfortran(owner[0])
    assert owner.base is None and owner.flags.owndata and owner.flags["OWNDATA"]
    for view in (owner.T, owner[0], owner[:, 1:].T[0], owner.reshape(6), owner.view(), owner.view("i8"),
                 owner.diagonal(), owner.squeeze(), owner.swapaxes(0, 1), pykc.broadcast_to(owner, (4, 2, 3))):
        assert view.base is owner and not view.flags.owndata
    assert owner.astype("c8").real.base is not None
    for made in (owner.copy(), owner.T.reshape(6), owner + 1, owner[[0]], owner.flatten()):
        assert made.base is None and made.flags.owndata
    assert pykc.require(x, "f4", "F").flags.f_contiguous and pykc.require(x, "f4").dtype == "f4"
    assert pykc.require(owner, None, ["C", "A", "O"]) is owner
    assert pykc.require(owner.T, None, ["F", "O"]).flags.f_contiguous
    assert pykc.require(owner.T, None, ["F", "O"]).flags.owndata
    for requirements in (["C", "F"], ["X"]):
        with pytest.raises(ValueError):
            pykc.require(x, None, requirements)
    assert pykc.issubdtype(x.dtype, pykc.integer)


def test_views_by_strides():
    host = np.arange(24, dtype="f4").reshape(4, 6)
    own = pykc.array(host)
    assert_same(as_strided(own, (3, 4), (8, 24)), np.lib.stride_tricks.as_strided(host, (3, 4), (8, 24)))
    with pytest.raises(ValueError, match="multiples of the 4 bytes"):
        as_strided(own, (3,), (3,))
    with pytest.raises(ValueError):
        as_strided(own, (100,), (4,))
    theirs = np.lib.stride_tricks.sliding_window_view
    for arguments in (((2, 3),), (2, 0), (3, -1), ((2, 2), (1, 1)), ((4, 6),), ((1,), (0,))):
        found = sliding_window_view(own, *arguments)
        assert_same(found, theirs(host, *arguments))
        assert found.base is own
    for arguments in ((2,), ((5, 1),), ((2, 2), 0), (7, 1)):
        for function, x in ((theirs, host), (sliding_window_view, own)):
            with pytest.raises(ValueError):
                function(x, *arguments)
    assert pykc.lib.stride_tricks.as_strided is as_strided


def test_assertions():
    x = pykc.arange(3.0)
    pykc.testing.assert_array_equal(x, np.arange(3.0))
    pykc.testing.assert_allclose(x, [0, 1, 2 + 1e-9])
    pykc.testing.assert_array_almost_equal(x, x + 1e-8)
    pykc.testing.assert_array_less([x], [x + 1])
    for name, arguments in (("array_equal", ()), ("allclose", (1e-3,)), ("array_almost_equal", (3,))):
        with pytest.raises(AssertionError):
            getattr(pykc.testing, f"assert_{name}")(x, x + 0.1, *arguments)


def test_pinned_pool_and_devices():
    pool = pykc.get_default_pinned_memory_pool()
    pool.free_all_blocks()
    assert pool.n_free_blocks() == 0 and pykc.is_available()


def test_functions_that_give_arrays_take_lists():
    assert_same(pykc.packbits([1, 0, 1]), np.packbits([1, 0, 1]))
    assert_same(pykc.resize([1, 2], 3), np.resize([1, 2], 3))
    assert_same(pykc.unwrap([0.0, 4]), np.unwrap([0.0, 4]))


@pytest.mark.parametrize("dtype", ["?", "i4", "f4", "c8"])
def test_arrays_to_test_with(dtype):
    for make in (pykc.testing.shaped_arange, pykc.testing.shaped_random):
        own, theirs = make((2, 3), dtype=dtype), make((2, 3), np, dtype)
        assert isinstance(own, pykc.ndarray) and (own.dtype, own.shape) == (theirs.dtype, (2, 3)) == (dtype, (2, 3))
        pykc.testing.assert_array_equal(own, theirs)
    assert (pykc.testing.shaped_random(9, seed=1) != pykc.testing.shaped_random(9)).any()
    assert pykc.testing.shaped_arange((2, 3), order="F").get().tolist() == [[1, 3, 5], [2, 4, 6]]


def test_older_names_of_methods():
    x = pykc.zeros(3)
    x.scatter_add([0, 2, 2], 1)
    assert x.tolist() == [1, 0, 2]
    assert "dltensor" in repr(x.toDlpack())
    same = pykc.fromDlpack(x.toDlpack())
    same[...] = 7
    assert (x == 7).all() and pykc.fromDlpack(x).data.ptr == x.data.ptr
    with pytest.raises(ValueError, match="PyCapsule"):
        pykc.fromDlpack(3)


class OfInterface:
    def __init__(self, array):
        self.array = array

    @property
    def __cuda_array_interface__(self):
        return self.array.__cuda_array_interface__


class OfCuPy:
    def __init__(self, array):
        self.array = array

    def __cupy_get_ndarray__(self):
        return self.array


@pytest.mark.skipif(pykc.device().is_cpu and pykc.cuda._arrays.has_gpu(), reason="the CPU device shows no interface")
@pytest.mark.parametrize("kind", [OfInterface, OfCuPy])
def test_objects_that_hold_arrays(kind):
    array = pykc.arange(3)
    one = kind(array)
    for host in (pykc.asnumpy(one), pykc.asnumpy([one])[0]):
        assert type(host) is np.ndarray and host.dtype == np.int64 and host.tolist() == [0, 1, 2]
    assert pykc.asarray(one).address == array.address and pykc.array(one).address != array.address
    assert pykc.asarray([one, one]).tolist() == [[0, 1, 2]] * 2
    assert (array + one).tolist() == (array + array).tolist() == [0, 2, 4]
    assert pykc.add(one, one).tolist() == [0, 2, 4] and pykc.sum(one) == 3


def test_memoize():
    calls = []

    @pykc.memoize()
    def doubled(x, times=2):
        calls.append(x)
        return x * times

    @pykc.memoize(for_each_device=True, for_each_thread=True)
    def here():
        calls.append("here")
        return len(calls)

    assert doubled(3) == doubled(3) == 6 and doubled(3, times=3) == 9 and calls == [3, 3]
    first = here()
    assert here() == first
    other = threading.Thread(target=here)
    other.start()
    other.join()
    assert calls.count("here") == 2
    pykc.clear_memo()
    assert doubled(3) == 6 and doubled.__name__ == "doubled" and calls.count(3) == 3


def test_bessel_functions():
    for dtype in ("f8", "f4", "i4"):
        x = np.linspace(-80, 80, 401).astype(dtype)
        check("i0", x, scale=10)
    check("i0", np.array([700.0, -29.99, 30.01, 1e-9]), scale=100)
    check("i0", np.array([1j]))


def test_types_of_ufuncs():
    assert "dd->d" in pykc.add.types and "?" in pykc.logical_not.types[0] and pykc.divmod.types[-1] == "dd->dd"
    assert not any(set(one) & set("gGOmM") for one in pykc.add.types) and pykc.add.ntypes == len(pykc.add.types)
    assert (pykc.add.identity, pykc.multiply.identity, pykc.subtract.identity) == (0, 1, None)
