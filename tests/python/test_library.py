"""The library's kernels (stdlib/*.pyk) beside NumPy in f64: random sizes, types and strides, values of all sizes, NaNs
and infinities; and wrong arguments."""
import numpy as np
import pytest
from random_arrays import FLOATS, INTS, REAL, Arrays

import pykc
from pykc import cuda
from pykc.activations import gelu, gelu_tanh, silu
from pykc.attention import attention
from pykc.attention_backward import attention_backward
from pykc.convolve import convolve2d
from pykc.fft import fft, ifft
from pykc.gemm import gemm, gemm_grouped
from pykc.gemv import gemv
from pykc.histogram import histogram
from pykc.matmul import matmul
from pykc.norms import layer_norm, rms_norm
from pykc.quantize import dequantize, quantize, quantize_blocks
from pykc.reduce import add, maximum, minimum, reduce_all
from pykc.rope import rope
from pykc.scan import scan
from pykc.segmented import segmented_reduce, spmv
from pykc.select import run_length, select, select_if, unique
from pykc.softmax import cross_entropy, softmax
from pykc.sort import sort, sort_pairs
from pykc.top_k import top_k
from pykc.transpose import transpose

pytestmark = pytest.mark.usefixtures("first_configurations")

SIZES = [0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 131, 255, 256, 257]
LENGTHS = SIZES + [383, 384, 385, 1023, 1024, 1025, 1535, 1536, 1537, 2047, 2048, 2049, 4093, 6143, 6144, 6145, 12289]


def size(arrays, least=0):
    return max(least, int(arrays.one(SIZES)))


def near(found, expected, rtol, atol=0.0):
    np.testing.assert_allclose(np.asarray(found.get(), np.float64), expected, rtol=rtol, atol=atol)


def vector(arrays, dtype, n, small=False):
    return arrays.pair(dtype, (n,), small)


def bits(x):
    return x.view(f"u{x.itemsize}")


@pytest.mark.parametrize("round_", range(5))
def test_sort(round_):
    """The same bits, but of NaNs: equal keys, and zeros of either sign are equal, stay in order."""
    arrays = Arrays(f"sort {round_}")
    n = int(arrays.one(LENGTHS))
    x, d = vector(arrays, arrays.one(REAL), n)
    places = np.arange(n, dtype=arrays.one(["i4", "u4", "i8", "u2"]))
    up, down = np.argsort(x, kind="stable"), n - 1 - np.argsort(x[::-1], kind="stable")[::-1]

    def check(found, order):
        numbers = ~np.isnan(x[order]) if x.dtype.kind == "f" else slice(None)
        np.testing.assert_array_equal(found, x[order])
        np.testing.assert_array_equal(bits(found)[numbers], bits(x[order])[numbers])

    descending = bool(arrays.random.integers(2))
    _, out = vector(arrays, x.dtype, n)
    sort(out, d, descending)
    check(out.get(), down if descending else up)
    _, keys = vector(arrays, x.dtype, n)
    values = pykc.array(np.zeros(n, places.dtype))
    sort_pairs(keys, values, d, pykc.array(places), not descending)
    order = up if descending else down
    check(keys.get(), order)
    np.testing.assert_array_equal(values.get(), places[order])


def test_sort_bfloats():
    """Which NumPy has by ml_dtypes, and `pykc.array` has not."""
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    x = Arrays("bfloats").random.permutation(200).astype(bfloat16).repeat(15)
    out, places = np.zeros_like(x), np.zeros(len(x), "i4")
    sort(out, x)
    np.testing.assert_array_equal(out, np.sort(x))
    sort(x, x, descending=True)
    np.testing.assert_array_equal(x, out[::-1])
    top_k(out[:100], places[:100], x)
    np.testing.assert_array_equal(out[:100], x[:100])


