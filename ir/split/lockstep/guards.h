// Conditions such as `i < n` around the code of a kernel, which let some threads of a row through.
#pragma once

#include <unordered_set>

#include "ir/split/lockstep/growth.h"

namespace pykc::ir::split {

class Guards {
 public:
  Guards(UniformValues& values, const GrowingValues& growing) : values_(values), growing_(growing) {}
  /// Whether an If is a guard: its condition is one of a row, and only threads for which it holds do anything, in which
  /// they neither meet nor leave it.
  bool is_guard(const Instruction* branch) const;
  /// Comparisons along the threads of a block, with And, Or and Not; few, for they are computed wherever they guard.
  bool is_row_condition(const Instruction* condition) const;
  /// Whether any thread may have the outcome `expected`: uniform, computed where the builder stands.
  Instruction* may_be(bool expected, Instruction* condition, Builder& builder) const;

 private:
  bool is_row_condition(const Instruction* condition, int& parts) const;
  static bool keeps_threads(const Instruction& branch);

  UniformValues& values_;
  const GrowingValues& growing_;
};

/// Makes guards of early returns, where there is a loop behind them.
void nest_early_returns(Function& kernel);
/// Moves the guards around `loops` into them.
void sink_guards(Function& kernel, const Guards& guards, const std::unordered_set<const Instruction*>& loops);

}  // namespace pykc::ir::split
