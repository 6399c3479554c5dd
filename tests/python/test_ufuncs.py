"""vectorize, guvectorize, reductions, and functions that the host calls."""
import io
import itertools
import warnings

import numpy as np
import pytest

import pykc
from pykc import cuda
from pykc.numba import guvectorize, jit, njit, vectorize
from pykc.types import float32, float64, int16, int64, void


@vectorize(["int32(int32, int32)", "float32(float32, float32)", float64(float64, float64)], target="cuda")
def add(a, b):
    return a + b


@pytest.mark.parametrize("x, y", [
    (np.arange(6, dtype=np.float32), np.arange(6, dtype=np.float32)), (np.arange(6.0).reshape(2, 3), np.arange(3.0)),
    (np.arange(6.0).reshape(2, 3).T, np.arange(6.0).reshape(3, 2)), (np.arange(4.0), 2), (1.5, 2.5),
    (np.arange(12.0).reshape(3, 4)[:, ::2], np.ones((3, 1))), (np.zeros(0), np.zeros(0)),
    (np.arange(24, dtype=np.int32).reshape(2, 3, 4), np.arange(12, dtype=np.int32).reshape(1, 3, 4))])
def test_vectorize(x, y):
    found, expected = add(x, y), np.add(x, y)
    assert np.array_equal(found, expected) and np.asarray(found).dtype == expected.dtype


def test_vectorize_on_device_and_out():
    x = np.arange(6, dtype=np.float32)
    device = cuda.to_device(x)
    found = add(device, x)
    assert cuda.is_cuda_array(found) and (found.copy_to_host() == 2 * x).all()
    out = cuda.device_array_like(device)
    assert add(device, device, out=out) is out and (out.copy_to_host() == 2 * x).all()
    host = np.zeros_like(x)
    add(x, x, out=host)
    assert (host == 2 * x).all()


def test_numbers_beside_arrays_take_the_type_of_the_version():
    def scaled(x, by):
        return x * by

    f = vectorize(["float64(float64, float64)", "float32(float32, float32)"], target="cuda")(scaled)
    for number in (0.5, np.float64(0.5), np.float16(0.5), 2, np.int64(2), np.uint8(2)):
        found = f(np.arange(3, dtype=np.float32), number)
        assert found.dtype == np.float32 and (found == np.arange(3) * float(number)).all(), number
    assert f(np.arange(3, dtype=np.int16), np.float64(0.5)).dtype == np.float64  # no version has the array's type
    g = vectorize(["int16(int16, int16)", "int16(int16, int64)"], target="cuda")(scaled)
    assert g(cuda.to_device(np.arange(3, dtype=np.int16)), 5).copy_to_host().tolist() == [0, 5, 10]
    only = vectorize(["int16(int16, int16)"], target="cuda")(scaled)
    assert only(np.arange(3, dtype=np.int16), 5.0).tolist() == [0, 5, 10]
    with pytest.raises(TypeError, match="no version for"):
        only(np.arange(3, dtype=np.int16), np.array([5.0]))
    with pytest.raises(TypeError, match="no version for"):  # as NumPy's functions
        vectorize(["float32(float32, float32)"])(scaled)(np.zeros(3, np.float32), np.float64(0.5))


def test_the_target_cuda_takes_the_version_of_the_types():
    def doubled(x):
        return x * 2

    f = vectorize(["float64(float64)", "int64(int64)", "float32(float32)"], target="cuda")(doubled)
    for given in (np.arange(3), np.arange(3, dtype=np.float32), np.float32(3), 3, 3.0, cuda.to_device(np.arange(3))):
        wanted = getattr(given, "dtype", None) or np.asarray(given).dtype
        assert f(given).dtype == wanted, given
    assert f(np.arange(3, dtype=np.int8)).dtype == np.float64  # the first that is safe
    host = vectorize(["float64(float64)", "float32(float32)"])(doubled)
    assert host(np.arange(3, dtype=np.float32)).dtype == np.float64  # as NumPy chooses


