"""`@njit(parallel=True)`: loops over `prange` as kernels of the CPU device, with the results of serial loops."""
import linecache
import math
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

import pykc
from pykc import jit, njit, prange

N = 5000
X = np.random.default_rng(1).random(N)


@pytest.fixture(autouse=True)
def _no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error", pykc.PykcWarning)
        yield


def refused(function, match, *arguments):
    """The result of a function whose loop does not spread, and says why."""
    with pytest.warns(pykc.PykcWarning, match=match):
        return function(*arguments)


def test_stores():
    @njit(parallel=True)
    def scaled(x, factor):
        out = np.empty_like(x)
        for i in prange(x.shape[0]):
            twice = factor * x[i]
            out[i] = twice + i
        return out

    assert np.array_equal(scaled(X, 2), 2 * X + np.arange(N))
    assert scaled(X[:0], 2).size == 0 and np.array_equal(scaled(X[:3], factor=2), 2 * X[:3] + np.arange(3))


def test_stores_of_rows():
    @njit(parallel=True)
    def numbered(x, order):
        for i in prange(x.shape[0]):
            x[i, :] = i
        for i in prange(x.shape[0]):
            x[order[i], 1:3] = -i
        return x

    expected = np.repeat(np.arange(4.0), 5).reshape(4, 5)
    expected[[2, 0, 3, 1], 1:3] = -np.arange(4)[:, None]
    assert np.array_equal(numbered(np.zeros((4, 5)), np.array([2, 0, 3, 1])), expected)


def test_reductions():
    @njit(parallel=True)
    def reduced(x):
        total, count, product, lowest, highest, bits, twice = 0, 0, 1.0, math.inf, -math.inf, 0, 0.0
        for i in prange(len(x)):
            if x[i] > 0.5:
                count += 1
            total += x[i]
            product *= 1 + x[i] / 5000
            lowest = min(lowest, x[i])
            highest = max(x[i], highest)
            bits |= 1 << (i % 7)
            for _ in prange(2):
                twice = twice - x[i]
        return total, count, product, lowest, highest, bits, twice

    total, count, product, lowest, highest, bits, twice = reduced(X)
    assert math.isclose(total, math.fsum(X)) and math.isclose(product, np.prod(1 + X / 5000))
    assert (count, lowest, highest, bits) == ((X > 0.5).sum(), X.min(), X.max(), 127)
    assert math.isclose(twice, -2 * total)
    assert reduced(X[:0]) == (0, 0, 1.0, math.inf, -math.inf, 0, 0.0)


def test_the_start_counts_once():
    @njit(parallel=True)
    def summed(n, start):
        total = start
        power = 2
        for i in prange(n):
            total += i
            power *= 1
        return total, power

    assert summed(10, 100) == (145, 2) and summed(0, 7) == (7, 2)
    single = summed(3, np.float32(0.5))[0]
    assert single == 3.5


def test_an_order_that_does_not_depend_on_the_cores():
    program = ("import numpy as np; from pykc import njit, prange\n@njit(parallel=True)\ndef f(x):\n s = 0.0\n"
               " for i in prange(len(x)):\n  s += x[i]\n return s\nx = np.random.default_rng(1).random(100_003)\n"
               "print({f(x).hex() for _ in range(20)})")
    printed = {subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYKC_THREADS": count},
                              capture_output=True, text=True).stdout for count in ("1", "2", "3")}
    assert len(printed) == 1 and printed.pop().count("0x") == 1


def test_loops_in_loops():
    @njit(parallel=True)
    def rows(a, steps):
        total = 0.0
        for step in range(steps):
            for i in prange(1, a.shape[0]):
                for j in prange(a.shape[1]):
                    if j == 3:
                        continue
                    a[i, j] += step
                total += a[i, 0]
        return total

    a = np.zeros((20, 7), np.float32)
    assert rows(a, 3) == 19 * (0 + 1 + 3)
    assert (a[1:, 3] == 0).all() and (a[0] == 0).all() and (a[1:, :3] == 3).all()


def test_other_functions_globals_and_closures():
    weight = 3

    @njit(parallel=True)
    def inner(x):
        s = 0
        for i in prange(x):
            s += weight
        return s

    @jit(nopython=True, parallel=True)
    def outer(n):
        s = 0
        for i in prange(n):
            s += inner(i) * SCALE
        return s

    assert inner(4) == 12 and outer(5) == 30 * SCALE
    weight = 4
    assert inner(4) == 16


SCALE = 2


