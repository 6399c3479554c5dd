"""`ElementwiseKernel` and `ReductionKernel`: functions of arrays by a few words of CUDA C, as CuPy has them."""
from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy

from .. import _native
from ..cuda._arrays import spans_meet
from .arguments import TYPE_NAMES, as_dtype, axes_of
from .c_expressions import Callee, Functions, spelled
from .c_macros import with_macros
from .c_names import PRELUDE, TYPES
from .c_text import CONTINUE, RETURN, CBody, translated, translated_expression, translated_functions
from .generated import for_each
from .ndarray import convert_into, delivered, may_overlap, ndarray
from .ufuncs import as_operand


class Parameter(NamedTuple):
    """`raw T x`."""
    name: str
    type: str  # NumPy's name, or a letter that stands for any
    is_raw: bool

    @property
    def is_generic(self) -> bool:
        return len(self.type) == 1


def _require_name(name: str) -> None:
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        raise ValueError(f'Invalid kernel name: "{name}"')


def _parameters(text: str) -> tuple[Parameter, ...]:
    found = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        words = part.split()
        is_raw = words[0] == "raw"
        if len(words) - is_raw != 2 or not words[-1].isidentifier():
            raise ValueError(f"`{part}` is no parameter: write a type and a name, `float32 x`, `T y` or `raw T z`")
        if words[-1] == "i" or words[-1].startswith("_"):
            raise ValueError(f"a parameter cannot have the name `{words[-1]}`")
        type_ = words[-2]
        if not (len(type_) == 1 and type_.isupper()):
            type_ = as_dtype({"float": "float32", "double": "float64"}.get(type_, type_)).name
        found.append(Parameter(spelled(words[-1]), type_, is_raw))
    return tuple(found)


def _decorator(options: tuple[str, ...]) -> str:
    """What options of NVRTC mean for `@kernel`. Nothing is included, and the text is no C++ that a standard is for."""
    found = ""
    for option in options:
        if re.fullmatch(r"--?use_fast_math", option):
            found += ", fastmath=True"
        elif re.fullmatch(r"--?fmad=false", option):
            found += ", contract=False"
        elif not re.fullmatch(r"--?std=.*|--?fmad=true|-O\d|-I.*|-w|-lineinfo", option):
            raise NotImplementedError(f"the option {option!r}: there are -std=, --fmad=, --use_fast_math, -O and -I")
    return found


def _preamble(text: str, types: dict[str, str]) -> tuple[str, Functions]:
    """The functions that a preamble defines, in CUDA C or in the language of kernels: their text, and these."""
    text, = with_macros(text)
    functions: Functions = dict.fromkeys(re.findall(r"^def (\w+)", text, re.MULTILINE), Callee())
    if "__device__" in text or not functions and re.search(r"#\s*(include|define)|template\s*<", text):
        return translated_functions(text, types)
    return text, functions


def _bound(parameters: tuple[Parameter, ...], values: list) -> dict[str, numpy.dtype]:
    """What the letters stand for: the types of arrays, or where there are none of numbers."""
    bound: dict[str, numpy.dtype] = {}
    numbers = []
    for parameter, value in zip(parameters, values):
        dtype = value.dtype if isinstance(value, (ndarray, numpy.generic)) else None
        if dtype is None:
            numbers.append((parameter, value))
            continue
        expected = bound.setdefault(parameter.type, dtype) if parameter.is_generic else numpy.dtype(parameter.type)
        if expected != dtype and isinstance(value, ndarray):
            raise TypeError(f"`{parameter.name}` is of {expected}, and an array of {dtype} is given for it")
    for parameter, value in numbers:
        if parameter.is_generic:
            bound.setdefault(parameter.type, numpy.result_type(type(value)(value)))
    return bound


def _dtype(parameter: Parameter, bound: dict[str, numpy.dtype]) -> numpy.dtype:
    if not parameter.is_generic:
        return numpy.dtype(parameter.type)
    if parameter.type not in bound:
        raise TypeError(f"nothing says what the type {parameter.type} of `{parameter.name}` is")
    return bound[parameter.type]


