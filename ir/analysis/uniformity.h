// Which values are the same for all threads of a block.
//
// A value is uniform when it is computed from constants, parameters, the block's place and uniform locals alone; loads
// from memory are not (but for constant arrays at a uniform index). A local is uniform when all values stored to it
// are, under control flow that is uniform itself: a branch, break or continue under a condition that differs between
// threads makes everything after it, up to the point where the threads meet again, divergent. A return does not: the
// threads that have returned are gone, and uniform means "the same for all threads that still live".
//
// The parameters of a device function are not uniform, for its callers are not known here.
#pragma once

#include <unordered_map>
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
  /// The If whose condition parts the threads before they come to an instruction; null where it is convergent.
  const Instruction* cause_of_divergence(const Instruction* instruction) const;

 private:
  class Analysis;
  using Causes = std::unordered_map<const Instruction*, const Instruction*>;

  std::unordered_set<const Instruction*> divergent_values_;
  std::unordered_set<const Local*> divergent_locals_;
  Causes divergent_control_;  // each with the If that is to blame
  Causes divergent_regions_;
};

}  // namespace pykc::ir
