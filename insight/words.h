// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace pykc::insight {

std::string fixed(double value, int digits);  // "4.0"
std::string grouped(std::int64_t value);      // "1,048,576"

}  // namespace pykc::insight
