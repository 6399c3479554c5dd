// Which values are the same for all threads of a block.
//
// A value is uniform when it is computed from constants, parameters, the block's place and uniform locals alone; loads
// from memory are not (but for constant arrays at a uniform index). A local is uniform when all values stored to it are,
// under control flow that is uniform itself: a branch, break, continue or return under a condition that differs between
// threads makes everything after it, up to the point where the threads meet again, divergent.
#pragma once

#include <unordered_set>

#include "ir/module.h"

namespace pykc::ir {

class Uniformity {
 public:
  explicit Uniformity(const Function& function);
  bool is_uniform(const Instruction* value) const { return !divergent_values_.contains(value); }
  bool is_uniform(const Local* local) const { return !divergent_locals_.contains(local); }
  /// Whether all living threads of the block run this instruction together, the same number of times.
  bool is_convergent(const Instruction* instruction) const { return !divergent_control_.contains(instruction); }
  /// Whether the threads of the block may leave this Loop or Scope at different times (or iterate differently).
  bool is_divergent_region(const Instruction* region) const { return divergent_regions_.contains(region); }

 private:
  std::unordered_set<const Instruction*> divergent_values_;
  std::unordered_set<const Local*> divergent_locals_;
  std::unordered_set<const Instruction*> divergent_control_;
  std::unordered_set<const Instruction*> divergent_regions_;
};

}  // namespace pykc::ir
