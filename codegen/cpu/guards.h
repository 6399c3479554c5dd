// Conditions that hold for all threads of a row, or for none.
//
// Most kernels ask `i < n` first. As a mask on every vector that costs more than the work it guards, and it is needed
// only in the one row where the answer changes. Such a comparison is monotone along x: both sides grow by the same
// amount from one thread to the next, and nothing overflows. So where it comes out the same for the first and the last
// thread of a row, it does for all between, and the row runs in a loop in which it is a constant.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/module.h"

namespace pykc::codegen {

/// The comparisons in the body of a ThreadLoop that are monotone along x. None where the body is so long that a second
/// copy of it costs more than masks do.
class RowGuards {
 public:
  RowGuards(const ir::Function& function, const ir::Block& body);
  const std::vector<const ir::Instruction*>& comparisons() const { return comparisons_; }
  /// Whether the instruction stands in the body, so that it must be emitted to have a value.
  bool is_in_body(const ir::Instruction* instruction) const { return growth_.contains(instruction); }

 private:
  enum class Growth : std::uint8_t { Constant, Affine, Unknown };  // along x
  Growth growth_of(const ir::Instruction* instruction) const;
  Growth work_out(const ir::Instruction& instruction) const;
  bool never_overflows(const ir::Instruction& instruction) const;

  const ir::Function& function_;
  std::unordered_map<const ir::Instruction*, Growth> growth_;
  std::vector<const ir::Instruction*> comparisons_;
};

}  // namespace pykc::codegen