@pytest.mark.parametrize("round_", range(2))
def test_select(round_):
    """Vectors of several lengths for each choice of types, since compiling takes longer than they do."""
    arrays = Arrays(f"select {round_}")
    longest = max(LENGTHS)
    all_x, all_d = vector(arrays, arrays.one(REAL), longest)
    all_flags, all_f = vector(arrays, arrays.one(["?", "u1", "i4", "f4", "i8"]), longest)
    of_count, of_lengths = arrays.one(["i4", "i8"]), arrays.one(["i4", "i8"])
    for n in arrays.random.choice(LENGTHS, 4).tolist():
        x, d, flags, f = all_x[:n], all_d[:n], all_flags[:n], all_f[:n]
        out, count = pykc.array(np.zeros(n, x.dtype)), pykc.array(np.zeros(1, of_count))
        select(out, count, d, f)
        expected = x[flags != 0]
        assert count.get()[0] == len(expected)
        np.testing.assert_array_equal(out.get()[:len(expected)], expected)
        runs = np.flatnonzero(np.concatenate([[True], x[1:] != x[:-1]])) if n else np.zeros(0, int)
        unique(out, count, d)
        assert count.get()[0] == len(runs)
        np.testing.assert_array_equal(out.get()[:len(runs)], x[runs])
        lengths = pykc.array(np.zeros(n, of_lengths))
        run_length(out, lengths, count, d)
        assert count.get()[0] == len(runs)
        np.testing.assert_array_equal(out.get()[:len(runs)], x[runs])
        np.testing.assert_array_equal(lengths.get()[:len(runs)], np.diff(np.append(runs, n)))


def test_select_if():
    arrays = Arrays("select_if")
    x, d = vector(arrays, "f4", int(arrays.one(LENGTHS)))
    out, count = pykc.array(np.zeros(len(x), "f4")), pykc.array(np.zeros(1, "i4"))
    select_if(out, count, d, lambda v: v > 0)
    expected = x[x > 0]
    assert count.get()[0] == len(expected)
    np.testing.assert_array_equal(out.get()[:len(expected)], expected)


@pytest.mark.parametrize("round_", range(2))
def test_top_k(round_):
    arrays = Arrays(f"top {round_}")
    all_x, all_d = vector(arrays, arrays.one(REAL), max(LENGTHS))
    of_places = arrays.one(["i4", "i8", "u4"])
    for n in arrays.random.choice(LENGTHS, 3).tolist():
        x, d = all_x[:n], all_d[:n]
        k = int(arrays.random.integers(0, n + 1))
        largest, places = pykc.array(np.zeros(k, x.dtype)), pykc.array(np.zeros(k, of_places))
        top_k(largest, places, d)
        down = (n - 1 - np.argsort(x[::-1], kind="stable")[::-1])[:k]
        np.testing.assert_array_equal(places.get(), down)
        np.testing.assert_array_equal(largest.get(), x[down])


@pytest.mark.parametrize("round_", range(4))
def test_scan_and_reduce(round_):
    arrays = Arrays(f"scan {round_}")
    n = int(arrays.one(LENGTHS))
    x, d = vector(arrays, arrays.one(REAL), n, True)
    kind = arrays.one(["i4", "i8", "u4", "u8"]) if x.dtype.kind != "f" else arrays.one(["f4", "f8"])
    out = pykc.array(np.zeros(n, kind))
    scan(out, d)
    with np.errstate(all="ignore"):
        expected = np.cumsum(x.astype(kind), dtype=kind if kind[0] != "f" else "f8")
    if kind[0] == "f":
        near(out, expected, 1e-5, 1e-3 if kind == "f4" or x.dtype == "f2" else 1e-9)
    else:
        np.testing.assert_array_equal(out.get(), expected)
    x, d = vector(arrays, "f4", n)  # infinities and NaNs count from where they stand
    out = pykc.array(np.zeros(n, "f4"))
    scan(out, d)
    with np.errstate(all="ignore"):
        near(out, np.cumsum(x, dtype="f8"), 1e-5, 1e-2)
    x, d = vector(arrays, arrays.one(INTS + FLOATS), max(n, 1), True)
    for op, of in ((maximum, np.max), (minimum, np.min)):
        result = pykc.array(np.zeros(1, x.dtype))
        reduce_all(result, d, op, x[0])
        assert result.get()[0] == of(x)
    kind = "f8" if x.dtype.kind == "f" else "i8"
    result = pykc.array(np.zeros(1, kind))
    reduce_all(result, d, add, 0)
    near(result, [x.astype(kind).sum()], 1e-9, 1e-9)


