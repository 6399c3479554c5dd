"""Runs numba-cuda's own tests with `numba` replaced by pykc.

    python tests/python/numba_suite.py CHECKOUT              # a checkout of numba-cuda, or a folder with its `tests`
    python tests/python/numba_suite.py CHECKOUT --only sm atomics --verbose

Each file runs in a process of its own. A line for each file, then what failed and with which error. Tests that need
Numba's internals (its IR, its linker, its typing extensions) are told apart by what they import or patch.
"""
from __future__ import annotations

import argparse
import collections
import contextlib
import importlib.abc
import importlib.machinery
import importlib.util
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import types
import unittest

SECONDS = 120  # for one test

# Files about the inside of Numba; what they are about.
INTERNAL = {
    "test_analysis": "compiler passes", "test_byteflow": "compiler passes", "test_copy_propagate": "compiler passes",
    "test_ir": "its IR", "test_ir_utils": "its IR", "test_ssa": "", "test_tracing": "tracing of Numba itself",
    "test_typeconv": "its tables of conversions", "test_typeinfer": "its type inference",
    "test_extending": "typing extensions", "test_extending_types": "typing extensions", "test_overload": "overload API",
    "test_numba_interop": "overload API", "test_caching": "its files on disk", "test_debug": "its dump options",
    "test_debuginfo": "LLVM's metadata", "test_debuginfo_types": "LLVM's metadata", "test_lineinfo": "LLVM's metadata",
    "test_ipc": "IPC handles", "test_serialize": "pickles of its objects", "test_inline": "its IR",
    "test_launch_config_sensitive": "typing extensions", "test_cffi": "linking", "test_ffi": "linking",
    "test_fp8_bindings": "C++ bindings", "test_device_array_capture": "linking", "test_inspect": "text of PTX",
    "test_gufunc_scheduling": "its ufunc engine", "test_compiler": "its ABI", "test_cache_hints": "",
}
INTERNAL = {name: why for name, why in INTERNAL.items() if why}


# --- what the tests import of Numba's own test support ----------------------------------------------------------------


def always(*arguments, **keywords):
    """A decorator, bare or called, that leaves a test as it is."""
    if arguments and callable(arguments[0]):
        return arguments[0]
    return lambda test: test


def never(why: str):
    def decorate(*arguments, **keywords):
        skip = unittest.skip(why)
        return skip(arguments[0]) if arguments and callable(arguments[0]) else skip
    return decorate


@contextlib.contextmanager
def captured(name: str):
    """What Python and, below it, the runtime write to a standard stream; a StringIO with it."""
    stream, text = getattr(sys, name), io.StringIO()
    number = {"stdout": 1, "stderr": 2}[name]
    stream.flush()
    saved, (reading, writing) = os.dup(number), os.pipe()
    os.dup2(writing, number)
    os.close(writing)
    setattr(sys, name, text)
    try:
        yield text
    finally:
        setattr(sys, name, stream)
        os.dup2(saved, number)
        os.close(saved)
        with os.fdopen(reading, errors="replace") as pipe:
            text.write(pipe.read())
            text.seek(0, io.SEEK_END)


class TestCase(unittest.TestCase):
    FLOAT16_RTOL = 2e-3

    def reset_module_warnings(self, module):
        """Warnings show each time here."""

    def assertPreciseEqual(self, first, second, prec="exact", ulps=1, msg=None, ignore_sign_on_zero=False,
                           abs_tol=None):
        import numpy
        if prec == "exact" and abs_tol is None:
            numpy.testing.assert_array_equal(first, second, msg or "")
        else:
            tolerance = {"single": 2 ** -20, "double": 2 ** -49}.get(prec, 1e-12)
            numpy.testing.assert_allclose(first, second, rtol=ulps * tolerance, atol=abs_tol or 0)

    @contextlib.contextmanager
    def assertTypingError(self):
        import pykc
        with self.assertRaises(pykc.CompileError):
            yield


class ForeignArray:
    """An array of another library: the interface and nothing else."""

    def __init__(self, array):
        self._array = array

    def __getattr__(self, name):
        if name in ("__cuda_array_interface__", "__array_interface__"):
            return getattr(self._array, name)
        raise AttributeError(name)


@contextlib.contextmanager
def override_config(name, value):
    from pykc.numba import config
    before = getattr(config, name, None)
    setattr(config, name, value)
    try:
        yield
    finally:
        setattr(config, name, before)


def run_in_subprocess(code: str, flags=None, env=None, timeout=30):
    done = subprocess.run([sys.executable, *(flags or []), "-c", code], capture_output=True, timeout=timeout, env=env)
    if done.returncode:
        raise AssertionError(done.stderr.decode())
    return done.stdout, done.stderr


