"""Distributions of pykc.random beside NumPy's. Seeds are fixed: a sample may lie off by chance."""
import math
import pickle
import threading

import numpy as np
import pytest

import pykc

COUNT = 20_000
CASES = [
    ("standard_gamma", 0.3), ("standard_gamma", 1), ("standard_gamma", 20.0), ("gamma", 2.0, 3.0), ("beta", 0.5, 2),
    ("chisquare", 3), ("f", 4, 7), ("standard_t", 5), ("standard_cauchy",), ("standard_exponential",), ("power", 3),
    ("triangular", -1, 0, 3), ("poisson", 0), ("poisson", 0.5), ("poisson", 9.9), ("poisson", 10), ("poisson", 1e4),
    ("binomial", 0, 0.5), ("binomial", 10, 0.3), ("binomial", 10, 1.0), ("binomial", 5, 0.0), ("binomial", 100, 0.8),
    ("binomial", 100_000, 0.3), ("negative_binomial", 5, 0.3), ("geometric", 0.2), ("geometric", 1.0),
    ("noncentral_chisquare", 0.5, 3), ("noncentral_chisquare", 5, 0), ("noncentral_f", 3, 6, 2.0), ("wald", 2.0, 0.5),
    ("wald", 1, 100), ("logseries", 0.0), ("logseries", 0.9), ("zipf", 1.5), ("zipf", 4),
    ("vonmises", 3.0, 0.0), ("vonmises", 0, 1e-6), ("vonmises", -9.0, 2.0), ("vonmises", 1.0, 2e6),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_distributions(case):
    name, *parameters = case
    found = getattr(pykc.random.default_rng(1), name)(*parameters, size=COUNT)
    expected = getattr(np.random.default_rng(2), name)(*parameters, size=COUNT)
    assert (found.dtype, found.shape) == (expected.dtype, (COUNT,))
    found, expected = np.sort(found.get()), np.sort(expected)
    parts = [np.searchsorted(one, expected, "right") / COUNT for one in (found, expected)]
    assert abs(parts[0] - parts[1]).max() * math.sqrt(COUNT / 2) < 2  # of Kolmogorov and Smirnov
    assert getattr(pykc.random.RandomState(1), name)(*parameters).shape == ()


def test_parameters_that_are_arrays():
    rng = pykc.random.default_rng(1)
    means = np.array([1.0, 1000.0])
    found = rng.poisson(pykc.array(means), (1000, 2))
    np.testing.assert_allclose(found.mean(0).get(), means, rtol=0.2)
    for name, parameters in (("poisson", (means,)), ("exponential", (means,)), ("gamma", (2.0, means)),
                             ("chisquare", (means,)), ("standard_t", (means,)), ("f", (means, 3)),
                             ("binomial", ([[5], [6]], means / 2000)), ("geometric", (means / 2000,)),
                             ("negative_binomial", (means, 0.5)), ("wald", (means, 2)), ("zipf", (means + 1,)),
                             ("noncentral_f", (3, 4, means)), ("noncentral_chisquare", (3, means)),
                             ("logseries", (means / 2000,)), ("vonmises", ([[1], [2]], means))):
        given = [pykc.array(one) if isinstance(one, np.ndarray) else one for one in parameters]
        assert getattr(rng, name)(*given).shape == getattr(np.random.default_rng(), name)(*parameters).shape
    assert rng.gamma(2.0, size=3, dtype="f4").dtype == np.float32
    assert rng.poisson(3.0, (0, 2)).shape == (0, 2)


def test_integers_to_the_last():
    assert set(pykc.random.random_integers(3, size=200).tolist()) == {1, 2, 3}
    assert set(pykc.random.RandomState(1).random_integers(-1, 1, 200).tolist()) == {-1, 0, 1}


def test_vectors():
    rng = pykc.random.default_rng(1)
    shares = rng.dirichlet([1.0, 2, 3], (4, 500))
    assert shares.shape == (4, 500, 3)
    np.testing.assert_allclose(shares.sum(-1).get(), 1)
    np.testing.assert_allclose(shares.mean((0, 1)).get(), [1 / 6, 2 / 6, 3 / 6], atol=0.03)
    counts = rng.multinomial(20, [0.2, 0.3, 0.5], 2000)
    assert (counts.sum(-1) == 20).all() and (counts >= 0).all()
    np.testing.assert_allclose(counts.mean(0).get(), [4, 6, 10], atol=0.3)
    covariance = np.array([[2.0, 1], [1, 3]])
    x = rng.multivariate_normal([1, 2], covariance, 20_000)
    np.testing.assert_allclose(x.mean(0).get(), [1, 2], atol=0.1)
    np.testing.assert_allclose(pykc.cov(x.T).get(), covariance, atol=0.2)
    assert rng.multivariate_normal([1, 2], covariance).shape == (2,) and len(rng.bytes(7)) == 7


def test_sequences_go_on():
    one, other = pykc.random.default_rng(3), pykc.random.default_rng(3)
    assert one.gamma(2.0, size=5).tolist() == other.gamma(2.0, size=5).tolist()
    assert one.gamma(2.0, size=5).tolist() != pykc.random.default_rng(3).gamma(2.0, size=5).tolist()
    pykc.random.seed(4)
    first = pykc.random.poisson(5.0, 9).tolist()
    pykc.random.seed(4)
    assert pykc.random.poisson(5.0, 9).tolist() == first


@pytest.mark.parametrize("case", [
    ("poisson", -1.0), ("binomial", -1, 0.5), ("binomial", 1, 1.5), ("geometric", 0.0), ("gamma", -1.0), ("beta", 0, 1),
    ("gamma", 1.0, -1.0), ("chisquare", 0), ("exponential", -1.0), ("triangular", 1, 0, 2), ("power", 0),
    ("multinomial", 3, [0.8, 0.8, 0.1]), ("poisson", [1.0, -1.0]), ("wald", 1.0, 0.0), ("zipf", 1.0),
    ("logseries", 1.0), ("vonmises", 0, -1.0), ("noncentral_chisquare", 1, -1.0), ("noncentral_f", 1, 0, 1.0)], ids=str)
def test_parameters_outside(case):
    name, *parameters = case
    for rng in (np.random.default_rng(), pykc.random.default_rng()):
        with pytest.raises(ValueError):
            getattr(rng, name)(*parameters)


@pytest.mark.parametrize("name, parameters", [
    ("laplace", ([0.0, 100], [1, 2])), ("logistic", (5, [1.0, 2])), ("gumbel", ([1.0, 50], 2.0)), ("pareto", ([5, 9],)),
    ("rayleigh", ([1, 20.0],)), ("weibull", ([2.0, 4],)), ("power", ([1.0, 5],)), ("exponential", ([1.0, 20],)),
    ("normal", ([0, 100], [1, 2])), ("triangular", ([0.0, 10], [1, 10], 20)), ("lognormal", ([0.0, 1], 0.25))])
def test_parameters_broadcast(name, parameters):
    rng = pykc.random.default_rng(3)
    draw, numpys = getattr(rng, name), getattr(np.random.default_rng(4), name)
    arrays = [pykc.array(one) for one in parameters]
    assert draw(*parameters).shape == draw(*arrays).shape == (2,) and draw(*arrays, size=(3, 2)).dtype == float
    found, expected = draw(*arrays, size=(COUNT, 2)).get(), numpys(*parameters, size=(COUNT, 2))
    np.testing.assert_allclose(np.median(found, 0), np.median(expected, 0), rtol=0.1, atol=0.1)
    with pytest.raises(ValueError):
        draw(*parameters, size=3)
    with pytest.raises(ValueError):
        draw(*[[1.0, -1.0]] * len(parameters))


@pytest.mark.parametrize("p, said", [
    ([0.5, 0.5], "3 probabilities"), ([0.5, 0.7, -0.2], "not non-negative"), ([0.5, 0.4, 0.2], "sum to 1"),
    ([0.5, np.nan, 0.5], "not non-negative"), ([[0.2, 0.3, 0.5]], "one dimension")])
def test_probabilities_of_choice(p, said):
    for choice in (pykc.random.choice, pykc.random.default_rng(1).choice):
        with pytest.raises(ValueError, match=said):
            choice(3, 5, p=p)
    assert pykc.random.choice(3, 2, p=pykc.array([0, 1, 0], np.float32)).tolist() == [1, 1]


@pytest.mark.parametrize("draw", [
    pykc.random.default_rng(0).random, pykc.random.RandomState(0).poisson, pykc.random.rand,
    pykc.random.Philox4x3210(0).random_raw])
def test_threads_draw_different_numbers(draw):
    arguments = (1e9, 50) if draw.__name__ == "poisson" else (50,)
    start, found = threading.Barrier(16), []

    def work():
        start.wait()
        found.extend(draw(*arguments).tolist() for _ in range(4))
    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(map(tuple, found))) == 64


