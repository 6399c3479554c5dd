"""The library's functions with one argument changed: another type, rank or extent, values that lead elsewhere, gaps,
memory that it shares with a result. What comes out is right, or an error says in the function's words what is wrong."""
import time

import numpy as np
import pytest
from random_arrays import ALL, Arrays

import pykc
from pykc.convolve import convolve2d
from pykc.fft import fft
from pykc.gemm import gemm, gemm_grouped
from pykc.gemv import gemv
from pykc.histogram import histogram
from pykc.matmul import matmul
from pykc.norms import rms_norm
from pykc.reduce import add
from pykc.rope import rope
from pykc.scan import scan
from pykc.segmented import segmented_reduce, spmv
from pykc.select import run_length, select
from pykc.softmax import softmax
from pykc.sort import sort, sort_pairs
from pykc.top_k import top_k
from pykc.transpose import transpose

pytestmark = pytest.mark.usefixtures("first_configurations")

SECONDS = 12  # of processor time
SIZES = [0, 1, 2, 3, 7, 31, 33, 64, 127, 129]
LENGTHS = SIZES + [1025, 2049, 4097]


def zeros(*shape, of="f4"):
    return np.zeros(shape, of)


class Calls(Arrays):
    """Each method gives a function, its arguments, and what these become: the results are what is named there."""

    def size(self, least=0):
        return max(least, int(self.one(SIZES)))

    def length(self):
        return int(self.one(LENGTHS))

    def whole(self, *shape, of="f4", low=-3, high=4):
        return self.random.integers(low, high, shape).astype(of)

    def starts(self, segments, length):
        return np.sort(self.random.integers(0, length + 1, segments + 1)).astype(self.one(["i4", "i8", "u4"]))

    def sort(self):
        n, of = self.length(), self.one(["i1", "u2", "f4", "f8", "?"])
        return sort, dict(out=zeros(n, of=of), x=self.whole(n, of=of)), lambda out, x: dict(out=np.sort(x))

    def sort_pairs(self):
        n, of = self.length(), self.one(["i1", "f4"])
        given = dict(sorted_keys=zeros(n, of=of), sorted_values=zeros(n), keys=self.whole(n, of=of),
                     values=self.whole(n))
        return sort_pairs, given, lambda keys, values, **_: dict(
            sorted_keys=np.sort(keys), sorted_values=values[np.argsort(keys, kind="stable")])

    def select(self):
        n, of = self.length(), self.one(["i4", "f4", "u1"])
        given = dict(out=zeros(n, of=of), count=zeros(1, of="i4"), x=self.whole(n, of=of),
                     flags=self.whole(n, of=self.one(["?", "i4"]), low=0, high=2))

        def expected(out, count, x, flags):
            chosen = x[flags != 0]
            return dict(out=begun(out, chosen), count=[len(chosen)])

        return select, given, expected

    def run_length(self):
        n, of = self.length(), self.one(["i4", "f4"])
        given = dict(values=zeros(n, of=of), lengths=zeros(n, of="i4"), count=zeros(1, of="i4"),
                     x=self.whole(n, of=of, low=0, high=2))

        def expected(values, lengths, count, x):
            runs = np.flatnonzero(np.concatenate([[True], x[1:] != x[:-1]])) if len(x) else np.zeros(0, int)
            return dict(values=begun(values, x[runs]), lengths=begun(lengths, np.diff(np.append(runs, len(x)))),
                        count=[len(runs)])

        return run_length, given, expected

    def top_k(self):
        n, of = self.length(), self.one(["i4", "f4", "u1"])
        k = int(self.random.integers(0, n + 1))

        def expected(largest, places, x):
            down = (len(x) - 1 - np.argsort(x[::-1], kind="stable")[::-1])[:len(largest)]
            return dict(largest=x[down], places=down)

        return top_k, dict(largest=zeros(k, of=of), places=zeros(k, of="i4"), x=self.whole(n, of=of)), expected

    def scan(self):
        n = self.length()
        given = dict(out=zeros(n, of=self.one(["f4", "i4"])), x=self.whole(n, of=self.one(["f4", "i1"])))
        return scan, given, lambda out, x: dict(out=np.cumsum(x, dtype=out.dtype))

    def segmented_reduce(self):
        n, segments = self.length(), self.size()

        def expected(results, x, starts):
            assert rises(starts, len(x))
            return dict(results=sums(x, starts))

        return (lambda results, x, starts: segmented_reduce(results, x, starts, add, 0),
                dict(results=zeros(segments), x=self.whole(n), starts=self.starts(segments, n)), expected)

    def spmv(self):
        n, rows, columns = self.length(), self.size(), self.size(1)
        given = dict(y=zeros(rows), starts=self.starts(rows, n), values=self.whole(n), x=self.whole(columns),
                     columns=self.whole(n, of=self.one(["i4", "i8"]), low=0, high=columns))

        def expected(y, starts, columns, values, x):
            assert rises(starts, len(values))
            used = slice(int(starts[0]), int(starts[-1]))
            assert (columns[used] >= 0).all() and (columns[used] < len(x)).all()
            products = np.zeros(len(values))
            products[used] = values[used] * x[columns[used]]
            return dict(y=sums(products, starts))

        return spmv, given, expected

    def histogram(self):
        values = self.whole(self.length(), of=self.one(["i4", "u1"]), low=-9, high=300)

        def expected(counts, values):  # sums wrap, as those of the array's type do
            of_values = np.bincount(values[(values >= 0) & (values < 256)].astype(int), minlength=256)
            return dict(counts=(counts + of_values).astype(counts.dtype))
        return histogram, dict(counts=zeros(256, of="i4"), values=values), expected

    def gemv(self):
        m, n, of = self.size(), self.size(), self.one(["f4", "f8"])
        return (lambda a, x, y: gemv(2.0, a, x, -1.0, y),
                dict(a=self.whole(m, n, of=of), x=self.whole(n, of=of), y=self.whole(m, of=of)),
                lambda a, x, y: dict(y=2.0 * a.astype("f8") @ x - y))

    def transpose(self):
        m, n, of = self.size(), self.size(), self.one(["f4", "u1"])
        return transpose, dict(b=zeros(n, m, of=of), a=self.whole(m, n, of=of)), lambda b, a: dict(b=a.T)

    def matmul(self):
        m, n, k = self.size(), self.size(), self.size()
        return (matmul, dict(c=zeros(m, n), a=self.whole(m, k), b=self.whole(k, n)),
                lambda c, a, b: dict(c=product(c, a.astype("f8"), b)))

    def gemm(self):
        m, n, k, of = self.size(), self.size(), self.size(), self.one(["f2", "f8", "i1"])
        to = {"f2": "f4", "f8": "f8", "i1": "i4"}[of]
        return (gemm, dict(c=zeros(m, n, of=to), a=self.whole(m, k, of=of), b=self.whole(k, n, of=of)),
                lambda c, a, b: dict(c=product(c, a.astype("f8"), b.astype("f8"))))

    def gemm_grouped(self):
        m, n, k, groups = self.size(), self.size(), self.size(1), int(self.random.integers(1, 4))
        offsets = self.starts(groups, m)
        offsets[0], offsets[-1] = 0, m

        def expected(c, a, b, offsets):
            assert rises(offsets, len(a))
            product = np.array(c, "f8")
            for one, begin, end in zip(b, offsets[:-1].tolist(), offsets[1:].tolist()):
                product[begin:end] = a[begin:end].astype("f8") @ one.astype("f8")
            return dict(c=product)

        given = dict(c=zeros(m, n), a=self.whole(m, k, of="f2"), b=self.whole(groups, k, n, of="f2"), offsets=offsets)
        return gemm_grouped, given, expected

    def softmax(self):
        shape = self.size(), self.size()

        def expected(y, x):
            powers = np.exp(x.astype("f8") - x.max(1, keepdims=True, initial=-100))
            return dict(y=powers / powers.sum(1, keepdims=True))

        return softmax, dict(y=zeros(*shape), x=self.whole(*shape)), expected

    def rms_norm(self):
        m, n = self.size(), self.size()
        return (rms_norm, dict(y=zeros(m, n), x=self.whole(m, n), weight=self.whole(n)), lambda y, x, weight: dict(
            y=x / np.sqrt((x.astype("f8") ** 2).mean(1, keepdims=True) + 1e-5) * weight))

    def rope(self):
        tokens, heads, half, positions = self.size(), int(self.random.integers(4)), self.size(1), self.size(1)

        def expected(y, x, cosines, sines):
            c, s = (of.astype("f8")[np.arange(len(x)) % len(of)][:, None] for of in (cosines, sines))
            low, high = np.split(x.astype("f8"), 2, -1)
            return dict(y=np.concatenate([low * c - high * s, high * c + low * s], -1))

        return rope, dict(y=zeros(tokens, heads, 2 * half), x=self.whole(tokens, heads, 2 * half),
                          cosines=self.whole(positions, half), sines=self.whole(positions, half)), expected

    def fft(self):
        shape = self.size(), 1 << int(self.random.integers(10))
        return (fft, dict(y=zeros(*shape, of="c8"), x=self.whole(*shape, of="c8")),
                lambda y, x: dict(y=np.fft.fft(x.astype("c16"))))

    def convolve2d(self):
        m, n, high, wide = self.size(1), self.size(1), *self.random.integers(1, 6, 2).tolist()

        def expected(out, x, filter):
            (m, n), (high, wide) = x.shape, filter.shape
            full = np.zeros((m + high - 1, n + wide - 1))
            for a in range(high):
                for b in range(wide):
                    full[a:a + m, b:b + n] += filter[a, b] * x.astype("f8")
            return dict(out=full)

        return (lambda out, x, filter: convolve2d(out, x, filter),
                dict(out=zeros(m + high - 1, n + wide - 1), x=self.whole(m, n), filter=self.whole(high, wide)),
                expected)

    # ---- what is changed; each gives the arrays of the device that it has made ----

    def nothing(self, given, name):
        return {}

    def type(self, given, name):
        with np.errstate(all="ignore"):
            given[name] = given[name].astype(self.one(ALL))
        return {}

    def rank(self, given, name):
        x = given[name]
        given[name] = self.one([x[None], x[..., None], x.reshape(-1)])
        return {}

    def extent(self, given, name):
        x = given[name]
        axis = int(self.random.integers(x.ndim))
        extent = max(0, x.shape[axis] + int(self.one([-x.shape[axis], -1, 1, x.shape[axis]])))
        given[name] = np.resize(x, (*x.shape[:axis], extent, *x.shape[axis + 1:]))
        return {}

    def values_elsewhere(self, given, name):
        x = given[name] = given[name].copy()
        if x.size and x.dtype.kind in "iu":
            x.reshape(-1)[self.random.integers(x.size)] = self.one([np.iinfo(x.dtype).min, np.iinfo(x.dtype).max, 100])
        return {}

    def gaps(self, given, name):
        x = given[name]
        steps = [int(self.one([1, 2, -1, -3])) for _ in x.shape]
        room = np.zeros([extent * abs(step) for extent, step in zip(x.shape, steps)], x.dtype)
        view = tuple(slice(None, None, step) for step in steps)
        room[view] = x
        return {name: pykc.array(room)[view]}

    def shared_memory(self, given, name):
        """With the first argument that has the type, from another place on."""
        x = given[name]
        other = next(one for one in given if given[one].dtype == x.dtype)
        if other == name:
            return {}
        y, ahead = given[other], int(self.one([0, 1, 3, 64]))
        begins = (0, ahead) if self.random.integers(2) else (ahead, 0)
        room = np.zeros(ahead + max(x.size, y.size), x.dtype)
        for one, begin in ((y, begins[0]), (x, begins[1])):  # what is read is as it was
            room[begin:begin + one.size] = one.reshape(-1)
        given[other] = room[begins[0]:begins[0] + y.size].reshape(y.shape).copy()
        room = pykc.array(room)
        return {one: room[begin:begin + given[one].size].reshape(given[one].shape)
                for one, begin in ((other, begins[0]), (name, begins[1]))}


