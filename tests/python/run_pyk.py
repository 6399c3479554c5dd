"""Runs the @test functions of a .pyk file as Python, with pykc as Numba."""
import runpy
import sys

import pykc

tests = []


def test(function):
    tests.append(function)
    return function


pykc.install_as_numba()
runpy.run_path(sys.argv[1], init_globals={"test": test})
for function in tests:
    function()
print(len(tests), "passed")
