"""What `@cuda.jit` makes of a function: a kernel, compiled for the types of each launch, or a device function."""
from __future__ import annotations

import collections.abc
import contextlib
import functools
import inspect
import operator
import re
import types
from typing import Any

from .. import _config, _devices, _native
from .._capture import CUDA, NATIVE, Scope, Watch
from .._elementwise import Loaded, distinct, keep
from .._modules import Function, Program, program_around, program_of
from .._struct import Struct
from ..types import Array, CPointer, Signature, Type, compiled, is_signature, parsed, signature_text, typeof, void
from ._arguments import (Pointed, Prepared, argument_types, as_stated, converted, defaults_of, examples,
                         named_parameters, with_arrays)
from ._faults import ArgumentError, python_error, with_types
from ._overload import Overload
from ._streams import native_stream

#: Options that the decorator of the language has, with their values where they say nothing.
_DECORATOR_OPTIONS = {"fastmath": False, "max_registers": None, "launch_bounds": None, "debug": False, "noalias": False,
                      "wraparound": True, "contract": True, "weak_literals": False, "cluster": None}
_NAMED = (types.NoneType, types.FunctionType, Function, type, str)  # of arguments that are no values
_MOST_KERNELS = 64  # of one function that are kept, for different values of what it captures
#: What only advises Numba or the driver, and what is done by other means here.
_ADVICE = {"opt", "cache", "inline", "forceinline", "lto", "shared_memory_carveout", "lineinfo", "boundscheck", "sanitize",
           "cooperative", "bind", "nopython", "nogil", "parallel", "chip", "locals", "error_model", "target", "cc"}


class Configured(_native.Launch):
    """`k[grid, block, stream, shared]`."""

    def __init__(self, dispatcher: Dispatcher, grid, block, stream=None, shared: int = 0):
        super().__init__(dispatcher, dispatcher._recent, (grid, block, native_stream(stream), shared))

    def __reduce__(self) -> tuple:
        return operator.getitem, (self.dispatcher, self.where)


class Extended(Configured):
    """The same, of a kernel with extensions, which see each argument before it is passed."""

    def __call__(self, *args, **keywords) -> None:
        if keywords:
            args = self.dispatcher._in_order(args, keywords)
        retrieved: list = []  # what is to be called once the launch is made
        prepared = [self._prepared(argument, retrieved) for argument in args]
        super().__call__(*prepared)
        for finish in retrieved:
            finish()

    def _prepared(self, argument: Any, retrieved: list) -> Any:
        type_ = argument_types((argument,))[0]
        for extension in reversed(self.dispatcher.extensions):
            type_, argument = extension.prepare_args(type_, argument, stream=self.where[2], retr=retrieved)
        return argument


class ForAll:
    """`k.forall(tasks)`: a launch of enough threads for so many tasks."""

    def __init__(self, dispatcher: Dispatcher, tasks: int, block: int, stream, shared: int):
        if tasks < 0:
            raise ValueError(f"Can't create ForAll with negative task count: {tasks}")
        self._dispatcher = dispatcher
        self._where = (tasks, block, native_stream(stream), shared)

    def __call__(self, *args, **keywords) -> None:
        if keywords:
            args = self._dispatcher._in_order(args, keywords)
        if self._where[0]:
            self._dispatcher._launched("for_all", self._where, args)


