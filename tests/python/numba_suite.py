"""Runs numba-cuda's own tests with `numba` replaced by pykc.

    python tests/python/numba_suite.py CHECKOUT              # a checkout of numba-cuda, or a folder with its `tests`
    python tests/python/numba_suite.py CHECKOUT --only sm atomics --verbose
    python tests/python/numba_suite.py CHECKOUT --public     # the files that use Numba's public surface alone

Each file runs in a process of its own. A line for each file, then what failed and with which error. Tests that need
Numba's internals (its IR, its linker, its typing extensions) are told apart by what they import or patch.
numba_suite_known.txt lists the tests that are known to fail, each under its reason; the last line says which others do.
"""
from __future__ import annotations

import argparse
import ast
import collections
import concurrent.futures
import contextlib
import importlib.abc
import importlib.machinery
import importlib.util
import io
import json
import numbers
import os
import signal
import subprocess
import sys
import tempfile
import types
import unittest
import warnings

SECONDS = 120  # for one test

# Files about the inside of Numba; what they are about.
INTERNAL = {
    "test_analysis": "compiler passes", "test_byteflow": "compiler passes", "test_copy_propagate": "compiler passes",
    "test_ir": "its IR", "test_ir_utils": "its IR", "test_tracing": "tracing of Numba itself",
    "test_typeconv": "its tables of conversions", "test_typeinfer": "its type inference",
    "test_extending": "typing extensions", "test_extending_types": "typing extensions", "test_overload": "overload API",
    "test_numba_interop": "overload API", "test_caching": "its files on disk", "test_debug": "its dump options",
    "test_debuginfo": "LLVM's metadata", "test_debuginfo_types": "LLVM's metadata", "test_lineinfo": "LLVM's metadata",
    "test_ipc": "IPC handles", "test_serialize": "pickles of its objects", "test_inline": "its IR",
    "test_launch_config_sensitive": "typing extensions", "test_cffi": "linking", "test_ffi": "linking",
    "test_fp8_bindings": "C++ bindings", "test_device_array_capture": "linking", "test_inspect": "text of PTX",
    "test_gufunc_scheduling": "its ufunc engine", "test_compiler": "its ABI", "test_cuda_driver": "the driver's objects",
    "test_cuda_memory": "the driver's objects", "test_deallocations": "its memory manager",
    "test_emm_plugins": "its memory manager", "test_init": "how its driver starts", "test_reset_device": "its driver",
    "test_inline_ptx": "llvmlite", "test_nvvm_driver": "llvmlite", "test_const_string": "llvmlite",
    "test_nvjitlink": "linking", "test_nvrtc": "linking", "test_linkable_code": "linking",
    "test_module_callbacks": "linking", "test_runtime": "its runtime",
}


FOLDERS = ("cudadrv", "cudapy", "doc_examples")
KNOWN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "numba_suite_known.txt")


# --- which files use the public surface alone -------------------------------------------------------------------------

# A file does if all that it imports, anywhere, is of Python's library, of NumPy, pytest and Matplotlib, or of these
# modules; if it takes none of the names below from them, which are modules of Numba's inside; and if it neither reads
# the text of compiled code nor reaches into the driver through `cuda`.
PUBLIC_MODULES = {"numba", "numba.types", "numba.cuda", "numba.cuda.types", "numba.cuda.random", "numba.cuda.libdevice",
                  "numba.cuda.bf16", "numba.core.errors", "numba.cuda.core.errors", "numba.cuda.core.config",
                  "numba.cuda.testing", "numba.cuda.tests.support"}
INNER_NAMES = {"cgutils", "compiler", "core", "errors", "itanium_mangler", "launchconfig", "typing", "utils",
               "LinkableCode"}
LOOKS_INSIDE = {"compile", "compile_all", "compile_for_current_device", "compile_ptx", "compile_ptx_for_current_device",
                "declare_device", "ptx", "cudadrv", "core"}


def is_public(path: str) -> bool:
    with open(path) as file:
        tree = ast.parse(file.read())
    return all(map(_is_public_node, ast.walk(tree)))


def _is_public_node(node: ast.AST) -> bool:
    if isinstance(node, ast.Import):
        return all(_is_public_module(name.name) for name in node.names)
    if isinstance(node, ast.ImportFrom):
        return not node.level and _is_public_module(node.module or "") and \
            not any(name.name in INNER_NAMES for name in node.names)
    if isinstance(node, ast.Attribute):
        return node.attr not in LOOKS_INSIDE and not node.attr.startswith("inspect_")
    return not isinstance(node, ast.Name) or node.id not in LOOKS_INSIDE - {"compile", "core"}


def _is_public_module(name: str) -> bool:
    top = name.partition(".")[0]
    return top in sys.stdlib_module_names or top in ("numpy", "pytest", "matplotlib") or name in PUBLIC_MODULES


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


