// A function that host code can call, as a row of the tables of functions.h.
#pragma once

#include <cstdint>
#include <string_view>

#include "script/values/outcome.h"
#include "script/values/value.h"

namespace pykc::script {

class Run;
class Arguments;

using Implementation = Outcome<Value> (*)(Run& run, const Arguments& arguments);

struct HostFunction {
  std::string_view name;
  std::uint32_t libraries;  // a bit for each Library that has it
  std::string_view signature;
  Implementation implementation;
  std::string_view doc;
  bool gives_host_array = false;  // also of arrays of the device
};

constexpr std::uint32_t in(Library library) { return 1u << static_cast<unsigned>(library); }
template <typename... Libraries>
constexpr std::uint32_t in(Library first, Libraries... rest) {
  return in(first) | in(rest...);
}

}  // namespace pykc::script