@pytest.mark.parametrize("round_", range(4))
def test_segments(round_):
    arrays = Arrays(f"segments {round_}")
    n, rows = int(arrays.one(LENGTHS)), size(arrays)
    starts = np.sort(arrays.random.integers(0, n + 1, rows + 1)).astype(arrays.one(["i4", "i8", "u4"]))
    x, d = vector(arrays, arrays.one(INTS + FLOATS), n, True)
    kind = "i8" if x.dtype.kind != "f" else "f8"
    results = pykc.array(np.zeros(rows, kind))
    segmented_reduce(results, d, pykc.array(starts), add, 0)
    near(results, [x[a:b].astype(kind).sum() for a, b in zip(starts[:-1].tolist(), starts[1:].tolist())], 1e-12, 1e-9)
    columns_of, kind = size(arrays, 1), arrays.one(["f4", "f8"])
    columns, dc = vector(arrays, arrays.one(["i4", "i8"]), n, True)
    columns = np.abs(columns) % columns_of
    dense, dx = vector(arrays, kind, columns_of, True)
    values, dv = vector(arrays, kind, n, True)
    y = pykc.array(np.zeros(rows, kind))
    spmv(y, pykc.array(starts), pykc.array(columns), dv, dx)
    products = values.astype("f8") * dense.astype("f8")[columns]
    near(y, [products[a:b].sum() for a, b in zip(starts[:-1].tolist(), starts[1:].tolist())], 1e-5, 1e-3)


@pytest.mark.parametrize("round_", range(3))
def test_histogram_and_gemv(round_):
    arrays = Arrays(f"histogram {round_}")
    x, d = vector(arrays, arrays.one(INTS), int(arrays.one(LENGTHS)))
    counts = pykc.array(np.zeros(256, "i4"))
    histogram(counts, d)
    wide = x.astype(object) if x.dtype == "u8" else x.astype("i8")
    inside = wide[(wide >= 0) & (wide < 256)].astype("i8")
    np.testing.assert_array_equal(counts.get(), np.bincount(inside, minlength=256))
    m, n = size(arrays), size(arrays)
    kind = arrays.one(["f4", "f8"])
    a, da = arrays.pair(kind, (m, n), True)
    v, dv = vector(arrays, kind, n, True)
    w, dw = vector(arrays, kind, m, True)
    gemv(2.0, da, dv, -1.0, dw)
    near(dw, 2.0 * a.astype("f8") @ v.astype("f8") - w, 1e-4, 1e-3)
    b = pykc.array(np.zeros((n, m), kind))
    transpose(b, da)
    np.testing.assert_array_equal(b.get(), a.T)


@pytest.mark.parametrize("round_", range(4))
def test_fft(round_):
    arrays = Arrays(f"fft {round_}")
    shape = (*arrays.shape(0, 2), 1 << int(arrays.random.integers(0, 14)))
    kind = arrays.one(["c8", "c16"])
    x, d = arrays.pair(kind, shape, True)
    y = pykc.array(np.zeros(shape, kind))
    fft(y, d)
    expected = np.fft.fft(x.astype("c16"))
    scale = max(1e-30, float(np.abs(expected).max()))
    tolerance = 1e-6 if kind == "c8" else 1e-14
    assert np.abs(y.get() - expected).max() <= tolerance * scale
    ifft(y, y)
    assert np.abs(y.get() - x).max() <= tolerance * max(1e-30, float(np.abs(x).max())) * 4


