// Looking at every instruction of a function, and the few questions that several passes ask of one.
#pragma once

#include <unordered_set>
#include <vector>

#include "base/budget.h"
#include "ir/module.h"

namespace pykc::ir {

/// Calls `visit` with each instruction of a block and of all blocks inside it, in the order of the text.
template <typename AnyBlock, typename Visit>
void for_each_instruction(AnyBlock& block, Visit&& visit) {
  for (auto* instruction : block.instructions) {
    spend_time();
    visit(instruction);
    for (auto& nested : instruction->blocks) for_each_instruction(nested, visit);
  }
}

/// Calls `visit` with each instruction of a function and of all that it may call.
template <typename Visit>
void for_each_instruction_reached(const Function& from, Visit&& visit) {
  std::unordered_set<const Function*> seen = {&from};
  std::vector<const Function*> open = {&from};
  while (!open.empty()) {
    const Function* const function = open.back();
    open.pop_back();
    for_each_instruction(function->body, [&](const Instruction* instruction) {
      if (instruction->opcode == Opcode::Call && seen.insert(instruction->callee).second)
        open.push_back(instruction->callee);
      visit(instruction);
    });
  }
}

/// Whether `holds` is true of any instruction of the block or of a block inside it.
template <typename Predicate>
bool any_instruction(const Block& block, Predicate&& holds) {
  for (const Instruction* instruction : block.instructions) {
    spend_time();
    if (holds(instruction)) return true;
    for (const Block& nested : instruction->blocks)
      if (any_instruction(nested, holds)) return true;
  }
  return false;
}

/// Takes the instructions for which `holds` is true out of the block and of all blocks inside it. Nobody uses them.
template <typename Predicate>
void erase_instructions(Block& block, const Predicate& holds) {
  std::erase_if(block.instructions, holds);
  for (Instruction* instruction : block.instructions)
    for (Block& nested : instruction->blocks) erase_instructions(nested, holds);
}

inline bool has_builtin_effect(const Instruction* instruction, Effect effect) {
  return instruction->opcode == Opcode::Builtin && pykc::info(instruction->builtin).effect == effect;
}

inline bool is_grid_dependency_wait(const Instruction* instruction) {
  return instruction->opcode == Opcode::Builtin && instruction->builtin == BuiltinId::GridDependencyWait;
}

/// Whether its value depends on its operands alone. The address of a local array does, in each thread for itself.
inline bool is_pure(const Instruction* instruction) {
  return info(instruction->opcode).effect == OpcodeEffect::Pure || has_builtin_effect(instruction, Effect::Pure);
}

/// Whether it tells where the thread is in its block, or the block in the launch.
inline bool tells_place(const Instruction* instruction) {
  return has_builtin_effect(instruction, Effect::Thread) || has_builtin_effect(instruction, Effect::Block);
}

inline bool is_barrier(const Instruction* instruction) { return has_builtin_effect(instruction, Effect::Barrier); }

/// Whether threads meet here: a barrier or an operation of the warp.
inline bool is_meeting_point(const Instruction* instruction) {
  return is_barrier(instruction) || has_builtin_effect(instruction, Effect::Warp);
}
inline bool has_meeting_point(const Block& block) { return any_instruction(block, is_meeting_point); }

/// Whether a warp may wait here, or count, while others of its block are elsewhere.
inline bool is_named_barrier(const Instruction* instruction) {
  return (instruction->opcode == Opcode::Builtin || instruction->opcode == Opcode::WarpExchange) &&
         (instruction->builtin == BuiltinId::BarrierSync || instruction->builtin == BuiltinId::BarrierArrive);
}
inline bool is_wait_turn(const Instruction* instruction) {
  return instruction->opcode == Opcode::Builtin && instruction->builtin == BuiltinId::WaitTurn;
}

/// Whether blocks of a cluster meet here, or one arrives without waiting.
inline bool is_cluster_barrier(const Instruction* instruction) {
  return (instruction->opcode == Opcode::Builtin || instruction->opcode == Opcode::WarpExchange) &&
         (instruction->builtin == BuiltinId::ClusterSync || instruction->builtin == BuiltinId::ClusterArrive ||
          instruction->builtin == BuiltinId::ClusterWait);
}
/// Whether it asks for the cluster of its block.
inline bool is_of_cluster(const Instruction* instruction) {
  return is_cluster_barrier(instruction) || instruction->opcode == Opcode::ClusterPointer ||
         (instruction->opcode == Opcode::Builtin &&
          (instruction->builtin == BuiltinId::ClusterRank || instruction->builtin == BuiltinId::ClusterBlocks));
}

/// Whether nothing may follow the instruction in its block.
inline bool is_terminator(const Instruction* instruction) {
  const Opcode opcode = instruction->opcode;
  return opcode == Opcode::Break || opcode == Opcode::Continue || opcode == Opcode::Return || opcode == Opcode::Fault;
}
inline bool is_terminated(const Block& block) { return !block.empty() && is_terminator(block.instructions.back()); }

}  // namespace pykc::ir