@pytest.mark.parametrize("kind", ["XORWOW", "MRG32k3a", "Philox4x3210"])
def test_bit_generators(kind):
    kind = getattr(pykc.random, kind)
    for seed in (3, np.uint8(3), np.array([1, 2]), [1, 2]):
        one, other = kind(seed), kind(seed)
        assert one.random_raw(10).tolist() == other.random_raw(10).tolist() != kind().random_raw(10).tolist()
    assert one.random_raw((2, 3)).dtype == np.uint64 and one.random_raw().shape == () and one.random_raw(0).size == 0
    assert one.random_raw(7, output=False) is None
    for wrong in (1.0, 1j, "a", np.float32(1)):
        with pytest.raises(TypeError):
            kind(wrong)
    rng = pykc.random.Generator(kind(5))
    state = rng.bit_generator.state
    first, copied = rng.random(3).tolist(), pickle.loads(pickle.dumps(rng))
    assert copied.random(3).tolist() == rng.random(3).tolist() != first
    rng.bit_generator.state = state
    assert rng.random(3).tolist() == first == pykc.random.default_rng(kind(5)).random(3).tolist()


def test_children():
    rng, same = pykc.random.default_rng(5), pykc.random.default_rng(5)
    children = rng.spawn(2) + rng.spawn(1)
    assert len({tuple(one.integers(10 ** 9, size=4).tolist()) for one in [rng, *children]}) == 4
    assert [one.random() for one in same.spawn(3)] == [one.random() for one in pykc.random.default_rng(5).spawn(3)]
    assert type(pykc.random.RandomState(1).spawn(1)[0]) is pykc.random.RandomState