def test_flat_indices_and_strides():
    @njit(parallel=True)
    def flat(a, n, m):
        for i in prange(n):
            for j in range(m):
                a[i * m + j] += i

    a = np.zeros(12, np.int64)
    assert flat(a, 4, 3) is None
    assert a.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]

    @njit(parallel=True)
    def pairs(a):
        for i in prange(len(a) // 2):
            k = 2 * i
            a[k] = a[k + 1]

    pairs(a)
    assert a.tolist() == [0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 3, 3]

    @njit(parallel=True)
    def pixels(a, h, w):
        for y in prange(h):
            for x in range(w):
                place = (y * w + x) * 3
                a[place] += y
                a[place + 1] = a[place] + x
                for c in range(3):
                    a[3 * (y * w + x) + c] += 1

    a = np.zeros(24, np.int64)
    pixels(a, 2, 4)
    assert a.reshape(2, 4, 3)[1, 2].tolist() == [2, 4, 1]


def test_scattered_stores_are_the_programs_word():
    @njit(parallel=True)
    def permuted(x, order):
        out = np.zeros_like(x)
        for i in prange(len(x)):
            out[order[i]] = x[i]
        return out

    order = np.random.default_rng(2).permutation(N)
    assert np.array_equal(permuted(X, order)[order], X)


def test_a_loop_that_is_left():
    @njit(parallel=True)
    def first(x):
        found = -1
        for i in prange(len(x)):
            if x[i] > 0.9:
                found = i
                break
        return found

    assert refused(first, r"test_parallel.py:\d+: .* runs on one thread, since `break`", X) == np.argmax(X > 0.9)

    @njit(parallel=True)
    def returned(x):
        for i in prange(len(x)):
            if x[i] > 0.9:
                return i
        return -1

    assert refused(returned, "`return`", X) == np.argmax(X > 0.9)


def test_variables_that_turns_hand_on():
    @njit(parallel=True)
    def differences(x):
        before = 0.0
        total = 0.0
        for i in prange(len(x)):
            total += abs(x[i] - before)
            before = x[i]
        return total

    assert refused(differences, "`before` holds what an earlier turn", X[:3]) == \
        X[0] + abs(X[1] - X[0]) + abs(X[2] - X[1])

    @njit(parallel=True)
    def largest(x):
        best = 0.0
        for i in prange(len(x)):
            if x[i] > best:
                best = x[i]
        return best

    assert refused(largest, r"`best`.*\n?.*max\(best, …\)", X) == X.max()

    @njit(parallel=True)
    def running(x):
        out = np.zeros_like(x)
        s = 0.0
        for i in prange(len(x)):
            s += x[i]
            out[i] = s
        return out

    assert np.allclose(refused(running, "`s`", X), np.cumsum(X))

    @njit(parallel=True)
    def last(x):
        value = 0.0
        for i in prange(len(x)):
            value = x[i]
        return value

    assert refused(last, "`value` is read behind the loop", X) == X[-1]


def test_elements_that_turns_share():
    @njit(parallel=True)
    def histogram(bins, x):
        for i in prange(len(x)):
            bins[int(x[i] * 4)] += 1

    bins = np.zeros(4, np.int64)
    refused(histogram, r"`bins\[int\(x\[i\] \* 4\)\]`", bins, X)
    assert bins.sum() == N and (bins == np.histogram(X, 4, (0, 1))[0]).all()

    @njit(parallel=True)
    def prefix(a):
        for i in prange(1, len(a)):
            a[i] += a[i - 1]

    a = np.ones(100)
    refused(prefix, r"`a\[i - 1\]`", a)
    assert np.array_equal(a, np.arange(1, 101))

    @njit(parallel=True)
    def convolved(out, x, k):
        for i in prange(len(x)):
            for j in range(len(k)):
                out[i + j] += x[i] * k[j]

    out = np.zeros(N + 2)
    refused(convolved, r"`out\[i \+ j\]`", out, X, np.ones(3))
    assert np.allclose(out, np.convolve(X, np.ones(3)))

    @njit(parallel=True)
    def through_a_view(a, x):
        for i in prange(len(x)):
            row = a[0]
            row[1] += x[i]

    a = np.zeros((2, 2))
    refused(through_a_view, "`row", a, X)
    assert math.isclose(a[0, 1], X.sum())

    @njit(parallel=True)
    def one_place(a, x):
        for i in prange(len(x)):
            a[0] = x[i]

    refused(one_place, r"`a\[0\]`", a[0], X)
    assert a[0, 0] == X[-1]

    @njit(parallel=True)
    def strides_of_nothing(a, stride):
        for i in prange(len(a)):
            a[i * stride] += 1

    a = np.zeros(6, np.int64)
    refused(strides_of_nothing, r"`a\[i \* stride\]`", a, 0)
    assert a[0] == 6

    @njit(parallel=True)
    def two_places(a):
        for i in prange(len(a) // 2):
            a[i] = i
            a[2 * i] = -i

    a = np.zeros(6, np.int64)
    refused(two_places, r"`a\[2 \* i\]`", a)
    assert a.tolist() == [0, 1, 2, 0, -2, 0]


def test_what_does_not_compile_runs_as_python():
    @njit(parallel=True)
    def words(n):
        found = [""] * n
        for i in prange(n):
            found[i] = str(i)
        return found

    assert refused(words, "this loop of `words` runs as plain Python", 3) == ["0", "1", "2"]


def test_loops_of_functions_that_make_arrays():
    @njit
    def smoothed(x, steps):
        out = x.copy()
        step = 0
        while step < steps:
            for i in range(1, len(x) - 1):
                out[i] = (x[i - 1] + x[i] + x[i + 1]) / 3
            x, step = out.copy(), step + 1
        largest = 0.0
        for i in range(len(out)):
            if out[i] > largest:
                largest, place = out[i], i
        return out, largest, place

    out, largest, place = smoothed(X, 3)
    expected = smoothed.py_func(X, 3)
    assert np.array_equal(out, expected[0]) and (largest, place) == expected[1:]

    @njit
    def sieve(n):
        composite = np.zeros(n, np.bool_)
        k = 2
        while k * k < n:
            if not composite[k]:
                for multiple in range(k * k, n, k):
                    composite[multiple] = True
            k += 1
        return composite

    assert (~sieve(100)).sum() == 25 + 2


def test_indentation_and_lines():
    text = ("@njit(parallel=True)\ndef f(x):\n\ts = np.zeros(1)[0]; t = 0\n"
            "\tfor i in prange(len(x)): s += x[i]; t += 1\n"
            "\tfor i in prange(2):\n\t\tt += 1  # é\n\n\t\tt += 1\n\treturn s, t\n")
    name = "<a text with tabs>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names = {"njit": njit, "prange": prange, "np": np}
    exec(compile(text, name, "exec"), names)
    assert names["f"](np.ones(3)) == (3.0, 7)


def test_names_without_a_value():
    @njit(parallel=True)
    def late(n):
        for i in prange(n):
            total += i  # noqa: F821
        return total  # noqa: F821

    with pytest.raises(UnboundLocalError, match="total"):
        late(3)


def test_faults_are_exceptions():
    @njit(parallel=True)
    def inverse(x):
        for i in prange(len(x)):
            assert x[i] != 0
            x[i] = 1 / x[i]

    with pytest.raises(AssertionError):
        inverse(np.array([1.0, 0.0]))


def test_prange_is_range_to_python():
    assert list(prange(3)) == [0, 1, 2] and list(prange(4, 0, -2)) == [4, 2]

    @njit
    def counted(n):
        s = 0
        for i in prange(n):
            s += i
        return s

    assert counted(5) == counted.py_func(5) == 10


def test_errors_name_the_line(tmp_path):
    path = tmp_path / "script.py"
    path.write_text("from numba import njit, prange\nimport numpy as np\n\n\n@njit(parallel=True)\ndef f(x):\n"
                    "    for i in prange(len(x)):\n        x[i] = x[i].nothing\n\n\n"
                    "try:\n    f(np.zeros(3))\nexcept AttributeError:\n    pass\n")
    done = subprocess.run([sys.executable, "-m", "pykc", str(path)], capture_output=True, text=True)
    assert f"{path}:7: PykcWarning: this loop of `f` runs as plain Python" in done.stderr
    assert f"{path}:8:" in done.stderr and done.returncode == 0, done.stderr


def test_options_change_between_compilations():
    @njit(fastmath={"nsz"}, parallel=True)
    def smoothed(x):
        value = 0.0
        for i in prange(len(x)):
            value = x[i] + value / 2
        return value

    assert smoothed.targetoptions == {"nopython": True, "fastmath": {"nsz"}, "parallel": True}
    expected = smoothed.py_func(X)
    for parallel in (True, False, True):  # alone a loop that is to spread warns that it cannot
        smoothed.targetoptions["parallel"] = parallel
        smoothed.recompile()
        found = refused(smoothed, "earlier turn", X) if parallel else smoothed(X)
        assert math.isclose(found, expected)
