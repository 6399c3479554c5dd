// The extension module `pykc._native`: the public C++ API, as Python's objects. What NumPy's, Numba's and CuPy's users
// know is made of it in Python.
#include <nanobind/nanobind.h>

#include "python/binding/arrays.h"
#include "python/binding/errors.h"
#include "python/binding/streams.h"

// nanobind's own, which a second interpreter must not even enter: what it knows of types would be that one's from then
// on. The module's is below.
#define PyInit__native pykc_init_native

NB_MODULE(_native, module) {
  using namespace pykc::python;
  nb::set_leak_warnings(false);  // what modules of Python hold at the end is theirs
  add_exceptions(module);
  add_streams(module);
  add_devices(module);
  add_arrays(module);
  add_launches(module);
  add_kernels(module);
  add_raw_modules(module);
  add_functions(module);
  add_compiler(module);
  add_costs(module);
}

#undef PyInit__native

PyMODINIT_FUNC PyInit__native() {
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) == 0) return pykc_init_native();
  PyErr_SetString(PyExc_ImportError, "pykc serves the main interpreter of a process, and none beside it");
  return nullptr;
}