def test_the_shared_sequence():
    state = pykc.random.RandomState(seed=3, method=100)
    first = state.rand(4).tolist()
    for seed in (3, np.array([3, 4])):
        state.seed(seed)
        assert state.rand(4).tolist() == pykc.random.RandomState(seed).rand(4).tolist()
    before = pykc.random.get_random_state()
    try:
        pykc.random.set_random_state(state)
        pykc.random.seed(3)
        assert pykc.random.get_random_state() is state and pykc.random.rand(4).tolist() == first
        pykc.random.reset_states()
        assert pykc.random.get_random_state() is not state and pykc.random.rand(4).tolist() != first
        with pytest.raises(TypeError):
            pykc.random.set_random_state(pykc.random.default_rng())
    finally:
        pykc.random.set_random_state(before)
    found = state.tomaxint((2, 300))
    assert found.shape == (2, 300) and found.dtype == np.int64 and (found >= 0).all() and found.max() > 2 ** 62


@pytest.mark.parametrize("name, parameters", [
    ("random", ()), ("standard_normal", ()), ("standard_exponential", ()), ("standard_gamma", (2.0,))])
def test_out(name, parameters):
    expected = getattr(pykc.random.default_rng(2), name)(*parameters, size=(3, 2)).tolist()
    for size in ((3, 2), None):
        out = pykc.zeros((3, 2))
        assert getattr(pykc.random.default_rng(2), name)(*parameters, size=size, out=out) is out
        assert out.tolist() == expected
    for out, error in ((pykc.zeros((3, 2), "f4"), TypeError), (pykc.zeros((3, 2), order="F"), ValueError),
                       (pykc.zeros((3, 3)), ValueError)):
        with pytest.raises(error):
            getattr(pykc.random.default_rng(2), name)(*parameters, size=(3, 2), out=out)


