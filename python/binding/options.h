// What a compilation is asked for, by keywords.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "pykc/compiler.h"

namespace pykc::python {

namespace nb = nanobind;

/// target, optimization, signatures, silenced_warnings, libraries, import_, and the flags of CompileOptions.
CompileOptions options_of(const nb::kwargs& keywords);

/// Keeps an object of Python where no GIL is held when it goes.
std::shared_ptr<void> held(nb::object object);

}  // namespace pykc::python
