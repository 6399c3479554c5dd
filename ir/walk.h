// Looking at every instruction of a function, and the few questions that several passes ask of one.
#pragma once

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

inline bool has_builtin_effect(const Instruction* instruction, Effect effect) {
  return instruction->opcode == Opcode::Builtin && pykc::info(instruction->builtin).effect == effect;
}

/// Whether its value depends on its operands alone. The address of a local array does, in each thread for itself.
inline bool is_pure(const Instruction* instruction) {
  return info(instruction->opcode).effect == OpcodeEffect::Pure || has_builtin_effect(instruction, Effect::Pure);
}

inline bool is_barrier(const Instruction* instruction) { return has_builtin_effect(instruction, Effect::Barrier); }

/// Whether threads meet here: a barrier or an operation of the warp.
inline bool is_meeting_point(const Instruction* instruction) {
  return is_barrier(instruction) || has_builtin_effect(instruction, Effect::Warp);
}
inline bool has_meeting_point(const Block& block) { return any_instruction(block, is_meeting_point); }

/// Whether nothing may follow the instruction in its block.
inline bool is_terminator(const Instruction* instruction) {
  const Opcode opcode = instruction->opcode;
  return opcode == Opcode::Break || opcode == Opcode::Continue || opcode == Opcode::Return || opcode == Opcode::Fault;
}
inline bool is_terminated(const Block& block) { return !block.empty() && is_terminator(block.instructions.back()); }

}  // namespace pykc::ir
