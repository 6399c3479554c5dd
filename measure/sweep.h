// What a benchmark goes through, as people write it: sizes "1e4,1e5,1e6", blocks "64..1024" or "64,128,16x16".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pykc/configuration.h"
#include "pykc/error.h"
#include "pykc/types.h"

namespace pykc::measure {

/// A whole number that is at least 0: "65536", "65_536", "1e6".
Result<std::int64_t> parse_count(std::string_view text);

/// A list of numbers from 1 on, and of ranges that double: "1e4,1e5", "1024..1048576".
Result<std::vector<std::int64_t>> parse_sizes(std::string_view text);

/// A list of shapes, and of ranges of one axis that double: "64..1024", "64,128,16x16,8x8x4".
Result<std::vector<Dim3>> parse_blocks(std::string_view text);

/// "256", "16x16", "8x8x4"; what is missing is 1.
Result<Dim3> parse_extents(std::string_view text);
/// The extents of an array of any rank: "1024x512".
Result<std::vector<std::int64_t>> parse_shape(std::string_view text);

/// Extents in terms of a configuration's names, "TILExROWS", with its values in their places: "32x8".
std::string with_values(std::string_view extents, const Configuration& configuration);

/// "256", "16x16", "8x8x4".
std::string extents_text(Dim3 extents);

}  // namespace pykc::measure
