"""Distributions of pykc.random beside NumPy's. Seeds are fixed: a sample may lie off by chance."""
import math

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
