"""NumPy's functions of elements, on arrays of a device: `pykc.sin(x)`, `pykc.add(x, y, out=z)`.

Types are NumPy's: it is asked which loop serves the types of the inputs. The loop is a kernel that is compiled when it
is first met, and broadcasts; ufunc_table.py says what it computes.
"""
from __future__ import annotations

import functools
import math
from typing import Any

import numpy

from .. import _native
from .._kernel_names import NATIVE as KERNEL_NAMES
from ..cuda._arrays import DeviceNDArray, as_cuda_array, is_cuda_array
from .arguments import TYPE_NAMES, as_dtype
from .ndarray import convert_into, delivered, may_overlap, ndarray
from .ufunc_table import ALIASES, COMPARISONS, NAMES, operation

_PYTHON = frozenset((int, float, complex))
_NUMBERS = _PYTHON | {bool}
_COMPLEX = {numpy.dtype("complex64"): numpy.dtype("complex64"), numpy.dtype("complex128"): numpy.dtype("complex128"),
            complex: numpy.dtype("complex128")}
_CHARACTERS = frozenset("?bBhHiIlLqQefdFD->")
PREAMBLE = "import math\nimport numpy as np"


def as_operand(value: Any):
    """What a function of elements takes for it: an array of a device, a number of Python, or a number of NumPy's."""
    if isinstance(value, (ndarray, numpy.generic)) or type(value) in _NUMBERS:
        return value
    for kind in _PYTHON:
        if isinstance(value, kind):  # of a class of its own
            return kind(value)
    if is_cuda_array(value):
        found = as_cuda_array(value)
        return ndarray(found, found.dtype)
    if hasattr(value, "__cupy_get_ndarray__"):
        return value.__cupy_get_ndarray__()
    if isinstance(value, numpy.ndarray):
        if value.ndim == 0:
            return value[()]
        raise TypeError("an array of NumPy's lies on the host: pykc.asarray(x) brings it to the device")
    raise TypeError(f"a {type(value).__name__} is neither an array of a device nor a number")


_REDUCTIONS = {"add": "sum", "multiply": "prod", "minimum": "min", "maximum": "max", "fmin": "nanmin",
               "fmax": "nanmax", "logical_and": "all", "logical_or": "any"}
#: The functions of two values that atomic operations of the language compute.
ATOMICS = {"add": "add", "subtract": "sub", "minimum": "min", "maximum": "max", "bitwise_and": "and_",
           "bitwise_or": "or_", "bitwise_xor": "xor"}


class Loop:
    """The kernel of a function for some types."""

    def __init__(self, name: str, inputs: tuple[numpy.dtype, ...], outputs: tuple[numpy.dtype, ...]):
        types = [TYPE_NAMES[dtype] for dtype in inputs]
        names = ", ".join(f"x{number}: {type_}" for number, type_ in enumerate(types))
        results = "z" if len(outputs) == 1 else ", ".join(f"z{number}" for number in range(len(outputs)))
        text = operation(name, types, "".join(dtype.kind for dtype in inputs))
        for result, dtype in zip(results.split(", "), outputs):
            if dtype.kind in "biu" and dtype.itemsize < 8:  # the language has computed in more bits
                text += f"\n{result} = {TYPE_NAMES[dtype]}({result})"
        self.inputs, self.outputs = inputs, outputs
        self.step = (names, results, text)
        self.native = _native.Elementwise([self.step], outputs, PREAMBLE, warnings=False)


