// Which values are the same for all threads of a block, and which grow from thread to thread.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "ir/analysis/affine.h"
#include "ir/analysis/uniformity.h"
#include "ir/builder.h"

namespace pykc::ir::split {

/// Which values are the same for all threads that come to where they stand together, be it in a guard
/// (lockstep/guards.cpp), where Uniformity takes counters of loops for values of each thread.
class UniformValues {
 public:
  explicit UniformValues(const Uniformity& uniformity) : uniformity_(uniformity) {}
  /// Whether a value is one of them. In a guard it must also be computable in front of it.
  bool is_uniform(const Instruction* value);
  /// The counter of a loop that all threads in a guard run alike.
  void add_counter(const Local* counter) { counters_.insert(counter); }

 private:
  bool is_made_of_uniform(const Instruction& value);

  const Uniformity& uniformity_;
  std::unordered_set<const Local*> counters_;
  std::unordered_map<const Instruction*, bool> in_guards_;
};

/// Values that never fall along an axis of a block: least in its first thread, largest in its last.
class GrowingValues {
 public:
  enum class Thread : std::uint8_t { First, Last };

  GrowingValues(const Function& kernel, UniformValues& values) : kernel_(kernel), values_(values) {}
  /// Whether a value is one, and far from overflow.
  bool grows(const Instruction* value) const;
  /// A growing value in a thread. New instructions go where the builder stands.
  Instruction* in(Thread thread, Instruction* value, Builder& builder) const;

 private:
  std::optional<Slope> slope_of(const Instruction* value, std::size_t axis) const;

  const Function& kernel_;
  UniformValues& values_;
};

}  // namespace pykc::ir::split