def test_integers_between_arrays():
    low, high = [[[-1], [0]], [[-2], [1]], [[3], [4]]], [[10, 11, 12]]
    draw = pykc.random.RandomState(1).randint
    assert draw(low, high).shape == (3, 2, 3) == draw(pykc.array(low), 20, (3, 2, 3)).shape
    found = pykc.random.default_rng(1).integers([0, -5, 250], [3, -3, 255], (500, 3), "int16", endpoint=True).get()
    assert [set(column) for column in found.T] == [{0, 1, 2, 3}, {-5, -4, -3}, {250, 251, 252, 253, 254, 255}]
    found = draw(np.array([-2 ** 63, 0]), np.array([2 ** 63 - 1, 1]), (200, 2)).get()
    assert found[:, 0].min() < -2 ** 60 and found[:, 0].max() > 2 ** 60 and (found[:, 1] == 0).all()
    for wrong in (([0, 3], 3), ([-1], [3], None, "u1"), ([0], [257], None, "u1"), ([1, 2], [5, 6], 3)):
        with pytest.raises(ValueError):
            draw(*wrong)


def test_choice_by_probabilities_without_replacement():
    rng = pykc.random.default_rng(1)
    p = np.array([0.5, 0.0, 0.2, 0.3])
    found = np.array([rng.choice(4, 2, replace=False, p=p).get() for _ in range(300)])
    assert (found[:, 0] != found[:, 1]).all() and 1 not in found
    np.testing.assert_allclose(np.bincount(found[:, 0]) / 300, p, atol=0.1)
    assert set(rng.choice(pykc.array([5, 6, 7, 8]), (3, 1), False, p).ravel().tolist()) == {5, 7, 8}
    assert rng.choice(pykc.array([]), 0).shape == rng.choice(0, 0).shape == (0,)
    assert rng.choice(np.int64(3), 5).max() < 3
    with pytest.raises(ValueError, match="Fewer non-zero"):
        rng.choice(4, 4, replace=False, p=p)


def test_permuted():
    rng, x = pykc.random.default_rng(1), np.arange(60).reshape(3, 20)
    found = rng.permuted(pykc.array(x), axis=1).get()
    assert (np.sort(found, 1) == x).all() and len({tuple(row % 20) for row in found}) == 3
    out = pykc.array(x)
    assert rng.permuted(out, out=out) is out and (np.sort(out.get(), None) == x.ravel()).all()
    assert (np.sort(out.get(), 1) != x).any() and rng.permuted([1, 2], axis=0).shape == (2,)


def test_covariances_that_are_none():
    rng, cov = pykc.random.RandomState(1), [[1.0, 2.0], [2.0, 1.0]]
    assert rng.multivariate_normal([0, 0], cov, 3, tol=1e-6, dtype="f4").dtype == np.float32
    with pytest.raises(ValueError, match="semidefinite"):
        rng.multivariate_normal([0, 0], cov, check_valid="raise")
    with pytest.warns(RuntimeWarning, match="semidefinite"):
        rng.multivariate_normal([0, 0], cov, check_valid="warn")
    assert rng.multivariate_normal([0, 0], [[1, 1], [1, 1]], 4, "raise", 1e-6).shape == (4, 2)
