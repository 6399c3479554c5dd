// The extension module `pykc._native`: the public C++ API, as Python's objects. What NumPy's, Numba's and CuPy's users
// know is made of it in Python.
#include <nanobind/nanobind.h>

#include "python/binding/arrays.h"
#include "python/binding/errors.h"

NB_MODULE(_native, module) {
  using namespace pykc::python;
  if (PyInterpreterState_Get() != PyInterpreterState_Main())
    throw nb::import_error("pykc serves the main interpreter of a process, and none beside it");
  nb::set_leak_warnings(false);  // what modules of Python hold at the end is theirs
  add_exceptions(module);
  add_devices(module);
  add_arrays(module);
  add_kernels(module);
  add_compiler(module);
}
