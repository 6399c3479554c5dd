"""`fuse`: a function of arrays as one kernel. It is called once for each combination of types, with stand-ins for its
arguments, which write down what is done with them. A function that does what they do not know, and arguments for which
the kernel would compute something else, are left to the function itself."""
from __future__ import annotations

import functools
import math
import types
from typing import Any

import numpy

from .. import _native
from ..cuda._arrays import spans_meet
from . import operators, ufuncs
from .arguments import TYPE_NAMES, as_dtype, axes_of
from .ndarray import ndarray
from .reductions import REDUCTIONS
from .ufuncs import PREAMBLE, as_operand


class Trace:
    """The steps of a function: (inputs, outputs, text) of the C++ library."""

    def __init__(self):
        self.steps: list[tuple[str, str, str]] = []
        self.made_of: dict[str, frozenset[int]] = {}  # the numbers of the arguments, by the name of a value

    def step(self, lines: list[str], inputs: list[str], dtype: numpy.dtype, value: str) -> Traced:
        name = f"t{len(self.steps)}"
        text = "\n".join([*lines, f"{name} = {TYPE_NAMES[dtype]}({value})"])
        self.steps.append((", ".join(dict.fromkeys(inputs)), name, text))
        self.made_of[name] = frozenset().union(*(self.made_of[one] for one in inputs))
        return Traced(self, name, dtype)


class Traced:
    """What stands for an array, or for a number, while a function is traced."""

    __array_ufunc__ = None

    def __init__(self, trace: Trace, name: str, dtype: Any, argument: int | None = None):
        self._trace, self._name, self._dtype = trace, name, dtype
        self._argument = argument  # the number of the argument that it stands for
        self._assigned = False
        if argument is not None:
            trace.made_of[name] = frozenset((argument,))

    @property
    def dtype(self) -> numpy.dtype:
        return numpy.dtype(self._dtype)

    def astype(self, dtype, *, copy: bool = True) -> Traced:
        """Converted, as `ndarray.astype` does."""
        dtype = as_dtype(dtype)
        if dtype == self.dtype and not copy:
            return self
        value = self._name
        if self.dtype.kind == "c" and dtype.kind != "c":
            value = f"{value} != 0" if dtype.kind == "b" else f"{value}.real"
        return self._trace.step([], [self._name], dtype, value)

    def copy(self) -> Traced:
        """The same value, which keeps it where this one is assigned to."""
        return self.astype(self.dtype)

    def _become(self, other: Traced) -> Traced:
        """For `x += y`: the array has the new value, in its own type; one that is an argument keeps it."""
        if isinstance(self._dtype, type):  # a number
            return other
        if not numpy.can_cast(other.dtype, self.dtype, "same_kind"):
            raise TypeError(f"cannot cast from {other.dtype} to {self.dtype} according to the rule 'same_kind'")
        converted = other if other.dtype == self.dtype else other.astype(self.dtype)
        self._name, self._assigned = converted._name, self._argument is not None
        return self

    def _unknown(self, *arguments, **keywords):
        raise TypeError("what stands for an array has no elements, no shape and no truth")

    __bool__ = __len__ = __iter__ = __getitem__ = __setitem__ = __float__ = __int__ = __index__ = __array__ = _unknown
    shape = ndim = size = property(_unknown)

    def __getattr__(self, name: str):
        if name in REDUCTIONS:
            return lambda axis=None, keepdims=False: Reduced(self, name, axis, keepdims)
        if name in ("clip", "conj", "conjugate"):
            return functools.partial(traced_function, name, self)
        raise AttributeError(f"what stands for an array has no {name!r}")


class Reduced:
    """The last step of a function that ends in a reduction."""

    def __init__(self, source: Traced, name: str, axis, keepdims: bool):
        self.source, self.name, self.axis, self.keepdims = source, name, axis, keepdims

    __bool__ = __eq__ = __ne__ = Traced._unknown


def _literal(value: Any) -> str:
    if isinstance(value, (bool, numpy.bool_)):
        return str(bool(value))
    value = value.item() if isinstance(value, numpy.generic) else value
    if isinstance(value, complex):
        return f"complex({_literal(value.real)}, {_literal(value.imag)})"
    if isinstance(value, float) and not math.isfinite(value):
        return "math.nan" if value != value else "math.inf" if value > 0 else "-math.inf"
    return f"({value!r})"


def _kind(value: Any):
    """What NumPy's rules of types ask of a value."""
    if isinstance(value, Traced):
        return value._dtype if value._dtype in (int, float, complex) else value.dtype
    return type(value) if type(value) in (int, float, complex) else numpy.dtype(bool) if type(value) is bool else \
        value.dtype


