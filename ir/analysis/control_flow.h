// Questions about structured control flow.
#pragma once

#include "ir/module.h"

namespace pykc::ir {

/// Break, Continue, Return, Fault: nothing may follow in their block.
bool is_terminator(Opcode opcode);

/// Whether control can reach the end of the block, as far as its structure tells (conditions count as unknown).
bool can_fall_through(const Block& block);

}  // namespace pykc::ir