class ElementwiseKernel:
    """A function of elements: `ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_difference")`.

    Parameters have NumPy's types, or a letter that stands for any type; `raw` arrays are indexed in the operation, in
    one dimension or by an array, `int place[] = {k, l}; z = x[place];`, where `i` is the index of the element and
    `_ind.size()` how many there are. The operation is CUDA C:
    assignments, declarations, `if`, loops, jumps, `atomicAdd(&y[k], x)` and its kin, and expressions.
    `loop_prep` stands before it and `after_loop` behind it, in each thread, which has one element. `preamble` defines
    functions in the language of kernels, or `__device__` ones."""

    def __init__(self, in_params: str, out_params: str, operation: str, name: str = "kernel", reduce_dims: bool = True,
                 preamble: str = "", no_return: bool = False, return_tuple: bool = False, loop_prep: str = "",
                 after_loop: str = "", options: tuple[str, ...] = (), **others):
        if others:
            raise NotImplementedError(f"ElementwiseKernel has no {next(iter(others))}=")
        _require_name(name)
        self.in_params, self.out_params = _parameters(in_params), _parameters(out_params)
        self.params = self.in_params + self.out_params
        self.nin, self.nout, self.nargs = len(self.in_params), len(self.out_params), len(self.params)
        self.operation, self.name, self.preamble = operation, name, preamble
        self.no_return, self.return_tuple = no_return, return_tuple
        self._around, self._options = (loop_prep, after_loop), _decorator(options)
        if len({parameter.name for parameter in self.params}) != self.nargs:
            raise ValueError("two parameters have one name")
        self._made: dict[tuple, Any] = {}
        body = self._body(dict.fromkeys((one.type for one in self.params if one.is_generic), "f32"))  # tells errors now
        self._alike, self._axes = body.alike, body.axes

    def _body(self, types: dict[str, str], rank: int = 8) -> CBody:
        _, operation, before, after = with_macros(self.preamble, self.operation, *self._around)
        return translated(operation, types, {parameter.name for parameter in self.params} | {"i"},
                          _preamble(self.preamble, types)[1], before=before, after=after, rank=rank,
                          arrays={parameter.name for parameter in self.params if parameter.is_raw})

    def __call__(self, *args, size: int | None = None, stream=None, block_size: int | None = None):
        """New arrays of what the operation assigns, or those that are given behind the inputs, filled."""
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(f"`{self.name}` takes {self.nin} or {self.nargs} arguments, not {len(args)}")
        if block_size is not None and block_size <= 0:
            raise ValueError(f"a block has threads, and `block_size` is {block_size}")
        values = [as_operand(value) for value in args]
        bound = _bound(self.params, values)
        dtypes = [_dtype(parameter, bound) for parameter in self.params]
        shape = self._shape(values, size)
        device = next((value.device for value in values if isinstance(value, ndarray)), None)
        outs = values[self.nin:] or [ndarray(shape, dtype, device=device) for dtype in dtypes[self.nin:]]
        for parameter, out in zip(self.out_params, outs):
            if not isinstance(out, ndarray) or not parameter.is_raw and out.shape != shape:
                raise ValueError(f"`{parameter.name}` must be an array of the shape {shape}")
        for parameter, value in zip(self.params, [*values[:self.nin], *outs]):
            if parameter.name in self._alike and numpy.shape(value) != shape:
                raise ValueError(f"`{parameter.name}[_ind.get()]` is of an array of the shape {shape}, not "
                                 f"{numpy.shape(value)}")
            if numpy.ndim(value) != self._axes.get(parameter.name, numpy.ndim(value)):
                raise ValueError(f"`{parameter.name}` is indexed along {self._axes[parameter.name]} axes, and has "
                                 f"{numpy.ndim(value)}")
        inputs = [value.item() if isinstance(value, numpy.generic) else value for value in values[:self.nin]]
        inputs = [value.copy() if isinstance(value, ndarray) and any(may_overlap(out, value) for out in outs) else value
                  for value in inputs]
        self._run(bound, dtypes, shape, inputs, outs)
        if self.no_return:
            return None
        return outs[0] if len(outs) == 1 and not self.return_tuple else tuple(outs)

    def _shape(self, values: list, size: int | None) -> tuple[int, ...]:
        arrays = [(place, value.shape) for place, (parameter, value) in enumerate(zip(self.params, values))
                  if isinstance(value, ndarray) and not parameter.is_raw]
        if size is not None:
            if arrays:
                raise ValueError("Specified 'size' can be used only if all arrays are raw")
            return (int(size),)
        shapes = [shape for place, shape in arrays if place < self.nin] or [shape for _, shape in arrays]
        if not shapes:
            if all(not isinstance(value, ndarray) for value in values) and values:
                return ()
            raise ValueError(f"Loop size is undecided. `{self.name}` has raw arrays alone: `size=` says how many "
                             "elements there are")
        return numpy.broadcast_shapes(*shapes)

    def _run(self, bound, dtypes, shape: tuple[int, ...], inputs: list, outs: list) -> None:
        key = (*dtypes, *(isinstance(value, ndarray) for value in inputs), len(shape))
        body = self._made.get(key)
        if body is None:
            body = self._made[key] = self._compiled(bound, dtypes, shape, inputs)
        if isinstance(body, str):
            count = int(numpy.prod(shape, dtype=numpy.int64))
            spread = [value if not isinstance(value, ndarray) or parameter.name in self._axes else
                      value.ravel() if parameter.is_raw else _spread(value, shape)
                      for parameter, value in zip(self.params, [*inputs, *outs])]
            device = _device([*outs, *inputs])
            for_each(device, body, "elementwise", count, count, *shape[1:], *spread)
            for parameter, out, flat in zip(self.out_params, outs, spread[self.nin:]):
                if parameter.is_raw and not spans_meet(flat, out):
                    out[...] = flat.reshape(out.shape)
        elif any(isinstance(value, ndarray) for value in inputs):
            body.launch((*outs, *inputs))
        else:
            body.launch((*outs, ndarray_of(inputs[0], dtypes[0], outs[0].device), *inputs[1:]))

    def _compiled(self, bound, dtypes, shape, inputs) -> Any:
        """The native function of elements, or the text of a kernel for what that does not do."""
        types = {letter: TYPE_NAMES[dtype] for letter, dtype in bound.items()}
        body, preamble = self._body(types, max(len(shape), 1)), _preamble(self.preamble, types)[0]
        names = {parameter.name for parameter in self.out_params}
        is_plain = (self.nin and self.nout and not any(parameter.is_raw for parameter in self.params)
                    and not self._options and not body.has_branches and not names & body.reads and names <= body.assigns
                    and not {"i", "_ind"} & body.reads and not {one.name for one in self.in_params} & body.assigns)
        if not is_plain:
            return self._text(body, preamble, dtypes, len(shape), inputs)
        typed = ", ".join(f"{parameter.name}: {TYPE_NAMES[dtype]}" for parameter, dtype in zip(self.in_params, dtypes))
        step = (typed, ", ".join(parameter.name for parameter in self.out_params), body.text)
        return _native.Elementwise([step], dtypes[self.nin:], PRELUDE + preamble, warnings=False)

    def _text(self, body: CBody, preamble: str, dtypes, rank: int, inputs: list) -> str:
        # Parameters of the text begin with one "_" at most.
        extents = [f"__e{axis}" for axis in range(1, rank)]
        arrays = [parameter.name if parameter.is_raw else f"_{parameter.name}" for parameter in self.params]
        lines = [f"@kernel(wraparound=False{self._options})",
                 f"def elementwise({', '.join(['__size', *extents, *arrays])}):",
                 "    i = grid(1)", "    if i < __size:", "        __i0 = i"]
        for axis in range(rank - 1, 0, -1):
            lines += [f"        __i{axis} = __i0 % __e{axis}", f"        __i0 = __i0 // __e{axis}"]
        index = ", ".join(f"__i{axis}" for axis in range(max(rank, 1)))
        is_array = [isinstance(value, ndarray) for value in inputs] + [True] * self.nout
        for parameter, dtype, array in zip(self.params, dtypes, is_array):
            if not parameter.is_raw:
                value = f"_{parameter.name}[{index}]" if array else f"_{parameter.name}"
                # The text may set an output without asking for what was there.
                quiet = "  # pykc: ignore[E0602]" if parameter in self.out_params else ""
                lines.append(f"        {parameter.name}: {TYPE_NAMES[dtype]} = {value}{quiet}")
        stores = [f"_{parameter.name}[{index}] = {parameter.name}" for parameter in self.out_params
                  if not parameter.is_raw]
        after = body.after.replace(RETURN, "return").splitlines()
        jumps = {CONTINUE: [*stores, *after, "return"], RETURN: [*stores, "return"]}
        for line in [*body.text.splitlines(), *stores, *after]:
            indent = " " * (8 + len(line) - len(line.lstrip()))
            lines += [indent + part for part in jumps.get(line.strip(), [line.strip()])]
        return "\n".join([PRELUDE.replace("import math\n", "") + preamble, "", *lines, ""])

    def __repr__(self) -> str:
        return f"<pykc.ElementwiseKernel {self.name}>"