class Dispatcher(Function):
    """A function under `@cuda.jit`: a kernel, compiled for the types of each launch, or a device function.

    `kernel[grid, block](a, b)` launches it; `kernel[grid, block, stream, shared_bytes]` are the four numbers that a
    launch may have. GRID and BLOCK are numbers or tuples of up to three. Arguments are arrays of NumPy (copied there
    and back), of the device or of other libraries, numbers, tuples and records. A launch raises CompileError,
    LaunchError (a ValueError) where the configuration or the arguments do not fit, and KernelFault for what happened in
    a kernel."""

    def __init__(self, py_func: types.FunctionType, signatures=(), *, device: bool = False, text=None, extensions=(),
                 links: tuple = (), **options):
        super().__init__(py_func, text)
        self.links = links
        self.device = device
        self.extensions = list(extensions)
        self._signatures = list(signatures)
        self.specializations: dict[tuple, Dispatcher] = {}
        self._texts = [signature_text(signature) for signature in signatures]
        self._options = options
        self._defaults = defaults_of(py_func)
        code = py_func.__code__  # a kernel has no such parameters, so that one around it calls it
        self._needs_caller = bool(code.co_flags & inspect.CO_VARARGS or code.co_kwonlyargcount)
        self._by_name = code.co_kwonlyargcount
        self._recent = _native.Recent()
        self._loaded: dict[tuple[_native.Device, str], tuple[Watch, Any]] = {}  # by the place
        self._kernels: dict[tuple, tuple[_native.Module, Any]] = {}
        self._around = Loaded()
        self._for_constants: dict[tuple, tuple[Watch, Any]] = {}  # kernels of launches with these, by the place too
        self._around_types: list[tuple[Type, ...]] = []  # of launches with arguments that are made in a kernel around
        _check(options)
        if self._texts and None not in self._texts and not device:
            self._compile_now()

    # --- compiling ---------------------------------------------------------------------------------------------

    def decorator(self) -> str:
        arguments = []
        if None not in self._texts:  # a type that signatures cannot spell is found at the launch
            arguments += [repr(self._texts[0])] if len(self._texts) == 1 else [repr(self._texts)] if self._texts else []
        if self.device:
            arguments.append("device=True")
        return self._decorator(arguments)

    def _decorator(self, arguments: list[str]) -> str:
        for name, default in _DECORATOR_OPTIONS.items():
            value = self._options.get(name, default)
            if value != default and value is not None:
                arguments.append(f"{name}={bool(value) if name in ('fastmath', 'debug') else value!r}")
        return f"@{CUDA}.jit" + (f"({', '.join(arguments)})" if arguments else "")

    def _compile_options(self) -> dict[str, Any]:
        checked = bool(self._options.get("debug") or self._options.get("boundscheck"))
        counts_for = _devices.counts_for
        return {"checked": checked, "sanitize": bool(self._options.get("sanitize")), "costs_for": counts_for,
                "line_info": bool(self._options.get("lineinfo") or self._options.get("debug") or counts_for)}

    def _kernel(self) -> Any:
        place = _place()
        loaded = self._loaded.get(place)
        if loaded is not None and not loaded[0].changed():
            return loaded[1]
        if self.device:
            raise RuntimeError(f"Cannot compile a device function as a kernel: `{self.__name__}` is for kernels to call")
        program = program_of(self)
        key = (*place, program.key)
        found = self._kernels.get(key)
        if found is None:
            module = program.load(place[0], **self._compile_options())
            found = self._kernels[key] = (module, module.kernel(program.function_name, not self.native))
            if len(self._kernels) > _MOST_KERNELS:  # what it captures keeps changing
                del self._kernels[next(iter(self._kernels))]
        module, kernel = found
        program.keep_constants(module)
        self._loaded[place] = (program.watch, kernel)
        return kernel

    def _compile_now(self) -> None:
        """Errors of a kernel with signatures show at the decoration."""
        if not self._needs_caller:
            self._kernel()
        for types_ in self.signatures:
            if all(type(type_) in (Type, Array) for type_ in types_):
                self._info_of(types_)

    def text_of(self, emit: str, signature=None, target: str = "") -> str:
        """What the compiler makes of the function on the way: `emit` is one of `pykc._native.compile`'s."""
        program = self._program()
        signatures = [] if signature is None else [_with_name(signature, program.function_name)]
        target = target or _target()
        return _native.compile(*program.main, target=target, emit=emit, signatures=signatures, import_=program.import_,
                               libraries=program.libraries(target), **self._compile_options())

    def _program(self) -> Program:
        """The function with all that it refers to or, where a kernel around it calls it, that one."""
        if self.device or not self._needs_caller or not self.specialized:
            return program_of(self)
        prepared = Prepared(self.example())
        return program_around(*self._text_around(prepared, self._decorator_around(prepared)))

    # --- launching ---------------------------------------------------------------------------------------------

    def __getitem__(self, configuration) -> Configured:
        if not isinstance(configuration, tuple) or not 2 <= len(configuration) <= 4:
            raise ValueError("must specify at least the griddim and blockdim: k[grid, block, stream, shared_bytes]")
        grid, block = configuration[:2]
        if not type(grid) is type(block) is int:
            _check_extents("griddim", grid)
            _check_extents("blockdim", block)
        if _config.CUDA_LOW_OCCUPANCY_WARNINGS:
            from .._advice import warn_of_few_blocks
            warn_of_few_blocks(grid)
        return (Extended if self.extensions else Configured)(self, *configuration)

    def _launched(self, how: str, where: tuple, args: tuple) -> None:
        """Launches: HOW is the method of the native kernel, WHERE its arguments before those of the kernel."""
        try:
            self._launch(how, where, args)
        except (_native.LaunchError, _native.CompileError) as error:
            raise with_types(error, args) from None

    def _launch(self, how: str, where: tuple, args: tuple) -> None:
        if self._defaults is not None and 0 < self._defaults[0] - len(args) <= len(self._defaults[1]):
            args += self._defaults[1][len(args) - self._defaults[0]:]
        if _config.CUDA_WARN_ON_IMPLICIT_COPY and not _devices.current().is_cpu:
            from .._advice import warn_of_copies
            warn_of_copies(self.py_func, args)
        args = self._with_unread(args)
        if self._by_name and len(args) < self.py_func.__code__.co_argcount + self._by_name:
            inspect.signature(self.py_func).bind(*args)  # says which one is missing
        if self._constants or self._needs_caller:
            return self._launched_for(how, where, args)
        kernel = self._kernel()
        try:
            kernel.launch(*where, args) if how == "launch" else kernel.for_all(*where, args)
        except (TypeError, _native.LaunchError) as error:
            given = self._with_widths(self._with_pointed(args))
            if isinstance(error, _native.LaunchError):
                given = self._with_stated(kernel, given)
            prepared = Prepared(given)
            if prepared.are_plain and all(a is b for a, b in zip(args, prepared.values)):
                raise
            self._launched_around(prepared, kernel, how, where)
            types_ = argument_types(args)
            if not prepared.are_plain and types_ not in self._around_types:
                self._around_types.append(types_)
        except _native.KernelFault as fault:
            raise python_error(fault, self.py_func) from None
        except _native.CompileError:
            arrays = with_arrays(args)
            if arrays is args:
                raise
            return self._launch(how, where, arrays)
        if _devices.counts_for or self._unread:  # not what launches behind that are made by
            return
        watch = self._loaded[_place()][0]
        self._recent.remember(_devices.current(), kernel, watch.changed if watch.watches_anything else None)

    def _in_order(self, args: tuple, keywords: dict[str, Any]) -> tuple:
        """The arguments as the parameters stand, those that are given by name among them."""
        bound = inspect.signature(self.py_func).bind(*args, **keywords)
        bound.apply_defaults()
        return *bound.args, *bound.kwargs.values()

    def _failed(self, error: Exception, where: tuple, args: tuple) -> None:
        """What a launch as the one before raised."""
        if isinstance(error, (TypeError, _native.LaunchError, _native.CompileError)):
            return self._launched("launch", where, args)  # it says so again where that is the last word
        if isinstance(error, _native.KernelFault):
            raise python_error(error, self.py_func) from None
        raise error

    def _with_pointed(self, args: tuple) -> tuple:
        """The arguments with arrays in place of the addresses that a signature calls pointers."""
        found = list(args)
        for signature in self._signatures:
            for index, type_ in enumerate(_types(signature)):
                if isinstance(type_, CPointer) and index < len(args) and isinstance(args[index], int):
                    found[index] = Pointed(args[index], type_.pointee)
        return tuple(found)

    @functools.cached_property
    def _unread(self) -> tuple[Type, ...]:
        """The types of a signature that the compiler does not read, since one of them may be None."""
        return _types(self._signatures[0]) if self._texts == [None] else ()

    def _with_unread(self, args: tuple) -> tuple:
        """The arguments with numbers as that signature has them."""
        return tuple(map(as_stated, args, self._unread)) + args[len(self._unread):] if self._unread else args

    def _with_widths(self, args: tuple) -> tuple:
        """The arguments with text as wide as its parameters are."""
        import numpy
        return tuple(numpy.array(argument, self._widths[place])
                     if place in self._widths and isinstance(argument, (str, bytes)) else argument
                     for place, argument in enumerate(args))

    def _with_stated(self, kernel: Any, args: tuple) -> tuple:
        """The arguments with numbers as the kernel that was chosen for them has them: by one of several signatures, or
        where some of its parameters alone have types."""
        try:
            stated = [] if kernel.is_typed else kernel.info(*args)["types"]
        except _native.Error:  # it is not the numbers that do not fit
            stated = []
        return tuple(converted(argument, compiled(type_)) for type_, argument in zip(stated, args)) or args

    def _launched_for(self, how: str, where: tuple, args: tuple) -> None:
        """Launches for the constants among the arguments, or for their number, by a kernel around this one that is kept
        by their form."""
        values: list[Any] = []
        key = _place(), *(_form(argument, values, place in self._constants) for place, argument in enumerate(args))
        watch, kernel = self._for_constants.get(key, (None, None))
        if kernel is not None and not watch.changed():
            with contextlib.suppress(TypeError, _native.LaunchError):  # of arguments that are to be prepared
                return self._started(kernel, how, where, tuple(values))
        prepared = Prepared(args, self._constants)
        if prepared.are_plain and not self._needs_caller:  # the constants are missing, which the launch says
            return self._launched_around(prepared, self._kernel(), how, where)
        watched = self._kernel_of(prepared)
        self._started(watched[1], how, where, self._with_stated(watched[1], tuple(prepared.values)))
        prepared.restore()
        if len(prepared.values) == len(values) and not any("[" in text for text in prepared.texts):
            keep(self._for_constants, key, watched)

    def _kernel_of(self, prepared: Prepared) -> tuple[Watch, Any]:
        """The kernel around this one for so many arguments."""
        return self._kernel_around(prepared, self._decorator_around(prepared))

    def _decorator_around(self, prepared: Prepared) -> str:
        """With the signatures of so many types."""
        texts = self._texts if self._needs_caller and prepared.are_plain and None not in self._texts else []
        fitting = [text for text, signature in zip(texts, self._signatures)
                   if len(_types(signature)) == len(prepared.values)]
        if texts and not fitting:
            raise ArgumentError(f"kernel `{self.__name__}` has no signature of {len(prepared.values)} arguments: "
                                f"there are {', '.join(texts)}")
        return self._decorator([repr(fitting)] if fitting else [])

    def _launched_around(self, prepared: Prepared, kernel: Any, how: str, where: tuple) -> None:
        """Launches with arguments that the runtime takes no values of, tuples and the like, by a kernel around this
        one that makes them."""
        if not prepared.are_plain:
            kernel = self._kernel_around(prepared, self._decorator([]))[1]
        self._started(kernel, how, where, tuple(prepared.values))
        prepared.restore()

    def _started(self, kernel: Any, how: str, where: tuple, values: tuple) -> None:
        try:
            getattr(kernel, how)(*where, values)
        except _native.KernelFault as fault:
            raise python_error(fault, self.py_func) from None

    def _kernel_around(self, *what) -> tuple[Watch, Any]:
        return self._around.watched(*self._text_around(*what), **self._compile_options())

    def _text_around(self, prepared: Prepared, decorator: str, constants: tuple[str, ...] = ()) -> tuple:
        """A kernel that takes the values, and CONSTANTS of which the decorator tells, and calls this one: its text, its
        name, what it knows, and whether pykc's own rules hold."""
        name = self.text.name
        records = self._records(prepared)
        parameters = [*(f"x{number}" + records.get(number, ("",))[0] for number in range(len(prepared.values))),
                      *(f"{constant}: {NATIVE}.constexpr" for constant in constants)]
        by_name = named_parameters(self.py_func)
        count = len(prepared.texts) - len(by_name)
        arguments = [*prepared.texts[:count], *map("{}={}".format, by_name, prepared.texts[count:]),
                     *(f"{constant}={constant}" for constant in constants)]
        text = f"{decorator}\ndef {name}({', '.join(parameters)}):\n    inner({', '.join(arguments)})\n"
        values = {"inner": self._callee, **prepared.names,
                  **{f"Record{number}": kind for number, (_, kind) in records.items()}}
        return text, name, values, self.native

    @functools.cached_property
    def _annotations(self) -> dict[int, str]:
        """Those that pykc's own rules take the types of parameters from, by the places of these."""
        import ast
        if not self.native:
            return {}
        arguments = self.text.tree.args
        return {place: ast.unparse(one.annotation) for place, one in enumerate(arguments.posonlyargs + arguments.args)
                if one.annotation is not None}

    @functools.cached_property
    def _constants(self) -> set[int]:
        """The places of parameters that are annotated `constexpr`."""
        return {place for place, text in self._annotations.items() if text.rpartition(".")[2] == "constexpr"}

    @functools.cached_property
    def _widths(self) -> dict[int, str]:
        """The widths of text, "S4", by the places of the parameters that are annotated so."""
        return {place: text.strip("'") for place, text in self._annotations.items()
                if re.fullmatch(r"'[SU]\d+'", text)}

    def _records(self, prepared: Prepared) -> dict[int, tuple[str, Struct]]:
        """The annotations of values for parameters that are records of a class, or arrays of them, and the class: of a
        dtype the compiler knows the layout alone."""
        found = {}
        for place, text in enumerate(prepared.texts):
            name, _, axes = self._annotations.get(place, "").partition("[")
            kind = Scope(self.py_func).find(name)
            number, is_first, _ = text.removeprefix("x").partition("[")
            if isinstance(kind, Struct) and number.isdigit():
                found[int(number)] = (f": Record{number}[{':]' if is_first else axes}", kind)
        return found

    @functools.cached_property
    def _callee(self) -> Function:
        """The function as kernels call it."""
        return Dispatcher(self.py_func, device=True, text=self._text) if self._needs_caller else self

    def configure(self, griddim, blockdim, stream=0, sharedmem=0) -> Configured:
        """`kernel[griddim, blockdim, stream, sharedmem]`."""
        return Configured(self, griddim, blockdim, stream, sharedmem)

    def forall(self, ntasks: int, tpb: int = 0, stream=0, sharedmem: int = 0) -> ForAll:
        """`kernel.forall(n)(a, b)`: a launch of at least NTASKS threads in one dimension, in blocks of TPB or of what
        fits best."""
        return ForAll(self, ntasks, tpb, stream, sharedmem)

    def __call__(self, *args):
        if self.device:
            raise RuntimeError(f"`{self.__name__}` is a device function: only kernels can call it")
        raise ValueError(f"launch configuration was not specified: {self.__name__}[grid, block](…)")

    def __get__(self, instance, owner=None):
        """As a method of a class it gets the instance, as any function does."""
        return self if instance is None else types.MethodType(self, instance)

    # --- what it was compiled for --------------------------------------------------------------------------------

    def compile(self, signature) -> Any:
        """Compiles for these types now."""
        return self._with(signature)._kernel()

    @property
    def specialized(self) -> bool:
        """Whether it is for one list of types alone."""
        return len(self._signatures) == 1

    def specialize(self, *args) -> Dispatcher:
        """The kernel for the types of these arguments alone; types may be passed, too."""
        if self.specialized:
            raise RuntimeError("Dispatcher already specialized")
        types_ = tuple(argument if isinstance(argument, Type) else typeof(argument) for argument in args)
        if types_ not in self.specializations:
            self.specializations[types_] = self._with(types_)
        return self.specializations[types_]

    def _with(self, signature) -> Dispatcher:
        return Dispatcher(self.py_func, [signature], device=self.device, text=self._text, links=self.links,
                          **self._options)

    @property
    def signatures(self) -> list[tuple[Type, ...]]:
        """The types that it was declared for or, where there are none, those of its launches."""
        loaded = self._loaded.get(_place())
        if self._signatures or loaded is None:
            return [_types(one) for one in self._signatures]
        return [tuple(map(compiled, one)) for one in loaded[1].specializations()] + self._around_types

    def known_signatures(self) -> list:
        """What `text_of` takes to show the whole kernel: None where its types are declared, else those of its
        launches; nothing where it has no types yet."""
        declared = bool(self._signatures) or self._kernel().is_typed
        return [None] if declared else self.signatures

    @property
    def overloads(self) -> dict[tuple[Type, ...], Overload]:
        """What it was compiled for: a mapping of types to what can be asked of that version."""
        return {types_: Overload(self, types_) for types_ in self.signatures}

    def _texts_for(self, signature, emit: str, target: str = "") -> Any:
        def text(types_):
            return _str(self._for(types_).text_of(emit, target=target))
        return {types_: text(types_) for types_ in self.signatures} if signature is None else text(_types(signature))

    def inspect_asm(self, signature=None):
        """PTX, for the GPU in use or, without one, for `sm_80`: of one signature, or a dictionary of all."""
        return self._texts_for(signature, "asm", default_chip())

    def inspect_llvm(self, signature=None):
        """LLVM's assembly, for the GPU in use or, without one, for `sm_80`: of one signature, or a dictionary of
        all."""
        return self._texts_for(signature, "llvm", default_chip())

    def inspect_sass(self, signature=None):
        """The machine code of a GPU, by NVIDIA's ptxas and nvdisasm; a RuntimeError where these are missing."""
        from .._machine_code import sass
        if self.device:
            raise RuntimeError("Cannot inspect SASS of a device function: it is part of the kernels that call it")
        ptx = self.inspect_asm(signature)
        return {types_: sass(text) for types_, text in ptx.items()} if signature is None else sass(ptx)

    def inspect_types(self, file=None, signature=None) -> None:
        """Prints the function with the types that were found, by launches or for that signature."""
        version = self if signature is None else self._for(_types(signature))
        print(_str(version.text_of("checked")), file=file)

    def _for(self, types_: tuple[Type, ...]) -> Dispatcher:
        return self if self.specialized else _Untested(self.py_func, [types_], device=self.device, text=self._text,
                                                       links=self.links, **self._options)

    def _info(self, signature, field: str):
        def number(types_):
            return self._info_of(types_)[field]
        if signature is not None or self.specialized:
            return number(_types(signature or self._signatures[0]))
        return {types_: number(types_) for types_ in self.signatures}

    def _info_of(self, types_: tuple[Type, ...]) -> dict[str, Any]:
        given = tuple(examples(types_))
        kernel = self._kernel_of(Prepared(given))[1] if self._needs_caller else self._kernel()
        return kernel.info(*given)

    def example(self) -> tuple:
        """Arguments of the types that it was declared for."""
        if not self.specialized:
            raise TypeError(f"`{self.__name__}` is a kernel for any types: specialize it for those that it is to have")
        return tuple(examples(_types(self._signatures[0])))

    def get_regs_per_thread(self, signature=None):
        """Registers of a thread; 0 on the CPU device."""
        return self._info(signature, "registers_per_thread")

    def get_shared_mem_per_block(self, signature=None):
        """Bytes of shared memory of a block, without what a launch adds."""
        return self._info(signature, "static_shared_bytes")

    def get_local_mem_per_thread(self, signature=None):
        """Bytes of a thread's local memory."""
        return self._info(signature, "local_bytes_per_thread")

    def get_max_threads_per_block(self, signature=None):
        """The most threads that a block of this kernel may have."""
        return self._info(signature, "max_threads_per_block")

    def get_const_mem_size(self, signature=None):
        """Bytes of constant memory that its PTX declares, for the GPU in use or, without one, for `sm_80`."""
        from .._machine_code import constant_bytes
        ptx = self.inspect_asm(signature or (self.signatures[0] if self.specialized else None))
        if isinstance(ptx, str):
            return constant_bytes(ptx)
        return {types_: constant_bytes(text) for types_, text in ptx.items()}


