// A loop of a thread that waits, `while atomic.load(…) == 0: wait_turn()`, gives the CPU to other warps. What lanes of
// its own warp have still to do before their loops must be done by then, as it is on a GPU: the others may wait for it.
#include <algorithm>

#include "ir/passes/passes.h"
#include "ir/walk.h"

namespace pykc::ir {
namespace {

/// Whether the block waits itself, not only by a loop inside it.
bool waits(const Block& block) {
  return std::ranges::any_of(block.instructions, [](const Instruction* instruction) {
    return is_wait_turn(instruction) ||
           (instruction->opcode != Opcode::Loop && std::ranges::any_of(instruction->blocks, waits));
  });
}

/// Lanes that are on the same way to a waiting loop meet before it.
void meet_before_waits(Function& function, Block& block) {
  for (std::size_t i = 0; i < block.instructions.size(); ++i) {
    Instruction* const instruction = block.instructions[i];
    for (Block& nested : instruction->blocks) meet_before_waits(function, nested);
    if (instruction->opcode != Opcode::Loop || !std::ranges::any_of(instruction->blocks, waits)) continue;
    Instruction* const meeting = function.create(Opcode::Builtin, Type::of(ScalarType::U32), instruction->range);
    meeting->builtin = BuiltinId::Activemask;
    block.instructions.insert(block.instructions.begin() + static_cast<std::ptrdiff_t>(i++), meeting);
  }
}

}  // namespace

void meet_before_waits(Function& function) { meet_before_waits(function, function.body); }

}  // namespace pykc::ir
