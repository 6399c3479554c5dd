"""NVIDIA's compiler of CUDA C++ as a library, opened when it is first needed: of a toolkit, or of its wheel
(`pip install nvidia-cuda-nvrtc`)."""
from __future__ import annotations

import ctypes
import functools
import glob
import importlib.util
import os
import re
from typing import NamedTuple


class Library(NamedTuple):
    library: ctypes.CDLL
    include: str | None  # the toolkit's headers


class Entry(NamedTuple):
    """A kernel of some PTX: the types of its parameters, as the language names them, by bits alone for integers, and
    "struct" with the number of bytes for what is passed as such, a __half or a float2."""
    name: str
    types: tuple[str, ...]


_PTX_TYPES = {"u8": "u8", "s8": "i8", "b8": "u8", "u16": "u16", "s16": "i16", "b16": "u16", "u32": "u32", "s32": "i32",
              "b32": "u32", "u64": "u64", "s64": "i64", "b64": "u64", "f16": "f16", "f32": "f32", "f64": "f64"}


@functools.cache
def _opened() -> Library:
    for pattern, include in _places():
        for path in sorted(glob.glob(pattern), reverse=True):
            try:
                return Library(ctypes.CDLL(path), include if include and os.path.isdir(include) else None)
            except OSError:
                continue
    for name in ("libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"):
        try:
            return Library(ctypes.CDLL(name), None)
        except OSError:
            continue
    raise NotImplementedError("CUDA C++ needs NVIDIA's NVRTC: install a CUDA toolkit, or `pip install "
                              "nvidia-cuda-nvrtc`; kernels under @cuda.jit need neither")


def _places():
    """Patterns of files, with the folder of the headers beside each."""
    for variable in ("CUDA_PATH", "CUDA_HOME"):
        if os.environ.get(variable):
            yield f"{os.environ[variable]}/lib64/libnvrtc.so*", f"{os.environ[variable]}/include"
    spec = importlib.util.find_spec("nvidia")
    for folder in spec.submodule_search_locations or () if spec else ():
        yield f"{folder}/cu*/lib/libnvrtc.so*", None
        yield f"{folder}/cuda_nvrtc/lib/libnvrtc.so*", f"{folder}/cuda_runtime/include"
    yield "/usr/local/cuda/lib64/libnvrtc.so*", "/usr/local/cuda/include"


def _check(library: ctypes.CDLL, result: int, what: str) -> None:
    if result:
        library.nvrtcGetErrorString.restype = ctypes.c_char_p
        raise RuntimeError(f"NVRTC cannot {what}: {library.nvrtcGetErrorString(result).decode()}")


def _text(library: ctypes.CDLL, program: ctypes.c_void_p, what: str) -> str:
    size = ctypes.c_size_t()
    _check(library, getattr(library, f"nvrtcGet{what}Size")(program, ctypes.byref(size)), f"tell the {what}'s size")
    text = ctypes.create_string_buffer(size.value)
    _check(library, getattr(library, f"nvrtcGet{what}")(program, text), f"give the {what}")
    return text.value.decode(errors="replace")


@functools.lru_cache(maxsize=64)
def compiled(code: str, name: str, options: tuple[str, ...], target: str,
             expressions: tuple[str, ...] = ()) -> tuple[str, dict[str, str]]:
    """The PTX of CUDA C++ for a target, "sm_90", and the names in it of these expressions. Errors are CompileErrors."""
    from .._native import CompileError
    library, include = _opened()
    program = ctypes.c_void_p()
    _check(library, library.nvrtcCreateProgram(ctypes.byref(program), code.encode(), name.encode(), 0, None, None),
           "take the source")
    try:
        for expression in expressions:
            _check(library, library.nvrtcAddNameExpression(program, expression.encode()), f"take `{expression}`")
        given = [f"--gpu-architecture={target.replace('sm_', 'compute_')}", *options]
        if include:
            given.append(f"-I{include}")
        texts = (ctypes.c_char_p * len(given))(*(option.encode() for option in given))
        if library.nvrtcCompileProgram(program, len(given), texts):
            raise CompileError(_text(library, program, "ProgramLog").strip())
        names = {}
        for expression in expressions:
            lowered = ctypes.c_char_p()
            _check(library, library.nvrtcGetLoweredName(program, expression.encode(), ctypes.byref(lowered)),
                   f"find `{expression}`")
            names[expression] = lowered.value.decode()
        return _text(library, program, "PTX"), names
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))


def entries_of(ptx: str) -> list[Entry]:
    """The kernels of PTX."""
    found = []
    for match in re.finditer(r"\.entry\s+([\w$.]+)\s*(?:\(([^)]*)\))?", ptx):
        parameters = [part for part in (match.group(2) or "").split(",") if part.strip()]
        found.append(Entry(match.group(1), tuple(map(_type, parameters))))
    return found


def _type(parameter: str) -> str:
    size = re.search(r"\[(\d+)\]", parameter)
    if size:
        return f"struct{size.group(1)}"
    return _PTX_TYPES[re.search(r"\.(%s)\b" % "|".join(_PTX_TYPES), parameter).group(1)]
