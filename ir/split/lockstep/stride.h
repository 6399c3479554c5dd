// Loops in which each thread starts elsewhere and strides over the others.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/split/lockstep/growth.h"

namespace pykc::ir::split {

/// The parts of `for i in range(start, stop, step)`, as lowering writes it.
struct CountedLoop {
  Instruction* initial;  // the LocalStore of `start`
  Instruction *start, *stop, *step;
  Local* counter;
};

class CountedLoops {
 public:
  using Values = std::unordered_set<const Instruction*>;

  CountedLoops(Function& kernel, const Uniformity& uniformity, const GrowingValues& growing);
  /// The Loop at block.instructions[n], if it is one and nobody else uses its counter.
  std::optional<CountedLoop> find(const Block& block, std::size_t n) const;
  /// Whether each thread starts elsewhere and goes far; `known` are the values that are there in front of the loop.
  bool is_stride(const CountedLoop& counted, const Instruction& loop, const Values& known) const;
  /// Rewrites a stride so that all threads count alike, and puts it where the builder stands; what set its counter has
  /// no use any more.
  void make_uniform(Instruction& loop, const CountedLoop& stride, Builder& builder);

 private:
  bool is_private(const CountedLoop& counted, const Instruction& loop) const;
  bool is_far(const Instruction* step) const;

  Function& kernel_;
  const Uniformity& uniformity_;
  const GrowingValues& growing_;
  std::unordered_map<const Local*, std::vector<const Instruction*>> uses_;
};

}  // namespace pykc::ir::split