def support_modules(tests: str) -> dict[str, types.ModuleType]:
    testing, support = types.ModuleType("numba.cuda.testing"), types.ModuleType("numba.cuda.tests.support")
    testing.unittest = unittest
    testing.CUDATestCase = testing.ContextResettingTestCase = testing.NumbaCUDATestCase = TestCase
    testing.DeprecatedTypesTestCase = TestCase
    testing.ForeignArray = ForeignArray
    support.TestCase = testing.TestCase = TestCase
    support.MemoryLeakMixin = support.EnableNRTStatsMixin = support.CheckWarningsMixin = type("Mixin", (), {})
    support.run_in_subprocess = run_in_subprocess
    support.captured_stdout = lambda: captured("stdout")
    support.captured_stderr = lambda: captured("stderr")
    support.override_config = override_config
    support.linux_only = always
    missing = {"skip_unless_cudasim": "for the simulator", "skip_if_nvjitlink_missing": "linking",
               "skip_if_cuda_includes_missing": "linking", "skip_unless_conda_cudatoolkit": "the toolkit's files",
               "skip_unless_cffi": "linking", "windows_only": "for Windows",
               "xfail_unless_cudasim": "for the simulator",
               "skip_if_curand_kernel_missing": "linking",
               "skip_if_cupy_unavailable": "CuPy"}
    for module in (testing, support):
        for name, why in missing.items():
            setattr(module, name, never(why))
        module.__getattr__ = _support_name
    package = types.ModuleType("numba.cuda.tests")
    package.__path__ = [tests]
    package.load_testsuite = None
    return {module.__name__: module for module in (testing, support, package)}


def _support_name(name: str):
    if name.startswith(("skip_", "cc_", "xfail", "require", "ignore_")):
        return always
    raise AttributeError(name)


PUBLIC: set[str] = set()
RUNNING = False  # whether a test runs


class Inner:
    """Something of Numba's inside: at a module's top level it takes part in anything, in a test it ends the test."""

    def __init__(self, path):
        self.__dict__["_path"] = path

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return inner(f"{self._path}.{name}")

    def __call__(self, *arguments, **keywords):
        if RUNNING:
            raise unittest.SkipTest(f"Numba's inside: {self._path}")
        decorates = len(arguments) == 1 and isinstance(arguments[0], types.FunctionType)
        return arguments[0] if decorates else self

    def __mro_entries__(self, bases):
        return ()

    def __iter__(self):
        return iter(())


def inner(path: str):
    """Exceptions of the inside are any of pykc's."""
    import pykc
    return pykc.Error if path.endswith("Error") else Inner(path)


def inner_module(name: str) -> types.ModuleType:
    module = types.ModuleType(name)
    module.__path__ = []
    module.__getattr__ = lambda attribute: inner(f"{name}.{attribute}")
    return module


def with_inner_names(module: types.ModuleType) -> None:
    """What the module lacks is something of Numba's inside."""
    public = module.__dict__.get("__getattr__")

    def find(name: str):
        if public is not None:
            with contextlib.suppress(AttributeError):
                return public(name)
        if name.startswith("__"):
            raise AttributeError(name)
        return inner(f"{module.__name__}.{name}")

    module.__getattr__ = find


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, modules):
        self.modules = modules

    def find_spec(self, name, path=None, target=None):
        if name in self.modules:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        if name.startswith("numba.cuda.tests."):
            return importlib.machinery.PathFinder.find_spec(name, path)
        if name.startswith("numba.") and name not in PUBLIC or name.split(".")[0] == "cuda":
            self.modules[name] = inner_module(name)
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return self.modules[spec.name]

    def exec_module(self, module):
        pass


# --- one file, in a process of its own --------------------------------------------------------------------------------