def _units(first, second, precision: str, count: int) -> float:
    return 2.0 ** (count - {"single": 25, "double": 54}[precision]) * (abs(first) + abs(second))


class TestCase(unittest.TestCase):
    FLOAT16_RTOL = 2e-3

    def reset_module_warnings(self, module):
        """Warnings show each time here."""

    def assertPreciseEqual(self, first, second, prec="exact", ulps=1, msg=None, ignore_sign_on_zero=False,
                           abs_tol=None):
        """Numbers, or sequences and arrays of them, agree but for so many units in the last place of a precision."""
        import numpy
        if isinstance(first, (list, tuple)) or isinstance(first, numpy.ndarray):
            self.assertEqual(numpy.shape(first)[:1], numpy.shape(second)[:1], msg)
            self.assertEqual(getattr(first, "dtype", None), getattr(second, "dtype", None), msg)
            if prec == "exact" and isinstance(first, numpy.ndarray) and first.dtype.kind not in "fc":
                return numpy.testing.assert_array_equal(first, second, msg or "")
            for one, other in zip(first, second):
                self.assertPreciseEqual(one, other, prec, ulps, msg, ignore_sign_on_zero, abs_tol)
            return None
        if isinstance(first, numbers.Number) and not isinstance(first, numbers.Real):
            if not (numpy.isnan(first) and numpy.isnan(second)):
                bound = None if prec == "exact" else _units(first, second, prec, ulps)
                self._assert_close(first.real, second.real, bound, msg, ignore_sign_on_zero, abs_tol)
                self._assert_close(first.imag, second.imag, bound, msg, ignore_sign_on_zero, abs_tol)
            return None
        bound = None if prec == "exact" else _units(first, second, prec, ulps)
        return self._assert_close(first, second, bound, msg, ignore_sign_on_zero, abs_tol)

    def _assert_close(self, first, second, bound, msg, ignore_sign_on_zero, abs_tol):
        import numpy
        if not isinstance(first, numbers.Real):
            return self.assertEqual(first, second, msg)
        if numpy.isnan(first) and numpy.isnan(second) or abs_tol is not None and abs(first - second) < abs_tol:
            return None
        if bound is None or first == second == 0 or numpy.isinf(first) or numpy.isinf(second):
            self.assertEqual(first, second, msg)
            if not ignore_sign_on_zero:
                self.assertEqual(numpy.signbit(float(first)), numpy.signbit(float(second)), msg)
            return None
        return self.assertAlmostEqual(first, second, delta=bound, msg=msg)

    @contextlib.contextmanager
    def assertTypingError(self):
        import pykc
        with self.assertRaises(pykc.CompileError):
            yield


class CheckWarningsMixin:
    @contextlib.contextmanager
    def check_warnings(self, messages, category=RuntimeWarning):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        for message in messages:
            self.assertTrue(any(message in str(one.message) and one.category is category for one in caught), message)


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
    from pykc import _config as config
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
    support.CheckWarningsMixin = CheckWarningsMixin
    support.MemoryLeakMixin = support.EnableNRTStatsMixin = type("Mixin", (), {})
    support.run_in_subprocess = run_in_subprocess
    support.captured_stdout = lambda: captured("stdout")
    support.captured_stderr = lambda: captured("stderr")
    support.override_config = override_config
    support.linux_only = always
    support.IS_NUMPY_2 = True
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


def name_of(test: unittest.TestCase) -> str:
    """`cudapy.test_sm.TestSharedMemory.test_shared`."""
    return test.id().removeprefix("numba.cuda.tests.")


