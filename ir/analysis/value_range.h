// Intervals of integer values: what an index can be at most and at least, from what is known of thread indices
// (0 … 1023), block indices (0 … 2^31 - 2), extents (0 … 2^48) and the arithmetic on them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "ir/module.h"

namespace pykc::ir {

struct ValueRange {
  std::int64_t minimum = std::numeric_limits<std::int64_t>::min();
  std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
  bool is_non_negative() const { return minimum >= 0; }
};

/// The range of an integer value. Looks a bounded depth into its operands; a LocalLoad has the range of its Local. Of a
/// u64 that may not fit into an i64 nothing is said: the range is that of an i64, and the value may lie outside.
ValueRange range_of(const Instruction* value, const Function& function);

/// What a comparison of integers gives, where their ranges tell; exact for every type.
std::optional<bool> decide_by_ranges(const Instruction* comparison, const Function& function);

}  // namespace pykc::ir