def convolved(x, k, mode, boundary):
    (m, n), (high, wide) = x.shape, k.shape
    around = np.pad(x, [(high - 1, high - 1), (wide - 1, wide - 1)],
                    {"fill": "constant", "wrap": "wrap", "symm": "symmetric"}[boundary])
    full = np.zeros((m + high - 1, n + wide - 1))
    for a in range(high):
        for b in range(wide):
            top, left = high - 1 - a, wide - 1 - b
            full += k[a, b] * around[top:top + full.shape[0], left:left + full.shape[1]]
    if mode == "full":
        return full
    if mode == "same":
        top, left = (high - 1) // 2, (wide - 1) // 2
        return full[top:top + m, left:left + n]
    return full[high - 1:m, wide - 1:n]


@pytest.mark.parametrize("round_", range(5))
def test_convolve(round_):
    arrays = Arrays(f"convolve {round_}")
    kind = arrays.one(["f4", "f8", "f2", "i4", "i8"])
    x, d = arrays.pair(kind, (size(arrays, 1), size(arrays, 1)), True)
    k, dk = arrays.pair(kind, (int(arrays.random.integers(1, 22)), int(arrays.random.integers(1, 8))), True)
    mode, boundary = arrays.one(["full", "same", "valid"]), arrays.one(["fill", "wrap", "symm"])
    expected = convolved(x.astype("f8"), k.astype("f8"), mode, boundary)
    out = pykc.array(np.zeros(expected.shape, kind))
    convolve2d(out, d, dk, mode, boundary)
    near(out, expected, {"f2": 2e-3, "f4": 1e-4}.get(kind, 1e-9), {"f2": 5e-2, "f4": 1e-4}.get(kind, 1e-9))


ROWS = ["f2", "f4"]


@pytest.mark.parametrize("round_", range(5))
def test_rows(round_):
    arrays = Arrays(f"rows {round_}")
    kind = arrays.one(ROWS)
    shape = (size(arrays, 0), int(arrays.one(LENGTHS + [20011])))
    if shape[1] > 5000:
        shape = (3, shape[1])
    x, d = arrays.pair(kind, shape, bool(arrays.random.integers(2)))
    weight, dw = arrays.pair(arrays.one([kind, "f4"]), (shape[1],), True)
    bias, db = arrays.pair(weight.dtype, (shape[1],), True)
    y = pykc.array(np.zeros(shape, kind))
    wide = x.astype("f8")
    rtol, atol = (2e-3, 2e-3) if kind == "f2" else (3e-5, 3e-6)
    with np.errstate(all="ignore"):
        most = wide.max(1, keepdims=True) if shape[1] else np.zeros((shape[0], 1))
        e = np.exp(wide - most)
        total = e.sum(1, keepdims=True)
        softmax(y, d)
        near(y, e / total, rtol, atol)
        if shape[1]:
            targets = arrays.random.integers(-1, shape[1], shape[0]).astype(arrays.one(["i4", "i8"]))
            losses = pykc.array(np.zeros(shape[0], "f4"))
            cross_entropy(losses, d, pykc.array(targets))
            of_targets = wide[np.arange(shape[0]), np.maximum(targets, 0)]
            expected = np.where(targets < 0, 0, np.log(total[:, 0]) + most[:, 0] - of_targets)
            near(losses, expected, 1e-4, 1e-4)
            centered = wide - wide.mean(1, keepdims=True)
            expected = centered / np.sqrt((centered ** 2).mean(1, keepdims=True) + 1e-5) * weight + bias
            if np.isfinite(x).all():
                layer_norm(y, d, dw, db)
                near(y, expected, rtol, atol * 5)
            rms_norm(y, d, dw)
            near(y, wide / np.sqrt((wide ** 2).mean(1, keepdims=True) + 1e-5) * weight, rtol, atol * 5)
            for f, of in ((silu, lambda v: v / (1 + np.exp(-v))),
                          (gelu_tanh, lambda v: v * (1 + np.tanh(np.sqrt(2 / np.pi) * (v + 0.044715 * v ** 3))) / 2)):
                f(y, d)
                expected = of(wide)
                finite = np.isfinite(wide)
                np.testing.assert_allclose(y.get().astype("f8")[finite], expected[finite], rtol=rtol, atol=atol)
            q, scales = pykc.array(np.zeros(shape, "i1")), pykc.array(np.zeros(shape[0], "f4"))
            if np.isfinite(x).all():
                quantize(q, scales, d)
                largest = np.abs(wide).max(1)
                near(scales, largest / 127, 1e-6)
                dequantize(y, q, scales)
                assert (np.abs(y.get() - wide) <= largest[:, None] / 127 * 0.51 + atol * np.abs(wide)).all()


