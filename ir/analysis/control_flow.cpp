#include "ir/analysis/control_flow.h"

#include <algorithm>

namespace pykc::ir {
namespace {

bool contains_break_of(const Block& block, const Instruction* target) {
  return std::ranges::any_of(block.instructions, [&](const Instruction* instruction) {
    if (instruction->opcode == Opcode::Break && instruction->target == target) return true;
    return std::ranges::any_of(instruction->blocks, [&](const Block& b) { return contains_break_of(b, target); });
  });
}

bool contains_break_of(const Instruction* region) {
  return std::ranges::any_of(region->blocks, [&](const Block& block) { return contains_break_of(block, region); });
}

}  // namespace

bool is_terminator(Opcode opcode) {
  return opcode == Opcode::Break || opcode == Opcode::Continue || opcode == Opcode::Return || opcode == Opcode::Fault;
}

bool can_fall_through(const Block& block) {
  if (block.empty()) return true;
  const Instruction* last = block.instructions.back();
  switch (last->opcode) {
    case Opcode::If:
      return can_fall_through(last->blocks[0]) || can_fall_through(last->blocks[1]);
    case Opcode::Loop:
      return contains_break_of(last);
    case Opcode::Scope:
      return can_fall_through(last->blocks[0]) || contains_break_of(last);
    default:
      return !is_terminator(last->opcode);
  }
}

}  // namespace pykc::ir
