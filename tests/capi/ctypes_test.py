"""pykc.h from Python's ctypes, with nothing but the shared library: compiles a kernel, whose import Python answers,
launches it, and reads what is wrong with another.

usage: ctypes_test.py LIBPYKC.SO
"""

import ctypes
import json
import sys
from ctypes import POINTER, byref, c_char_p, c_double, c_int32, c_int64, c_size_t, c_void_p, sizeof

F32, ARRAY, NUMBER = 11, 1, 0


class CompileOptions(ctypes.Structure):
    _fields_ = (
        [("size", c_size_t), ("target", c_char_p)]
        + [(name, c_int32) for name in ("optimization", "fast_math", "asserts", "checked", "contract", "line_info",
                                        "cache", "warnings", "warnings_are_errors")]
        + [("signatures", POINTER(c_char_p)), ("signature_count", c_size_t)]
        + [("silenced_warnings", POINTER(c_char_p)), ("silenced_warning_count", c_size_t)]
        + [("constants", c_void_p), ("constant_count", c_size_t), ("libraries", c_void_p), ("library_count", c_size_t)]
        + [("import_", c_void_p), ("import_context", c_void_p), ("limits", c_void_p), ("untrusted", c_int64)]
    )


class LaunchConfig(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("grid", c_int64 * 3), ("block", c_int64 * 3), ("shared_bytes", c_int64),
                ("stream", c_void_p)]


class Value(ctypes.Union):
    _fields_ = [("f32", ctypes.c_float), ("i64", c_int64), ("f64", c_double), ("array", c_void_p)]


class Argument(ctypes.Structure):
    _fields_ = [("kind", c_int32), ("type", c_int32), ("value", Value)]


ImportFunction = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_void_p)


class Failure(Exception):
    def __init__(self, pykc, error):
        self.code = pykc.pykc_error_code(error)
        self.text = pykc.pykc_error_text(error).decode()
        diagnostics = c_void_p(pykc.pykc_error_diagnostics(error))
        json_text = c_void_p()
        assert not pykc.pykc_diagnostics_json(diagnostics, byref(json_text))
        self.diagnostics = json.loads(pykc.pykc_text_data(json_text))
        pykc.pykc_text_free(json_text)
        pykc.pykc_error_free(error)
        super().__init__(self.text)


def load(path):
    pykc = ctypes.CDLL(path)
    for name, result in {"version": c_char_p, "error_text": c_char_p, "text_data": c_char_p, "error_diagnostics": c_void_p,
                         "device_target": c_char_p}.items():
        getattr(pykc, "pykc_" + name).restype = result
    return pykc


def call(pykc, name, *arguments):
    function = getattr(pykc, "pykc_" + name)
    function.restype = c_void_p
    error = function(*arguments)
    if error:
        raise Failure(pykc, c_void_p(error))


def make(pykc, name, *arguments):
    handle = c_void_p()
    call(pykc, name, *arguments, byref(handle))
    return handle


SOURCE = b"""
from pykc import *
from helpers import twice

@kernel
def scale(y: f32[:], x: f32[:], factor: f32):
    i = grid(1)
    if i < len(x):
        y[i] = twice(factor) * x[i]
"""


def main():
    pykc = load(sys.argv[1])
    asked = []

    @ImportFunction
    def answer(_, name, reply):
        asked.append(name)
        if name == b"helpers":
            text = b"def twice(x):\n    return x + x\n"
            pykc.pykc_import_reply(c_void_p(reply), text, c_size_t(len(text)))

    options = CompileOptions()
    pykc.pykc_compile_options_init(byref(options), c_size_t(sizeof(options)))
    assert options.optimization == 3 and options.asserts == 1 and options.size == sizeof(options)
    device = make(pykc, "device_open", b"cpu")
    options.target = pykc.pykc_device_target(device)
    options.cache = 0
    options.import_ = ctypes.cast(answer, c_void_p)
    artifact = make(pykc, "compile", SOURCE, c_size_t(len(SOURCE)), b"scale.pyk", byref(options))
    assert b"helpers" in asked
    module = make(pykc, "module_load", device, artifact)
    kernel = make(pykc, "module_kernel", module, b"scale")

    n = 1000
    host = (ctypes.c_float * n)(*range(n))
    shape = (c_int64 * 1)(n)
    x = make(pykc, "array_from_host", device, c_int32(F32), c_int32(1), shape, host)
    y = make(pykc, "array_zeros", device, c_int32(F32), c_int32(1), shape)
    config = LaunchConfig()
    pykc.pykc_launch_config_init(byref(config), c_size_t(sizeof(config)))
    config.grid[0], config.block[0] = 4, 256
    arguments = (Argument * 3)(Argument(ARRAY, 0, Value(array=y)), Argument(ARRAY, 0, Value(array=x)),
                               Argument(NUMBER, F32, Value(f32=1.5)))
    call(pykc, "kernel_launch", kernel, byref(config), arguments, c_size_t(3))
    call(pykc, "array_copy_to_host", y, None, host, c_size_t(4 * n))
    assert list(host) == [3.0 * i for i in range(n)]

    try:
        call(pykc, "kernel_launch", kernel, byref(config), arguments, c_size_t(2))
        raise AssertionError("a launch without its argument succeeded")
    except Failure as failure:
        assert failure.code == 3 and "takes 3 arguments" in failure.text, failure.text
    wrong = SOURCE.replace(b"x[i]", b"z[i]")
    try:
        make(pykc, "compile", wrong, c_size_t(len(wrong)), b"wrong.pyk", byref(options))
        raise AssertionError("a wrong source was compiled")
    except Failure as failure:
        assert failure.code == 1 and "wrong.pyk:9" in failure.text, failure.text
        assert failure.diagnostics[0]["code"].startswith("E"), failure.diagnostics

    for name, handle in {"array": y, "kernel": kernel, "module": module, "artifact": artifact, "device": device}.items():
        getattr(pykc, f"pykc_{name}_free")(handle)
    pykc.pykc_array_free(x)  # behind its device
    print(f"ctypes: pykc {pykc.pykc_version().decode()}")


main()
