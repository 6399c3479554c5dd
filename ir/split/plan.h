// What of a kernel runs once a block, and what once a thread.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/analysis/uniformity.h"
#include "ir/module.h"

namespace pykc::ir::split {

/// Decides, for each instruction of a kernel, whether it runs once a block or once a thread.
class Plan {
 public:
  /// `faulting` are the functions that may stop their thread, `lockstep` loops that are to be control flow of the
  /// block.
  Plan(const Function& kernel, const std::unordered_set<const Function*>& faulting,
       const std::unordered_set<const Instruction*>& lockstep);

  /// Whether an If, Loop or Scope becomes control flow of the block: threads meet in it, or scalar values depend on it.
  bool is_block_level(const Instruction* construct) const { return block_level_.contains(construct); }
  /// Whether the threads take its turns together though nobody meets in it.
  bool is_lockstep(const Instruction* loop) const { return lockstep_.contains(loop); }
  /// Whether the threads of a construct at block level may part, so that a mask says who is in it.
  bool is_masked(const Instruction* construct) const;
  /// Whether an instruction runs once for the whole block: a value, a store to a scalar local, a construct of nothing
  /// else.
  bool is_scalar(const Instruction* instruction) const { return scalars_.contains(instruction); }
  bool is_scalar(const Local* local) const { return scalar_locals_.contains(local); }
  /// Whether all living threads take this Break, Continue or Return together, at block level.
  bool is_direct(const Instruction* exit) const;
  /// Whether a thread may return while others still have another region to run.
  bool needs_alive_mask() const { return needs_alive_mask_; }
  /// Whether a thread may stop here with a fault.
  bool can_fault(const Instruction* instruction) const {
    return instruction->opcode == Opcode::Fault ||
           (instruction->opcode == Opcode::Call && faulting_.contains(instruction->callee));
  }

 private:
  void index(const Block& block, const Instruction* parent);
  void require(const Instruction* construct);
  void require_parents_of_exits(const Instruction* construct);
  void require_value(const Instruction* value);
  void require_local(const Local* local);
  void require_uniform_returns();
  void settle();
  void find_scalars();
  bool can_be_scalar(const Instruction* instruction) const;
  void find_scalars(const Block& block);
  bool has_only_scalar_stores(const Local* local) const;
  bool add_scalar_code(const Block& block, std::size_t& reach);
  bool add_scalar_code(const Instruction* instruction, std::size_t& reach);
  void find_ends_of_threads();
  bool may_end_threads() const { return needs_alive_mask_ || has_faults_; }
  bool is_in_block_level_construct(const Instruction* instruction) const;
  const Instruction* parent_of(const Instruction* instruction) const { return parents_.at(instruction); }

  const Function& kernel_;
  const std::unordered_set<const Function*>& faulting_;
  const std::unordered_set<const Instruction*>& lockstep_;
  Uniformity uniformity_;
  std::vector<const Instruction*> order_;                       // as the text has them
  std::unordered_map<const Instruction*, std::size_t> places_;  // in order_
  std::unordered_map<const Instruction*, const Instruction*> parents_;
  std::unordered_map<const Local*, std::vector<const Instruction*>> stores_;
  std::unordered_map<const Instruction*, std::vector<const Instruction*>> exits_;  // of each Loop and Scope
  std::unordered_set<const Instruction*> block_level_;
  std::unordered_set<const Instruction*> required_values_;
  std::unordered_set<const Local*> required_locals_;
  std::unordered_set<const Instruction*> scalars_;
  std::unordered_set<const Local*> scalar_locals_;
  bool needs_alive_mask_ = false;
  bool has_faults_ = false;
};

}  // namespace pykc::ir::split
