// Loops whose turns the threads of a block take together, though nobody meets in them.
#pragma once

#include <unordered_set>

#include "ir/module.h"

namespace pykc::ir::split {

/// Whether a turn is nothing but arithmetic on variables, some of it on floats, and perhaps accesses to memory.
bool is_arithmetic_loop(const Instruction& loop, bool may_access = false);
/// The loops whose turns the block takes together though nobody meets in them, rewritten for that where need be.
std::unordered_set<const Instruction*> find_lockstep_loops(Function& kernel);

}  // namespace pykc::ir::split
