"""Functions that somebody else compiled, or wrote in CUDA C++: `declare_device` and `link=`."""
from __future__ import annotations

import os
import re
from typing import Any, Iterable, NamedTuple

from .._kernel_names import NATIVE_TYPES
from ..types import CPointer, Signature, Type, parsed, void


class Link(NamedTuple):
    """What is linked to kernels. KIND is the ending of such a file."""
    kind: str
    name: str
    data: bytes


class LinkableCode:
    """Code to link that is no file: text or bytes, or an open file of them."""

    kind = ""

    def __init__(self, data, name: str | None = None, setup_callback=None, teardown_callback=None, nrt: bool = False):
        if setup_callback is not None or teardown_callback is not None or nrt:
            raise NotImplementedError("code is linked without callbacks and without Numba's runtime: leave out "
                                      "`setup_callback`, `teardown_callback` and `nrt`")
        text = data.read() if hasattr(data, "read") else data
        self.data = text.encode() if isinstance(text, str) else bytes(text)
        self.name = name or f"<{type(self).__name__}>"


#: A class for each kind of file, by the names of numba-cuda.
CUSource, PTXSource, Cubin, Fatbin, Object, Archive = (
    type(name, (LinkableCode,), {"kind": kind, "__module__": __name__,
                                 "__doc__": f"{what} to link: text or bytes, or an open file of them."})
    for name, kind, what in (("CUSource", "cu", "CUDA C++"), ("PTXSource", "ptx", "PTX"), ("Cubin", "cubin", "A cubin"),
                             ("Fatbin", "fatbin", "A fatbin"), ("Object", "o", "An object with code for GPUs"),
                             ("Archive", "a", "An archive of such objects")))
_KINDS = ("cu", "ptx", "cubin", "fatbin", "o", "a", "bc")


def links_of(given) -> tuple[Link, ...]:
    """What `link=` names: a path or LinkableCode, or several."""
    if not given:
        return ()
    listed = [given] if isinstance(given, (str, os.PathLike, LinkableCode)) else given
    return tuple(map(_link, listed))


def _link(given) -> Link:
    if isinstance(given, LinkableCode):
        return Link(given.kind, given.name, given.data)
    path = os.fspath(given)
    kind = os.path.splitext(path)[1][1:]
    if kind not in _KINDS:
        what = f"extension .{kind}" if kind else "no extension"
        raise RuntimeError(f"Don't know how to link file with {what}: {path!r}. What is linked is CUDA C++ (.cu), "
                           ".ptx, .cubin, .fatbin, .o, .a, or LLVM bitcode (.bc)")
    with open(path, "rb") as file:
        return Link(kind, path, file.read())


def libraries(links: Iterable[Link], target: str) -> list[tuple[str, bytes]]:
    """What the compiler is given for a target, "sm_90" or "cpu"."""
    return [(link.name, _compiled(link, target)) for link in dict.fromkeys(links)]


def _compiled(link: Link, target: str) -> bytes:
    if target == "cpu" and link.kind != "bc":
        raise NotImplementedError(f"`{link.name}` is code for GPUs, and the device in use is the CPU: write it as a "
                                  "function under @cuda.jit(device=True), which runs on both; or link LLVM bitcode of "
                                  "a function in C (`clang -c -emit-llvm`, .bc), declared with abi=\"c\"")
    if link.kind != "cu":
        return link.data
    from .._arrays import nvrtc
    return nvrtc.compiled(link.data.decode(), link.name, ("--relocatable-device-code=true",), target)[0].encode()


# --- declarations -----------------------------------------------------------------------------------------------------

#: Types that C passes the same way everywhere, as the language and as PTX name them.
_SCALARS = {numba: (native, f"b{native[1:]}") for native, numba in NATIVE_TYPES.items()
            if native in ("i32", "u32", "i64", "u64", "f32", "f64")}


