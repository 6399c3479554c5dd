"""pykc.linalg beside numpy.linalg, of random matrices."""
import math

import numpy as np
import pytest
from random_arrays import SEED, Arrays, assert_same
from test_array_functions import check

import pykc
from pykc._arrays import decompositions, elimination, orthogonalization


@pytest.fixture
def random():
    print(f"PYKC_SEED={SEED}")
    return Arrays("linalg")


@pytest.fixture(params=["small on the CPU", "large on the CPU", "as on a GPU"])
def threads(request, monkeypatch):
    """The kernels of the CPU device, where a thread or all of them take a matrix, and those of GPUs."""
    if request.param == "large on the CPU":
        monkeypatch.setattr(orthogonalization, "SMALL", 0)
    if request.param == "as on a GPU":
        for room in (decompositions, elimination):
            monkeypatch.setattr(room, "has_vectors", lambda a: False)


def matrices(random, shape, dtype):
    """Matrices whose systems are easy: near a multiple of an orthogonal one."""
    noise = random.values(shape, dtype, small=True) / 20
    turned = np.eye(shape[-1], dtype=dtype)[random.random.permutation(shape[-1])]
    return (turned + noise / math.sqrt(shape[-1])).astype(dtype)


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (70, 70), (2, 3, 5, 5), (2, 33, 33), (121, 121)])
def test_systems(random, dtype, shape):
    a = matrices(random, shape, dtype)
    for columns in (0, 2, 31):
        check("linalg.solve", a, random.values((shape[-1], columns), dtype, small=True), scale=1000)
    check("linalg.inv", a, scale=1000)
    check("linalg.det", a, scale=1000)
    check("linalg.slogdet", a, scale=1000)
    check("linalg.cholesky", a @ a.swapaxes(-1, -2).conj() + np.eye(shape[-1], dtype=dtype), scale=1000)


def test_vectors_integers_and_powers(random):
    a = matrices(random, (4, 4), "f8")
    check("linalg.solve", a, np.arange(4), scale=100)
    check("linalg.solve", np.array([[2, 1], [1, 3]]), np.array([1, 2]))
    check("linalg.solve", np.stack([a, a]), np.ones((4, 1)), scale=100)
    for power in (-2, 0, 1, 5):
        check("linalg.matrix_power", a, power, scale=100)
    check("linalg.multi_dot", [a, a, a[0]], scale=100)
    check("linalg.det", np.zeros((0, 0)))
    check("linalg.solve", a.astype("f4"), np.arange(4, dtype="i1"), scale=1e9)  # in float64, as NumPy has it
    check("linalg.solve", a, np.ones(4, "f2"))
    for power, matrix in ((1, a[:2]), (0, a[0]), (2.0, a)):
        check("linalg.matrix_power", matrix, power)


def test_chains(random):
    for shapes in (((3, 4), (4, 9), (9, 2)), ((4,), (4, 9), (9, 3), (3,)), ((4,), (4,)), ((2, 3), (3, 5)), ((2, 3),),
                   ((2, 3), (3,), (3, 2)), ((), (2, 2)), ((2, 3), (4, 5))):
        check("linalg.multi_dot", [random.random.random(shape) for shape in shapes], scale=100)


def test_of_the_last_two_axes(random):
    x = random.random.random((2, 3, 4))
    for name in ("trace", "diagonal"):
        check(f"linalg.{name}", x, scale=10)
        check(f"linalg.{name}", x, offset=-1, scale=10)
    check("linalg.trace", np.ones((2, 2), bool))
    check("linalg.outer", x[0, 0], x[0, 1])
    check("linalg.outer", x[0, 0], x[0])


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "i4"])
def test_eigenvalues_of_any_matrices(dtype):
    a = (10 * Arrays(dtype).random.standard_normal((2, 3, 4, 4))).astype(dtype)
    values, vectors = pykc.linalg.eig(pykc.array(a))
    assert values.dtype == vectors.dtype == ("c8" if dtype in ("f4", "c8") else "c16")
    np.testing.assert_allclose((pykc.array(a) @ vectors).get(), (vectors * values[..., None, :]).get(),
                               atol=1e-3 if values.dtype == "c8" else 1e-11)
    assert pykc.linalg.eigvals(pykc.array(a)).tolist() == np.linalg.eigvals(a).tolist()
    np.testing.assert_allclose(pykc.poly(pykc.array(a[0, 0])).get(), np.poly(a[0, 0]), rtol=1e-4)


def test_what_has_no_solution():
    for name in ("det", "slogdet", "inv"):
        check(f"linalg.{name}", np.array([[1.0, 2], [2, 4]]))
    for name, a in (("inv", np.ones((3, 4))), ("det", np.ones(3)), ("cholesky", -np.eye(3))):
        check(f"linalg.{name}", a)
    check("linalg.solve", np.eye(3), np.ones(2))
    for name in ("svd", "qr", "eigh", "eig", "eigvals", "pinv", "svdvals"):
        check(f"linalg.{name}", np.ones(3))
    check("linalg.eigh", np.ones((2, 3)))
    check("linalg.svd", np.array([[1.0, np.nan], [1, 1]]))
    check("linalg.qr", np.eye(2), mode="other")


