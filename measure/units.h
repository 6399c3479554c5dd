// Numbers with units, as people read them.
#pragma once

#include <string>
#include <string_view>

namespace pykc::measure {

/// Three digits and a prefix: "12.3 us" of 1.23e-5 and "s", "1.00 G" of 1e9 and "".
std::string with_prefix(double value, std::string_view unit);

}  // namespace pykc::measure
