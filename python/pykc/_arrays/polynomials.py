"""Polynomials as vectors of their coefficients, the highest power first."""
from __future__ import annotations

import functools
import operator
from typing import Any

import numpy

from . import zeros_of_polynomials
from .calculus import convolve
from .creation import arange, asarray, ones, vander, zeros, zeros_like
from .decompositions import eigvalsh
from .eigenvalues import eigvals
from .elimination import inv
from .joining import atleast_1d, concatenate, trim_zeros
from .least_squares import lstsq
from .matrices import root_of_squares
from .ndarray import ndarray
from .sorting import sort


def poly(seq_of_zeros) -> ndarray:
    """The coefficients of the polynomial with these zeros, the first of them 1; or with the eigenvalues of a
    matrix."""
    zeros_of = atleast_1d(asarray(seq_of_zeros)) + 0.0
    if zeros_of.ndim == 2 and zeros_of.shape[0] == zeros_of.shape[1]:
        is_hermitian = bool((zeros_of == zeros_of.T.conj()).all())
        zeros_of = eigvalsh(zeros_of) if is_hermitian else eigvals(zeros_of)
    if zeros_of.ndim != 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    found = ones(1, zeros_of.dtype, device=zeros_of.device)
    for zero in zeros_of.get():
        found = convolve(found, asarray([1, -zero], zeros_of.dtype, device=zeros_of.device))
    is_real = zeros_of.dtype.kind == "c" and bool((sort(zeros_of) == sort(zeros_of.conj())).all())
    return found.real.copy() if is_real else found


def polyfit(x, y, deg: int, rcond: float | None = None, full: bool = False, w=None, cov: Any = False):
    """The coefficients of the polynomial of the degree DEG whose squared distances from the points (X, Y), by weights
    W, add up to the least; with FULL what `linalg.lstsq` tells besides and `rcond`, with COV their covariance."""
    x, y, deg = asarray(x) + 0.0, asarray(y) + 0.0, int(deg)
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1 or not x.size:
        raise TypeError("expected 1D vector for x that is not empty")
    if y.ndim not in (1, 2) or y.shape[0] != x.size:
        raise TypeError("expected 1D or 2D array for y, of as many rows as x has elements")
    rcond = x.size * float(numpy.finfo(x.dtype).eps) if rcond is None else rcond
    powers, values = vander(x, deg + 1), y
    if w is not None:
        w = asarray(w) + 0.0
        if w.shape != x.shape:
            raise TypeError("expected a 1-d array for weights, of as many elements as x has")
        powers, values = powers * w[:, None], (values.T * w).T
    scale = root_of_squares(powers, 0, False)
    found, lack, rank, s = lstsq(powers / scale, values, rcond)
    found = (found.T / scale).T
    if full:
        return found, lack, rank, s, rcond
    if not cov:
        return found
    base = inv(powers.T @ powers)
    if cov == "unscaled":
        factor = 1.0
    elif x.size <= deg + 1:
        raise ValueError("the number of data points must exceed order to scale the covariance matrix")
    else:
        factor = lack / (x.size - deg - 1)
    return found, base * factor if y.ndim == 1 else base[:, :, None] * factor


def _of_one_length(a1, a2) -> tuple[ndarray, ...]:
    """Both, with zeros in front of the shorter one."""
    a1, a2 = atleast_1d(asarray(a1)), atleast_1d(asarray(a2))
    lacking = a2.size - a1.size
    return tuple(concatenate([zeros(max(count, 0), one.dtype, device=one.device), one])
                 for count, one in ((lacking, a1), (-lacking, a2)))


def _of_polynomials(function):
    """The function, of `poly1d` too, of which it then gives some."""
    @functools.wraps(function)
    def taking(*args, **keywords):
        found = function(*map(_coefficients, args), **keywords)
        if not any(isinstance(one, poly1d) for one in args):
            return found
        return tuple(map(poly1d, found)) if isinstance(found, tuple) else poly1d(found)
    return taking


def _coefficients(p):
    return p.coeffs if isinstance(p, (poly1d, numpy.poly1d)) else p


@_of_polynomials
def polyadd(a1, a2) -> ndarray:
    """The sum of two polynomials."""
    a1, a2 = _of_one_length(a1, a2)
    return a1 + a2


@_of_polynomials
def polysub(a1, a2) -> ndarray:
    """The difference of two polynomials."""
    a1, a2 = _of_one_length(a1, a2)
    return a1 - a2


@_of_polynomials
def polymul(a1, a2) -> ndarray:
    """The product of two polynomials."""
    return convolve(_without_zeros(a1), _without_zeros(a2))


def _without_zeros(p) -> ndarray:
    """The coefficients without the zeros in front of others, at least one."""
    p = trim_zeros(atleast_1d(asarray(p)), "f")
    return p if p.size else zeros(1, p.dtype, device=p.device)


@_of_polynomials
def polydiv(u, v) -> tuple[ndarray, ndarray]:
    """The quotient of two polynomials, and what is left."""
    u, v = atleast_1d(asarray(u)) + 0.0, atleast_1d(asarray(v)) + 0.0
    dtype = numpy.result_type(u.dtype, v.dtype)
    left, v = u.astype(dtype), v.astype(dtype, copy=False)
    quotient = zeros(max(u.size - v.size + 1, 1), dtype, device=u.device)
    for place in range(u.size - v.size + 1):
        quotient[place] = left[place] / v[0]
        left[place:place + v.size] -= quotient[place] * v
    left[:max(u.size - v.size + 1, 0)] = 0
    while left.size > 1 and numpy.allclose(left[0].get(), 0, rtol=1e-14):
        left = left[1:]
    return quotient, left