CUDADispatcher = Dispatcher  # Numba's name


class _Untested(Dispatcher):
    """A kernel that is only looked at, or is for another device than the one in use."""

    def _compile_now(self) -> None:
        pass


def jit(func_or_sig=None, *, argtypes=None, device: bool = False, link=(), extensions=(), **options):
    """`@cuda.jit`, bare or with signatures and options: makes a kernel, or a device function, of a Python function.

    A signature is text, `"void(float32[:], int64)"`, what `void(float32[:], int64)` of `pykc.types` gives, or a tuple
    of types; with one, or a list of them, the kernel is compiled at once, for these types alone. Else it is compiled
    for the types of each launch. Options: `device` for functions that kernels call, `link` for code that defines what
    `declare_device` declares, `debug` (checks every index and
    division), `fastmath`, `max_registers`, `launch_bounds`, `cluster`, `lineinfo`. Others of Numba's, which only advise
    it, are taken and do nothing; what is no option is a TypeError."""
    if link:
        from ._linking import links_of
        options["links"] = links_of(link)
    if isinstance(func_or_sig, Function):
        func_or_sig = func_or_sig.py_func
    if isinstance(func_or_sig, types.FunctionType):
        return Dispatcher(func_or_sig, device=device, extensions=extensions, **options)
    if func_or_sig is not None and argtypes is not None:
        raise ValueError("argtypes and a signature say the same twice")
    signature = func_or_sig if func_or_sig is not None else argtypes
    if not (signature is None or is_signature(signature) or isinstance(signature, collections.abc.Iterable)):
        raise TypeError(f"@cuda.jit is for functions of Python, or takes signatures: {signature!r} is neither")
    signatures = [] if signature is None else [signature] if is_signature(signature) else list(signature)
    for one in signatures:
        signature_text(one)

    def decorate(function) -> Dispatcher:
        if isinstance(function, Function):
            function = function.py_func
        if not isinstance(function, types.FunctionType):
            raise TypeError(f"@cuda.jit is for functions, not for a {type(function).__name__}")
        return Dispatcher(function, signatures, device=device, extensions=extensions, **options)

    return decorate