def test_numbers_alone_take_the_type_of_the_one_version():
    def product(x, y):
        return x * y

    found = vectorize(["float32(float32, float32)"], target="cuda")(product)(1.5, 2)
    assert type(found) is np.float32 and found == 3
    with pytest.raises(TypeError, match="no version for"):  # as NumPy's functions
        vectorize(["float32(float32, float32)"])(product)(1.5, 2)


@pytest.mark.parametrize("make", [np.asarray, cuda.to_device])
@pytest.mark.parametrize("dtype", [np.int32, np.float64])
def test_vectorize_along_an_axis(make, dtype):
    def host(array):
        return array.copy_to_host() if cuda.is_cuda_array(array) else array

    for shape in ((7,), (2, 3), (4, 3, 2), (3, 1), (0, 3), (3, 0)):
        x = np.arange(np.prod(shape), dtype=dtype).reshape(shape)
        for axis in range(-len(shape), len(shape)):
            for name in ("reduce", "accumulate"):
                if name == "reduce" and shape[axis] == 0:
                    continue
                expected = getattr(np.add, name)(x, axis, dtype)
                found = host(getattr(add, name)(make(x), axis))
                assert found.dtype == dtype and found.shape == expected.shape, (name, shape, axis)
                assert (found == expected).all(), (name, shape, axis)
        assert (host(add.outer(make(x), make(x[:1]))) == np.add.outer(x, x[:1])).all()
    x = np.arange(6, dtype=dtype).reshape(2, 3)
    assert (host(add.reduce(make(x))) == np.add.reduce(x)).all()  # of the first axis
    assert (host(add.reduce(make(x).T)) == np.add.reduce(x.T)).all()
    assert (host(add.outer(make(x).T, make(x)[:, ::2])) == np.add.outer(x.T, x[:, ::2])).all()
    assert (host(add.accumulate(make(x)[:, ::-1], 1)) == np.add.accumulate(x[:, ::-1], 1)).all()
    assert add.outer(dtype(1), make(x)).shape == (2, 3)


def test_vectorize_along_an_axis_errors():
    assert add.types == ["ii->i", "ff->f", "dd->d"]
    assert add.reduce([1.0, 2.0], axis=None) == 3
    assert vectorize(lambda x, y: x + y).reduce(np.arange(3, dtype=np.int32)) == 3
    with pytest.raises(ValueError, match="along one axis, not along None"):
        add.reduce(np.zeros((2, 3)), axis=None)
    with pytest.raises(ValueError, match="out of bounds"):
        add.accumulate(np.zeros(3), 1)
    with pytest.raises(ValueError, match="no elements"):
        add.reduce(np.zeros((0, 3)))
    with pytest.raises(TypeError, match="not of a number"):
        add.reduce(1.0)
    with pytest.raises(TypeError, match="functions of two numbers"):
        vectorize(lambda x: x).outer(np.zeros(3), 1)
    with pytest.raises(TypeError, match="for float64 there is none"):
        vectorize(lambda x, y: x < y).reduce(np.zeros(3))


def test_vectorize_errors():
    with pytest.raises(TypeError, match="no version for"):
        add(np.array([1j]), np.array([1j]))
    with pytest.raises(ValueError):
        add(np.zeros(3), np.zeros(4))


def test_vectorize_into_what_it_reads():
    @vectorize(["int64(int64, int64)"])
    def put_together(x, y):
        return x + 100 * y

    host = np.arange(40)
    for to, x in itertools.product((slice(20, None), slice(20, 0, -1), slice(19, None, -1), slice(20)), repeat=2):
        expected = host.copy()
        expected[to] = host[x] + 100 * host[:20]
        device = cuda.to_device(host)
        put_together(device[x], device[:20], out=device[to])
        assert (device.copy_to_host() == expected).all(), (to, x)
    with pytest.raises(TypeError, match="takes numbers and arrays, not a `NoneType`"):
        put_together(host, None)