CALLS = [name for name in vars(Calls) if callable(globals().get(name))]
CHANGES = ["nothing", "type", "rank", "extent", "values_elsewhere", "gaps", "shared_memory", "shared_memory"]


def product(c, a, b):
    """What `gemm` and `matmul` make: a stack of one matrix is a matrix to them."""
    made = a @ b
    return np.broadcast_to(made[0] if made.ndim > c.ndim else made, c.shape)


def begun(out, chosen):
    """`out`, which begins with what was chosen, as far as there is room."""
    found = out.copy()
    found[:len(chosen)] = chosen[:len(out)]
    return found


def rises(starts, length):
    """A single start is that of no segment."""
    return len(starts) == 1 or (starts >= 0).all() and (starts[1:] >= starts[:-1]).all() and (starts <= length).all()


def sums(x, starts):
    return [x[begin:end].sum(dtype="f8") for begin, end in zip(starts[:-1].tolist(), starts[1:].tolist())]


def is_exact(given, results):
    """Whether numbers of the results hold what is computed in f64: no integers that fractions are cut from."""
    return all(given[one].dtype.kind in "fc" for one in results) or all(x.dtype.kind in "iub" for x in given.values())


@pytest.mark.parametrize("value", [[1.0, 2.0], (1.0, 2.0), None, 3, 1.5, "x"])
def test_what_is_no_array(value):
    """It is told by the name of the parameter, whatever function of the library's inside has met it."""
    arrays = Calls("no array")
    for name in CALLS:
        function, given, _ = getattr(arrays, name)()
        for wrong in given:
            with pytest.raises(TypeError, match=rf"`{wrong}` of `{name}` is an array, not a {type(value).__name__}"):
                function(**{one: value if one == wrong else pykc.array(x) for one, x in given.items()})


