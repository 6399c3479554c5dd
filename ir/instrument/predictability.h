// What of a kernel depends on the launch alone: on the places of threads, the shape of the launch, the extents of
// arrays and integer arguments; and not on what arrays hold, or on floats among the arguments. Or what depends on
// nothing but the source.
//
// Two launches that agree in these do the same of it. So accesses that were watched once, and raced with nothing, need
// not be watched again. Or what is, beside that, the same in every block that goes the same way, but for what moves
// with the block's index (block_motion.h).
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/instrument/block_motion.h"
#include "ir/module.h"

namespace pykc::ir {

class Predictability {
 public:
  enum class By : std::uint8_t { Launch, Source, Way };
  explicit Predictability(const Module& module, By by = By::Launch);

  /// Whether a value depends on the launch alone, or on the source, or on the way.
  bool has_value(const Instruction* value) const { return !unknown_.contains(value); }
  /// Whether it depends on these alone which threads come to an instruction, and how often.
  bool is_reached(const Instruction* instruction) const { return !doubtful_.contains(instruction); }
  /// Whether all that orders the threads of a kernel does: its barriers and warp operations. Never where a fence or an
  /// atomic access orders them, since what that orders depends on who was first.
  bool has_order(const Function& kernel) const;
  /// By the way, how values move from block to block.
  const BlockMotions& motions() const { return motions_; }

 private:
  void walk(const Function& function, const Block& block, bool is_certain);
  void examine(const Function& function, const Instruction* instruction, bool is_certain);
  bool gives_unknown(const Function& function, const Instruction* instruction) const;
  bool set_results(const Function& function, const Instruction& exit);
  template <typename Set, typename Member>
  void note(Set& set, const Member& member) {
    has_changed_ |= set.insert(member).second;
  }

  const By by_;
  std::unordered_set<const Instruction*> unknown_;   // values
  std::unordered_set<const Local*> unknown_locals_;  // variables
  std::unordered_set<const Instruction*> doubtful_;  // instructions that are reached or not, as data have it
  std::unordered_set<const Instruction*> left_;      // loops and scopes that are left as data have it
  std::unordered_set<const Function*> left_functions_, doubtful_functions_, unknown_results_;
  std::unordered_map<const Function*, std::unordered_set<std::int64_t>> unknown_parameters_;
  BlockMotions motions_;
  bool has_changed_ = false;
};

}  // namespace pykc::ir