@pytest.mark.parametrize("signatures", [["(int16, int16)", "(float32, float32)"], [(int16, int16), (float32, float32)]])
def test_vectorize_finds_the_result_of_a_signature_without_one(signatures):
    @vectorize(signatures)
    def above(x, least):
        return x if abs(x) >= least else np.float32(0)

    found = above(np.array([1, -3, 2], np.float32), np.float32(2))
    assert found.dtype == np.float32 and found.tolist() == [0, -3, 2]
    assert above(np.array([1, -3], np.int16), np.int16(2)).tolist() == [0, -3]


def test_vectorize_without_signatures_and_reduce():
    @vectorize
    def scaled(x):
        return x * 2 + 0.5

    assert scaled(np.arange(3)).tolist() == [0.5, 2.5, 4.5] and scaled(3) == 6.5
    assert add.reduce(np.arange(1000, dtype=np.int32)) == 499500


def test_vectorize_is_called_by_kernels():
    @cuda.jit
    def kernel(out):
        out[0] = add(1.5, 2.0)

    out = np.zeros(1)
    kernel[1, 1](out)
    cuda.synchronize()
    assert out[0] == 3.5


@guvectorize([void(float32[:, :], float32[:, :], float32[:, :])], "(m,n),(n,p)->(m,p)", target="cuda")
def product(a, b, c):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            c[i, j] = 0
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


@guvectorize(["void(float64[:], float64, float64[:])"], "(n),()->()")
def scaled_sum(x, factor, result):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i]
    result[0] = total * factor


@pytest.mark.parametrize("leading", [(), (4,), (2, 3)])
def test_guvectorize(leading):
    random = np.random.default_rng(1)
    a, b = random.random(leading + (2, 3), np.float32), random.random(leading + (3, 5), np.float32)
    assert np.allclose(product(a, b), a @ b)
    assert np.allclose(product(a, b.reshape((-1, 3, 5))[0]), a @ b.reshape((-1, 3, 5))[0])
    x = random.random(leading + (7,))
    assert np.allclose(scaled_sum(x, 2.0), 2 * x.sum(-1)) and np.shape(scaled_sum(x, 2.0)) == leading
    out = np.zeros(leading + (2, 5), np.float32)
    assert product(a, b, out=out) is out and np.allclose(out, a @ b)
    assert np.allclose(product(cuda.to_device(a), cuda.to_device(b)).copy_to_host(), a @ b)


def test_guvectorize_errors():
    with pytest.raises(ValueError, match="`n` of"):
        product(np.zeros((2, 3), np.float32), np.zeros((4, 5), np.float32))
    with pytest.raises(TypeError, match="accepts 2 positional arguments"):
        product(np.zeros((2, 3), np.float32))