class ufunc:
    """A function of the elements of arrays that broadcast to one shape. `out=` is an array for the results, `dtype=`
    the type to compute in, `casting=` NumPy's rule for what is converted."""

    def __init__(self, name: str):
        self.__name__ = name
        self._numpy = getattr(numpy, name)
        self.nin, self.nout = self._numpy.nin, self._numpy.nout
        self.nargs = self.nin + self.nout
        self.identity = self._numpy.identity
        self.types = [one for one in self._numpy.types if set(one) <= _CHARACTERS]
        self.ntypes = len(self.types)
        self.__doc__ = f"`numpy.{name}` on arrays of a device: types and results are NumPy's."
        if name in KERNEL_NAMES:
            self._pykc_path = f"numba.cuda.{name}"  # what it is in a kernel
        self._loops: dict[tuple, Loop] = {}
        self._compares = name in COMPARISONS

    def __repr__(self) -> str:
        return f"<pykc.{self.__name__}, a function of elements>"

    def __call__(self, *args, out=None, dtype=None, casting: str = "same_kind", **others):
        if others.get("where", True) is not True:
            return self._where(args, out, dtype, casting, **others)
        others.pop("where", None)
        if len(args) != self.nin or others:
            args, out = self._arguments(args, out, others)
        values = list(args)
        key = [dtype]
        for number, value in enumerate(values):
            kind = type(value)
            if kind is ndarray:
                key.append(value.dtype)
            elif kind in _PYTHON:
                key.append(kind)
            elif hasattr(value, "_trace"):  # in a function that is fused
                from .fusing import traced_ufunc
                return traced_ufunc(self, args, out, dtype)
            else:
                values[number] = value = as_operand(value)
                key.append(numpy.dtype(bool) if kind is bool else type(value) if type(value) in _PYTHON else
                           value.dtype)
        loop = casting == "same_kind" and self._loops.get(tuple(key)) or self.loop(tuple(key), casting)
        for number, kind in enumerate(key[1:]):
            if kind is int or not isinstance(values[number], ndarray):
                values[number] = self._number(values, number, loop.inputs[number])
        if casting == "unsafe":
            values = [_without_imaginary(value, dtype) for value, dtype in zip(values, loop.inputs)]
        if self._compares and any(type(value) is float for value in values) and loop.inputs[0].kind in "iu":
            loop = self.loop((None, numpy.dtype(float), numpy.dtype(float)))  # a number that no such integer reaches
        if not any(isinstance(value, ndarray) for value in values):
            values[0] = _array_of(values[0], loop.inputs[0])
        if out is not None:
            return self._into(loop, values, out, casting)
        by_columns = _lie_by_columns(values)
        found = loop.native.map(tuple(map(_turned, values)) if by_columns else tuple(values))
        if by_columns:
            found = found.transposed() if self.nout == 1 else [one.transposed() for one in found]
        if self.nout == 1:
            return ndarray(found, loop.outputs[0])
        return tuple(ndarray(one, dtype) for one, dtype in zip(found, loop.outputs))

    def loop(self, key: tuple, casting: str = "same_kind") -> Loop:
        """The loop for (dtype=, the dtypes or Python types of the inputs …)."""
        place = key if casting == "same_kind" else (*key, casting)
        found = self._loops.get(place)
        if found is None:
            asked = {} if key[0] is None else \
                {"signature": (None,) * self.nin + (as_dtype(key[0]),) + (None,) * (self.nout - 1)}
            dtypes = self._numpy.resolve_dtypes((*key[1:], *(None,) * self.nout), casting=casting, **asked)
            unknown = [str(one) for one in dtypes if one not in TYPE_NAMES]
            if unknown:
                raise TypeError(f"`{self.__name__}` of these types computes in {unknown[0]}, which kernels lack")
            # What is true of a complex number is asked of both its parts.
            inputs = tuple(_COMPLEX.get(given, wanted) if wanted.kind == "b" else wanted
                           for given, wanted in zip(key[1:], dtypes))
            found = self._loops[place] = Loop(self.__name__, inputs, dtypes[self.nin:])
        return found

    def _number(self, values: list, number: int, dtype: numpy.dtype):
        """A number as a kernel takes it, for an input that computes in this type."""
        value = values[number]
        if isinstance(value, numpy.generic):
            return value.item()
        if type(value) is not int:
            return value
        if dtype.kind in "iu":
            limits = _limits(dtype)
            if not limits[0] <= value <= limits[1]:
                if self._compares:
                    return math.copysign(math.inf, value)
                raise OverflowError(f"Python integer {value} out of bounds for {dtype}")
            if value < 0 and self.__name__ == "power" and number == 1:
                raise ValueError("Integers to negative integer powers are not allowed.")
            return value
        return float(value) if dtype.kind in "fc" else value

    def _arguments(self, args: tuple, out, others: dict) -> tuple:
        if others:
            raise TypeError(f"pykc.{self.__name__} has no {next(iter(others))}=: there are out=, dtype=, casting= and "
                            "where=")
        if out is None and self.nin < len(args) <= self.nargs:
            return args[:self.nin], args[self.nin:] + (None,) * (self.nargs - len(args))
        raise TypeError(f"{self.__name__} takes from {self.nin} to {self.nargs} positional arguments but {len(args)} "
                        "were given")

    def _into(self, loop: Loop, values: list, out, casting: str):
        outs = out if isinstance(out, tuple) else (out,)
        shape = numpy.broadcast_shapes(*(value.shape for value in values if isinstance(value, ndarray)))
        targets = []
        for given, dtype in zip(outs, loop.outputs):
            target = ndarray(shape, dtype, device=_device(values)) if given is None else given
            if not isinstance(target, DeviceNDArray):
                raise TypeError(f"`out` is an array of a device, not a {type(target).__name__}")
            if not numpy.can_cast(dtype, target.dtype, casting):
                raise TypeError(f"cannot cast {self.__name__}'s output from {dtype} to {target.dtype} according to the "
                                f"rule '{casting}'")
            if numpy.broadcast_shapes(shape, target.shape) != target.shape:
                raise ValueError(f"an output of shape {target.shape} doesn't match the broadcast shape {shape}")
            targets.append(target)
        values = [value.copy() if isinstance(value, ndarray) and any(may_overlap(one, value) for one in targets)
                  else value for value in values]
        made = [ndarray(one.shape, dtype, device=one.device) if dtype.kind == "c" != one.dtype.kind else one
                for one, dtype in zip(targets, loop.outputs)]
        loop.native.launch((*made, *values))
        found = tuple(delivered(one, target, casting) if one is not target else
                      one if isinstance(one, ndarray) else ndarray(one, one.dtype)
                      for one, target in zip(made, targets))
        return found[0] if len(found) == 1 else found

    def _where(self, args: tuple, out, dtype, casting: str, where) -> ndarray:
        """Computes the elements for which the mask holds; the others stay as they are in `out`, or have any value."""
        from .generated import computed
        if self.nout > 1:
            raise NotImplementedError(f"pykc.{self.__name__}(where=), which has several results")
        if len(args) == self.nargs:
            args, out = args[:-1], args[-1]
        if isinstance(out, tuple):
            out, = out
        mask = _array_of(as_operand(where), numpy.dtype(bool))
        if mask.dtype.kind != "b":
            raise TypeError(f"`where` is a mask, not of {mask.dtype}")
        values = self(*args, dtype=dtype, casting=casting)
        made = out
        if made is None:
            made = ndarray(numpy.broadcast_shapes(values.shape, mask.shape), values.dtype, device=values.device)
        elif not numpy.can_cast(values.dtype, made.dtype, casting):
            raise TypeError(f"cannot cast {self.__name__}'s output from {values.dtype} to {made.dtype} according to "
                            f"the rule '{casting}'")
        return computed("z = x if m else y", made.dtype, out=made, m=(mask, mask.dtype), x=(values, made.dtype),
                        y=(made, made.dtype))

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims: bool = False, **others) -> ndarray:
        """All elements along axes as one: `add.reduce` is `sum`, along the first axis if none is named."""
        from . import reductions
        if self.__name__ in _REDUCTIONS:
            name = _REDUCTIONS[self.__name__]
            typed = {"dtype": dtype} if name in ("sum", "prod") else {}
            if dtype is not None and not typed:
                array = _array_of(as_operand(array)).astype(dtype, copy=False)
            return getattr(reductions, name)(array, axis=axis, out=out, keepdims=keepdims, **typed, **others)
        if self.nin != 2 or self.nout != 1 or self._numpy.identity is None or others:
            raise NotImplementedError(f"pykc.{self.__name__}.reduce: there are reduce of functions that have an "
                                      f"identity, {', '.join(_REDUCTIONS)}, bitwise_and, gcd, hypot and their kin")
        array = as_operand(array)
        wanted = array.dtype if dtype is None else as_dtype(dtype)
        loop = self.loop((None, wanted, wanted))
        array = array.astype(loop.inputs[0], copy=False)
        identity = self._numpy.identity
        text = "-math.inf" if identity == -math.inf else str(identity)
        text = text if identity >= 0 or array.dtype.kind != "u" else str(numpy.iinfo(array.dtype).max)
        rule = reductions.Rule("x", f"np.{self.__name__}(a, b)", text)
        return reductions.reduced(rule, loop.outputs[0], axis, keepdims, out, array)

    def accumulate(self, array, axis: int = 0, dtype=None, out=None) -> ndarray:
        """Running results along an axis: `add.accumulate` is `cumsum`."""
        from . import scanning
        name = {"add": "cumsum", "multiply": "cumprod"}.get(self.__name__)
        if name is None:
            raise NotImplementedError(f"pykc.{self.__name__}.accumulate: there are add.accumulate and "
                                      "multiply.accumulate")
        if not numpy.ndim(array):
            raise TypeError("cannot accumulate on a scalar")
        return getattr(scanning, name)(array, axis, dtype, out)

    def at(self, a: ndarray, indices, b) -> None:
        """`a[indices] = self(a[indices], b)`, where an element that is indexed several times takes part in each."""
        from .indexing import combine
        if self.__name__ not in ATOMICS:
            raise NotImplementedError(f"pykc.{self.__name__}.at: there are {', '.join(ATOMICS)}")
        combine(a, indices, b, ATOMICS[self.__name__])

    def outer(self, a, b, **keywords):
        """Of each element of A with each of B."""
        if self.nin != 2:
            raise ValueError("outer product only supported for binary functions")
        a, b = _array_of(a), _array_of(b)
        return self(a.reshape(a.shape + (1,) * b.ndim), b, **keywords)

    def __getattr__(self, name: str):
        if name == "reduceat":
            raise NotImplementedError(f"pykc.{self.__name__}.reduceat: there are reduce, accumulate and at")
        raise AttributeError(f"a function of elements has no {name}")


