"""pykc.linalg beside numpy.linalg, of random matrices."""
import math

import numpy as np
import pytest
from random_arrays import SEED, Arrays
from test_array_functions import check

import pykc


@pytest.fixture
def random():
    print(f"PYKC_SEED={SEED}")
    return Arrays("linalg")


def matrices(random, shape, dtype):
    """Matrices whose systems are easy: near a multiple of an orthogonal one."""
    noise = random.values(shape, dtype, small=True) / 20
    turned = np.eye(shape[-1], dtype=dtype)[random.random.permutation(shape[-1])]
    return (turned + noise / math.sqrt(shape[-1])).astype(dtype)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (70, 70), (2, 3, 5, 5)])
def test_systems(random, dtype, shape):
    a = matrices(random, shape, dtype)
    check("linalg.solve", a, np.ones((shape[-1], 2), dtype), scale=1000)
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


def test_what_has_no_solution():
    for name in ("det", "slogdet", "inv"):
        check(f"linalg.{name}", np.array([[1.0, 2], [2, 4]]))
    for name, a in (("inv", np.ones((3, 4))), ("det", np.ones(3)), ("cholesky", -np.eye(3))):
        check(f"linalg.{name}", a)
    check("linalg.solve", np.eye(3), np.ones(2))
    with pytest.raises(AttributeError, match=r"numpy.linalg.svd of"):
        pykc.linalg.svd
    with pytest.raises(NotImplementedError, match="solve"):
        pykc.linalg.lstsq(pykc.eye(2), pykc.ones(2))


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
    with pytest.raises(NotImplementedError, match="singular values"):
        pykc.linalg.norm(pykc.ones((2, 2)), 2)
