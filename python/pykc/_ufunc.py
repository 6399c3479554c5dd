"""`@vectorize` and `@guvectorize`: functions of numbers, or of parts of arrays, that work on whole arrays."""
from __future__ import annotations

import functools
import math
import operator
import re
import types
import warnings
from typing import Any

from . import _config, _devices
from ._elementwise import BLOCK, Loaded, assign, converted, kernel_text, launch, places
from ._modules import Function
from ._results import Results
from .cuda._arrays import DeviceNDArray, as_cuda_array, device_array, is_cuda_array, packed, spans_meet, to_device
from .cuda._streams import native_stream
from .types import Array, Signature, Type, parsed, signature_text, void

#: Options that only advise Numba, for one target or another.
_ADVICE = {"nopython", "cache", "identity", "writable_args", "fastmath", "boundscheck", "error_model", "inline"}


class _Loop:
    """One prototype: the dtypes of what goes in and comes out."""

    def __init__(self, inputs: list, outputs: list):
        self.inputs, self.outputs = inputs, outputs


class _ArrayFunction(Function):
    """What the two have in common."""

    def __init__(self, py_func: types.FunctionType, signatures: list):
        super().__init__(py_func)
        self._signatures = [one if isinstance(one, Signature) else parsed(signature_text(one)) for one in signatures]
        self._loaded = Loaded()
        self._results = Results(self)

    @property
    def types(self) -> list[str]:
        """The versions, as NumPy spells those of its ufuncs: `["dd->d"]`."""
        return [f"{''.join(dtype.char for dtype in loop.inputs)}->{''.join(dtype.char for dtype in loop.outputs)}"
                for loop in map(self._whole, self._loops)]

    def _whole(self, loop: _Loop) -> _Loop:
        """The prototype with the types of its results."""
        return loop

    def _chosen(self, loops: list[_Loop], dtypes: list, castings: tuple[str, ...] = ("safe",)) -> _Loop:
        """The first prototype that the inputs convert to without loss, as NumPy chooses."""
        for casting in castings:
            for loop in loops:
                if all(_fits(found, wanted, casting) for found, wanted in zip(dtypes, loop.inputs)):
                    return loop
        found = ", ".join(str(getattr(dtype, "__name__", dtype)) for dtype in dtypes)
        raise TypeError(f"`{self.__name__}` has no version for ({found}): there are "
                        f"{', '.join(map(str, self._signatures))}")


