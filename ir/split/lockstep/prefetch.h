// What a stride reads in its next turn is asked for in this one.
#pragma once

#include "ir/split/lockstep/stride.h"

namespace pykc::ir::split {

/// Asks, where the builder stands, for what a block reads from place `next` on, in the next of its turns. A prefetch of
/// what is not there does no harm.
void prefetch_next_turn(const CountedLoop& stride, const Block& turn, Instruction* next, Builder& builder);

}  // namespace pykc::ir::split
