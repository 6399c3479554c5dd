"""`import numba` means pykc, whether or not Numba is installed."""
from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import itertools
import sys

_MODULES = {
    "numba": "pykc.numba", "numba.types": "pykc.types", "numba.config": "pykc._config",
    "numba.errors": "pykc.numba.errors", "numba.extending": "pykc.numba.extending",
    "numba.core": "pykc.numba.core", "numba.core.types": "pykc.types", "numba.core.errors": "pykc.numba.errors",
    "numba.core.config": "pykc._config",
    "numba.cuda": "pykc.cuda", "numba.cuda.types": "pykc.types", "numba.cuda.random": "pykc.cuda.random",
    "numba.cuda.libdevice": "pykc.cuda.libdevice", "numba.cuda.bf16": "pykc.cuda.bf16",
    "numba.cuda.fp16": "pykc.cuda.fp16",
    "numba.np": "pykc.numba.np", "numba.np.numpy_support": "pykc.numba.numpy_support",
    "numba.cuda.np": "pykc.numba.np", "numba.cuda.np.numpy_support": "pykc.numba.numpy_support",
    "numba.misc": "pykc.numba.misc", "numba.misc.special": "pykc.numba.special",
    "numba.cuda.misc": "pykc.numba.misc", "numba.cuda.misc.special": "pykc.numba.special",
    "numba.cuda.compiler": "pykc.cuda._compile", "numba.cuda.args": "pykc.cuda._arguments",
    "numba.cuda.cudadrv": "pykc.cuda.cudadrv", "numba.cuda.cudadrv.devices": "pykc.cuda.cudadrv.devices",
    "numba.cuda.cudadrv.error": "pykc.cuda.cudadrv.error", "numba.cuda.cudadrv.driver": "pykc.cuda.cudadrv.driver",
    "numba.cuda.cudadrv.devicearray": "pykc.cuda.cudadrv.devicearray",
    "numba.cuda.cudadrv.runtime": "pykc.cuda.cudadrv.runtime",
    "numba.cuda.dispatcher": "pykc.cuda._dispatcher", "numba.cuda.testing": "pykc.cuda.testing",
    "numba.cuda.extending": "pykc.numba.extending",
    "numba.cuda.kernels": "pykc.cuda.kernels", "numba.cuda.kernels.reduction": "pykc.cuda.kernels.reduction",
    "numba.cuda.kernels.transpose": "pykc.cuda.kernels.transpose",
    "numba.cuda.core": "pykc.numba.core", "numba.cuda.core.errors": "pykc.numba.errors",
    "numba.cuda.core.config": "pykc._config", "numba.cuda.config": "pykc._config",
    "numbapro": "pykc.numba", "numbapro.cuda": "pykc.cuda",
}


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds Numba's modules in pykc. It stands before all others."""

    def find_spec(self, fullname: str, path=None, target=None):
        if fullname not in _MODULES:
            if fullname.startswith(("numba.", "numbapro.")):
                raise ModuleNotFoundError(f"{fullname} is not here: pykc has Numba's public surface (docs/python.md)",
                                          name=fullname)
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec):
        module = importlib.import_module(_MODULES[spec.name])
        self._own_spec = module.__spec__
        return module

    def exec_module(self, module) -> None:
        module.__spec__ = self._own_spec  # the module keeps its own name


def install_as_numba() -> None:
    """From here on `import numba` gives pykc; before it, nothing may have imported Numba."""
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    if "numba" in sys.modules:
        raise RuntimeError("Numba is imported already: call pykc.install_as_numba() first")
    sys.meta_path.insert(0, _Finder())


def keep_text_of_exec() -> None:
    """Lets `exec` keep the text that it is given, for functions in it that pykc compiles. Numba, which reads bytecode,
    needs no text."""
    import builtins
    import linecache
    plain = builtins.exec
    numbers = itertools.count()

    def exec_with_text(source, globals=None, locals=None, /, **options):
        frame = sys._getframe(1)
        if globals is None:
            globals = frame.f_globals
            locals = frame.f_locals if locals is None else locals
        if isinstance(source, str):
            name = f"<exec {next(numbers)}>"
            linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
            source = compile(source, name, "exec")
        plain(source, globals, locals, **options)

    builtins.exec = exec_with_text


def run_as_numba() -> None:
    """Makes this process one in which Numba is pykc, as those that `multiprocessing` starts from it will be."""
    from ._interrupt import stop_kernels_on_interrupt
    install_as_numba()
    keep_text_of_exec()
    stop_kernels_on_interrupt()
    _carry_to_children()


class _Redirection:
    """Among what a new process is sent before it runs the script."""

    def __reduce__(self):
        return run_as_numba, ()


def _carry_to_children() -> None:
    """Children that are not forked begin with nothing but what they are sent."""
    from multiprocessing import spawn
    plain = spawn.get_preparation_data

    def with_redirection(name: str) -> dict:
        return {**plain(name), "pykc": _Redirection()}

    spawn.get_preparation_data = with_redirection
