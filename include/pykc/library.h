// The library written in the language, for programs that find the modules of their sources themselves.
#pragma once

#include <string_view>

namespace [[gnu::visibility("default")]] pykc {

/// The text of a module of the library, "pykc.reduce"; it lives as long as the program. Empty where there is none of
/// that name.
std::string_view library_text(std::string_view module);

}  // namespace pykc
