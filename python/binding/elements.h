// What arrays hold, as NumPy names it and as pykc does.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

#include "pykc/types.h"

namespace pykc::python {

namespace nb = nanobind;

/// "<f4", "float32", "bf16", "<c8", "S12"; or a dtype of NumPy, also of records. Raises TypeError for what kernels do
/// not know.
ElementType element_of(nb::handle dtype);
/// A format of the buffer protocol, "f" or "Zd"; of records `owner.dtype` is asked.
ElementType element_of_format(const char* format, nb::handle owner);
/// "<f4"; "|V12" for records; "bfloat16" has no code of NumPy's.
std::string typestr_of(const ElementType& element);

}  // namespace pykc::python
