"""Compiling without a launch: `cuda.compile_ptx` and its kin."""
from __future__ import annotations

from typing import Any

from .._source import text_of
from ..types import Type, void
from ._dispatcher import Dispatcher, _str, _Untested, default_chip


def compile_ptx(pyfunc, sig, debug: bool = False, lineinfo: bool = False, device: bool = False, fastmath: bool = False,
                cc: tuple[int, int] | None = None, opt=None, **options) -> tuple[str, Type]:
    """The PTX of a kernel for these types, and the type that it returns, `void`."""
    if device:
        raise NotImplementedError("PTX of a device function alone: compile a kernel that calls it")
    dispatcher = _typed(pyfunc, sig, debug=debug, lineinfo=lineinfo, fastmath=fastmath)
    return _str(dispatcher.text_of("asm", target=_target(cc))), void


def compile_ptx_for_current_device(pyfunc, sig, **options) -> tuple[str, Type]:
    return compile_ptx(pyfunc, sig, **options)


def compile(pyfunc, sig, debug: bool = False, lineinfo: bool = False, device: bool = False, fastmath: bool = False,
            cc: tuple[int, int] | None = None, opt=None, abi: str = "numba", output: str = "ptx", **options):
    """As `compile_ptx`. PYFUNC may be the text of a function, too."""
    if output != "ptx":
        raise NotImplementedError(f"output={output!r}: pykc writes PTX, which nvJitLink and ptxas take")
    return compile_ptx(pyfunc, sig, debug, lineinfo, device, fastmath, cc, opt)


compile_for_current_device = compile


def _typed(pyfunc: Any, sig: Any, **options) -> Dispatcher:
    if isinstance(pyfunc, str):
        text = text_of(pyfunc)
        names: dict[str, Any] = {}
        exec(pyfunc, names)
        return _Untested(names[text.name], [sig], text=text, **options)
    return _Untested(getattr(pyfunc, "py_func", pyfunc), [sig], **options)


def _target(cc: tuple[int, int] | None) -> str:
    return f"sm_{cc[0]}{cc[1]}" if cc else default_chip()
