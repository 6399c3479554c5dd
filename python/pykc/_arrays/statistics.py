"""Counts by value, histograms and quantiles."""
from __future__ import annotations

import functools
import math
from typing import Any

import numpy

from .arguments import axes_of, is_integer
from .creation import asarray, full, full_like, indices_of, zeros
from .generated import for_each, kernel
from .joining import broadcast_to, moveaxis, where
from .ndarray import delivered, ndarray
from .scanning import diff
from .selection import is_worth_it, selected
from .sorting import searchsorted, sort
from .ufuncs import find

# Places below 0 count nowhere. On the CPU device a thread counts a part in a row of its own: threads that add to the
# same elements wait for one another.
_COUNT = """@kernel(wraparound=False)
def count(counts, x, weights):
    i = grid(1)
    if i < len(x) and x[i] >= 0:
        atomic.add(counts, x[i], weights[i])


@kernel(wraparound=False)
def count_parts(counts, x, weights):
    part = grid(1)
    size = (len(x) + len(counts) - 1) // len(counts)
    for i in range(part * size, min((part + 1) * size, len(x))):
        if x[i] >= 0:
            counts[part, x[i]] += weights[i]
"""
_MOST_PARTS, _LEAST_PART = 64, 4096
# Which bin an element is in, -1 for none. A bin by the distance from the first edge may be wrong by a rounding.
_FIND = """@kernel(wraparound=False)
def find(places, x, edges, scale: f64):
    i = grid(1)
    if i < len(x):
        value = f64(x[i])
        last = len(edges) - 2
        place = -1
        if f64(edges[0]) <= value and value <= f64(edges[last + 1]):
            place = min(int((value - f64(edges[0])) * scale), last)
            while place > 0 and value < f64(edges[place]):
                place -= 1
            while place < last and value >= f64(edges[place + 1]):
                place += 1
        places[i] = place
"""


# --- counts -----------------------------------------------------------------------------------------------------------


def bincount(x, weights=None, minlength: int = 0) -> ndarray:
    """How often each integer from 0 on is there, or the sums of their weights. The host waits for the largest."""
    x = asarray(x)
    if x.ndim != 1:
        raise ValueError("bincount is for a vector")
    if x.dtype.kind not in "biu":
        raise TypeError("bincount is for integers")
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    if x.size and int(x.min()) < 0:
        raise ValueError("'list' argument must have no negative elements")
    if not x.size:
        weights = None  # so NumPy counts in integers
    x = x.astype("uint8") if x.dtype.kind == "b" else x
    return _counted(x, None if weights is None else asarray(weights), max(int(x.max()) + 1 if x.size else 0, minlength))