def _spread(value: ndarray, shape: tuple[int, ...]) -> ndarray:
    from .joining import broadcast_to
    return broadcast_to(value, shape) if shape else value.reshape(1)


def _device(values: list):
    return next((value.device for value in values if isinstance(value, ndarray)), None)


def ndarray_of(value, dtype: numpy.dtype, device) -> ndarray:
    made = ndarray((), dtype, device=device)
    convert_into(made, value)
    return made


class ReductionKernel:
    """A reduction: `ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")`. `map_expr` is of
    an element, `reduce_expr` of two values `a` and `b`, `post_map_expr` assigns the last value `a`; the values have the
    type `reduce_type`, or that of the output."""

    def __init__(self, in_params: str, out_params: str, map_expr: str, reduce_expr: str, post_map_expr: str,
                 identity: Any, name: str = "reduce_kernel", reduce_type: str | None = None, reduce_dims: bool = True,
                 preamble: str = "", options: tuple[str, ...] = (), **others):
        if others:
            raise NotImplementedError(f"ReductionKernel has no {next(iter(others))}=")
        _require_name(name)
        self.in_params, self.out_params = _parameters(in_params), _parameters(out_params)
        if len(self.out_params) != 1 or any(one.is_raw for one in self.in_params + self.out_params):
            raise NotImplementedError("a ReductionKernel has one output and no raw arrays: index before it")
        self.nin, self.nargs, self.name = len(self.in_params), len(self.in_params) + 1, name
        self._parts = map_expr, reduce_expr, post_map_expr, str(identity)
        _decorator(options)  # of which a reduction needs none
        self._reduce_type, self.preamble = reduce_type, preamble
        self._made: dict[tuple, _native.Reduction] = {}
        self._texts(dict.fromkeys((one.type for one in self.in_params + self.out_params if one.is_generic), "f32"))

    def _texts(self, types: dict[str, str]) -> list[str]:
        _, map_, reduce_, post, identity = with_macros(self.preamble, *self._parts)
        out = self.out_params[0].name
        target, equals, value = post.partition("=")
        if target.strip() != out or not equals:
            raise NotImplementedError(f"`{post}`: the last step assigns `{out}` an expression of `a`")
        names = {parameter.name for parameter in self.in_params}
        functions = _preamble(self.preamble, types)[1]
        return [translated_expression(text, types, known, functions) for text, known in
                ((map_, names), (reduce_, {"a", "b"}), (value.rstrip("; \n"), {"a"}), (identity or "0", set()))]

    def __call__(self, *args, out: ndarray | None = None, axis=None, keepdims: bool = False, stream=None):
        """A new array, or the one that is given behind the inputs or as `out`, filled."""
        if len(args) == self.nargs and out is None:
            *args, out = args
        if len(args) != self.nin:
            raise TypeError(f"`{self.name}` takes {self.nin} inputs, not {len(args)}")
        values = [as_operand(value) for value in args]
        parameters, all_values = self.in_params, list(values)
        if out is not None:
            parameters, all_values = parameters + self.out_params, [*values, out]
        bound = _bound(parameters, all_values)
        dtypes = [_dtype(parameter, bound) for parameter in self.in_params + self.out_params]
        shapes = [value.shape for value in values if isinstance(value, ndarray)]
        if not shapes:
            raise TypeError("none of the inputs is an array of a device")
        axes = axes_of(axis, len(numpy.broadcast_shapes(*shapes)))
        native = self._made.get(tuple(dtypes)) or self._compiled(bound, dtypes)
        inputs = tuple(value.item() if isinstance(value, numpy.generic) else value for value in values)
        found = ndarray(native.reduce(list(axes), bool(keepdims), inputs), dtypes[-1])
        return delivered(found, out)

    def _compiled(self, bound, dtypes) -> _native.Reduction:
        types = {letter: TYPE_NAMES[dtype] for letter, dtype in bound.items()}
        map_, reduce_, post, identity = self._texts(types)
        typed = ", ".join(f"{parameter.name}: {TYPE_NAMES[dtype]}" for parameter, dtype in zip(self.in_params, dtypes))
        values = None
        if self._reduce_type is not None:
            values = types.get(self._reduce_type) or TYPES.get(self._reduce_type)
            if values is None or values[0] == "c":
                raise NotImplementedError(f"reduce_type={self._reduce_type!r}: name a type of real numbers")
        preamble = PRELUDE + _preamble(self.preamble, types)[0]
        found = self._made[tuple(dtypes)] = _native.Reduction(
            typed, map_, reduce_, post, identity, dtypes[-1], values, preamble=preamble, warnings=False)
        return found

    def __repr__(self) -> str:
        return f"<pykc.ReductionKernel {self.name}>"
