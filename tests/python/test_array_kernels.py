"""ElementwiseKernel, ReductionKernel and fuse."""
import numpy as np
import pytest
from random_arrays import FLOATS, Arrays, assert_same

import pykc
from pykc._arrays.c_text import translated


@pytest.mark.parametrize("round_", range(6))
def test_elementwise(round_):
    arrays = Arrays(f"elementwise {round_}")
    squared = pykc.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_difference")
    dtype = arrays.one(["i4", "i8", "u1", *FLOATS])
    x, d = arrays.pair(dtype, small=True)
    y, e = arrays.pair(dtype, x.shape[1:], small=True)
    assert_same(squared(d, e), ((x - y) * (x - y)).astype(dtype), False, 8)
    assert_same(squared(d, 2), ((x - x.dtype.type(2)) ** 2).astype(dtype), False, 8)
    out = pykc.empty_like(d)
    assert squared(d, e, out) is out
    assert_same(out, ((x - y) * (x - y)).astype(dtype), False, 8)


def test_types():
    scaled = pykc.ElementwiseKernel("float32 x, float64 y, int32 n", "float64 z, bool big", "z = x * y; big = z > n")
    x = pykc.arange(4, dtype=np.float32)
    z, big = scaled(x, 2.5, 4)
    assert_same(z, np.arange(4) * 2.5)
    assert_same(big, np.arange(4) * 2.5 > 4)
    with pytest.raises(TypeError, match="`x` is of float32"):
        scaled(x.astype(float), 1.0, 1)
    mixed = pykc.ElementwiseKernel("T x, T y", "T z", "z = x + y")
    with pytest.raises(TypeError, match="`y` is of float32"):
        mixed(x, x.astype(float))
    assert mixed(2, 3).item() == 5 and mixed(np.float32(2), 3).dtype == np.float32
    with pytest.raises(TypeError, match="nothing says"):
        pykc.ElementwiseKernel("float32 x", "S z", "z = x")(x)


def test_raw_arrays_and_indices():
    x = pykc.arange(6, dtype=np.float64)
    reverse = pykc.ElementwiseKernel("T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]")
    assert_same(reverse(x, x), np.full(6, 5.0))
    matrix = pykc.arange(6.0).reshape(2, 3).T
    places = pykc.ElementwiseKernel("T x", "T z", "z = x * 10 + i")
    assert_same(places(matrix), matrix.get() * 10 + np.arange(6).reshape(3, 2))
    assert_same(pykc.ElementwiseKernel("", "int64 z", "z = i * i")(pykc.empty(5, int)), np.arange(5) ** 2)
    scatter = pykc.ElementwiseKernel("raw T x, raw int64 to", "raw T y", "y[to[i]] = x[i]", no_return=True)
    y = pykc.zeros(6)
    assert scatter(x, pykc.array([5, 4, 3, 2, 1, 0]), y, size=6) is None
    assert_same(y, np.arange(6.0)[::-1])
    with pytest.raises(ValueError, match="size="):
        scatter(x, pykc.arange(6), y)
    added = pykc.ElementwiseKernel("T x", "T z", "z += x")
    added(x, y)
    assert_same(y, np.full(6, 5.0))


def test_statements_of_c():
    kernel = pykc.ElementwiseKernel("T x", "T z, int32 sign", """
        // halves what is large
        T half_ = x / 2, copy = half_;
        if (x > 2 && !(x >= 5)) { z = half_; sign = 1; }
        else if (x == 0) z = 7;
        else { z = -copy; sign = x < 0 ? -1 : 2; }
        sign *= 3;
    """)
    x = np.array([-4.0, 0.0, 3.0, 6.0])
    z, sign = kernel(pykc.array(x), pykc.zeros(4), pykc.zeros(4, np.int32))
    assert z.tolist() == [2.0, 7.0, 1.5, -3.0] and sign.tolist() == [-3, 0, 3, 6]