def _check_extents(name: str, extents: Any) -> None:
    listed = list(extents) if isinstance(extents, (tuple, list)) else [extents]
    if not 1 <= len(listed) <= 3:
        raise ValueError(f"{name} must be a sequence of 1, 2 or 3 integers, got {listed}")
    if not all(hasattr(extent, "__index__") for extent in listed):
        raise TypeError(f"{name} must be a sequence of integers, got {listed}")


def _check(options: dict[str, Any]) -> None:
    for name in options:
        if name not in _DECORATOR_OPTIONS and name not in _ADVICE:
            raise TypeError(f"@cuda.jit has no option {name!r}: there are " +
                            ", ".join(sorted([*_DECORATOR_OPTIONS, *_ADVICE])))
    bounds = options.get("launch_bounds")
    if isinstance(bounds, tuple) and not 1 <= len(bounds) <= 3:
        raise ValueError(f"Got {len(bounds)} launch bounds: there are the most threads of a block, the least blocks of "
                         "a multiprocessor, and the most blocks of a cluster")
    _check_carveout(options.get("shared_memory_carveout"))


def _check_carveout(value: Any) -> None:
    """Which part of a multiprocessor's memory is to be shared memory: the driver's choice, but no nonsense."""
    if isinstance(value, str) and value.lower() not in ("default", "maxl1", "maxshared"):
        raise ValueError(f"Invalid carveout value: {value!r}; there are 'default', 'MaxL1', 'MaxShared' and percentages")
    if isinstance(value, int) and not -1 <= value <= 100:
        raise ValueError(f"shared_memory_carveout is a percentage and must be between -1 and 100, not {value}")