@pytest.mark.parametrize("round_", range(3))
def test_rope(round_):
    arrays = Arrays(f"rope {round_}")
    kind, tokens, heads = arrays.one(ROWS), size(arrays), int(arrays.one([0, 1, 3, 8]))
    half = int(arrays.one([1, 3, 16, 32, 64, 100]))
    x, d = arrays.pair(kind, (tokens, heads, 2 * half), True)
    positions = size(arrays, 1)
    angles = arrays.random.standard_normal((positions, half))
    y = pykc.array(np.zeros(x.shape, kind))
    rope(y, d, pykc.array(np.cos(angles).astype("f4")), pykc.array(np.sin(angles).astype("f4")))
    own = angles[np.arange(tokens) % positions][:, None]
    low, high = x[..., :half].astype("f8"), x[..., half:].astype("f8")
    expected = np.concatenate([low * np.cos(own) - high * np.sin(own), high * np.cos(own) + low * np.sin(own)], -1)
    near(y, expected, 2e-3, 4e-3 if kind == "f2" else 1e-5)


@pytest.mark.parametrize("round_", range(10))
def test_gemm(round_):
    arrays = Arrays(f"gemm {round_}")
    kind = arrays.one(["f2", "f4", "f8", "i1"])
    m, n, k = size(arrays), size(arrays), size(arrays)
    stack = arrays.one([(), (1,), (3,)])
    of_a, of_b = (arrays.one([(), stack, (1,)]) if stack else () for _ in range(2))
    a, da = arrays.pair(kind, (*of_a, m, k), True)
    transposed = bool(arrays.random.integers(2))
    b, db = arrays.pair(kind, (*of_b, n, k) if transposed else (*of_b, k, n), True)
    to = {"f2": ["f2", "f4"], "f4": ["f4", "f2"], "f8": ["f8"], "i1": ["i4", "f4"]}[kind]
    _, c = arrays.pair(arrays.one(to), (*stack, m, n), True)
    gemm(c, da, db, transposed)
    expected = a.astype("f8") @ (b.swapaxes(-1, -2) if transposed else b).astype("f8")
    expected = np.broadcast_to(expected if stack or expected.ndim == 2 else expected[0], c.shape)
    scale = np.sqrt(k) + 1
    rtol, atol = {"f2": (2e-3, 2e-3 * scale), "f4": (2e-3, 3e-3 * scale), "f8": (1e-12, 1e-12 * scale),
                  "i1": (1e-3, 0)}[kind]
    near(c, expected, rtol, atol)


@pytest.mark.parametrize("round_", range(4))
def test_gemm_grouped(round_):
    arrays = Arrays(f"grouped {round_}")
    kind = arrays.one(["f2", "f4", "i1"])
    m, n, k, groups = size(arrays), size(arrays), size(arrays, 1), int(arrays.one([1, 2, 5, 130]))
    a, da = arrays.pair(kind, (m, k), True)
    b, db = arrays.pair(kind, (groups, k, n), True)
    offsets = np.sort(arrays.random.integers(0, m + 1, groups + 1)).astype(arrays.one(["i4", "i8"]))
    offsets[0], offsets[-1] = 0, m
    c = pykc.array(np.zeros((m, n), "i4" if kind == "i1" else "f4"))
    gemm_grouped(c, da, db, pykc.array(offsets))
    expected = np.zeros((m, n))
    for g in range(groups):
        expected[offsets[g]:offsets[g + 1]] = a[offsets[g]:offsets[g + 1]].astype("f8") @ b[g].astype("f8")
    near(c, expected, 2e-3, 3e-3 * (np.sqrt(k) + 1))