def _converted(value: Any, dtype: numpy.dtype) -> str:
    text = value._name if isinstance(value, Traced) else _literal(value)
    return f"{TYPE_NAMES[dtype]}({text})"


def traced_ufunc(function: ufuncs.ufunc, args: tuple, out=None, dtype=None):
    """A function of elements of stand-ins."""
    trace = next(one for one in args if isinstance(one, Traced))._trace
    args = tuple(one if isinstance(one, Traced) else _number(one) for one in args)
    loop = function.loop((dtype, *map(_kind, args)))
    lines = [f"x{number} = {_converted(one, wanted)}" for number, (one, wanted) in enumerate(zip(args, loop.inputs))]
    names = [one._name for one in args if isinstance(one, Traced)]
    results = loop.step[1].split(", ")
    found = tuple(trace.step([*lines, loop.step[2]], names, wanted, result)
                  for result, wanted in zip(results, loop.outputs))
    if out is not None:
        out, = out if isinstance(out, tuple) else (out,)
        return out._become(*found)
    return found[0] if len(found) == 1 else found


def _number(value: Any):
    found = as_operand(value)
    if isinstance(found, ndarray):
        raise TypeError("a fused function takes the arrays that it uses as arguments")
    return found


def traced_function(name: str, *args, **keywords):
    """Other functions of elements of stand-ins."""
    trace = next(one for one in args if isinstance(one, Traced))._trace
    if name == "where" and len(args) == 3:
        dtype = numpy.result_type(*(numpy.empty(0, one._dtype) if isinstance(one, Traced) and
                                    isinstance(one._dtype, numpy.dtype) else 0 if _kind(one) is int else
                                    0.0 if _kind(one) is float else 0j if _kind(one) is complex else _kind(one)
                                    for one in args[1:]))
        names = [one._name for one in args if isinstance(one, Traced)]
        condition, x, y = (_converted(one, wanted) for one, wanted in zip(args, (numpy.dtype(bool), dtype, dtype)))
        return trace.step([], names, dtype, f"{x} if {condition} else {y}")
    if name == "clip" and not keywords:
        found, low, high = args
        found = found if low is None else ufuncs.find("maximum")(found, low)
        return found if high is None else ufuncs.find("minimum")(found, high)
    if name in ("conj", "conjugate"):
        return ufuncs.find("conjugate")(*args)
    raise NotImplementedError(f"`{name}` in a fused function, with these arguments")


class Fused:
    """A function under `@fuse()`."""

    def __init__(self, function: types.FunctionType, kernel_name: str | None = None):
        functools.update_wrapper(self, function)
        self._function = function
        self._made: dict[tuple, _Compiled | None] = {}

    def __call__(self, *args, **keywords):
        if not keywords and any(isinstance(one, ndarray) for one in args) and all(map(_is_operand, args)):
            values = [one if one is None else as_operand(one) for one in args]
            key = tuple(map(_argument_kind, values))
            if key not in self._made:
                self._made[key] = _compiled(self._function, key)
            made = self._made[key]
            if made is not None and made.serves(values):
                return made(values)
        return self._function(*args, **keywords)

    def clear_cache(self) -> None:
        """Forgets the kernels."""
        self._made.clear()

    def __get__(self, instance, owner=None):
        return self if instance is None else types.MethodType(self, instance)


def _is_operand(value: Any) -> bool:
    return value is None or operators.is_operand(value)


def _argument_kind(value: Any):
    return value.dtype if isinstance(value, ndarray) else type(value)


def _compiled(function: types.FunctionType, kinds: tuple) -> _Compiled | None:
    """The kernel; None where there is none, for a function that does more than stand-ins know."""
    try:
        return _Compiled(function, kinds)
    except Exception:  # what is wrong with the function, it says itself
        return None