class Declared:
    """A function that linked code defines: kernels call it."""

    _pykc_declared = True  # what refers to it knows it by this

    def __init__(self, name: str, signature: Signature, links: tuple[Link, ...], abi: str):
        self.name, self.signature, self.abi = name, signature, abi
        pointers = [isinstance(type_, CPointer) for type_ in signature.args]
        self.symbol = f"declared_{name}" if abi == "numba" or any(pointers) else name
        parameters = ", ".join(f"x{number}: {_annotation(type_)}" for number, type_ in enumerate(signature.args))
        result = "" if signature.return_type == void else f" -> {_scalar(signature.return_type)[0]}"
        #: The declaration as pykc reads it.
        self.text = f"from pykc import *\n\n\n@extern\ndef {self.symbol}({parameters}){result}: ...\n"
        self.links = links if self.symbol == name else (*links, Link("ptx", name, self._bridge().encode()))

    def _bridge(self) -> str:
        """PTX of a function by the language's convention that calls the declared one by its own. The language passes an
        array as its address and its length, and returns the result."""
        types_ = self.signature.args
        own = [(f"x{number}", "b64" if isinstance(type_, CPointer) else _scalar(type_)[1])
               for number, type_ in enumerate(types_)]
        taken = [parameter for (name, bits), type_ in zip(own, types_)
                 for parameter in [(name, bits)] + [(f"{name}_length", "b64")] * isinstance(type_, CPointer)]
        result = None if self.signature.return_type == void else _scalar(self.signature.return_type)[1]
        by_numba = self.abi == "numba"  # the result's address comes first, and what is returned is a status
        passed = [("place", "b64")] * by_numba + own
        returned = "b32" if by_numba else result
        lines = [".version 6.3", ".target sm_75", ".address_size 64",
                 f".extern .func {_ptx_result(returned)}{self.name}({_ptx_parameters('to', passed)});",
                 f".visible .func {_ptx_result(result)}{self.symbol}({_ptx_parameters('of', taken)})", "{",
                 *(f".reg .{bits} %{name};" for name, bits in passed),
                 *([f".reg .{result} %result;"] if result else []),
                 *(f"ld.param.{bits} %{name}, [of_{name}];" for name, bits in own)]
        if by_numba:
            lines += [".local .align 8 .b8 room[8];", "mov.b64 %place, room;", "cvta.local.u64 %place, %place;"]
        lines += ["{", *(f".param .{bits} in_{name};\nst.param.{bits} [in_{name}], %{name};" for name, bits in passed),
                  *([f".param .{returned} out;"] if returned else []),
                  f"call {'(out), ' * bool(returned)}{self.name}, ({', '.join(f'in_{name}' for name, _ in passed)});",
                  *([f"ld.param.{result} %result, [out];"] if result and not by_numba else []), "}"]
        if result:
            lines += [f"ld.local.{result} %result, [room];"] if by_numba else []
            lines += [f"st.param.{result} [returned], %result;"]
        return "\n".join([*lines, "ret;", "}", ""])

    def __call__(self, *arguments):
        raise RuntimeError(f"`{self.name}` is code for devices: only kernels can call it")

    def __repr__(self) -> str:
        return f"<{self.name}: {self.signature}, declared>"


def _ptx_result(bits: str | None) -> str:
    return f"(.param .{bits} returned) " if bits else ""


def _ptx_parameters(prefix: str, parameters: list[tuple[str, str]]) -> str:
    return ", ".join(f".param .{bits} {prefix}_{name}" for name, bits in parameters)


def _scalar(type_: Type) -> tuple[str, str]:
    if str(type_) not in _SCALARS:
        raise TypeError(f"a declared function takes {', '.join(_SCALARS)} and CPointer of any, and returns one "
                        f"of these or nothing, not {type_}: declare an array as `CPointer(float32)`, and pass it")
    return _SCALARS[str(type_)]


def _annotation(type_: Type) -> str:
    if not isinstance(type_, CPointer):
        return _scalar(type_)[0]
    element = next((native for native, numba in NATIVE_TYPES.items() if numba == str(type_.pointee)), None)
    if element is None:
        raise TypeError(f"kernels have no arrays of {type_.pointee}, which {type_} points to")
    return f"{element}[:]"


def declare_device(name: str, sig, link=None, use_cooperative: bool = False, abi: str = "numba") -> Declared:
    """A function for kernels to call that other code defines: NAME is its symbol, SIG its signature, `"float32(float32,
    CPointer(int64))"`, and LINK names the code: CUDA C++, PTX, cubins, objects and archives, as files or as `CUSource`
    and its kin; or the kernel's `link=` does.

    With `abi="numba"` it takes the address of its result first and returns a status that nobody looks at, `extern "C"
    __device__ int bar(float* result, float x, long* y)`; with `abi="c"` it returns its result. A kernel passes an array
    for a pointer, whole or a part of it, `x[i:]`."""
    if not re.fullmatch(r"[A-Za-z_$][\w$]*", name):
        raise ValueError(f"{name!r} is no symbol: an `extern \"C\"` function has its own name, another its mangled one")
    if abi not in ("numba", "c"):
        raise NotImplementedError(f"abi={abi!r}: there are \"numba\" and \"c\"")
    if use_cooperative:
        raise NotImplementedError("use_cooperative: a launch lets all blocks run at a time where the kernel itself "
                                  "waits for the grid, `cuda.cg.this_grid().sync()`; call it between such waits")
    has_result = isinstance(sig, Signature) or isinstance(sig, str) and re.match(r"\s*[^\s(][^(]*\(", sig)
    if not has_result:
        raise TypeError(f"Return type must be provided for device declarations: {sig!r} is no signature such as "
                        "\"float32(float32)\"")
    return Declared(name, parsed(sig) if isinstance(sig, str) else sig, links_of(link), abi)