@pytest.mark.parametrize("round_", range(3))
def test_matmul(round_):
    arrays = Arrays(f"matmul {round_}")
    m, n, k = size(arrays), size(arrays), size(arrays)
    for of in "f4", "f8", "f2", "i4", "u1", "c8", "c16":
        stack = arrays.one([(), (3,)])
        a, b = (arrays.values(shape, of, True) for shape in ((*stack, m, k), (*arrays.one([(), stack]), k, n)))
        c = pykc.array(np.zeros((*stack, m, n), of))
        matmul(c, pykc.array(a), pykc.array(b))
        if of in ("i4", "u1"):
            assert np.array_equal(c.get(), a @ b)
        else:
            np.testing.assert_allclose(c.get().astype("c16"), a.astype("c16") @ b.astype("c16"),
                                       2e-3 if of == "f2" else 1e-4, 1e-3)


def attended(q, k, v, causal, window, scale, q_starts, k_starts):
    o, lse = np.zeros(q.shape), np.full(q.shape[:2], np.inf)
    weights = []
    for h in range(len(q)):
        g = h // (len(q) // len(k))
        allowed = np.zeros((q.shape[1], k.shape[1]), bool)
        for s in range(len(q_starts) - 1):
            queries, keys = q_starts[s + 1] - q_starts[s], k_starts[s + 1] - k_starts[s]
            i, j = np.arange(queries)[:, None] + keys - queries, np.arange(keys)[None]
            mask = np.ones((queries, keys), bool)
            if causal:
                mask &= j <= i
            if window is not None:
                mask &= j > i - window
            allowed[q_starts[s]:q_starts[s + 1], k_starts[s]:k_starts[s + 1]] = mask
        s = np.where(allowed, q[h] @ k[g].T * scale, -np.inf)
        most = s.max(1, keepdims=True) if s.shape[1] else np.full((len(s), 1), -np.inf)
        seen = np.isfinite(most[:, 0])
        e = np.exp(s - np.where(np.isfinite(most), most, 0))
        total = e.sum(1, keepdims=True)
        p = e / np.where(total > 0, total, 1)
        o[h] = p @ v[g]
        lse[h] = np.where(seen, np.log(np.where(total > 0, total, 1))[:, 0] + np.where(seen, most[:, 0], 0), np.inf)
        weights.append(p)
    return o, lse, weights


def starts_of(arrays, length, sequences):
    inner = np.sort(arrays.random.integers(0, length + 1, sequences - 1))
    return np.concatenate([[0], inner, [length]]).astype("i4")


