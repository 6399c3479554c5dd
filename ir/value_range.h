// Intervals of integer values: what an index can be at most and at least, from what is known of thread indices
// (0 … 1023), block indices (0 … 2^31 - 2), extents (0 … 2^48) and the arithmetic on them.
#pragma once

#include <cstdint>
#include <limits>

#include "ir/module.h"

namespace pykc::ir {

struct ValueRange {
  std::int64_t minimum = std::numeric_limits<std::int64_t>::min();
  std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
  bool is_non_negative() const { return minimum >= 0; }
};

/// The range of an integer value of at most 64 signed bits (u64: full range unless small). Looks a bounded depth into
/// its operands; a LocalLoad has the range of its Local.
ValueRange range_of(const Instruction* value, const Function& function);

}  // namespace pykc::ir