@_of_polynomials
def polyder(p, m: int = 1) -> ndarray:
    """The derivative, M times."""
    p = asarray(p)
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    for _ in range(m):
        p = p[:-1] * arange(p.size - 1, 0, -1, device=p.device)
    return p


@_of_polynomials
def polyint(p, m: int = 1, k=None) -> ndarray:
    """The integral, M times, with the constants K."""
    p = asarray(p)
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    constants = numpy.zeros(m) if k is None else numpy.atleast_1d(k.get() if isinstance(k, ndarray) else k)
    if len(constants) == 1:
        constants = numpy.repeat(constants, m)
    if len(constants) < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    for constant in constants[:m]:
        p = concatenate([p / arange(p.size, 0, -1, device=p.device), asarray([constant], device=p.device)])
    return p


def polyval(p, x):
    """The value at X of the polynomial with these coefficients, the highest power first. X may be a polynomial."""
    p = asarray(_coefficients(p))
    is_polynomial = isinstance(x, poly1d)
    x = x if is_polynomial else asarray(x)
    found = poly1d([0]) if is_polynomial else zeros_like(x)
    for coefficient in atleast_1d(p).get() if is_polynomial else p:
        found = found * x + coefficient
    return found


def roots(p) -> ndarray:
    """The zeros of the polynomial with these coefficients, the highest power first, in any order."""
    p = atleast_1d(asarray(_coefficients(p)))
    if p.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    return zeros_of_polynomials.zeros_of(p if p.dtype.kind in "fc" else p.astype(float))


class poly1d:
    """A polynomial by its coefficients, the highest power first, or with R by its zeros: `p(x)`, `p + q`, `p * 2`,
    `p ** 2`, `p.deriv()`, `p.roots`; `p[k]` is the coefficient of the power K."""

    __array_ufunc__ = __hash__ = None

    def __init__(self, c_or_r, r: bool = False, variable: str | None = None):
        if isinstance(c_or_r, (poly1d, numpy.poly1d)):
            variable = variable or c_or_r.variable
        found = atleast_1d(asarray(poly(c_or_r) if r else _coefficients(c_or_r)))
        if found.ndim > 1:
            raise ValueError("Polynomial must be 1d only.")
        self._coeffs = _without_zeros(found)
        self._variable = variable or "x"

    @property
    def coeffs(self) -> ndarray:
        """The coefficients, the highest power first."""
        return self._coeffs

    @property
    def order(self) -> int:
        """The highest power."""
        return self._coeffs.size - 1

    @property
    def roots(self) -> ndarray:
        """The zeros."""
        return roots(self)

    @property
    def variable(self) -> str:
        """What the variable is called."""
        return self._variable

    c = coef = coefficients = coeffs
    o, r = order, roots

    def get(self, stream=None, order: str = "C", out=None) -> numpy.poly1d:
        """NumPy's polynomial."""
        return numpy.poly1d(self._coeffs.get(stream, order, out), variable=self._variable)

    def set(self, polyin: numpy.poly1d, stream=None) -> None:
        """Becomes one of NumPy's."""
        self.__init__(polyin)

    def deriv(self, m: int = 1) -> poly1d:
        """The derivative, M times."""
        return polyder(self, m)

    def integ(self, m: int = 1, k: Any = 0) -> poly1d:
        """The integral, M times, with the constants K."""
        return polyint(self, m, k)

    def __call__(self, val):
        return polyval(self, val)

    def __getitem__(self, power: int):
        return self._coeffs[self.order - power] if 0 <= power <= self.order else self._coeffs.dtype.type(0)

    def __setitem__(self, power: int, value) -> None:
        if power < 0:
            raise ValueError("Does not support negative powers.")
        lacking = zeros(max(power - self.order, 0), self._coeffs.dtype, device=self._coeffs.device)
        self._coeffs = concatenate([lacking, self._coeffs])
        self._coeffs[self.order - power] = value

    def __len__(self) -> int:
        return self.order

    def __iter__(self):
        return iter(self._coeffs)

    def __array__(self, dtype=None, copy=None) -> numpy.ndarray:
        return self._coeffs.__array__(dtype, copy)

    def __neg__(self) -> poly1d:
        return poly1d(-self._coeffs)

    def __pos__(self) -> poly1d:
        return self

    def __add__(self, other) -> poly1d:
        return polyadd(self, other)

    def __sub__(self, other) -> poly1d:
        return polysub(self, other)

    def __rsub__(self, other) -> poly1d:
        return polysub(other, self)

    def __mul__(self, other) -> poly1d:
        return polymul(self, other)

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, other):
        return poly1d(self._coeffs / other) if numpy.isscalar(other) else polydiv(self, other)

    def __rtruediv__(self, other):
        return poly1d(other / self._coeffs) if numpy.isscalar(other) else polydiv(other, self)

    def __pow__(self, power: int) -> poly1d:
        if not numpy.isscalar(power) or int(power) != power or power < 0:
            raise ValueError("Power to non-negative integers only.")
        return functools.reduce(polymul, [self] * operator.index(power), poly1d([1]))

    def __eq__(self, other):
        if not isinstance(other, poly1d):
            return NotImplemented
        return self._coeffs.shape == other._coeffs.shape and bool((self._coeffs == other._coeffs).all())

    def __repr__(self) -> str:
        return repr(self.get())

    def __str__(self) -> str:
        return str(self.get())
