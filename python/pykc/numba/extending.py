"""`numba.extending`, as far as it says something of functions of a program."""
from __future__ import annotations

from .._modules import Function


def register_jitable(*functions, **options):
    """A function that the host and kernels call, bare or with options. Plain functions are that here."""
    return functions[0] if functions else lambda function: function


def is_jitted(function) -> bool:
    """Whether a function is one under a decorator that compiles."""
    return isinstance(function, Function)