class Result(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.outcomes: dict[str, tuple[str, str]] = {}

    def _note(self, test, outcome, error=""):
        self.outcomes.setdefault(test.id().split(".", 1)[-1], (outcome, error))

    def startTest(self, test):
        global RUNNING
        RUNNING = True
        super().startTest(test)
        signal.alarm(SECONDS)

    def stopTest(self, test):
        signal.alarm(0)
        super().stopTest(test)
        self._note(test, "pass")
        print(json.dumps({test.id().split(".", 1)[-1]: self.outcomes[test.id().split(".", 1)[-1]]}),
              file=sys.__stderr__, flush=True)

    def addFailure(self, test, error):
        self._note(test, "fail", describe(error))

    addError = addFailure

    def addSkip(self, test, reason):
        self._note(test, "skip", reason)

    def addExpectedFailure(self, test, error):
        self._note(test, "pass")

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self._note(test, "fail", describe(error))


def describe(error) -> str:
    kind, value, trace = error
    lines = [line for line in str(value).strip().splitlines() if line.strip()] or [""]
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else ""
    return f"{kind.__name__}: {lines[0][:200]} ({place})"


def run_file(tests: str, path: str) -> None:
    def late(signum, frame):
        raise TimeoutError(f"longer than {SECONDS} s")

    signal.signal(signal.SIGALRM, late)
    import pykc
    pykc.install_as_numba()
    import numba.cuda
    from pykc._redirect import _MODULES, keep_text_of_exec
    keep_text_of_exec()
    PUBLIC.update(_MODULES)
    numba.cuda.HAS_NUMBA = True
    for name in set(_MODULES.values()):
        with_inner_names(importlib.import_module(name))
    sys.meta_path.insert(0, Finder(support_modules(tests)))
    name = "numba.cuda.tests." + os.path.relpath(path, tests)[:-3].replace(os.sep, ".")
    result = Result()
    try:
        module = importlib.import_module(name)
    except BaseException as error:
        print(json.dumps({"<import>": ("fail", describe((type(error), error, error.__traceback__)))}), file=sys.stderr)
        return
    suite = unittest.defaultTestLoader.loadTestsFromModule(module)
    suite.addTests(unittest.FunctionTestCase(function) for function_name, function in vars(module).items()
                   if function_name.startswith("test_") and isinstance(function, types.FunctionType))
    suite.run(result)


# --- all files --------------------------------------------------------------------------------------------------------


def tests_folder(checkout: str) -> str:
    for inside in ("numba_cuda/numba/cuda/tests", "tests", ""):
        folder = os.path.join(checkout, inside)
        if os.path.isdir(os.path.join(folder, "cudapy")):
            return os.path.abspath(folder)
    sys.exit(f"{checkout} is no checkout of numba-cuda")


def outcomes_of(tests: str, path: str) -> dict[str, tuple[str, str]]:
    command = [sys.executable, os.path.abspath(__file__), tests, "--file", path]
    with tempfile.TemporaryDirectory() as folder:  # Python programs that the tests start get pykc, too
        with open(os.path.join(folder, "sitecustomize.py"), "w") as file:
            file.write("import pykc; pykc.install_as_numba()\n")
        search = os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH")]))
        return _run(command, {**os.environ, "PYTHONPATH": search})


def _run(command: list[str], environment: dict[str, str]) -> dict[str, tuple[str, str]]:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment)
        text, code = done.stderr, done.returncode
    except subprocess.TimeoutExpired as late:
        text, code = (late.stderr or b"").decode(), "timeout"
    found: dict[str, tuple[str, str]] = {}
    for line in text.splitlines():
        if line.startswith("{"):
            with contextlib.suppress(ValueError):
                found.update(json.loads(line))
    if code != 0:
        last = text.strip().splitlines()[-1:] or [""]
        found["<process>"] = ("fail", f"ended with {code}: {last[0][:200]}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--verbose", action="store_true", help="a line for each test that fails")
    parser.add_argument("--internal", action="store_true", help="also the files about Numba's inside")
    parser.add_argument("--file", help=argparse.SUPPRESS)
    options = parser.parse_args()
    tests = tests_folder(options.checkout)
    if options.file:
        run_file(tests, options.file)
        return 0
    counts: collections.Counter = collections.Counter()
    for folder in ("cudapy", "doc_examples"):
        for file in sorted(os.listdir(os.path.join(tests, folder))):
            stem = file[:-3]
            if not file.startswith("test_") or options.only and not any(word in stem for word in options.only):
                continue
            if stem in INTERNAL and not options.internal:
                continue
            outcomes = outcomes_of(tests, os.path.join(tests, folder, file))
            here = collections.Counter(outcome for outcome, _ in outcomes.values())
            counts += here
            numbers = ", ".join(f"{here[key]} {key}" for key in ("pass", "fail", "skip") if here[key])
            print(f"{folder}/{stem}: {numbers}", flush=True)
            for name, (outcome, error) in sorted(outcomes.items()):
                if outcome == "fail" and options.verbose:
                    print(f"    {name.rsplit('.', 2)[-1]}: {error}")
    print(f"{counts['pass']} passed, {counts['fail']} failed, {counts['skip']} skipped")
    return 0


if __name__ == "__main__":
    sys.exit(main())