@pytest.mark.parametrize("n", [0, 1, 2, 255, 256, 257, 10_000, 300_001])
def test_reduce(n):
    total = cuda.reduce(lambda a, b: a + b)
    x = np.arange(n, dtype=np.float64)
    assert total(x) == x.sum() and total(cuda.to_device(x), init=5) == x.sum() + 5
    result = cuda.device_array(1, np.float64)
    assert total(x, res=result) is None and result[0] == x.sum()
    assert total(x, size=n // 2) == x[:n // 2].sum()


def test_reduce_of_other_functions():
    largest = cuda.Reduce(lambda a, b: max(a, b))
    x = np.random.default_rng(1).integers(1, 10 ** 6, 5000)
    assert largest(x) == x.max() and largest(x).dtype == x.dtype
    for other in (np.zeros((2, 2)), 3, None):
        with pytest.raises(TypeError, match="1D"):
            largest(other)
    with pytest.raises(ValueError, match="there are no -1 elements"):
        largest(x, size=-1)


def test_jit_of_host_functions():
    @njit
    def sums(x):
        total = 0.0
        for i in range(x.shape[0]):
            total += x[i]
        return total, total / 2

    @jit(nopython=True)
    def fill(x, value=3):
        for i in range(len(x)):
            x[i] = value

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sums(np.arange(5)) == (10.0, 5.0) and sums(np.arange(5, dtype=np.float32)) == (10.0, 5.0)
        x = np.zeros(4)
        assert fill(x) is None and (x == 3).all()


def test_what_functions_of_the_host_were_compiled_for(capsys):
    @njit
    def f(x, y=2):
        return x + y, y

    assert f.signatures == f.nopython_signatures == [] and f.inspect_llvm() == {}
    f.inspect_types()
    assert "no types yet" in capsys.readouterr().out
    f(1), f(1.5, 2), f(2, 3)
    assert f.signatures == [(int64, int64), (float64, int64)]
    assert str(f.nopython_signatures[1]) == "Tuple(float64, int64)(float64, int64)"
    f.inspect_types()
    shown = capsys.readouterr().out
    assert "x: i64, y: i64" in shown and "x: f64, y: i64" in shown
    file = io.StringIO()
    f.inspect_types(file=file)
    assert file.getvalue() == shown
    f.inspect_types(signature=f.signatures[1])
    assert "x: i64" not in (one := capsys.readouterr().out) and one in shown
    assert list(f.inspect_llvm()) == f.signatures and "fadd double" in f.inspect_llvm(f.signatures[1])
    assert "ret" in f.inspect_asm()[int64, int64]
    with pytest.raises(KeyError):
        f.inspect_asm((float32,))
    f.recompile()
    assert f.signatures == []

    @njit
    def first(x):
        x[0] = 1

    first(np.zeros(3))
    assert first.nopython_signatures == [void(float64[::1])] and "store" in first.inspect_llvm(first.signatures[0])


def test_jit_says_what_it_does_not_compile():
    @njit
    def words(n):
        return ["a"] * n

    with pytest.warns(pykc.PykcWarning, match="`words` runs as plain Python"):
        assert words(2) == ["a", "a"]


def test_jit_functions_in_kernels():
    @njit
    def square(x):
        return x * x

    @cuda.jit
    def kernel(out):
        out[0] = square(3)

    out = np.zeros(1, np.int64)
    kernel[1, 1](out)
    cuda.synchronize()
    assert out[0] == square(3) == 9


@pytest.mark.parametrize("dtype", ["?", "i1", "u4", "f2", "f4", "c8"])
def test_guvectorize_converts_arrays_of_the_device(dtype):
    @guvectorize(["void(float64[:], float64, float64[:])", "void(complex128[:], complex128, complex128[:])"],
                 "(n),()->(n)")
    def scaled(x, factor, out):
        for i in range(len(x)):
            out[i] = factor * x[i]

    x = np.arange(6).reshape(2, 3).astype(dtype)
    found = scaled(cuda.to_device(x)[:, ::2], cuda.to_device(np.array(2, "u1")))
    np.testing.assert_array_equal(found.copy_to_host(), 2 * x[:, ::2].astype(found.dtype))


def test_guvectorize_takes_inputs_of_the_same_kind():
    @guvectorize(["void(int32, int32[:], int32[:])"], "(),(n)->(n)", target="cuda")
    def scaled(a, x, out):
        for i in range(x.size):
            out[i] = a * x[i]

    x = np.arange(4, dtype=np.int32)
    assert scaled(np.int64(2), x).tolist() == [0, 2, 4, 6]
    with pytest.raises(TypeError, match="does not support .astype"):
        scaled(cuda.to_device(np.array(2)), x)
    with pytest.raises(TypeError, match="no version"):
        scaled(2.5, x)
    with pytest.raises(TypeError, match="gufunc accepts 2 positional arguments .* or 3 .* Got 1 positional argument."):
        scaled(x)


def test_vectorize_by_the_rules_of_pykc():
    @pykc.vectorize
    def halved(x):
        return x * 0.5

    @pykc.vectorize(["float32(float32)", "float64(float64)"])
    def stated(x):
        return x * 0.5

    x = np.arange(4, dtype=np.float32)
    for function in (halved, stated):
        assert function(x).dtype == np.float32 and function(x).tolist() == [0, 0.5, 1, 1.5]
    assert vectorize(halved.py_func)(x).dtype == np.float64


def test_options_and_signatures_that_array_functions_lack():
    with pytest.raises(KeyError, match="Unrecognized options"):
        vectorize(["float64(float64)"], target="cuda", unheard_of=1)(lambda x: x)
    with pytest.warns(RuntimeWarning, match="redundant"):
        vectorize(["float64(float64)"], target="cuda", nopython=True)(lambda x: x)
    for decorator in (lambda: vectorize(target="tpu"), lambda: guvectorize([void(float32[:])], "(n)", target="tpu")):
        with pytest.raises(ValueError, match="Unsupported target: 'tpu'"):
            decorator()
    for options, message in (({"nopython": False}, "must be True"), ({"unheard_of": 1}, "not supported: 'unheard_of'")):
        with pytest.raises(TypeError, match=message):
            guvectorize([void(float32[:], float32[:])], "(n)->(n)", **options)(lambda x, y: None)
    with pytest.raises(TypeError, match="specifies float32 return type"):
        guvectorize([float32(float32[:], float32[:])], "(n)->(n)")(lambda x, y: None)


@pytest.mark.parametrize("align", [True, False])
def test_functions_of_the_host_take_records(align):
    part = np.dtype([("x", np.float64), ("id", np.int32), ("flag", bool)], align=align)

    @njit
    def numbered(parts, ids, step):
        for i in range(len(parts)):
            parts[i]["id"] = i * step[0]
            parts[i].flag = True
            ids[i] = parts[i].id
        return parts[0].x, parts[1]["id"]

    @njit
    def moved(part, by):
        part.x += by
        return part.x

    parts, ids = np.zeros(3, part), np.zeros(3)
    parts["x"] = 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert numbered(parts, ids, (2, 1.5)) == (0.5, 2) and ids.tolist() == parts["id"].tolist() == [0, 2, 4]
        assert parts["flag"].all()
        assert moved(parts[1], 1) == 1.5 and parts["x"].tolist() == [0.5, 1.5, 0.5]
    assert "store" in numbered.inspect_llvm(numbered.signatures[0])


def test_functions_of_the_host_hold_no_copies_of_records():
    """In Numba, as in Python, such a variable shows what is written to the array."""
    @njit
    def swapped(parts):
        first = parts[0]
        parts[0] = parts[1]
        parts[1] = first

    @njit
    def exchanged(parts):
        parts[0], parts[1] = parts[1], parts[0]

    @njit
    def last(parts):
        for part in parts:
            parts[1]["id"] = part["id"] + 5
        return parts[1]["id"]

    @njit
    def largest(parts):
        best = parts[0]
        for i in range(1, len(parts)):
            if parts[i].id > best.id:
                best = parts[i]
        return best.id

    for function in (swapped, exchanged, last):
        compiled, plain = (np.array([(1,), (2,)], [("id", np.int32)]) for _ in range(2))
        with pytest.warns(pykc.PykcWarning, match="would be a copy"):
            found = function(compiled)
        assert found == function.py_func(plain) and (compiled == plain).all(), function.__name__
    assert largest(np.array([(1,), (7,), (2,)], [("id", np.int32)])) == 7


def test_functions_of_the_host_take_tuples():
    @njit
    def smallest(values, limits):
        found = limits[1]
        for value in values:
            found = min(found, value)
        return max(found, limits[0])

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert smallest(np.array([5.0, 2.0, 3.0]), (1, 9)) == 2 and smallest((7, 0), (1, 9)) == 1


@pytest.mark.parametrize("on_device", [False, True])
def test_guvectorize_reads_what_it_writes(on_device):
    @guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
    def reversed_rows(x, out):
        for i in range(x.shape[0]):
            out[i] = x[x.shape[0] - 1 - i]

    host = np.arange(6.0).reshape(2, 3)
    x = cuda.to_device(host) if on_device else host.copy()
    reversed_rows(x, out=x)
    assert np.array_equal(x.copy_to_host() if on_device else x, host[:, ::-1])


@pytest.mark.parametrize("on_device", [False, True])
def test_vectorize_reads_what_it_writes(on_device):
    half = vectorize(["float64(float64)"])(lambda x: x / 2)
    host = np.arange(5.0)
    x = cuda.to_device(host) if on_device else host.copy()
    half(x[:-1], out=x[1:])
    assert (x.copy_to_host() if on_device else x).tolist() == [0, 0, 0.5, 1, 1.5]


def test_vectorize_refuses_an_out_that_cannot_hold_the_results():
    with pytest.raises(TypeError, match="which an `out` of int32 does not hold"):
        add(np.zeros(3), np.zeros(3), out=np.zeros(3, np.int32))


def test_functions_of_arrays_give_arrays_of_the_kind_that_they_take():
    @pykc.vectorize
    def scaled(x, y):
        return x * y + 1

    @guvectorize(["void(float32[:], float32[:])"], "(n)->(n)")
    def reversed_(x, out):
        for i in range(len(x)):
            out[i] = x[len(x) - 1 - i]

    x = pykc.arange(6, dtype="f4").reshape(2, 3)
    for found, expected in ((scaled(x, 2), x * 2 + 1), (reversed_(x), x[:, ::-1])):
        assert type(found) is pykc.ndarray
        np.testing.assert_array_equal(found.get(), expected.get())
    assert type(scaled(cuda.to_device(x.get()), 2)) is cuda.DeviceNDArray
    assert type(scaled(x.get(), 2)) is np.ndarray


def test_functions_of_arrays_in_kernels():
    @pykc.vectorize
    def function(x, y):
        return pykc.where(x > y, pykc.add(x, y), pykc.sqrt(pykc.reciprocal(y))) + pykc.clip(x, 1, 2)

    @cuda.jit
    def kernel(out, x):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = pykc.sinc(pykc.maximum(x[i], 1.5)) + pykc.where(x[i] > 2, 1, 0.5)

    x = np.array([1.5, 2.5, 0.25])
    expected = np.where(x > 0.5, x + 0.5, 2 ** 0.5) + np.clip(x, 1, 2)
    np.testing.assert_allclose(function(pykc.array(x), 0.5).get(), expected)
    out = pykc.zeros(3)
    kernel[1, 32](out, pykc.array(x))
    np.testing.assert_allclose(out.get(), np.sinc(np.maximum(x, 1.5)) + np.where(x > 2, 1, 0.5))


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i4", "f2"])
@pytest.mark.parametrize("wider", ["i8", "f8"])
def test_ufuncs_compute_in_their_type_and_not_in_that_of_out(dtype, wider):
    x = np.array([1, 100, -100]).astype(dtype)
    for name in ("add", "multiply", "subtract", "square", "negative", "divmod"):
        function = getattr(np, name)
        given = (x,) * function.nin
        expected = tuple(np.zeros(3, wider) for _ in range(function.nout))
        try:
            function(*given, out=expected)
        except TypeError:
            continue
        found = tuple(pykc.zeros(3, wider) for _ in expected)
        getattr(pykc, name)(*map(pykc.array, given), out=found)
        for one, other in zip(found, expected):
            np.testing.assert_array_equal(one.get(), other)


def test_types_of_results_that_are_asked_for():
    def scaled(x, y):
        return x * y + 0.5

    x = pykc.arange(3.0)
    for otypes, dtype in (([np.float32], "f4"), ("i", "i4"), ("F", "c8"), ([float], "f8"), ([bool], "?")):
        found = pykc.vectorize(scaled, otypes=otypes)(x, 2.0)
        assert found.dtype == dtype and found.tolist() == (np.arange(3) * 2 + 0.5).astype(dtype).tolist()
    with pytest.raises(ValueError, match="gives one array"):
        pykc.vectorize(scaled, otypes="ff")
