// Conditions along a row of threads.
//
// Most kernels ask `i < n` first. As a mask on every vector that costs more than the work it guards, and it is needed
// only in the one row where the answer changes. What such a comparison compares grows by the same amount from one
// thread to the next, without overflow; so it is known after how many threads the outcome changes. Each row runs in
// segments in which all guards are constants: no masks, and half of `if tid < d` is not run at all.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/analysis/affine.h"
#include "ir/module.h"

namespace pykc::codegen {

class RowGuards {
 public:
  /// The condition of an `if` that loads a value where it comes out so, and does nothing else.
  struct Choice {
    const ir::Instruction* condition;
    bool loads_where;
  };

  /// Looks at the body of a ThreadLoop of `function`.
  RowGuards(const ir::Function& function, const ir::Block& body);

  /// Those whose difference is linear along x.
  const std::vector<const ir::Instruction*>& comparisons() const { return comparisons_; }
  /// Where there is one comparison, no equality, and one of its outcomes lets a turn do nothing: the other.
  std::optional<bool> needed_outcome() const { return needed_outcome_; }
  /// `a[i] if i < n else 0.0`, where the condition is the same for all threads of a row between two changes of a
  /// comparison. None of long bodies.
  const std::vector<Choice>& choices() const { return choices_; }
  /// Whether the difference of a guard's operands grows by 1 from thread to thread, or falls by 1.
  bool goes_by_one(const ir::Instruction& guard) const;
  /// Whether the instruction stands in the body, so that it must be emitted to have a value.
  bool is_in_body(const ir::Instruction* instruction) const { return slopes_.contains(instruction); }
  /// Whether it is the same for all threads of a row.
  bool is_constant(const ir::Instruction* instruction) const { return slope_of(instruction).is_none(); }
  /// Whether the difference of a guard's operands is far from overflow.
  bool is_small(const ir::Instruction& guard) const;

 private:
  ir::Slope slope_of(const ir::Instruction* instruction) const;
  bool is_guard(const ir::Instruction& instruction) const;
  bool is_decided(const ir::Instruction* condition, int depth = 0) const;
  std::optional<bool> outcome_where(const ir::Instruction* condition, bool holds, int depth = 0) const;
  std::optional<bool> find_needed_outcome(const ir::Block& body) const;
  std::vector<Choice> find_choices(const ir::Block& body) const;

  const ir::Function& function_;
  std::unordered_map<const ir::Instruction*, ir::Slope> slopes_;  // along x, of what stands in the body
  std::vector<const ir::Instruction*> comparisons_;
  std::optional<bool> needed_outcome_;
  std::vector<Choice> choices_;
};

}  // namespace pykc::codegen