SHAPES = [(1, 1), (5, 3), (3, 5), (2, 3, 4, 4), (33, 33), (0, 3), (2, 0, 3)]


def rectangles(random, shape, dtype):
    a = random.values(shape, dtype, small=True)
    if shape[-1] > 2 and random.random.integers(2):
        a[..., 1] = a[..., 0]  # of lesser rank
    return a


def identities(a):
    return np.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), (*a.shape[:-2], a.shape[-1], a.shape[-1]))


def adjoint(a):
    return a.swapaxes(-1, -2).conj()


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("shape", SHAPES)
def test_decompositions(random, dtype, shape):
    a = rectangles(random, shape, dtype)
    near = {"atol": 300 * max(shape) * np.finfo(dtype).eps}
    for mode in ("reduced", "complete", "r"):
        found, expected = pykc.linalg.qr(pykc.array(a), mode), np.linalg.qr(a, mode)
        for one, other in [(found, expected)] if mode == "r" else zip(found, expected):
            assert (one.shape, one.dtype) == (other.shape, other.dtype)
        q, r = (pykc.linalg.qr(pykc.array(a)) if mode == "r" else found)
        np.testing.assert_allclose((q @ r).get(), a, **near)
        np.testing.assert_allclose(adjoint(q.get()) @ q.get(), identities(q), **near)
    for full in (True, False):
        found, expected = pykc.linalg.svd(pykc.array(a), full), np.linalg.svd(a, full)
        assert [(x.shape, x.dtype) for x in found] == [(x.shape, x.dtype) for x in expected]
        u, s, vh = (x.get() for x in found)
        np.testing.assert_allclose(s, expected[1], **near)
        count = s.shape[-1]
        np.testing.assert_allclose(u[..., :count] * s[..., None, :] @ vh[..., :count, :], a, **near)
        for one in (u, adjoint(vh)):
            np.testing.assert_allclose(adjoint(one) @ one, identities(one), **near)
    assert_same(pykc.linalg.svdvals(pykc.array(a)), np.linalg.svdvals(a), exact=False, scale=100 * max(shape))


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "i4"])
@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (2, 0, 3, 3), (0, 0), (40, 40)])
def test_eigenvalues(random, dtype, shape):
    a = rectangles(random, shape, dtype)
    for half in ("L", "U"):
        w, v = pykc.linalg.eigh(pykc.array(a), half)
        expected = np.linalg.eigh(a, half)
        assert [(x.shape, x.dtype) for x in (w, v)] == [(x.shape, x.dtype) for x in expected]
        near = {"atol": 300 * shape[-1] * np.finfo(w.dtype).eps}
        np.testing.assert_allclose(w.get(), expected[0], **near)
        part = np.tril(a) if half == "L" else adjoint(np.triu(a))
        below = np.tril(part, -1)
        whole = below + adjoint(below) + identities(a) * part.real
        np.testing.assert_allclose(whole @ v.get(), v.get() * w.get()[..., None, :], **near)
        np.testing.assert_allclose(adjoint(v.get()) @ v.get(), identities(v.get()), **near)
        check("linalg.eigvalsh", a, half, scale=20 * max(shape))


@pytest.mark.parametrize("dtype", ["f4", "c16"])
@pytest.mark.parametrize("shape", [(33, 70), (70, 33), (64, 65), (2, 96, 32)])
def test_strips_of_columns(random, dtype, shape):
    a = rectangles(random, shape, dtype)
    for mode in ("reduced", "complete"):
        q, r = (x.get() for x in pykc.linalg.qr(pykc.array(a), mode))
        near = {"atol": 100 * max(shape) * np.finfo(dtype).eps}
        np.testing.assert_allclose(q @ r, a, **near)
        np.testing.assert_allclose(adjoint(q) @ q, identities(q), **near)


@pytest.mark.usefixtures("threads")
def test_reflections_of_what_roundings_have_left():
    a = np.random.default_rng(51).standard_normal((64, 64, 2)).astype("f4").view("c8")[..., 0]
    a[::2] = a[1] = 0
    for one in (a, a * np.float32(1e-20), a.T):
        q, r = (x.get() for x in pykc.linalg.qr(pykc.array(one)))
        np.testing.assert_allclose(adjoint(q) @ q, np.eye(64), atol=1e-4)
        np.testing.assert_allclose(q @ r, one, atol=1e-4 * abs(one).max())


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("dtype", ["f8", "c16"])
@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_reflections_of_numbers_whose_squares_overflow(dtype, scale):
    a = np.array([[1, 2.0], [3, 4], [5, 7]]).astype(dtype)
    q, r = (x.get() for x in pykc.linalg.qr(pykc.array(a * scale)))
    np.testing.assert_allclose(adjoint(q) @ q, np.eye(2), atol=1e-14)
    np.testing.assert_allclose(q @ (r / scale), a, atol=1e-13)


