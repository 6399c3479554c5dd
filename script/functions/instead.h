// What programs in Python use that host code has not, and what to write here.
#pragma once

#include <string_view>

#include "script/values/value.h"

namespace pykc::script {

/// For a name behind a built-in module; empty for what nobody knows.
std::string_view instead_of(Library library, std::string_view name);
/// For a method or field of an array, a kernel, a stream …; empty for what nobody knows.
std::string_view instead_of_method(Library methods, std::string_view name);
/// For everything else: where to look.
std::string_view instead_of_anything();
/// For a module or package that is imported.
std::string_view instead_of_module(std::string_view module);

}  // namespace pykc::script
