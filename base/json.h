// The one thing that writing JSON needs help with.
#pragma once

#include <string>
#include <string_view>

namespace pykc {

/// A JSON string. Bytes that are not UTF-8 become U+FFFD: JSON has no way to hold them.
std::string json_string(std::string_view text);

}  // namespace pykc