def _counted(places: ndarray, weights, count: int) -> ndarray:
    """`bincount` of places below COUNT, without those below 0."""
    dtype = numpy.dtype("int64" if weights is None else float)
    if weights is not None and weights.shape != places.shape:
        raise ValueError("The weights and list don't have the same length.")
    if weights is not None and weights.dtype.kind == "c":
        raise TypeError("weights are real numbers: count with those of `.real` and `.imag`")
    weights = asarray(1 if weights is None else weights, dtype, device=places.device)
    weights = broadcast_to(weights, places.shape)
    if places.device.is_cpu:
        parts = max(1, min(_MOST_PARTS, places.size // max(_LEAST_PART, count)))
        counts = zeros((parts, count), dtype, device=places.device)
        kernel(places.device, _COUNT, "count_parts").launch(parts, 1, None, 0, (counts, places, weights))
        return counts[0] if parts == 1 else counts.sum(0)
    counts = zeros(count, dtype, device=places.device)
    for_each(places.device, _COUNT, "count", places.size, counts, places, weights)
    return counts


def digitize(x, bins, right: bool = False) -> ndarray:
    """Between which edges the elements lie, which ascend or descend."""
    x, bins = asarray(x), asarray(bins)
    if x.dtype.kind == "c" or bins.dtype.kind == "c":
        raise TypeError("digitize is for real numbers")
    side = "left" if right else "right"
    edges = bins.get()
    other = edges[numpy.append(edges != edges[:1], False).argmax() if edges.size else slice(None)]
    is_ascending = not edges.size or other == edges[0] or other > edges[0]
    if (edges[1:] < edges[:-1] if is_ascending else edges[1:] > edges[:-1]).any():
        raise ValueError("bins must be monotonically increasing or decreasing")
    return searchsorted(bins, x, side) if is_ascending else bins.size - searchsorted(bins[::-1], x, side)


# --- histograms -------------------------------------------------------------------------------------------------------


def histogram_bin_edges(a, bins: Any = 10, range=None, weights=None) -> ndarray:
    """The edges that `histogram` has for BINS, a number of them or the edges themselves."""
    return _edges(a, bins, range, True)


def _edges(a, bins: Any, range, keeps_type: bool) -> ndarray:
    """The edges of bins, in the type of the elements unless that of the range is wider."""
    if isinstance(bins, str):
        raise NotImplementedError(f"bins={bins!r}: give their number or their edges; numpy.histogram_bin_edges of "
                                  "`a.get()` estimates these")
    if not is_integer(bins):
        edges = asarray(bins)
        if edges.ndim != 1:
            raise ValueError("`bins` must be 1d, when an array")
        if bool((edges[1:] < edges[:-1]).any()):
            raise ValueError("`bins` must increase monotonically, when an array")
        return edges
    count = bins.__index__()
    if count < 1:
        raise ValueError("`bins` must be positive, when an integer")
    a = asarray(a)
    first, last = _outer_edges(a, range)
    dtype = numpy.result_type(first, last, a.dtype)
    edges = numpy.linspace(first, last, count + 1, dtype=dtype if keeps_type and dtype.kind == "f" else None)
    if (edges[:-1] >= edges[1:]).any():
        raise ValueError(f"Too many bins for data range. Cannot create {count} finite-sized bins.")
    return asarray(edges, device=a.device)


def _outer_edges(a: ndarray, range) -> tuple:
    if range is not None:
        first, last = (one.item() if isinstance(one, ndarray) else one for one in range)
        if first > last:
            raise ValueError("max must be larger than min in range parameter.")
    else:
        least = numpy.uint8 if a.dtype.kind == "b" else a.dtype.type
        first, last = (least(one.item()) for one in (a.min(), a.max())) if a.size else (0, 1)
    if not (numpy.isfinite(first) and numpy.isfinite(last)):
        raise ValueError(f"range of [{first}, {last}] is not finite")
    return (first - 0.5, last + 0.5) if first == last else (first, last)


def histogram(a, bins: Any = 10, range=None, density: bool = False, weights=None) -> tuple[ndarray, ndarray]:
    """How many elements lie in each bin, or their weights; and the edges of these, of which the last is in its bin."""
    a = asarray(a)
    counts, (edges,) = _histogram([a.ravel()], (bins,), (range,), density,
                                  None if weights is None else asarray(weights).ravel())
    return counts, edges


def histogram2d(x, y, bins: Any = 10, range=None, density: bool = False, weights=None):
    """The histogram of pairs: counts, and the edges along x and y."""
    if getattr(bins, "shape", None) == (2,):  # two numbers, as in NumPy
        bins = bins.tolist()
    if not (isinstance(bins, (tuple, list)) and len(bins) == 2):
        bins = (bins, bins)
    counts, edges = _histogram([asarray(x), asarray(y)], bins, range or (None, None), density, weights)
    return counts, *edges


def histogramdd(sample, bins: Any = 10, range=None, density: bool = False, weights=None):
    """The histogram of rows of coordinates: counts, and a list of the edges along each."""
    columns = [asarray(one) for one in sample] if isinstance(sample, (tuple, list)) else list(asarray(sample).T)
    bins = (bins,) * len(columns) if is_integer(bins) else bins
    return _histogram(columns, bins, range or (None,) * len(columns), density, weights)


def _histogram(columns: list[ndarray], bins, ranges, density: bool, weights) -> tuple[ndarray, list[ndarray]]:
    if not len(columns) == len(bins) == len(ranges):
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    if any(one.dtype.kind == "c" for one in columns):
        raise TypeError("a histogram is of real numbers: count `.real` and `.imag`")
    is_one = len(columns) == 1
    common = numpy.result_type(*(one.dtype for one in columns))
    columns = [one.astype(common, copy=False) for one in columns]
    edges = [_edges(x, *one, is_one) for x, *one in zip(columns, bins, ranges)]
    shape = tuple(max(one.size - 1, 0) for one in edges)
    places = None
    for x, edge, of_column in zip(columns, edges, bins):
        place = _places(x, edge, is_integer(of_column))
        places = place if places is None else \
            where((places >= 0) & (place >= 0), places * (edge.size - 1) + place, -1)
    if weights is not None:
        weights = asarray(weights)
        if weights.shape != places.shape:
            raise ValueError("weights should have the same shape as a.")
    if is_one and weights is not None and weights.dtype.kind == "c":
        real, imag = (_counted(places, part, math.prod(shape)) for part in (weights.real, weights.imag))
        counts = (real + 1j * imag).reshape(shape)
    else:
        counts = _counted(places, weights, math.prod(shape)).reshape(shape)
    if weights is not None and is_one:
        counts = counts.astype(weights.dtype, copy=False)
    if not is_one and weights is None:
        counts = counts.astype(float)
    if density:
        volume = functools.reduce(lambda one, other: one[..., None] * other, (diff(one).astype(float) for one in edges))
        counts = counts / volume / counts.sum()
    return counts, edges


def _places(x: ndarray, edges: ndarray, is_uniform: bool) -> ndarray:
    """In which bin each element is, or -1."""
    if is_uniform:
        first, last = (float(one) for one in edges[[0, -1]].get())
        scale = numpy.float64((edges.size - 1) / (last - first)) if last > first else math.inf
        if 0 < scale < math.inf:
            places = ndarray(x.shape, "int64", device=x.device)
            for_each(x.device, _FIND, "find", x.size, places.ravel(), x.ravel(), edges, scale)
            return places
    if edges.size < 2:
        return full(x.shape, -1, "int64", device=x.device)
    place = where(x == edges[-1], edges.size - 2, searchsorted(edges, x, "right") - 1)
    return where(place < edges.size - 1, place, -1)


# --- quantiles --------------------------------------------------------------------------------------------------------

#: The methods that interpolate at (n + 1 - alpha - beta) q + alpha - 1, by alpha and beta.
_PLOTTING = {"interpolated_inverted_cdf": (0, 1), "hazen": (1 / 2, 1 / 2), "weibull": (0, 0),
             "median_unbiased": (1 / 3, 1 / 3), "normal_unbiased": (3 / 8, 3 / 8)}
#: Those that interpolate at n q less this, if at all.
_STEPS = {"inverted_cdf": 1, "averaged_inverted_cdf": 1, "closest_observation": 1.5}
#: Those that take one of the elements.
_CHOOSING = ("lower", "higher", "nearest", "inverted_cdf", "closest_observation")
_METHODS = ("linear", "lower", "higher", "midpoint", "nearest", *_PLOTTING, *_STEPS)


def quantile(a, q, axis=None, out: ndarray | None = None, overwrite_input: bool = False, method: str = "linear",
             keepdims: bool = False) -> ndarray:
    """What parts Q, from 0 to 1, of the elements along axes do not exceed; a NaN wins."""
    return _quantile(a, q, 1, axis, out, method, keepdims, False)


def percentile(a, q, axis=None, out: ndarray | None = None, overwrite_input: bool = False, method: str = "linear",
               keepdims: bool = False) -> ndarray:
    """`quantile`, of parts in percent."""
    return _quantile(a, q, 100, axis, out, method, keepdims, False)


def nanquantile(a, q, axis=None, out: ndarray | None = None, overwrite_input: bool = False, method: str = "linear",
                keepdims: bool = False) -> ndarray:
    """`quantile` of the elements but for NaNs."""
    return _quantile(a, q, 1, axis, out, method, keepdims, True)


def nanpercentile(a, q, axis=None, out: ndarray | None = None, overwrite_input: bool = False, method: str = "linear",
                  keepdims: bool = False) -> ndarray:
    """`percentile` of the elements but for NaNs."""
    return _quantile(a, q, 100, axis, out, method, keepdims, True)


def median(a, axis=None, out: ndarray | None = None, overwrite_input: bool = False, keepdims: bool = False) -> ndarray:
    """The element in the middle of the sorted ones, or the mean of the two that are; a NaN wins."""
    return _quantile(a, 0.5, 1, axis, out, "median", keepdims, False)


def nanmedian(a, axis=None, out: ndarray | None = None, overwrite_input: bool = False,
              keepdims: bool = False) -> ndarray:
    """The median of the elements but for NaNs."""
    return _quantile(a, 0.5, 1, axis, out, "median", keepdims, True)


def _quantile(a, q, whole: int, axis, out, method: str, keepdims: bool, skips_nans: bool) -> ndarray:
    a = asarray(a)
    is_median = method == "median"
    if a.dtype.kind not in "iuf" and not is_median:
        raise TypeError(f"quantiles are of real numbers, not of {a.dtype}")
    if method not in _METHODS and not is_median:
        raise ValueError(f"method={method!r}: there are {', '.join(_METHODS)}")
    is_number = isinstance(q, (int, float))
    q = numpy.asarray(q.get() if isinstance(q, ndarray) else q)
    is_end = whole == 1 and q.dtype.kind in "biu"  # the least or the greatest element
    q = q / (a.dtype.type(whole) if a.dtype.kind == "f" else whole)
    if q.size and not (q.min() >= 0 and q.max() <= 1):
        raise ValueError("Quantiles must be in the range [0, 1]" if whole == 1 else
                         "Percentiles must be in the range [0, 100]")
    axes = axes_of(axis, a.ndim)
    kept = [extent for place, extent in enumerate(a.shape) if place not in axes]
    dtype = a.dtype if method in _CHOOSING or is_end else \
        a.dtype if is_number and a.dtype.kind in "fc" else numpy.result_type(a.dtype, q.dtype)
    if a.size:
        rows = moveaxis(a, axes, tuple(range(a.ndim - len(axes), a.ndim))).reshape(math.prod(kept), -1)
        found = _of_rows(_ordered(rows, q.ravel(), method, skips_nans), q.ravel(), method, dtype, skips_nans)
    elif is_median or skips_nans or 0 in kept:
        found = full((q.size, math.prod(kept)), math.nan, dtype, device=a.device)
    else:
        raise ValueError("quantiles of no elements")
    shape = [1 if place in axes else extent for place, extent in enumerate(a.shape)] if keepdims else kept
    found = found.reshape(*q.shape, *shape)
    return delivered(found, out)


def _ordered(rows: ndarray, q: numpy.ndarray, method: str, skips_nans: bool) -> ndarray:
    """Rows with those elements where they would stand in sorted ones that the quantiles ask for."""
    if skips_nans or not is_worth_it(rows):
        return sort(rows, -1)
    extent = rows.shape[1]
    position = numpy.floor(_position(q.astype(float), numpy.int64(extent), method).astype(q.dtype)).astype(int)
    near = position.clip(0, extent - 1)[:, None] + numpy.arange(-1, 3)
    return selected(rows, sorted({extent - 1, *near.clip(0, extent - 1).ravel().tolist()}))  # a NaN is the last


def _of_rows(rows: ndarray, q: numpy.ndarray, method: str, dtype: numpy.dtype, skips_nans: bool) -> ndarray:
    """A row of results for each of Q, of rows that are sorted where they are asked for."""
    extent = rows.shape[1]
    numbers = indices_of(rows.shape[0], rows.device)
    counts = (rows == rows).sum(1) if skips_nans else full_like(numbers, extent)
    position = _position(asarray(q.reshape(-1, 1), float, device=rows.device), counts, method).astype(q.dtype)
    low = find("floor")(position).astype("int64")
    high = low + (position > low)
    if method == "nearest":
        low = find("rint")(position).astype("int64")
    elif method == "averaged_inverted_cdf":
        high = low + 1
    elif method == "closest_observation":
        low = where((position == low) & (low % 2 == 1), low, low + 1)
    low, high = (one.clip(0, (counts - 1).clip(0)) for one in (low, high))
    first, last = rows[numbers, low], rows[numbers, high]
    if method in ("lower", "nearest", "closest_observation"):
        found = first
    elif method in ("higher", "inverted_cdf"):
        found = last
    elif method == "median":
        wide = numpy.result_type(dtype, numpy.float32)
        found = (first.astype(wide, copy=False) + last) / 2
    else:
        part = where(position > low, 0.5, 0.0) if method == "midpoint" else \
            where(position > low, 1.0, 0.5) if method == "averaged_inverted_cdf" else position - low
        if rows.dtype.kind != "f":
            first, last = first.astype(float), last.astype(float)
        part = part.astype(numpy.result_type(dtype, numpy.float32))
        step = last - first
        found = where(part < 0.5, first + step * part, last - step * (1 - part))
        found = where(first == last, first, found)  # of infinities, too
    found = found.astype(dtype, copy=False)
    if rows.dtype.kind not in "fc":
        return found
    end = rows[:, -1] if not skips_nans else where(counts == 0, rows[:, 0], 0)
    return where(end != end, end.astype(dtype), found)


def _position(q: ndarray, counts: ndarray, method: str) -> ndarray:
    """Where in a sorted row of so many elements the quantiles are; some lie before the first or behind the last."""
    if method in _STEPS:
        return q * counts - _STEPS[method]
    if method in _PLOTTING:
        alpha, beta = _PLOTTING[method]
        return q * counts + (alpha + q * (1 - alpha - beta)) - 1
    return q * (counts - 1).clip(0)


# --- of several variables ---------------------------------------------------------------------------------------------


def cov(m, y=None, rowvar: bool = True, bias: bool = False, ddof: int | None = None, fweights=None, aweights=None, *,
        dtype=None) -> ndarray:
    """The covariances of variables, which are rows, or columns unless ROWVAR, at least in float64 or in DTYPE.
    FWEIGHTS say how often each observation counts, AWEIGHTS how much."""
    from .joining import atleast_2d, concatenate
    from .products import matmul

    def by_rows(variables):
        variables = asarray(variables)
        if variables.ndim > 2:
            raise ValueError("m has more than 2 dimensions")
        return atleast_2d(variables) if rowvar or variables.ndim < 2 else variables.T

    rows = by_rows(m)
    rows = rows if y is None else concatenate([rows, by_rows(y)], 0)
    rows = rows.astype(numpy.result_type(rows.dtype, float) if dtype is None else dtype, copy=False)
    ddof = ddof if ddof is not None else 0 if bias else 1
    if fweights is None and aweights is None:
        rows = rows - rows.mean(1, keepdims=True)
        return (matmul(rows, rows.T.conj()) / max(rows.shape[1] - ddof, 0)).squeeze()
    times, much = (_observed(name, one, rows.shape[1]) for name, one in (("fweights", fweights), ("aweights", aweights)))
    weights = times * much
    total = weights.sum()
    rows = rows - (rows * weights).sum(1, keepdims=True) / total
    count = total - ddof * (1 if aweights is None else (weights * much).sum() / total)
    return (matmul(rows, (rows * weights).T.conj()) / count.clip(0)).squeeze()


def _observed(name: str, weights, count: int) -> ndarray:
    """The weights of observations."""
    weights = asarray(numpy.ones(count) if weights is None else weights)
    if name == "fweights" and weights.dtype.kind == "f" and not (weights == find("rint")(weights)).all():
        raise TypeError("fweights must be integer")
    if weights.shape != (count,):
        raise RuntimeError(f"{name} are {count} numbers in one dimension, not of the shape {weights.shape}")
    if (weights < 0).any():
        raise ValueError(f"{name} cannot be negative")
    return weights.astype(float, copy=False)


def corrcoef(x, y=None, rowvar: bool = True, *, dtype=None) -> ndarray:
    """The correlations of variables, which are rows, or columns unless ROWVAR, at least in float64 or in DTYPE."""
    found = cov(x, y, rowvar, dtype=dtype)
    if found.ndim == 0:
        return found / found
    deviations = find("sqrt")(found.diagonal().real)
    found = found / deviations[:, None] / deviations
    return found.clip(-1, 1) if found.dtype.kind == "f" else found