class Result(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.outcomes: dict[str, tuple[str, str]] = {}

    def _note(self, test, outcome, error=""):
        self.outcomes.setdefault(name_of(test), (outcome, error))

    def startTest(self, test):
        global RUNNING
        RUNNING = True
        super().startTest(test)
        signal.alarm(SECONDS)

    def stopTest(self, test):
        signal.alarm(0)
        super().stopTest(test)
        self._note(test, "pass")
        print(json.dumps({name_of(test): self.outcomes[name_of(test)]}), file=sys.__stderr__, flush=True)

    def addFailure(self, test, error):
        self._note(test, "fail", describe(error))

    def addError(self, test, error):
        self._note(test, *outcome_of_error(error))

    def addSkip(self, test, reason):
        self._note(test, "skip", reason)

    def addExpectedFailure(self, test, error):
        self._note(test, "pass")

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self._note(test, "fail", describe(error))


def outcome_of_error(error) -> tuple[str, str]:
    """pytest's own way to skip a test is an exception."""
    return ("skip" if error[0].__name__ == "Skipped" else "fail"), describe(error)


def describe(error) -> str:
    kind, value, trace = error
    lines = [line for line in str(value).strip().splitlines() if line.strip()] or [""]
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else ""
    return f"{kind.__name__}: {lines[0][:200]} ({place})"


def install(tests: str) -> None:
    """Puts pykc, and what the tests need besides, in Numba's place."""
    if any(isinstance(finder, Finder) for finder in sys.meta_path):
        return
    import pykc
    pykc.install_as_numba()
    import numba.cuda
    from pykc._redirect import _MODULES, keep_text_of_exec
    keep_text_of_exec()
    PUBLIC.update(_MODULES)
    numba.cuda.HAS_NUMBA = True
    for module in [importlib.import_module(name) for name in sorted(set(_MODULES.values()))]:
        with_inner_names(module)  # once all are there: an import would take such a name for a module
    sys.meta_path.insert(0, Finder(support_modules(tests)))


def run_file(tests: str, path: str) -> None:
    def late(signum, frame):
        raise TimeoutError(f"longer than {SECONDS} s")

    signal.signal(signal.SIGALRM, late)
    install(tests)
    name = "numba.cuda.tests." + os.path.relpath(path, tests)[:-3].replace(os.sep, ".")
    result = Result()
    try:
        module = importlib.import_module(name)
    except BaseException as error:
        print(json.dumps({f"{name.removeprefix('numba.cuda.tests.')}.import":
                          outcome_of_error((type(error), error, error.__traceback__))}), file=sys.stderr)
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
    command = [sys.executable, "-c", "import numba_suite, sys; numba_suite.run_file(*sys.argv[1:])", tests, path]
    with tempfile.TemporaryDirectory() as folder:  # Python programs that the tests start get pykc, too
        with open(os.path.join(folder, "sitecustomize.py"), "w") as file:
            file.write(f"import numba_suite; numba_suite.install({tests!r})\n")
        here = os.path.dirname(os.path.abspath(__file__))
        search = os.pathsep.join(filter(None, [folder, here, os.environ.get("PYTHONPATH")]))
        return _run(command, {**os.environ, "PYTHONPATH": search}, os.path.basename(os.path.dirname(path)) + "."
                    + os.path.basename(path)[:-3])


def _run(command: list[str], environment: dict[str, str], file: str) -> dict[str, tuple[str, str]]:
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
        found[f"{file}.process"] = ("fail", f"ended with {code}: {last[0][:200]}")
    return found


def files_of(tests: str, options: argparse.Namespace) -> list[str]:
    found = []
    for folder in FOLDERS:
        inside = os.path.join(tests, folder)
        for file in sorted(os.listdir(inside) if os.path.isdir(inside) else []):
            stem, kind = os.path.splitext(file)
            path = os.path.join(inside, file)
            if kind != ".py" or not file.startswith("test_") or stem in INTERNAL and not options.internal:
                continue
            if options.only and not any(word in stem for word in options.only):
                continue
            if not options.public or is_public(path):
                found.append(path)
    return found


def known_failures() -> set[str]:
    with open(KNOWN) as file:
        return {line.strip() for line in file if line.strip() and not line.startswith("#")}


def show(path: str, outcomes: dict[str, tuple[str, str]], verbose: bool) -> None:
    counts = collections.Counter(outcome for outcome, _ in outcomes.values())
    numbers = ", ".join(f"{counts[key]} {key}" for key in ("pass", "fail", "skip") if counts[key])
    print(f"{os.path.basename(os.path.dirname(path))}/{os.path.basename(path)[:-3]}: {numbers}", flush=True)
    for name, (outcome, error) in sorted(outcomes.items()):
        if outcome != "pass" and verbose:
            print(f"    {outcome} {name}: {error}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--public", action="store_true", help="only files that use the public surface alone")
    parser.add_argument("--verbose", action="store_true", help="a line for each test that fails or is skipped")
    parser.add_argument("--internal", action="store_true", help="also the files about Numba's inside")
    parser.add_argument("--jobs", type=int, default=1, help="files at a time")
    options = parser.parse_args()
    tests = tests_folder(options.checkout)
    files = files_of(tests, options)
    found: dict[str, tuple[str, str]] = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, outcomes in zip(files, pool.map(lambda path: outcomes_of(tests, path), files)):
            found |= outcomes
            show(path, outcomes, options.verbose)
    counts = collections.Counter(outcome for outcome, _ in found.values())
    print(f"{len(files)} files: {counts['pass']} passed, {counts['fail']} failed, {counts['skip']} skipped")
    failed = {name for name, (outcome, _) in found.items() if outcome == "fail"}
    known = known_failures()
    passed = sorted(known & {name for name, (outcome, _) in found.items() if outcome == "pass"})
    print("known failures that pass:", ", ".join(passed) or "none")
    print("new failures:", ", ".join(sorted(failed - known)) or "none")
    return 1 if failed - known else 0


if __name__ == "__main__":
    sys.exit(main())
