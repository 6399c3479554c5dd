// The threads of a block: ThreadLoops.
#pragma once

#include "codegen/cpu/emitter.h"
#include "codegen/emit/control.h"

namespace pykc::codegen {

/// Runs `body(number)` for each thread that the function runs; gives the back edge's branch.
template <typename Body>
llvm::Instruction* loop_over_threads(CpuEmitter& emitter, const llvm::Twine& name, Body body) {
  return counted_loop(emitter, emitter.turns, name, [&](Value* turn) {
    Value* const first = emitter.first_thread;
    body(first == nullptr ? turn : emitter.builder.CreateAdd(first, turn, "", true, true));
  });
}

void emit_thread_loop(CpuEmitter& emitter, const Instruction& i);
/// Finds the variables that code outside of every ThreadLoop uses.
void collect_block_locals(CpuEmitter& emitter, const ir::Block& block);

}  // namespace pykc::codegen