class DUFunc(_ArrayFunction):
    """A function under `@vectorize`."""

    nout = 1
    max_blocksize = 2 ** 30

    def __init__(self, py_func: types.FunctionType, signatures: list, target: str = "cpu"):
        super().__init__(py_func, signatures)
        self._takes_any_number = target in ("cuda", "gpu")
        self.nin = py_func.__code__.co_argcount
        self.nargs = self.nin + 1
        self._loops = [_Loop([type_.dtype for type_ in one.args], [] if one.return_type == void else
                             [one.return_type.dtype]) for one in self._signatures]
        if any(len(loop.inputs) != self.nin for loop in self._loops):
            raise TypeError(f"`{self.__name__}` has {self.nin} parameters; its signatures do not")

    def __call__(self, *args, out=None, stream=0):
        import numpy
        if len(args) == self.nargs and out is None:
            *args, out = args
        if len(args) != self.nin:
            raise TypeError(f"`{self.__name__}` takes {self.nin} arguments, not {len(args)}")
        out = out[0] if isinstance(out, tuple) else out
        new = _maker(args)
        inputs = [_input(argument) for argument in args]
        dtypes = [_dtype(argument) for argument in inputs]
        if all(isinstance(dtype, type) for dtype in dtypes):  # there is no array whose type they could take
            dtypes = [numpy.dtype(dtype) for dtype in dtypes]
        loop = self._loop(args, dtypes)
        shape = numpy.broadcast_shapes(*(getattr(argument, "shape", ()) for argument in inputs))
        out = as_cuda_array(out) if out is not None and is_cuda_array(out) else out
        result = new(shape, loop.outputs[0]) if out is None else out
        if out is not None and not numpy.can_cast(loop.outputs[0], out.dtype, "same_kind"):
            raise TypeError(f"`{self.__name__}` gives {loop.outputs[0]}, which an `out` of {out.dtype} does not hold")
        native = native_stream(stream)
        target = _target(result)
        if tuple(target.shape) != shape:
            raise ValueError(f"the result has the shape {shape}, `out` has {tuple(target.shape)}")
        if target is out:  # others are new
            inputs = [_copied(one) if getattr(one, "shape", ()) and one is not out and _overlap(one, out) else one
                      for one in inputs]
        self._run(loop, inputs, target, shape, native)
        return _delivered(target, result, stream, out is None)

    def _loop(self, args: list, dtypes: list) -> _Loop:
        """The prototype for these arguments."""
        if not self._loops:
            return self._found(dtypes)
        return self._whole(self._of_these_types(args, dtypes) or self._chosen(self._loops, dtypes))

    def _whole(self, loop: _Loop) -> _Loop:
        if not loop.outputs:  # the signature has the types of the arguments alone
            loop.outputs = self._found(loop.inputs).outputs
        return loop

    def _of_these_types(self, args: list, dtypes: list) -> _Loop | None:
        """The one prototype that has the types of the arrays, as Numba chooses for its target `cuda`: numbers become
        what it has for them, unless there is one that has their types, too. For other targets NumPy chooses."""
        import numpy
        if not self._takes_any_number:
            return None
        numbers = [isinstance(argument, (int, float, complex, numpy.number)) for argument in args]
        found = [loop for loop in self._loops if all(is_number or dtype == wanted for is_number, dtype, wanted
                                                     in zip(numbers, dtypes, loop.inputs))]
        exact = [loop for loop in found if [numpy.dtype(dtype) for dtype in dtypes] == loop.inputs]
        return exact[0] if exact else found[0] if len(found) == 1 else None

    def _run(self, loop: _Loop, inputs: list, target, shape: tuple[int, ...], stream) -> None:
        arrays, names, values = [], [], []
        flat = all(_is_rows(one) and one.shape == shape for one in [*inputs, target] if getattr(one, "shape", ()))
        over = shape if not flat else (target.size,)
        for number, argument in enumerate(inputs):
            name = f"x{number}"
            names.append(name)
            extents = getattr(argument, "shape", ())
            index = "[i0]" if extents and flat else f"[{places(extents, shape)}]" if extents else ""
            values.append(converted(_kernel_type(loop.inputs[number]), name + index))
            arrays.append(_argument(argument, flat) if extents else loop.inputs[number].type(argument))
        index = "i0" if flat and shape else places(shape, (0,) * len(shape)) or "0"
        text = kernel_text(self._kernel_name, [*names, "out"], over, f"out[{index}] = core({', '.join(values)})")
        kernel = self._loaded.kernel(text, self._kernel_name, {"core": self})
        launch(kernel, over, [*arrays, _argument(target, flat or not shape)], stream)

    _kernel_name = "elementwise"

    def _found(self, dtypes: list) -> _Loop:
        """The prototype for these inputs, of a function that was given none."""
        import numpy
        inputs = [numpy.dtype(dtype) for dtype in dtypes]
        outputs = self._results.types(tuple(map(_kernel_type, inputs)))
        if outputs is None or len(outputs) != 1:
            raise TypeError(f"`{self.__name__}` must return one number")
        return _Loop(inputs, outputs)

    def reduce(self, array, axis: int | None = 0, *, stream=0):
        """The elements along an axis, combined by the function; those of a vector in any order."""
        array, axis, loop = self._along(array, axis, "reduce")
        if array.ndim == 1:
            from ._reduce import Reduce
            return Reduce(self).all(_of_type(array, loop.inputs[0], native_stream(stream)), stream)
        shape = tuple(array.shape[:axis] + array.shape[axis + 1:])
        if math.prod(shape) and not array.shape[axis]:
            raise ValueError("a reduction of no elements")
        return self._run_along(array, axis, loop, shape, stream)

    def accumulate(self, array, axis: int = 0, *, stream=0):
        """What `reduce` gives for the elements up to each one along an axis, from the first to the last."""
        array, axis, loop = self._along(array, axis, "accumulate")
        return self._run_along(array, axis, loop, tuple(array.shape), stream)

    def outer(self, a, b, *, stream=0):
        """The function of each element of the one and each of the other."""
        self._check_takes_two("outer")
        a, b = _input(a), _input(b)
        ones = (1,) * getattr(b, "ndim", 0)
        return self(a.reshape(tuple(a.shape) + ones) if ones and getattr(a, "ndim", 0) else a, b, stream=stream)

    def _check_takes_two(self, what: str) -> None:
        if self.nin != 2:
            raise TypeError(f"`{self.__name__}.{what}`: there is that of functions of two numbers alone")

    def _along(self, array: Any, axis: int | None, what: str) -> tuple[Any, int, _Loop]:
        """An array with one of its axes, and the prototype that combines its elements."""
        import numpy
        self._check_takes_two(what)
        array = _input(array)
        rank = getattr(array, "ndim", 0)
        if not rank:
            raise TypeError(f"`{self.__name__}.{what}` is of arrays, not of a number")
        if axis is None and rank == 1:
            axis = 0
        if not hasattr(axis, "__index__"):
            raise ValueError(f"`{self.__name__}.{what}` goes along one axis, not along {axis}")
        if not -rank <= axis < rank:
            raise numpy.exceptions.AxisError(axis, rank)
        loop = self._loop([array, array], [array.dtype] * 2)
        if loop.outputs[0] != loop.inputs[0] and numpy.can_cast(loop.inputs[0], loop.outputs[0]):
            loop = self._loop([array, array], loop.outputs * 2)  # of what the first two give and the third
        if loop.inputs != loop.outputs * 2:
            raise TypeError(f"`{self.__name__}.{what}` takes a version whose result is of the type of its arguments: "
                            f"for {array.dtype} there is none")
        return array, operator.index(axis) % rank, loop

    def _run_along(self, array: Any, axis: int, loop: _Loop, shape: tuple[int, ...], stream) -> Any:
        """Each thread combines the elements along the axis: into one of the result, or into as many of it."""
        over = tuple(array.shape[:axis] + array.shape[axis + 1:])
        indices = [f"i{number}" for number in range(len(over))]
        first, each = (", ".join([*indices[:axis], place, *indices[axis:]]) for place in ("0", "k"))
        is_whole = len(shape) == array.ndim  # the result has the axis, too
        type_ = _kernel_type(loop.outputs[0])
        lines = [f"value = {converted(type_, f'x[{first}]')}", f"out[{first}] = value" if is_whole else "",
                 f"for k in range(1, x.shape[{axis}]):",
                 "    value = " + converted(type_, f"core(value, {converted(type_, f'x[{each}]')})"),
                 f"    out[{each}] = value" if is_whole else f"out[{', '.join(indices)}] = value"]
        text = kernel_text("along", ["x", "out"], over, "\n".join(filter(None, lines)))
        result = _maker((array,))(shape, loop.outputs[0])
        target = _target(result)
        if math.prod(shape):
            kernel = self._loaded.kernel(text, "along", {"core": self})
            launch(kernel, over, [_argument(array, False), _argument(target, False)], native_stream(stream))
        return _delivered(target, result, stream, True)


