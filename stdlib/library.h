// The library written in the language, as it is built into the program.
#pragma once

#include <string_view>
#include <vector>

namespace pykc {

/// The source of a library module ("pykc.reduce"); empty when there is none of that name.
std::string_view library_source(std::string_view module_name);

/// The names of all library modules, for messages.
std::vector<std::string_view> library_modules();

}  // namespace pykc