@pytest.mark.parametrize("dtype", ["f8", "c8"])
@pytest.mark.parametrize("scale", [1, 1e-30, 1e30])
def test_eigenvalues_in_clusters(random, dtype, scale):
    for n in (2, 65, 129):
        q = np.linalg.qr(random.random.standard_normal((n, n)).astype("c16" if dtype == "c8" else "f8"))[0]
        values = np.where(np.arange(n) < n // 2, 0, scale)
        a = (q * values @ adjoint(q)).astype(dtype)
        w, v = (x.get() for x in pykc.linalg.eigh(pykc.array(a)))
        np.testing.assert_allclose(w / scale, values / scale, atol=4 * n * np.finfo(dtype).eps)
        np.testing.assert_allclose(adjoint(v) @ v, np.eye(n), atol=4 * n * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
def test_lesser_ranks(random, dtype):
    for rank in (0, 1, 2, 5):
        one, other = (random.random.integers(-4, 5, shape).astype(dtype) for shape in ((12, rank), (rank, 9)))
        a = one @ other
        u, s, vh = (x.get() for x in pykc.linalg.svd(pykc.array(a)))
        near = {"atol": 5000 * np.finfo(dtype).eps}
        np.testing.assert_allclose(s, np.linalg.svdvals(a), **near)
        np.testing.assert_allclose(u[:, :9] * s @ vh, a, **near)
        check("linalg.matrix_rank", a)
        w, v = (x.get() for x in pykc.linalg.eigh(pykc.array(a.T.conj() @ a)))
        np.testing.assert_allclose(v * w @ adjoint(v), a.T.conj() @ a, atol=100 * near["atol"])


def test_sizes_of_matrices(random):
    check("linalg.cond", np.zeros((0, 2, 2)))
    check("linalg.cond", np.zeros((2, 0, 3)))
    for scale in (1e-200, 1e200):
        a = rectangles(random, (4, 3), "f8") * scale
        found = pykc.linalg.svdvals(pykc.array(a)).get()
        np.testing.assert_allclose(found / scale, np.linalg.svdvals(a) / scale, atol=1e-13)
    check("linalg.svd", np.zeros((3, 2)), compute_uv=False)
    for p in (None, 1, -1, 2, -2, np.inf, "fro"):
        check("linalg.cond", random.values((2, 4, 4), "f8", small=True), p, scale=1e6)
    for ord in (2, -2, "nuc"):
        check("linalg.norm", random.values((4, 3), random.one(["f4", "c16"]), small=True), ord, scale=100)
        check("linalg.norm", random.values((4, 3, 2), "f8", small=True), ord, (2, 0), True, scale=100)


def test_least_squares(random):
    for shape in ((6, 3), (3, 6), (4, 4)):
        for dtype in ("f4", "f8", "c16"):
            a, b = random.values(shape, dtype, small=True), random.values((shape[0], 2), dtype, small=True)
            check("linalg.pinv", a, scale=1e4)
            for side in (b, b[:, 0]):
                found, expected = pykc.linalg.lstsq(pykc.array(a), pykc.array(side)), np.linalg.lstsq(a, side)
                assert found[2] == expected[2]
                for place in (0, 1, 3):
                    assert_same(found[place], expected[place], exact=False, scale=1e5)
    a = np.array([[1.0, 2], [2, 4], [3, 6]])
    check("linalg.pinv", a, rtol=1e-10, scale=100)
    for one in (a, np.zeros((3, 3)), np.eye(4), np.ones(3), np.stack([a, a])):
        check("linalg.matrix_rank", one)
    check("linalg.matrix_rank", np.diag([1.0, 0.1, 0.01]), tol=0.05)
    check("linalg.lstsq", a, np.ones(2))
    check("linalg.lstsq", a, np.ones((3, 1, 1)))


def test_of_more_axes(random):
    a = random.random.random((2, 3, 6)) + np.eye(6).reshape(2, 3, 6)
    check("linalg.tensorinv", a, scale=1e4)
    check("linalg.tensorinv", a.reshape(6, 3, 2), 1, scale=1e4)
    check("linalg.tensorsolve", a, random.random.random((2, 3)), scale=1e4)
    check("linalg.tensorsolve", a.transpose(0, 2, 1), random.random.random((2, 3)), axes=(1,), scale=1e4)
    check("linalg.tensorsolve", a, np.ones(5))


def test_norms(random):
    x = random.values((4, 5), random.one(["f4", "f8", "c8", "i4"]), small=True)
    for order in (None, "fro", 1, -1, np.inf, -np.inf):
        check("linalg.norm", x, order, scale=10)
        check("linalg.norm", x, order, axis=(1, 0), keepdims=True, scale=10)
    for order in (None, 0, 1, 2, 3, np.inf, -np.inf):
        check("linalg.norm", x[0], order, scale=10)
        check("linalg.norm", x, order, axis=1, keepdims=True, scale=10)
    check("linalg.norm", np.ones((2, 3, 4)))
    check("linalg.norm", np.ones((2, 3, 4)), 1)
    check("linalg.vector_norm", x, scale=10)
    check("linalg.matrix_norm", x, ord=1, scale=10)