def test_operators_of_c():
    x, y = np.array([-7, 0, 7, 6], "i4"), np.array([3, 5, 0, 2], "i4")
    for text, expected in (("x && y", (x != 0) & (y != 0)), ("(x || y) + 1", ((x != 0) | (y != 0)) + 1),
                           ("-(x && 2.5)", -(x != 0).astype(int)), ("(x / 2) ^ 1", np.array([-3, 0, 3, 3]) ^ 1),
                           ("x % 4 | y / 3 << 1", np.array([-3, 0, 3, 2]) | (y // 3) * 2)):
        kernel = pykc.ElementwiseKernel("int32 x, int32 y", "int32 z", f"z = {text};")
        assert kernel(pykc.array(x), pykc.array(y)).get().tolist() == expected.tolist(), text


def test_integers_of_both_kinds():
    kernel = pykc.ElementwiseKernel("uint64 n, int64 x", "int64 row, int64 column, int64 z",
                                    "row = i / n; column = i % n; z = n % x + n / x")
    row, column, z = (one.tolist() for one in kernel(pykc.full(4, 3, np.uint64), pykc.array([1, 2, 3, 4])))
    assert (row, column, z) == ([0, 0, 0, 1], [0, 1, 2, 0], [3, 2, 1, 3])


@pytest.mark.parametrize("parameters, text, x, expected", [
    ("int32 x, int64 z", "z = x * 100000000LL;", [1, 100], [10**8, 10**10]),
    ("int32 x, int64 z", "z = 1LL << x;", [1, 40], [2, 2**40]),
    ("int32 x, int64 z", "z = x / 2u + (x > 0u);", [1, -40], [1, 2**31 - 19]),
    ("int32 x, uint64 z", "z = x * 0x9E3779B97F4A7C15ULL", [1, 3], [0x9E3779B97F4A7C15, 0xDAA66D2C7DDF743F]),
    ("int32 x, int64 z", "z = 2; z *= 010u; z <<= 1u; int x1 = 3; z += x1 > -1;", [1, 2], [33, 33]),
    ("uint32 x, int64 z", "z = x > -1;", [1, 2], [0, 0]), ("uint8 x, int64 z", "z = x > -1;", [1, 2], [1, 1]),
    ("uint32 x, int64 z", "int n = -1; z = x < n;", [1, 2], [1, 1]),
    ("bool x, int64 z", "z = ~x;", [False, True], [-1, -2]), ("uint8 x, int32 z", "z = ~x;", [0, 1], [-1, -2]),
    ("float32 x, float64 z", "z = x > -1 ? x / 2u : x * 1.5f", [1, -2], [0.5, -3])])
def test_numbers_have_the_types_of_their_endings(parameters, text, x, expected):
    inputs, output = parameters.split(", ")
    kernel = pykc.ElementwiseKernel(inputs, output, text)
    assert kernel(pykc.array(x, inputs.split()[0])).tolist() == expected
    total = pykc.ReductionKernel("int32 x", "int64 y", "x * 100000000LL", "a + b", "y = a / 2LL", "0LL", "total")
    assert total(pykc.array([1, 100], "i4")).item() == 101 * 10**8 // 2


@pytest.mark.parametrize("text, expected", [
    ("int k = 1; { int k = 2; z = k * x; } z += k;", [3.0, 5.0]),
    ("{ int k = 2; z = k * x; } { float k = 0.5f; z += k; }", [2.5, 4.5]),
    ("z = 0; for (int j = 0; j < 2; j++) z += j; for (float j = 0; j < 1; j += 0.5f) z += j;", [1.5, 1.5]),
    ("z = 0; { float x = 0.5; z += x; } z += x;", [1.5, 2.5]),
    ("int k_ = 9; { int k = 1; z = k; } float k = 0.25f; z += k + k_;", [10.25, 10.25]),
    ("z = 0; for (int j = 0; j < 2; j++) { float j = 0.5f; z += j; }", [1.0, 1.0]),
    ("switch (1) { case 0: { int k = 1; z = k; break; } case 1: { float k = 0.5f; z = k; break; } }", [0.5, 0.5]),
    ("int k[2] = {1, 2}; if (x > 0) { float k[1] = {0.5f}; z = k[0]; } z += k[1];", [2.5, 2.5])])
def test_blocks_of_c_have_names_of_their_own(text, expected):
    assert pykc.ElementwiseKernel("float32 x", "float32 z", text)(pykc.array([1, 2], "f4")).tolist() == expected
    around = pykc.ElementwiseKernel("float32 x", "float32 z", text, loop_prep="float c = 1; { int c = 2; }",
                                    after_loop="int c_ = c;")
    assert around(pykc.array([1, 2], "f4")).tolist() == expected


def test_loops_of_c():
    x = np.array([1, 2, 3, 7, 27])
    kernel = pykc.ElementwiseKernel("int64 x", "int32 steps, int64 odd", """
        steps = 0; odd = 0;
        for (long long v = x; v != 1; ++steps) {
            if (v % 2 == 0) { v /= 2; continue; }
            v = 3 * v + 1;
            odd += 1;
            for (int k = 0, j = 3; ; k++, --j) { if (k >= j) break; odd += 100 * k; }
        }
        for (int k = 0; k < 2; k++);
        while (odd > 1000) odd -= 1000;
    """)
    steps, odd = kernel(pykc.array(x), pykc.zeros(5, np.int32), pykc.zeros(5, np.int64))
    assert steps.tolist() == [0, 1, 7, 16, 111] and odd.tolist() == [0, 0, 202, 505, 141]
    rows = pykc.ElementwiseKernel("raw T x, int32 n", "T z", "z = 0; for (int k = 0; k < n; k++) z += x[i * n + k]")
    matrix = np.arange(6.0).reshape(2, 3)
    assert rows(pykc.array(matrix), 3, pykc.zeros(2)).tolist() == [3.0, 12.0]
    assert rows(pykc.array(matrix).T, 2, pykc.zeros(3)).tolist() == [3.0, 5.0, 7.0]
    doubled = pykc.zeros((3, 2)).T
    pykc.ElementwiseKernel("T x", "raw T z", "z[i] = 2 * x", no_return=True)(pykc.array(matrix), doubled)
    assert_same(doubled, 2 * matrix)


def test_atomic_operations_of_c():
    count = pykc.ElementwiseKernel("int32 bin, T weight", "raw T counts, raw int32 largest", """
        #pragma unroll
        for (int k = 0; k < 2; k++) atomicAdd(&counts[bin], weight);
        if (bin > 0) atomicMax(&largest[0], bin);
    """, no_return=True)
    counts, largest = pykc.zeros((2, 2)).T, pykc.zeros(1, np.int32)
    count(pykc.array([0, 3, 1, 3], np.int32), pykc.array([1.0, 2, 3, 4]), counts, largest)
    assert counts.tolist() == [[2, 6], [0, 12]] and largest.item() == 3


@pytest.mark.parametrize("c, expected", [
    ("a / b", lambda a, b: np.trunc(a / b)), ("a % b", np.fmod), ("a / 2.0 + b", lambda a, b: a / 2 + b),
    ("a < b ? a : b > 3 ? 3 : b", lambda a, b: np.where(a < b, a, np.where(b > 3, 3, b))),
    ("(double)a / b", lambda a, b: a / b), ("static_cast<float>(a) * 0.5f", lambda a, b: a * 0.5),
    ("min(a, b) + max(a, b) * abs(a)", lambda a, b: np.minimum(a, b) + np.maximum(a, b) * abs(a)),
    ("sqrt(fabs((double)a)) + pow((double)b, 2)", lambda a, b: np.sqrt(abs(a)) + b ** 2.0),
    ("a - b - -a", lambda a, b: a - b + a), ("a & 3 | b << 1 ^ ~a", lambda a, b: a & 3 | b << 1 ^ ~a),
    ("a & 1 == 1", lambda a, b: a & 1), ("0x1F & a", lambda a, b: 31 & a), ("a * 1e-1", lambda a, b: a * 0.1),
    ("!(a > 0) || b != 2 ? 1 : 0", lambda a, b: ((a <= 0) | (b != 2)) * 1.0),
    ("round(a / 4.0)", lambda a, b: np.copysign(np.floor(abs(a / 4) + 0.5), a))])
def test_expressions_of_c(c, expected):
    random = Arrays(c).random
    a, b = random.integers(-50, 50, 100), random.choice([-7, -2, 1, 2, 3, 9], 100)
    kernel = pykc.ElementwiseKernel("int64 a, int64 b", "float64 z", f"z = {c}")
    np.testing.assert_allclose(kernel(pykc.array(a), pykc.array(b)).get(), expected(a, b).astype(float), rtol=1e-6)


@pytest.mark.parametrize("body, said", [
    ("z = *x", r"`\*x`.*it is no pointer"), ("z = &x", "`&` before a value"),
    ("T* p = &x; z = p[0]", "the pointer `p`"), ("T& r = z; r = x", "a reference"), ("goto end;", "`goto`"),
    ("switch (1) { case 1: z = x; case 2: z = 2; }", "goes on in the next"),
    ("switch (1) { case 1: if (x) break; z = 2; }", "`break`"), ("z = x ** 2", r"pow\(x, y\)"),
    ("for (int i = 0; i < 3; i++) z += x;", "the index of the element"), ("z = x; break;", "`break`"),
    ("atomicAdd(z, x)", "name an element of an array"), ("z = _ind.get()[x]", "`_ind.get"),
    ("w = x", "declare it"), ("z = y", "no parameter"), ("z = foo(x)", "the function `foo`"), ("z = x.real", r"`\.`"),
    ("z = (x", "belongs"), ("x", "does nothing"), ("z = x $ 2", r"`\$ 2`")])
def test_what_bodies_lack_is_said_at_once(body, said):
    with pytest.raises(NotImplementedError, match=said):
        pykc.ElementwiseKernel("T x", "T z", body)


@pytest.mark.parametrize("options, said", [(("-DN=3",), "-DN=3"), (("--maxrregcount=8",), "there are -std=")])
def test_options_that_mean_something_else_are_refused(options, said):
    with pytest.raises(NotImplementedError, match=said):
        pykc.ElementwiseKernel("T x", "T z", "z = x", options=options)


def test_texts_around_the_elements():
    window = pykc.ElementwiseKernel("", "float64 w", """
        const double fac { abs( start + delta * ( i - 1 ) ) };
        if ( i != 0 && i != ( _ind.size() - 1 ) ) {
            w = ( 1.0 - fac ) * cos( M_PI * fac ) + 1.0 / M_PI * sin( M_PI * fac );
        } else { w = 0.0; }""", options=("-std=c++11", "--fmad=false"),
        loop_prep="const double delta { 2.0 / ( _ind.size() - 1 ) }; const double start { -1.0 + delta };")
    fac = abs(np.linspace(-1, 1, 51)[1:-1])
    expected = np.r_[0, (1 - fac) * np.cos(np.pi * fac) + np.sin(np.pi * fac) / np.pi, 0]
    np.testing.assert_allclose(window(pykc.empty(51)).get(), expected, atol=1e-15)
    added = pykc.ElementwiseKernel("T x", "raw T total", """
        part = 100; if (x < 0) continue; if (x > 9) return; part = x;
        """, loop_prep="T part {};", after_loop="atomicAdd(&total[0], part);", no_return=True)
    total = pykc.zeros(1)
    added(pykc.array([1.0, -2, 3, 10]), total)
    assert total.item() == 104  # 100 for -2, and nothing for 10


def test_an_element_is_done_early():
    kernel = pykc.ElementwiseKernel("T x", "T z", """
        z = 1;
        if (x < 0 or not (x == x)) { z = -1; continue; }
        for (int k = 0; k < 9; k++) { if (k == x) return; z += k; }
        do { z *= 2; if (z > 50) continue; z += 1; } while (z < 100);
    """)
    assert kernel(pykc.array([-3.0, 3, 0, 99])).tolist() == [-1, 4, 1, 148]
    found = pykc.zeros((2, 2)) + 7
    pykc.ElementwiseKernel("T x", "T z", "if (x > 1 and x < 3) return; z = x")(pykc.arange(4.0).reshape(2, 2), found)
    assert found.tolist() == [[0, 1], [7, 3]]


def test_switch_of_c():
    kernel = pykc.ElementwiseKernel("T x, int32 how", "T z", """
        for (int k = 0; k < 3; k++) {
            switch (how + k) {
                case 0: z = x; break;
                default: { z = -1; break; }
                case 1: case 2: { T y = 2 * x; z = y; } break;
                case 'a': z = 'b'; continue;
                case 98: return;
                case 3: z += 1;
            }
            z += 100;
        }
    """)
    how = np.array([0, 1, 3, 97], np.int32)
    assert kernel(pykc.array([1.0, 2, 3, 4]), pykc.array(how), pykc.zeros(4)).tolist() == [102, 205, 99, 98]
    only = pykc.ElementwiseKernel("int32 x", "int32 z", "switch (x) { default: z = 7; }")
    assert only(pykc.array([1], np.int32)).tolist() == [7]


def test_declarations_of_c():
    kernel = pykc.ElementwiseKernel("T x, T in, raw T size", "T z, T lambda", """
        T a {}; T b {x}; const T& c = size[1]; T list[3] = {1, x}; T plain[2]; double d = {0.5};
        plain[0] = list[0] + list[1] + list[2]; plain[1] = in;
        z = a + b + c * plain[0] + 10 * plain[1];
        lambda = d * size.size() + ('a' - 'A') + (T)M_SQRT2 * 0;
    """)
    z, other = kernel(pykc.array([1.0, 2]), 3.0, pykc.array([5.0, 7]))
    assert z.tolist() == [1 + 7 * 2 + 30, 2 + 7 * 3 + 30] and other.tolist() == [33, 33]
    s, c = pykc.ElementwiseKernel("T x", "T s, T c", "sincos(x, &s, &c)")(pykc.array([0.5]))
    assert (s.item(), c.item()) == pytest.approx((np.sin(0.5), np.cos(0.5)))


def test_complex_numbers_of_c():
    x = np.array([0.5 + 1j, -1 + 2j])
    for type_ in ("complex64", "complex128"):
        d = pykc.array(x.astype(type_))
        for c, expected in (("exp(x)", np.exp(x)), ("conj(x) * thrust::conj(x)", np.conj(x) ** 2),
                            ("pow(x, 2)", x ** 2), ("sqrt(x) / C(2, -1)", np.sqrt(x) / (2 - 1j)),
                            ("x.imag() + 2 * x.real()", x.imag + 2 * x.real), ("arg(x)", np.angle(x)),
                            ("C(x.imag(), x.real())", x.imag + 1j * x.real),
                            ("x * thrust::complex<double>(0, 1)", x * 1j), ("complex<float>(1, 2)", 1 + 2j + 0 * x),
                            ("(x + 1).real() * norm(x)", (x + 1).real * abs(x) ** 2),
                            ("polar(2.0, 1.0)", 2 * np.exp(1j) + 0 * x)):
            made = pykc.ElementwiseKernel("C x", "C z", f"C j(0., -1.); z = {c}; z = z * j;")(d).get()
            np.testing.assert_allclose(made, expected * -1j, rtol=1e-5, atol=1e-6), c
    parts = pykc.ElementwiseKernel("C x", "float64 re, float64 size", "re = x.real(); size = log(abs(x));")
    np.testing.assert_allclose(parts(pykc.array(x))[1].get(), np.log(abs(x)))
    made = pykc.zeros(2, np.complex64)
    pykc.ElementwiseKernel("C x", "raw Z z", "z[i].real(x.imag()); z[i].imag(3);")(pykc.array(x), made)
    assert made.tolist() == [1 + 3j, 2 + 3j]


def test_elements_of_raw_arrays_at_the_place_of_the_loop():
    kernel = pykc.ElementwiseKernel("T x, raw T y", "T z, raw T w", "z = x + y[_ind.get()]; w[_ind.get()] = z;")
    x, y = pykc.arange(6).reshape(2, 3), 10 * pykc.arange(6).reshape(3, 2).T
    z, w = kernel(x, y)
    assert z.tolist() == w.tolist() == (x + y).tolist()
    with pytest.raises(ValueError, match=r"of an array of the shape \(2, 3\), not \(3, 2\)"):
        kernel(x, y.T)


def test_arrays_of_indices():
    x = np.arange(12.0).reshape(3, 4)
    pick = pykc.ElementwiseKernel("S t, raw T x", "T z", "int ind[] = {i, t}; z = x[ind] + x.size();", "pick")
    for given in (x, np.asfortranarray(x), x[::-1]):
        assert pick(pykc.array([3, 0, 1]), pykc.array(given)).tolist() == (given[[0, 1, 2], [3, 0, 1]] + 12).tolist()
    with pytest.raises(ValueError, match="`x` is indexed along 2 axes, and has 1"):
        pick(pykc.array([0]), pykc.arange(3.0))
    sums = pykc.ElementwiseKernel("T x, int32 width", "raw T total, raw T copy", """
        const ptrdiff_t row[2] = {i / width, 0}; long place[] = {0, i % width, i / width};
        atomicAdd(&total[row], x); copy[place] = x;
    """, "sums")
    total, copy = pykc.zeros((1, 3)).T, pykc.zeros((1, 4, 3))
    sums(pykc.array(x), 4, total, copy)
    assert total.tolist() == x.sum(1)[:, None].tolist() and copy.tolist() == [x.T.tolist()]
    with pytest.raises(NotImplementedError, match=r"`x\[i\]`, which is indexed in another way"):
        pykc.ElementwiseKernel("raw T x", "T z", "int ind[] = {i, i}; z = x[ind] + x[i];")


def test_templates_of_preambles():
    preamble = """
        template <typename T> __device__ T square(const T& x) { return x * x; }
        template <class T, class N> __device__ __forceinline__
        T horner(T x, N n, T c) {
            T sum = 0; T parts[2] = {1, 2}; N two(2);
            for (int k = 0; k < n; ++k) { T next = sum * x + parts[k % two]; sum = next + (T)c / static_cast<T>(2); }
            return sum;
        }
        __device__ double half_of(double x) { return x / 2; }
    """
    x = np.array([2, -3])
    for type_ in ("i4", "f4", "f8", "c8", "c16"):
        made = pykc.ElementwiseKernel("T x", "T z", "z = square(x)", preamble=preamble)(pykc.array(x.astype(type_)))
        assert made.tolist() == [4, 9] and made.dtype == type_
    expected = ((x * 0 + 1 + 0.5) * x + 2 + 0.5) * x + 1 + 0.5
    for type_ in ("f4", "f8"):
        kernel = pykc.ElementwiseKernel("T x, T c", "T z", "z = horner(x, 3, c) + half_of(x)", preamble=preamble)
        assert kernel(pykc.array(x.astype(type_)), 1).tolist() == (expected + x / 2).tolist()
    total = pykc.ReductionKernel("T x", "T z", "square(x)", "a + b", "z = a", "0", preamble=preamble)
    assert total(pykc.array(x)).item() == 13
    for text, said in (("template <int N> __device__ int f(int x) { return N; }", "template of numbers"),
                       ("template <typename T> __device__ T f(int x) { return x; }", "which no parameter has"),
                       ("__device__ int f(int* x) { return x[0]; }", "`x`, which is no pointer"),
                       ("__device__ int* f(int x) { return x; }", "returns a pointer"),
                       ("__device__ int f(int& x) { return x; }", "assigns a reference"),
                       ("__device__ void f(int x) { x = 1; }", "returns nothing")):
        with pytest.raises(NotImplementedError, match=said):
            pykc.ElementwiseKernel("int32 x", "int32 z", "z = f(x)", preamble=text)


def test_pointers_of_c():
    preamble = """
        template <typename T> __device__ T before(const T* __restrict__ p) { return 10 * p[-1] + *p; }
        template <typename T> __device__ void store(T* p, T value) { p[1] = value; *p += 1; }
        __device__ int lower(const double* a, int n, double v) {
            int low = 0, high = n;
            while (low < high) {
                int middle = (low + high) / 2;
                if (a[middle] < v) low = middle + 1; else high = middle;
            }
            return low;
        }
    """
    x = np.arange(6.0)
    device = pykc.array(x)
    differences = pykc.ElementwiseKernel("raw T x", "T z", "z = i > 0 ? before(&x[i]) : before(x + 1);",
                                         preamble=preamble)
    assert differences(device, size=6).tolist() == [1.0, *(10 * x[:-1] + x[1:])]
    total = pykc.ElementwiseKernel("raw T x, int32 n", "T z", """
        const T* p = x + 1; T sum = 0;
        for (int k = 1; k < n; ++k, ++p) sum += *p;
        auto q = &x[2]; q += 1;
        T own[2] = {7, 8};
        z = sum + *(q + 1) + before(own + 1);""", preamble=preamble)
    assert total(device, 6, size=2).tolist() == [15 + 4 + 78] * 2
    stored = pykc.zeros(12)
    store = pykc.ElementwiseKernel("T x", "raw T z", "store(&z[2 * i], x); *(z + 2 * i) *= 2;", preamble=preamble)
    store(device, stored)
    assert stored.tolist() == [value for k in range(6) for value in (2, k)]
    places = pykc.ElementwiseKernel("T x, raw T bins", "int32 z", "z = lower(&bins[0], bins.size(), x);",
                                    preamble=preamble)
    assert places(pykc.array([0.5, 3, 9]), pykc.arange(1.0, 5)).tolist() == [0, 2, 4]


def test_references_of_c():
    preamble = """
        template <typename T> __device__ void order(T& a, T& b) { if (a <= b) return; T t = a; a = b; b = t; }
        __device__ void step(float& value, int &count, const float& by) { value += by; count *= 2; }
    """
    x = np.array([3, 1, 2], np.float32)
    low, high = pykc.ElementwiseKernel("T x, T y", "T low, T high", "low = x; high = y; order(low, high);",
                                       preamble=preamble)(pykc.array(x), 2)
    assert low.tolist() == [2, 1, 2] and high.tolist() == [3, 2, 2]
    stepped = pykc.ElementwiseKernel("T x", "T z", "T d[2] = {1, 2}; int n = 3; step(d[1], n, x); z = d[1] + n;",
                                     preamble=preamble)
    assert stepped(pykc.array(x)).tolist() == [11, 9, 10]


def test_comparing_atomic_operations_of_c():
    largest, counts = pykc.zeros(1, np.int32), pykc.zeros(2, np.uint32)
    pykc.ElementwiseKernel("T x", "raw int32 largest, raw uint32 counts", """
        int old = largest[0], assumed;
        do { assumed = old; old = atomicCAS(&largest[0], assumed, max(assumed, (int)x)); } while (old != assumed);
        atomicInc(&counts[0], 3);
        atomicDec(counts + 1, 10);""", no_return=True)(pykc.arange(6), largest, counts)
    assert largest.item() == 5 and counts.tolist() == [2, 5]


def test_macros_with_parameters():
    preamble = """
        #define HALF 1.0 / 2  // of one
        #define SQUARE(x) ((x) * (x))
        #define MIX(a, b, t) (SQUARE(a) * (1 - (t)) \\
                              + (b) * (t))
        #define THREE() 3
        __device__ double cube(double x) { return SQUARE(x) * x; }
    """
    x = np.array([1.0, 2.0])
    kernel = pykc.ElementwiseKernel("T x", "T z", "z = MIX(x + 1, max(x, SQUARE(SQUARE(x))), HALF) + cube(x) * THREE()",
                                    preamble=preamble)
    assert kernel(pykc.array(x)).tolist() == ((x + 1) ** 2 / 2 + x ** 4 / 2 + 3 * x ** 3).tolist()


def test_steps_behind_a_statement():
    kernel = pykc.ElementwiseKernel("raw T x, int32 n", "T z", """
        T kept[4]; int k = 0, from = 2;
        for (int j = 0; j < n; ++j) if (x[j] > 1) kept[k++] = x[j];
        T next = x[from--] * 100, other = from;
        z = kept[0] + 10 * kept[1] + next + 1000 * k + 10000 * other;
    """)
    assert kernel(pykc.array([1.0, 3, 2]), 3, pykc.empty(1)).tolist() == [3 + 20 + 200 + 2000 + 10000]
    for body in ("int k = 0; z = x > 1 ? k++ : 0", "int k = 0; z = x > 1 && k++", "int k = 0; z = k++ + k++",
                 "int k = 0; while (k++ < 3) z = k"):
        with pytest.raises(NotImplementedError):
            pykc.ElementwiseKernel("T x", "T z", body)


def test_arrays_of_several_axes_and_names_of_types():
    kernel = pykc.ElementwiseKernel("int32 k", "float64 z", """
        typedef double real;
        const float weights[2][3] = {{1, 2, 3}, {4}}; real sums[2][2];
        for (int j = 0; j < 2; ++j) { sums[j][0] = j; sums[j][1] = weights[k][j] * 10; sums[j][1] += weights[1][2]; }
        real all = sums[0][1] + sums[1][1] + sums[1][0];
        z = all;
    """)
    assert kernel(pykc.array([0, 1], np.int32)).tolist() == [31, 41]
    for body, said in (("int a[2][2] = {1, 2}; z = a[0][0]", "braces"), ("int a[2] = {1, 2, 3}; z = a[0]", "too small"),
                       ("int a[] = {{1}, {2}}; z = a[0]", "braces"), ('printf("%f", x)', "a call of `printf`")):
        with pytest.raises(NotImplementedError, match=said):
            pykc.ElementwiseKernel("T x", "T z", body)


def test_functions_and_constants_of_cuda():
    x = np.array([0.25, 0.75])
    for c, expected in (("erf(erfinv(x))", x), ("erfc(erfcinvf(x))", x), ("normcdf(normcdfinv(x))", x),
                        ("rcbrt(x)", x ** (-1 / 3)), ("norm3d(x, x, x)", 3 ** 0.5 * x), ("sinpi(x)", np.sin(np.pi * x)),
                        ("x < DBL_MAX ? INT_MAX + FLT_EPSILON * 0 + INT_MIN : 0", -1 + 0 * x),
                        ("__int_as_float(__float_as_int((float)x))", x), ("__fdividef(x, 2.0f) + __saturatef(3.0f)",
                                                                         x / 2 + 1), ("__dmul_rn(x, x)", x * x),
                        ("x < CUDART_INF && -CUDART_INF_F < x ? CUDART_PI : 0", np.pi + 0 * x)):
        kernel = pykc.ElementwiseKernel("T x", "T z", f"z = {c}")
        np.testing.assert_allclose(kernel(pykc.array(x)).get(), expected, rtol=1e-12)
    least = pykc.ReductionKernel("T x", "T z", "x", "min(a, b)", "z = a", "CUDART_INF_F")
    assert least(pykc.array(x)).item() == 0.25


def test_indices_of_the_axes():
    x = np.arange(12.0).reshape(3, 4)
    lower = pykc.ElementwiseKernel("T x, int64 k", "T z", "z = (_ind.get()[1] - _ind.get()[0] <= k) ? x : 0",
                                   reduce_dims=False)
    assert_same(lower(pykc.array(x), 0), np.tril(x))
    last = pykc.ElementwiseKernel("T x", "int32 z", "z = _ind.get()[_ind.ndim - 1] + 10 * _ind.ndim")
    assert last(pykc.array(x)).get()[2].tolist() == [20, 21, 22, 23]
    with pytest.raises(NotImplementedError, match="the axis 1 of an index of 1"):
        lower(pykc.arange(3), 0)


def test_bits_of_c():
    x = np.array([0, 1, 0xF0, 2 ** 31], "u4")
    bits = pykc.ElementwiseKernel("uint32 x", "int32 a, int32 b, int32 c, uint32 d",
                                  "a = __popc(x); b = __clz(x); c = __ffs(x); d = __brev(x)")
    a, b, c, d = (one.tolist() for one in bits(pykc.array(x)))
    assert (a, b, c, d) == ([0, 1, 4, 1], [32, 31, 24, 0], [0, 1, 5, 32], [0, 2 ** 31, 0x0F000000, 1])
    wide = pykc.ElementwiseKernel("int64 x", "int32 z", "z = __popcll(x) + 100 * __clzll(x)")
    assert wide(pykc.array([-1, 1])).tolist() == [64, 6301]


def test_constants_of_c():
    kernel = pykc.ElementwiseKernel("T x", "T z",
                                    'z = x == 0 ? NAN : x == 1 ? -INFINITY : x == 2 ? nan("0xff") : M_PI_2')
    np.testing.assert_array_equal(kernel(pykc.arange(4.0)).get(), [np.nan, -np.inf, np.nan, np.pi / 2])
    assert kernel(pykc.arange(4, dtype=np.float32)).dtype == np.float32


def test_old_values_of_atomic_operations():
    places = pykc.ElementwiseKernel("T x", "raw int32 count, raw T found",
                                    "if (x > 2) { int k = atomicAdd(&count[0], 1); found[k] = x; }", no_return=True)
    count, found = pykc.zeros(1, np.int32), pykc.zeros(6)
    places(pykc.array([1.0, 5, 2, 3, 4]), count, found)
    assert count.item() == 3 and sorted(found.tolist()[:3]) == [3, 4, 5]


def test_translation_keeps_the_meaning_of_c():
    text = translated("T d = a ? b : -c; z -= d / 2u;", {"T": "f32"}, {"a", "b", "c", "z"}, {}).text
    assert text == "d: f32 = (b if a else (-c))\nz = c_difference(z, c_quotient(d, u32(2)))"


def test_preamble_and_mistakes():
    kernel = pykc.ElementwiseKernel("T x", "T z", "z = cube(x) + 1", preamble="def cube(x):\n    return x * x * x\n")
    assert kernel(pykc.array([2.0])).tolist() == [9.0]
    for text in ("template <int N> __device__ int f(int x) { return N; }", "#define N 3", "__device__ void f() { }",
                 "__device__ float f(float* x) { return *x; }", "__device__ float f(float x) { continue; }"):
        with pytest.raises(NotImplementedError):
            pykc.ElementwiseKernel("T x", "T z", "z = f(x)", preamble=text)
    with pytest.raises(ValueError, match="is no parameter"):
        pykc.ElementwiseKernel("float32", "T z", "z = 1")
    with pytest.raises(TypeError, match="takes 1 or 2 arguments"):
        kernel()
    with pytest.raises(ValueError, match="of the shape"):
        kernel(pykc.zeros(3), pykc.zeros(4))


def test_functions_of_c():
    preamble = """
        __device__ int half_of(int n) { return n / 2; }  // cuts off
        inline __host__ __device__ T power(const T x, int n) {
            T y {1};
            for (int i = 0; i < n; i++) y *= x;
            if (n < 0) { return -1; } else { return y; }
        }
        static __device__ T both(T x, T lambda) { return power(x, half_of(lambda)); }
    """
    x = np.array([1.5, 2.5, -2])
    for body, y, of_negative in (("z = both(x, y)", 6.9, -1), ("z = 0; if (y > 0) z = both(x, y);", 7, 0)):
        kernel = pykc.ElementwiseKernel("T x, T y", "T z", body, preamble=preamble)
        assert_same(kernel(pykc.array(x), y), x ** 3)
        assert kernel(pykc.array([2, 3]), 4).tolist() == [4, 9]
        assert kernel(pykc.array([2, 3]), -4).tolist() == [of_negative] * 2
    total = pykc.ReductionKernel("T x", "T y", "power(x, 2)", "a + b", "y = a", "0", preamble=preamble)
    assert total(pykc.array([2, 3])).item() == 13 and total(pykc.array(x)).item() == (x * x).sum()


@pytest.mark.parametrize("round_", range(4))
def test_reduction(round_):
    arrays = Arrays(f"reduction {round_}")
    norm = pykc.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
    x, d = arrays.pair("f8", arrays.shape(1, 3), small=True)
    axis = int(arrays.random.integers(-x.ndim, x.ndim))
    assert_same(norm(d), np.sqrt((x * x).sum()), False, x.size)
    assert_same(norm(d, axis=axis, keepdims=True), np.sqrt((x * x).sum(axis, keepdims=True)), False, x.size)
    out = pykc.empty(np.sum(x, axis).shape)
    assert norm(d, out, axis=axis) is out
    dot = pykc.ReductionKernel("T x, T y", "float64 z", "x * y", "a + b", "z = a", "0", reduce_type="double")
    y, e = arrays.pair("f8", x.shape, small=True)
    assert_same(dot(d, e), (x * y).sum(), False, 64 * x.size)
    largest = pykc.ReductionKernel("int32 x", "int32 y", "x > 3 ? x : 0", "max(a, b)", "y = a", "0")
    assert int(largest(pykc.array([1, 5, 2], np.int32))) == 5
    with pytest.raises(NotImplementedError, match="assigns `y`"):
        pykc.ReductionKernel("T x", "T y", "x", "a + b", "a", "0")


# --- fuse -------------------------------------------------------------------------------------------------------------


def python_function(x, y):
    module = pykc if isinstance(x, pykc.ndarray) or hasattr(x, "_trace") else np
    z = x * 2 - y
    z = z + module.sqrt(abs(z))
    z *= 2
    return module.where(z > 3, z, module.maximum(x, y) ** 2)


@pytest.mark.parametrize("round_", range(8))
def test_fuse(round_):
    arrays = Arrays(f"fuse {round_}")
    fused = pykc.fuse()(python_function)
    dtype = arrays.one(["i4", "u1", "f4", "f8"])
    x, d = arrays.pair(dtype, small=True)
    y, e = arrays.pair(arrays.one([dtype, "f8"]), x.shape[1:], small=True)
    with np.errstate(all="ignore"):
        assert_same(fused(d, e), python_function(x, y), False, 64)
        assert_same(fused(d, 1.5), python_function(x, 1.5), False, 64)
    assert (fused(x, 1.0) == python_function(x, 1.0)).all()  # NumPy's arrays stay there


def test_fuse_is_one_kernel_that_may_end_in_a_reduction():
    @pykc.fuse
    def distance(x, y):
        return pykc.sum((x - y) * (x - y), axis=-1)

    @pykc.fuse(kernel_name="moved")
    def moved(x, v):
        x += v
        return x, pykc.sin(x), v

    x, y = np.arange(6.0).reshape(2, 3), np.ones(3)
    d, e = pykc.array(x), pykc.array(y)
    assert_same(distance(d, e), ((x - y) ** 2).sum(-1))
    with pytest.raises(TypeError, match="same_kind"):
        moved(pykc.arange(3), 0.5)
    same, sines, unchanged = moved(d, e)
    assert same is d
    assert_same(d, x + y)
    assert_same(sines, np.sin(x + y), False)
    assert unchanged is e
    assert len(distance._made) == 1 and distance.__name__ == "distance"


def assigned(x, y):
    x[:] = y
    x[...] = x + pykc.nan
    return x


def updated(x, y):
    x += y
    y += x
    x += y


def updated_by_the_last(x, y, z):
    x += z
    x += z


def kept(x, y):
    before = x.copy()
    x += y
    return before, x


def to_scalar(x, y):
    x += y
    return x


def is_reduced(x, y):
    total = (x * y).sum()
    return x if total == 0 else y if total else None


UNFUSED = [
    assigned, updated, kept, to_scalar, is_reduced, lambda x, y: x[0], lambda x, y: x[:, None] * y[None],
    lambda x, y: x.sum() + y, lambda x, y: x.sum(0, keepdims=True) * x.ndim / x.shape[0], lambda x, y: x.T + x.size,
    lambda x, y: None, lambda x, y: (), lambda x, y: (x,), lambda x, y: [x + y, y], lambda x, y: (x.sum(0), y.sum(1)),
    lambda x, y: (x.sum(1),), lambda x, y: x.cumsum() + pykc.arange(9), lambda x, y: pykc.around(x / 3, 1),
    lambda x, y: pykc.angle(x) + pykc.sinc(y), lambda x, y: pykc.copyto(x, y), lambda x, y: pykc.nansum(x + y, 0),
    lambda x, y: pykc.add(x, y, y), lambda x, y: pykc.add(x, y, out=(x,)), lambda x, y: x.sum(0, dtype="f4"),
    lambda x, y: x.astype(float, copy=False) + 1, lambda x, y: x + y if len(x) > 2 and bool((x > 0).any()) else y,
    lambda x, y: y, lambda x, y: {"a": x + y}, lambda x, y: x.sum(-2), lambda x, y: x.max((0, 1)),
]


@pytest.mark.parametrize("function", UNFUSED)
def test_what_is_not_fused_is_called(function):
    def arguments():
        x = pykc.arange(9.0).reshape(3, 3)
        return [x, x[::-1] * 2]
    expected_arguments, found_arguments = arguments(), arguments()
    fused = pykc.fuse(function)
    for _ in range(2):
        expected, found = function(*expected_arguments), fused(*found_arguments)
        for one, other in zip((expected_arguments, expected), (found_arguments, found)):
            assert type(one) is type(other) and str(one) == str(other)


def test_arrays_that_share_memory_are_not_fused():
    for function, count in ((updated, 2), (updated_by_the_last, 3)):
        for views in (lambda x: (x, x, x), lambda x: (x, x.T, x.T), lambda x: (x, x[::-1], x[:1]),
                      lambda x: (x[:2], x[1:], x[1:])):
            expected, found = np.arange(9).reshape(3, 3), pykc.arange(9).reshape(3, 3)
            function(*views(expected)[:count])
            pykc.fuse(function)(*views(found)[:count])
            assert_same(found, expected)
    x = pykc.arange(4)
    pykc.fuse(updated)(x, x)
    assert x.tolist() == [0, 8, 16, 24]


def test_shapes_of_fused_functions():
    fused, x, y = pykc.fuse(lambda x, y: (x + 1, y * 2)), pykc.ones((2, 1)), pykc.ones(3)
    assert [one.shape for one in fused(x, y)] == [(2, 1), (3,)]
    assert [one.shape for one in fused(x, x)] == [(2, 1), (2, 1)]
    assert pykc.fuse(lambda x, y: (x + y, x)[1].sum())(x, y).item() == 2
    with pytest.raises(ValueError, match="broadcast"):
        pykc.fuse(to_scalar)(x, y)
    with pytest.raises(ValueError, match="broadcast"):
        pykc.fuse(lambda x, y: x + y)(pykc.ones(2), y)


def test_arguments_of_fused_functions():
    @pykc.fuse()
    def added(x, y, z=None, how="+"):
        if z is None:
            return x - y if how == "-" else x + y
        return x + y + z

    x = pykc.arange(3.0)
    assert added(x, 1).tolist() == added(x, 1, None).tolist() == added(x, 1, how="+").tolist() == [1, 2, 3]
    assert added(x, 1, how="-").tolist() == added(x, 1, None, "-").tolist() == [-1, 0, 1]
    assert added(x, x, x).tolist() == [0, 3, 6] and added(x, x, None).tolist() == [0, 2, 4]
    in_place = pykc.fuse(to_scalar)
    for number in (3, 3.0, True, np.float64(3), np.int8(3), np.bool_(True)):
        assert_same(in_place(number, x), number + x.get())
        assert_same(pykc.fuse(lambda number, x: number * 2 + x)(number, x), number * 2 + x.get())
    assert in_place(x, np.float32(3)) is x and x.tolist() == [3, 4, 5]
    assert pykc.fuse(lambda x, y: -y)(x, 2) == -2
    in_place.clear_cache()
    assert in_place(x, 1).tolist() == [4, 5, 6]


def test_functions_say_themselves_what_is_wrong():
    for function, error in ((lambda x: x if x > 0 else -x, ValueError), (lambda x: x.sum(3), np.exceptions.AxisError),
                            (lambda x: x.unknown, AttributeError)):
        with pytest.raises(error):
            pykc.fuse(function)(pykc.arange(3.0))


@pytest.mark.parametrize("text, preamble, expected", [
    ("int const c = 2; z = c * x;", "", [2.0, 4.0]), ("const float w[] = {1, 2.5f}; z = w[1] + x;", "", [3.5, 4.5]),
    ("signed char c = -5; z = c + (signed char)x;", "", [-4.0, -3.0]),
    ("z = x / sizeof(int) + sizeof(double);", "", [8.25, 8.5]),
    ("z = K * x + LARGE;", "#define K 3\n#define LARGE (K + 10) // much", [16.0, 19.0]),
    ("z = f(x) / K;", "#define K 2\n__device__ float f(float x) { return x + K; }", [1.5, 2.0]),
    ("z = f(x);", "# define K 3\ndef f(x):\n    return x + 1\n", [2.0, 3.0])])
def test_words_of_c(text, preamble, expected):
    kernel = pykc.ElementwiseKernel("float32 x", "float32 z", text, preamble=preamble)
    assert kernel(pykc.array([1, 2], "f4")).tolist() == expected


def test_macros_of_reductions():
    total = pykc.ReductionKernel("float32 x", "float32 y", "x * K", "a + b", "y = a / K", "0", preamble="#define K 4")
    assert total(pykc.array([1, 2], "f4")).item() == 3
    for text in ("float w[]; z = x;", "z = sizeof(x);"):
        with pytest.raises(NotImplementedError):
            pykc.ElementwiseKernel("float32 x", "float32 z", text)