class NativeDUFunc(DUFunc):
    """A function under `@pykc.vectorize`."""

    native = True

    def __init__(self, py_func: types.FunctionType, signatures: list, target: str = "cpu", *, otypes=None):
        super().__init__(py_func, signatures, target)
        if otypes is not None and len(otypes) != 1:
            raise ValueError(f"`{self.__name__}` gives one array, and `otypes` are {otypes!r}")
        self._otype = None if otypes is None else otypes[0]

    def _found(self, dtypes: list) -> _Loop:
        import numpy
        found = super()._found(dtypes)
        return found if self._otype is None else _Loop(found.inputs, [numpy.dtype(self._otype)])


class GUFunc(_ArrayFunction):
    """A function under `@guvectorize`."""

    max_blocksize = 2 ** 30

    def __init__(self, py_func: types.FunctionType, signatures: list, layout: str):
        super().__init__(py_func, signatures)
        self.signature = layout
        self._inputs, self._outputs = _layout(layout)
        self.nin, self.nout = len(self._inputs), len(self._outputs)
        if self.nin + self.nout != py_func.__code__.co_argcount:
            raise TypeError(f"`{self.__name__}` has {py_func.__code__.co_argcount} parameters, {layout!r} has "
                            f"{self.nin + self.nout}")
        # Inputs that the layout has as numbers and a signature as arrays, as was once done.
        self._one_element_arrays = {f"x{number}" for number, core in enumerate(self._inputs) if not core
                                    and any(isinstance(one.args[number], Array) for one in self._signatures)}
        returned = next((one.return_type for one in self._signatures if one.return_type != void), None)
        if returned is not None:
            raise TypeError(f"guvectorized functions cannot return values: signature of `{self.__name__}` specifies "
                            f"{returned} return type")
        self._loops = [_Loop([_element(one) for one in signature.args[:self.nin]],
                             [_element(one) for one in signature.args[self.nin:]]) for signature in self._signatures]

    def __call__(self, *args, out=None, stream=0):
        import numpy
        if len(args) == self.nin + self.nout:
            if out is not None:
                raise ValueError("cannot specify argument 'out' as both positional and keyword")
            args, out = args[:self.nin], args[self.nin:]
        if len(args) != self.nin:
            raise TypeError(f"`{self.__name__}`: gufunc accepts {self.nin} positional arguments (its inputs) or "
                            f"{self.nin + self.nout} positional arguments (its results, too). Got {len(args)} "
                            f"positional argument{'s' * (len(args) != 1)}.")
        outs = () if out is None else out if isinstance(out, tuple) else (out,)
        new = _maker(args)
        inputs = [_input(argument) for argument in args]
        dtypes = [_dtype(one) for one in inputs]
        inputs = [one if hasattr(one, "shape") else numpy.asarray(one) for one in inputs]
        if self._loops:
            loop = self._chosen(self._loops, dtypes, ("safe", "same_kind"))
        elif outs:
            loop = _Loop([one.dtype for one in inputs], [one.dtype for one in outs])
        else:
            raise TypeError(f"`{self.__name__}` has no signatures: pass the arrays for its results, too")
        loops, sizes = self._sizes(inputs)
        shape = numpy.broadcast_shapes(*loops)
        native = native_stream(stream)
        given = [as_cuda_array(one) if is_cuda_array(one) else one for one in outs]
        results = [self._shaped(one, shape, core, sizes) for one, core in zip(given, self._outputs)] or [
            new(shape + tuple(sizes[name] for name in core), dtype)
            for core, dtype in zip(self._outputs, loop.outputs)]
        targets = [as_cuda_array(one) if is_cuda_array(one) else
                   one if _devices.current().is_cpu else to_device(one) for one in results]
        inputs = [_of_type(one, dtype, native) for one, dtype in zip(inputs, loop.inputs)]
        inputs = [_copied(one) if any(_overlap(one, target) for target in targets) else one for one in inputs]
        self._run(inputs, loops, targets, shape, native)
        for target, result in zip(targets, results):
            if isinstance(target, DeviceNDArray) and not is_cuda_array(result):
                target.copy_to_host(result, stream)
        (native or _devices.current()).synchronize()
        results = given or results
        return results[0] if len(results) == 1 else tuple(results)

    def _shaped(self, out: Any, shape: tuple[int, ...], core: list[str], sizes: dict[str, int]) -> Any:
        """An array for a result, which may lack or have leading extents of 1."""
        wanted = shape + tuple(sizes[name] for name in core)
        if math.prod(out.shape) != math.prod(wanted):
            raise ValueError(f"a result of `{self.__name__}` has the shape {wanted}, `out` has {tuple(out.shape)}")
        return out if tuple(out.shape) == wanted else out.reshape(wanted)

    def _sizes(self, inputs: list) -> tuple[list[tuple[int, ...]], dict[str, int]]:
        """The leading extents of each input, and what the letters of the layout stand for."""
        loops, sizes = [], {}
        for number, (array, core) in enumerate(zip(inputs, self._inputs)):
            if array.ndim < len(core):
                raise ValueError(f"input {number} of `{self.__name__}` needs {len(core)} dimensions, not {array.ndim}")
            split = array.ndim - len(core)
            loops.append(tuple(array.shape[:split]))
            for name, extent in zip(core, array.shape[split:]):
                if sizes.setdefault(name, extent) != extent:
                    raise ValueError(f"`{name}` of {self.signature} is both {sizes[name]} and {extent}")
        missing = {name for core in self._outputs for name in core} - set(sizes)
        if missing:
            raise ValueError(f"{', '.join(sorted(missing))} of {self.signature} stand only in the results")
        return loops, sizes

    def _run(self, inputs: list, loops: list, targets: list, shape: tuple[int, ...], stream) -> None:
        names = [f"x{number}" for number in range(len(inputs))] + [f"out{number}" for number in range(len(targets))]
        values, arrays = [], []
        for name, array, extents, core in zip(names, inputs, loops, self._inputs):
            index = places(extents, shape)
            if name in self._one_element_arrays:
                array = array.reshape(1) if not array.ndim else array
                index = f"{index}:{index.split(', ')[-1]} + 1" if index else ""
            values.append(f"{name}[{index}]" if index else name)
            arrays.append(_argument(array, False) if array.ndim else array[()])
        for name, target, core in zip(names[len(inputs):], targets, self._outputs):
            leading = [f"i{axis}" for axis in range(len(shape))]
            if not core and leading:  # a number comes out: an array of one element
                leading[-1] = f"{leading[-1]}:{leading[-1]} + 1"
            values.append(f"{name}[{', '.join(leading)}]" if leading else name)
            arrays.append(_argument(target.reshape(1) if not target.ndim else target, False))
        text = kernel_text("generalized", names, shape or (1,), f"core({', '.join(values)})")
        kernel = self._loaded.kernel(text, "generalized", {"core": self})
        if _config.CUDA_LOW_OCCUPANCY_WARNINGS:
            from ._advice import warn_of_few_blocks
            warn_of_few_blocks(-(-math.prod(shape) // BLOCK))
        launch(kernel, shape or (1,), arrays, stream)


def vectorize(ftylist_or_function=(), target: str = "cpu", **options):
    """`@vectorize`: of a function of numbers one of arrays, which runs on the device in use, whatever TARGET says.

    The signatures, `["float32(float32, float32)"]`, are what it is compiled for, the first one that fits the arguments;
    for `target="cuda"` one of exactly their types comes before it. Without any it is compiled for the types of each
    call. What it makes broadcasts as NumPy's ufuncs do, takes `out=`, and has `reduce`, `accumulate` and `outer`. Given
    arrays of the device it returns one, and nothing goes through the host."""
    return vectorized(DUFunc, ftylist_or_function, target, options)


def vectorized(kind: type[DUFunc], ftylist_or_function: Any, target: str, options: dict[str, Any]) -> Any:
    """What `@vectorize` makes, as one of KIND."""
    for option in options:
        if option not in _ADVICE:
            raise KeyError(f"Unrecognized options. @vectorize does not support option: {option!r}")
    _check_target(target)
    if target == "cuda" and "nopython" in options:
        warnings.warn("nopython kwarg for cuda target is redundant", RuntimeWarning, stacklevel=3)
    if isinstance(ftylist_or_function, (types.FunctionType, Function)):
        return kind(_plain(ftylist_or_function), [], target)
    signatures = _listed(ftylist_or_function)
    return lambda function: kind(_plain(function), signatures, target)


def guvectorize(ftylist, signature: str | None = None, target: str = "cpu", **options):
    """`@guvectorize`: of a function of parts of arrays one of arrays of such parts, on the device in use.

    SIGNATURE is the layout of a part, `"(m,n),(n)->(m)"`; the function gets the parts, the results among them, and
    returns nothing. The axes before those of the layout are the batch, which broadcasts. `out=` and arrays of the
    device as with `vectorize`."""
    _check_target(target)
    if not options.get("nopython", True):
        raise TypeError("nopython flag must be True")
    unknown = [repr(option) for option in options if option not in _ADVICE]
    if unknown:
        raise TypeError(f"The following target options are not supported: {', '.join(unknown)}")
    layout = ftylist if signature is None else signature
    signatures = [] if signature is None else _listed(ftylist)
    return lambda function: GUFunc(_plain(function), signatures, layout)


def _check_target(target: str) -> None:
    if target not in ("cpu", "cuda", "gpu", "parallel"):
        raise ValueError(f"Unsupported target: {target!r}: there are 'cpu', 'cuda' or 'parallel', and all mean the "
                         "device in use")


def _plain(function) -> types.FunctionType:
    return getattr(function, "py_func", function)


def _listed(signatures) -> list:
    single = isinstance(signatures, (str, Signature)) or isinstance(signatures, tuple) and signatures and all(
        isinstance(one, Type) for one in signatures)
    return [signatures] if single else list(signatures)


def _layout(text: str) -> tuple[list[list[str]], list[list[str]]]:
    sides = text.replace(" ", "").split("->")
    if len(sides) != 2:
        raise ValueError(f"{text!r} is no layout: it is written '(m,n),(n)->(m)'")
    found = [[[name for name in part.split(",") if name] for part in re.findall(r"\(([^()]*)\)", side)]
             for side in sides]
    return found[0], found[1]


def _element(type_: Type) -> Any:
    dtype = type_.dtype
    return dtype.dtype if isinstance(dtype, Type) else dtype


def _maker(arguments: tuple) -> Any:
    """What makes the arrays of results: of pykc's arrays pykc's own, of others of a device Numba's, else NumPy."""
    if not any(map(is_cuda_array, arguments)):
        import numpy
        return numpy.empty
    from ._arrays import ndarray
    return ndarray if any(isinstance(one, ndarray) for one in arguments) else device_array


def _target(result: Any) -> Any:
    """What a kernel can write in place of an array for results."""
    return result if is_cuda_array(result) or _devices.current().is_cpu else device_array(result.shape, result.dtype)


def _delivered(target: Any, result: Any, stream, is_new: bool) -> Any:
    """The array for results with what a kernel has written; a number where it is a NEW one of NumPy's of no axes."""
    import numpy
    if isinstance(target, DeviceNDArray) and not is_cuda_array(result):
        target.copy_to_host(result, stream)
    if not isinstance(result, numpy.ndarray):
        return result
    (native_stream(stream) or _devices.current()).synchronize()
    return result[()] if is_new else result


def _input(argument: Any) -> Any:
    """An array of the host or the device, or a plain number."""
    import numpy
    if is_cuda_array(argument):
        return as_cuda_array(argument)
    if isinstance(argument, (bool, int, float, complex, numpy.generic)):
        return argument
    array = numpy.asarray(argument)
    if array.dtype == object:
        raise TypeError(f"a function of elements takes numbers and arrays, not a `{type(argument).__name__}`")
    return array[()] if array.ndim == 0 else array


def _dtype(argument: Any) -> Any:
    """The dtype, or Python's type of a plain number, which fits every dtype of its kind."""
    return getattr(argument, "dtype", None) or type(argument)


def _fits(found: Any, wanted: Any, casting: Any) -> bool:
    import numpy
    if isinstance(found, type):
        return "biufc".index(wanted.kind) >= {bool: 0, int: 1, float: 3, complex: 4}[found]
    return numpy.can_cast(found, wanted, casting)


@functools.cache
def _kernel_type(dtype: Any) -> str:
    return "bool_" if dtype.name == "bool" else dtype.name


def _is_rows(array: Any) -> bool:
    return array.is_c_contiguous() if isinstance(array, DeviceNDArray) else array.flags.c_contiguous


def _argument(array: Any, flat: bool) -> Any:
    if not isinstance(array, DeviceNDArray) and not _devices.current().is_cpu:
        array = to_device(array)
    return array.reshape(array.size) if flat and array.ndim != 1 else array


def _overlap(one: Any, other: Any) -> bool:
    """Whether a function that reads the one may find what it has written to the other."""
    import numpy
    if isinstance(one, DeviceNDArray) or isinstance(other, DeviceNDArray):
        return spans_meet(*(array if isinstance(array, DeviceNDArray) else numpy.asarray(array)
                            for array in (one, other)))
    return numpy.may_share_memory(one, other)


def _copied(array: Any) -> Any:
    return packed(array) if isinstance(array, DeviceNDArray) else array.copy()


def _of_type(array: Any, dtype: Any, stream) -> Any:
    if array.dtype == dtype:
        return array
    if isinstance(array, DeviceNDArray):
        if not _fits(array.dtype, dtype, "safe"):
            raise TypeError(f"an array of a device does not support .astype() from {array.dtype} to {dtype}")
        made = device_array(array.shape, dtype)
        assign(*(one if one.ndim else one.reshape(1) for one in (made, array)), stream)
        return made
    return array.astype(dtype)
