// Errors of pykc as Python's exceptions.
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

#include "pykc/error.h"

namespace pykc::python {

namespace nb = nanobind;

/// Makes the exception classes and adds them to the module.
void add_exceptions(nb::module_& module);

/// Throws what the error is in Python. The GIL must be held.
[[noreturn]] void raise(const Error& error);

/// The value, or the exception.
template <typename T>
T take(Result<T> result) {
  if (!result) raise(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(result).value();
}

/// What `work` returns, which must touch no object of Python.
template <typename Work>
auto without_gil(const Work& work) {
  const nb::gil_scoped_release released;
  return work();
}

}  // namespace pykc::python
