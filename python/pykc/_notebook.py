"""`%load_ext pykc`: the magic `pykc`, which shows what kernels are compiled to, and errors as pykc writes them.

    %%pykc --ptx --target sm_90     the kernels that this cell defines
    %pykc --ir vecadd               a kernel that is there
"""
from __future__ import annotations

import ast
import pathlib
import re
import traceback
from typing import Any

import IPython
from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class, output_can_be_silenced
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import Code, display

from . import _devices, _native
from ._interrupt import stop_kernels_on_interrupt
from ._machine_code import sass
from ._source import SourceError
from .cuda._dispatcher import Dispatcher, default_chip

_ERRORS = (_native.Error, SourceError)
_OURS = tuple(str(pathlib.Path(module).parent) for module in (__file__, IPython.__file__))
#: The views, with the lexer that colours each.
_VIEWS = {"types": "python", "ir": "text", "llvm": "llvm", "ptx": "ptx", "sass": "text", "asm": "gas"}


@magics_class
class PykcMagics(Magics):
    """The magic, in its two forms."""

    @magic_arguments()
    @argument("kernels", nargs="*", help="kernels to look at; in a cell: of those that it defines, else all")
    @argument("--types", action="store_true", help="the kernel with the types that were found")
    @argument("--ir", action="store_true", help="pykc's own form of the program")
    @argument("--llvm", action="store_true", help="LLVM's, optimised")
    @argument("--ptx", action="store_true", help="assembly of NVIDIA's GPUs")
    @argument("--sass", action="store_true", help="their machine code: needs ptxas and nvdisasm")
    @argument("--asm", action="store_true", help="assembly of this machine's CPU")
    @argument("--target", default="", help="cpu, or a GPU as sm_90; else the GPU in use or, without one, sm_80")
    @output_can_be_silenced
    @line_cell_magic
    def pykc(self, line: str, cell: str | None = None) -> Any:
        """Shows what kernels are compiled to: of a cell, which runs first, or those that are named."""
        arguments = parse_argstring(self.pykc, line)
        views = [view for view in _VIEWS if getattr(arguments, view)]
        if arguments.target == "cpu" and (arguments.ptx or arguments.sass):
            raise UsageError("PTX and SASS are for GPUs: give a target as sm_90, or --asm for the CPU's assembly")
        if cell is None and not arguments.kernels:
            raise UsageError("%pykc needs the name of a kernel; %%pykc stands before a cell with kernels")
        value = None
        if cell is None:
            kernels = [self._kernel(name) for name in arguments.kernels]
        else:
            file, value = self._run(cell)
            kernels = [kernel for kernel in self._kernels_of(file)
                       if not arguments.kernels or kernel.__name__ in arguments.kernels]
        for kernel in kernels:
            self._show(kernel, views, arguments.target)
        return value

    def _run(self, cell: str) -> tuple[str, Any]:
        """Runs a cell as IPython does. Returns its file name and the value of an expression at its end."""
        shell = self.shell
        text = "\n" + shell.transform_cell(cell)  # the line of the magic is the first
        number = len(shell.history_manager.input_hist_raw) - 1
        file = shell.compile.cache(text, number, raw_code=cell)
        tree = shell.transform_ast(shell.compile.ast_parse(text, filename=file))
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(shell.compile(tree, file, "exec"), shell.user_global_ns, shell.user_ns)
        if last is None:
            return file, None
        return file, eval(shell.compile(ast.Expression(last.value), file, "eval"), shell.user_global_ns, shell.user_ns)

    def _kernels_of(self, file: str) -> list[Dispatcher]:
        found = {id(value): value for value in self.shell.user_ns.values() if isinstance(value, Dispatcher)
                 and not value.device and value.py_func.__code__.co_filename == file}
        return sorted(found.values(), key=lambda kernel: kernel.py_func.__code__.co_firstlineno)

    def _kernel(self, name: str) -> Dispatcher:
        try:
            value = self.shell.ev(name)
        except NameError as error:
            raise UsageError(str(error)) from None
        if not isinstance(value, Dispatcher) or value.device:
            raise UsageError(f"`{name}` is no kernel")
        return value

    def _show(self, kernel: Dispatcher, views: list[str], target: str) -> None:
        signatures = kernel.known_signatures()
        if views and not signatures:
            raise UsageError(f"`{kernel.__name__}` has no types yet: launch it first, or declare them, as in "
                             '@cuda.jit("void(float32[:], int64)")')
        for signature in signatures:
            if not views:
                kernel.text_of("code", signature, target)
                print(f"`{kernel.__name__}` is compiled for {target or _devices.current().name}")
            for view in views:
                try:
                    text = _view(kernel, signature, view, target)
                except (RuntimeError, ValueError) as error:  # no such target, no assembler, types without a spelling
                    raise UsageError(str(error)) from None
                display(Code(text, language=_VIEWS[view]))
        if not signatures:
            print(f"`{kernel.__name__}` is compiled when it is launched: its parameters have no types yet")


def _view(kernel: Dispatcher, signature: Any, view: str, target: str) -> str:
    if view == "asm":
        return kernel.text_of("asm", signature, "cpu")
    if view in ("ptx", "sass"):
        ptx = kernel.text_of("asm", signature, target or default_chip())
        return ptx if view == "ptx" else sass(ptx)
    emit = {"types": "checked", "ir": "cpu-ir" if target == "cpu" else "ir"}.get(view, view)
    return kernel.text_of(emit, signature, target or default_chip())


def _rendered(error: BaseException) -> list[str]:
    """What a notebook shows of an error: the line of the program that led to it, and the error's own text."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(_OURS)]
    is_told = bool(frames) and not frames[-1].line.startswith("get_ipython()")  # a magic has no line of its own
    place = [f"{frames[-1].filename}, line {frames[-1].lineno}: {frames[-1].line}"] if is_told else []
    return [_with_cells(line) for line in [*place, f"{type(error).__name__}: {str(error).rstrip()}"]]


def _with_cells(text: str) -> str:
    """The text with `Cell In[3]` for what that cell's file is called."""
    compiler = IPython.get_ipython().compile
    return re.sub(r"<ipython-input-[^>]*>|/\S+?\.py\b",
                  lambda file: " ".join(compiler.format_code_name(file[0]) or [file[0]]), text)


def load_ipython_extension(shell: IPython.InteractiveShell) -> None:
    """What `%load_ext pykc` does."""
    shell.register_magics(PykcMagics)
    stop_kernels_on_interrupt()
    for kind in _ERRORS:
        kind._render_traceback_ = _rendered


def unload_ipython_extension(shell: IPython.InteractiveShell) -> None:
    """What `%unload_ext pykc` does."""
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("pykc", None)
    for kind in _ERRORS:
        del kind._render_traceback_
