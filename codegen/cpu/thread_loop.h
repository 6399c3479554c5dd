// The threads of a block: ThreadLoops.
#pragma once

#include "codegen/cpu/emitter.h"

namespace pykc::codegen {

void emit_thread_loop(CpuEmitter& emitter, const Instruction& i);
/// Finds the variables that code outside of every ThreadLoop uses.
void collect_block_locals(CpuEmitter& emitter, const ir::Block& block);

}  // namespace pykc::codegen