@pytest.mark.parametrize("round_", range(3))
def test_attention(round_):
    arrays = Arrays(f"attention {round_}")
    d = int(arrays.one([64, 128, 256]))
    heads, shared = arrays.one([(1, 1), (2, 1), (4, 2), (3, 3)])
    queries, keys = size(arrays), size(arrays)
    causal = bool(arrays.random.integers(2))
    window = int(arrays.one([1, 5, 100, 1000])) if causal and arrays.random.integers(2) else None
    shapes = [(heads, queries, d), (shared, keys, d), (shared, keys, d)]
    dq, dk, dv = (arrays.pair("f2", shape, True)[1] for shape in shapes)
    q, k, v = (pykc.ascontiguousarray(x) for x in (dq, dk, dv))
    given = {}
    q_starts, k_starts = np.array([0, queries]), np.array([0, keys])
    if arrays.random.integers(2):
        sequences = int(arrays.random.integers(1, 5))
        q_starts, k_starts = starts_of(arrays, queries, sequences), starts_of(arrays, keys, sequences)
        given = {"q_starts": pykc.array(q_starts), "k_starts": pykc.array(k_starts)}
    scale = 1 / np.sqrt(d)
    o, lse = pykc.array(np.zeros(q.shape, "f2")), pykc.array(np.zeros(q.shape[:2], "f4"))
    attention(o, q, k, v, causal=causal, lse=lse, window=window, **given)
    wide = [np.asarray(x.get(), "f8") for x in (q, k, v)]
    expected, logs, weights = attended(*wide, causal, window, scale, q_starts, k_starts)
    near(o, expected, 5e-3, 5e-3)
    near(lse, logs, 1e-3, 2e-3)
    do = pykc.array(arrays.random.standard_normal(q.shape).astype("f2"))
    grads = [pykc.array(np.full(x.shape, 7, "f2")) for x in (q, k, v)]
    attention_backward(*grads, do, q, k, v, o, lse, causal=causal, window=window, **given)
    dq_, dk_, dv_ = (np.zeros(x.shape) for x in wide)
    g_ = np.asarray(do.get(), "f8")
    for h in range(heads):
        g = h // (heads // shared)
        p = weights[h]
        dp = g_[h] @ wide[2][g].T
        ds = p * (dp - (g_[h] * expected[h]).sum(1, keepdims=True))
        dv_[g] += p.T @ g_[h]
        dq_[h] = ds @ wide[1][g] * scale
        dk_[g] += ds.T @ wide[0][h] * scale
    for found, e in zip(grads, (dq_, dk_, dv_)):
        near(found, e, 2e-2, 2e-2 * max(1.0, np.abs(e).max(initial=0)))


def zeros(*shape, of="f4"):
    return pykc.array(np.zeros(shape, of))


