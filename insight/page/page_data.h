// The template of the page, as it is built into the program.
#pragma once

#include <string_view>

namespace pykc::insight {

/// page.html with its style and script; where the data go stands "@DATA@".
std::string_view page_template();

}  // namespace pykc::insight