def test_changed_arguments():
    arrays = Calls("changed")
    end, turns, refused = time.process_time() + SECONDS, 0, 0
    while time.process_time() < end:
        turns += 1
        name, change = arrays.one(CALLS), arrays.one(CHANGES)
        function, given, expected = getattr(arrays, name)()
        changed = arrays.one(list(given))
        made = getattr(arrays, change)(given, changed)
        what = f"{name}, {change} of `{changed}`: " + ", ".join(f"{one} {x.dtype}{x.shape}" for one, x in given.items())
        found = {one: made[one] if one in made else pykc.array(x) for one, x in given.items()}
        try:
            function(**found)
            pykc.cuda.synchronize()
        except (AssertionError, TypeError, ValueError, pykc.KernelFault) as error:
            assert str(error) and change not in ("nothing", "gaps"), what
            refused += 1
            continue
        except pykc.CompileError as error:
            pytest.fail(f"{what}: {error}")
        with np.errstate(all="ignore"):
            results = expected(**{one: x.copy() for one, x in given.items()})
        if is_exact(given, results):
            for one, numbers in results.items():
                large = 1e-5 * np.abs(numbers).max(initial=1.0)
                np.testing.assert_allclose(found[one].get(), numbers, rtol=2e-3, atol=large, err_msg=what)
    assert turns > refused


def test_segments_that_begin_at_the_largest_integer():
    """Where threads of a warp share a segment, the place of each lies beyond."""
    values, columns = np.ones(2049, "f4"), np.zeros(2049, "i4")
    starts = np.array([30, 2 ** 63 - 1, 785, 1019, 1222, 1292, 1321, 1985])
    y, x = np.zeros(7, "f4"), np.ones(7, "f4")
    with pytest.raises((AssertionError, pykc.KernelFault), match="`starts` rise"):
        spmv(*map(pykc.array, (y, starts, columns, values, x)))
        pykc.cuda.synchronize()
