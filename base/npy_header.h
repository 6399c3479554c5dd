// The header of a .npy file as its text, a Python dict.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/npy.h"

namespace pykc {

struct ParsedNpyHeader {
  NpyHeader header;         // a record's fields lie as in the file
  bool is_swapped = false;  // the bytes of each element must be turned round
};
Result<ParsedNpyHeader> parse_npy_header(std::string_view text);

/// The number of elements, where memory could hold them.
std::optional<std::int64_t> npy_size(const std::vector<std::int64_t>& shape, const ElementType& type);

}  // namespace pykc