WRONG = [
    lambda: sort(zeros(3), zeros(4)),
    lambda: sort(zeros(4, of="i8"), zeros(4, of="i4")),
    lambda: sort(zeros(2, 2), zeros(2, 2)),
    lambda: sort(zeros(4, of="c8"), zeros(4, of="c8")),
    lambda: sort_pairs(zeros(4), zeros(3), zeros(4), zeros(4)),
    lambda: select(zeros(4), zeros(1), zeros(4), zeros(4)),
    lambda: select(zeros(4), zeros(1, of="i4"), zeros(4), zeros(3)),
    lambda: unique(zeros(4), zeros(0, of="i4"), zeros(4)),
    lambda: run_length(zeros(4), zeros(4), zeros(1, of="i4"), zeros(2, 2)),
    lambda: top_k(zeros(5), zeros(5, of="i4"), zeros(4)),
    lambda: top_k(zeros(2), zeros(3, of="i4"), zeros(4)),
    lambda: scan(zeros(3), zeros(4)),
    lambda: scan(zeros(4, of="i2"), zeros(4, of="i2")),
    lambda: sort(zeros(4, of="c8"), zeros(4, of="c8")),
    lambda: top_k(zeros(2), zeros(2), zeros(4)),
    lambda: scan(zeros(4, of="c8"), zeros(4)),
    lambda: transpose(zeros(4), zeros(4)),
    lambda: matmul(zeros(4), zeros(4), zeros(4)),
    lambda: matmul(zeros(3, 3, of="f8"), zeros(3, 3), zeros(3, 3)),
    lambda: rope(zeros(2, 4), zeros(2, 4), zeros(2, 2), zeros(2, 2)),
    lambda: softmax(zeros(3, 4, of="f8"), zeros(3, 4, of="f8")),
    lambda: quantize_blocks(zeros(4, of="i1"), zeros(1), zeros(4)),
    lambda: cross_entropy(zeros(1), zeros(1, 4), pykc.array([7])),
    lambda: reduce_all(zeros(0), zeros(4), add, 0),
    lambda: segmented_reduce(zeros(3), zeros(4), zeros(3, of="i4"), add, 0),
    lambda: spmv(zeros(3), zeros(4, of="i4"), zeros(4, of="i4"), zeros(5), zeros(4)),
    lambda: histogram(zeros(255, of="i4"), zeros(4, of="i4")),
    lambda: gemv(1.0, zeros(3, 4), zeros(3), 1.0, zeros(3)),
    lambda: transpose(zeros(3, 4), zeros(3, 4)),
    lambda: matmul(zeros(3, 4), zeros(3, 5), zeros(4, 4)),
    lambda: softmax(zeros(3, 4), zeros(3, 5)),
    lambda: softmax(zeros(3), zeros(3)),
    lambda: cross_entropy(zeros(3), zeros(3, 4), zeros(2, of="i4")),
    lambda: layer_norm(zeros(3, 4), zeros(3, 4), zeros(3), zeros(4)),
    lambda: rms_norm(zeros(3, 4), zeros(3, 4), zeros(1, 4)),
    lambda: gelu(zeros(3, 4), zeros(4, 3)),
    lambda: rope(zeros(2, 2, 4), zeros(2, 2, 4), zeros(2, 3), zeros(2, 3)),
    lambda: rope(zeros(2, 2, 4), zeros(2, 2, 4), zeros(0, 2), zeros(0, 2)),
    lambda: rope(zeros(2, 2, 3), zeros(2, 2, 3), zeros(2, 1), zeros(2, 1)),
    lambda: quantize(zeros(3, 4, of="i1"), zeros(2), zeros(3, 4)),
    lambda: quantize(zeros(3, 4, of="i2"), zeros(3), zeros(3, 4)),
    lambda: dequantize(zeros(3, 4), zeros(3, 3, of="i1"), zeros(3)),
    lambda: quantize_blocks(zeros(3, 4, of="i1"), zeros(3), zeros(3, 4)),
    lambda: quantize_blocks(zeros(3, 4, of="i1"), zeros(3, 1), zeros(3, 4), rows=0),
    lambda: convolve2d(zeros(3, 4), zeros(3, 4), zeros(2, 2)),
    lambda: convolve2d(zeros(3, 4), zeros(3, 4), zeros(2, 2), "some"),
    lambda: fft(zeros(3, of="c8"), zeros(3, of="c8")),
    lambda: fft(zeros(4), zeros(4)),
    lambda: gemm(zeros(3, 4), zeros(3, 5), zeros(4, 4)),
    lambda: gemm(zeros(3), zeros(3), zeros(3)),
    lambda: gemm(zeros(3, 4), zeros(3, 5), zeros(5, 4, of="f8")),
    lambda: gemm(zeros(3, 4, of="i4"), zeros(3, 5, of="i4"), zeros(5, 4, of="i4")),
    lambda: gemm(zeros(3, 3, 4), zeros(2, 3, 5), zeros(5, 4)),
    lambda: gemm_grouped(zeros(3, 4), zeros(3, 5), zeros(5, 4), zeros(2, of="i4")),
    lambda: gemm_grouped(zeros(3, 4), zeros(3, 5), zeros(2, 5, 4), zeros(2, of="i4")),
    lambda: attention(*[zeros(1, 2, 65, of="f2")] * 4),
    lambda: attention(*[zeros(2, 64, of="f2")] * 4),
    lambda: attention(*[zeros(1, 2, 64)] * 4),
    lambda: attention(zeros(1, 2, 64, of="f2"), zeros(1, 2, 64, of="f2"), *[zeros(0, 2, 64, of="f2")] * 2),
    lambda: attention(*[zeros(1, 2, 64, of="f2")] * 4, window=3),
    lambda: attention(*[zeros(1, 2, 64, of="f2")] * 4, scale=float("nan")),
]


@pytest.mark.parametrize("call", WRONG, ids=range(len(WRONG)))
def test_wrong_arguments(call):
    """An error, before anything is read or written, in the words of the function that was called."""
    with pytest.raises((AssertionError, TypeError, ValueError, pykc.CompileError, pykc.KernelFault)) as error:
        call()
        cuda.synchronize()  # until then a GPU has not told what a kernel found
    assert not isinstance(error.value, pykc.CompileError) or "static_assert failed" in str(error.value)