class _Compiled:
    """What a function does for arguments of some types."""

    def __init__(self, function: types.FunctionType, kinds: tuple):
        trace = Trace()
        arguments = [None if kind is type(None) else Traced(trace, f"a{number}", kind, number)
                     for number, kind in enumerate(kinds)]
        returned = function(*arguments)
        self.written = [one for one in arguments if one is not None and one._assigned]
        self.is_tuple = isinstance(returned, tuple)
        self.returned = returned if self.is_tuple else () if returned is None else (returned,)
        self.reduction: Reduced | None = None
        if any(isinstance(one, Reduced) for one in self.returned):
            self.reduction, = self.returned
            if self.written:
                raise NotImplementedError("a reduction beside other results")
        self._compile(trace)
        self.made_of = [trace.made_of[one._name] for one in self.results]
        if not all(any(isinstance(kinds[number], numpy.dtype) for number in numbers) for numbers in self.made_of):
            raise NotImplementedError("a result that is no array")

    def serves(self, values: list) -> bool:
        """Whether the kernel does with these arguments what the function does: all that it computes has one shape, and
        what is written is in no other argument."""
        shapes = {value.shape for value in values if isinstance(value, ndarray)}
        if len(shapes) > 1:
            try:
                shape = _shape_of(values, {*self.used, *(one._argument for one in self.written)})
                if any(values[one._argument].shape != shape for one in self.written) or \
                        any(_shape_of(values, numbers) != shape for numbers in self.made_of):
                    return False
            except ValueError:  # which do not broadcast
                return False
        return not any(isinstance(value, ndarray) and number != one._argument and
                       spans_meet(values[one._argument], value)
                       for one in self.written for number, value in enumerate(values))

    def _compile(self, trace: Trace) -> None:
        if self.reduction is not None:
            source = self.reduction.source
            self.results = [source]
            rule, dtype = REDUCTIONS[self.reduction.name](source.dtype)
            self.dtypes = (dtype,)
            self.used = self._inputs(trace)
            steps = [*trace.steps, (source._name, "x", f"x = {source._name}")]
            self.native = _native.Reduction("x", rule.map, rule.reduce, rule.post, rule.identity, dtype, steps=steps,
                                            preamble=PREAMBLE, warnings=False)
            return
        self.results = results = [*self.written, *(one for one in self.returned if one._argument is None)]
        if not results:
            raise NotImplementedError("a function that computes nothing")
        self.dtypes = tuple(one.dtype for one in results)
        names = [f"r{number}" for number in range(len(results))]
        lines = [f"{name} = {one._name}" for name, one in zip(names, results)]
        last = (", ".join(dict.fromkeys(one._name for one in results)), ", ".join(names), "\n".join(lines))
        self.used = self._inputs(trace)
        self.native = _native.Elementwise([*trace.steps, last], self.dtypes, PREAMBLE, warnings=False)

    def _inputs(self, trace: Trace) -> list[int]:
        """The arguments that are inputs, in the order in which they first appear."""
        names = ", ".join([*(step[0] for step in trace.steps), *(one._name for one in self.results)]).split(", ")
        return [int(name[1:]) for name in dict.fromkeys(names) if name.startswith("a")]

    def __call__(self, values: list):
        inputs = [value.item() if isinstance(value, numpy.generic) else value for value in values]
        inputs = [float(value) if type(value) is int and not -2 ** 63 <= value < 2 ** 64 else value for value in inputs]
        inputs = [inputs[number] for number in self.used]
        if self.reduction is not None:
            return self._reduced(values, inputs)
        targets = [values[one._argument] for one in self.written]
        if not targets:
            found = self.native.map(tuple(inputs))
            found = found if len(self.dtypes) > 1 else (found,)
            results = [ndarray(one, dtype) for one, dtype in zip(found, self.dtypes)]
        else:
            results = [ndarray(targets[0].shape, dtype, device=targets[0].device)
                       for dtype in self.dtypes[len(targets):]]
            self.native.launch((*targets, *results, *inputs))
        fresh = iter(results)
        found = tuple(next(fresh) if one._argument is None else values[one._argument] for one in self.returned)
        return found if self.is_tuple else found[0] if found else None

    def _reduced(self, values: list, inputs: list):
        axes = axes_of(self.reduction.axis, len(_shape_of(values, self.used)))
        found = ndarray(self.native.reduce(list(axes), bool(self.reduction.keepdims), tuple(inputs)), self.dtypes[0])
        return (found,) if self.is_tuple else found


def _shape_of(values: list, numbers) -> tuple[int, ...]:
    """The shape to which some of the arguments broadcast."""
    return numpy.broadcast_shapes(*(values[number].shape for number in numbers if isinstance(values[number], ndarray)))


def fuse(*args, kernel_name: str | None = None):
    """`@fuse()` or `@fuse`: a function of arrays that becomes one kernel, in which nothing between its steps goes to
    memory. That holds for operators, functions of elements, `where`, `clip`, `astype`, `x += y`, which changes the
    array that is passed, and as the last step a reduction; a function that does anything else is called as it stands,
    as is any where an array that it writes shares memory with another argument. It is traced once for each combination
    of types."""
    if args and callable(args[0]):
        return Fused(args[0], kernel_name)
    return lambda function: Fused(function, kernel_name)


operators.define_on(Traced)