def _device(values: list):
    return next(value.device for value in values if isinstance(value, ndarray))


def _lie_by_columns(values: list) -> bool:
    """Whether all arrays have one shape and lie in columns: so do the results then."""
    for value in values:
        if isinstance(value, ndarray) and (value.is_contiguous() or not value.is_contiguous("F")):
            return False
    return len({value.shape for value in values if isinstance(value, ndarray)}) == 1


def _turned(value: Any) -> Any:
    return value.transposed() if isinstance(value, ndarray) else value


def _without_imaginary(value: Any, dtype: numpy.dtype) -> Any:
    """A complex array as real numbers where a loop is of these."""
    is_complex = isinstance(value, ndarray) and value.dtype.kind == "c"
    return value.astype(dtype) if is_complex and dtype.kind != "c" else value


def _array_of(value: Any, dtype=None) -> ndarray:
    if isinstance(value, ndarray):
        return value
    made = ndarray((), numpy.result_type(value) if dtype is None else dtype)
    convert_into(made, value)
    return made


@functools.cache
def _limits(dtype: numpy.dtype) -> tuple[int, int]:
    info = numpy.iinfo(dtype)
    return int(info.min), int(info.max)


_made: dict[str, ufunc] = {}


def find(name: str) -> ufunc:
    """The function of that name, one of NumPy's or the array API's."""
    name = ALIASES.get(name, name)
    if name not in NAMES:
        instead = f": numpy.{name} of `x.get()` computes on the host" if callable(getattr(numpy, name, None)) else ""
        raise AttributeError(f"module 'pykc' has no attribute {name!r}{instead}")
    if name not in _made:
        _made[name] = ufunc(name)
    return _made[name]