def _types(signature) -> tuple[Type, ...]:
    if isinstance(signature, str):
        signature = parsed(signature)
    return tuple(signature.args if isinstance(signature, Signature) else signature)


def _with_name(signature, name: str) -> str:
    text = signature_text(signature)
    return name + text[text.index("("):]


def _form(argument: Any, values: list[Any], is_constant: bool = False) -> tuple | None:
    """What a kernel around another is made for: the constants in an argument. VALUES gets what it is passed."""
    if type(argument) is tuple:
        return tuple(_form(part, values) for part in argument)
    if is_constant and argument.__hash__ is None:
        raise TypeError(f"a constant is a number, a text, a type or a function, not a {type(argument).__name__}")
    if is_constant or isinstance(argument, _NAMED):
        return distinct(argument)
    values.append(argument)
    return None


def _place() -> tuple[_native.Device, str]:
    """Where and how a launch runs: the device, and for which chip it counts what it costs."""
    return _devices.current(), _devices.counts_for


def _target() -> str:
    return "cpu" if _devices.current().is_cpu else _devices.current().target


def default_chip() -> str:
    """The chip of what is only looked at: the GPU in use, or `sm_80` where there is none."""
    return "sm_80" if _devices.current().is_cpu else _devices.current().target


def _str(text: str | bytes) -> str:
    return text.decode() if isinstance(text, bytes) else text
