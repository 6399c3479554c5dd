// What LLVM is told of the turns of a block's threads: that their accesses are independent, and how to take its loops.
#pragma once

#include "codegen/cpu/emitter.h"

namespace pykc::codegen {

/// Says of a load or store that no other turn meets it.
void annotate(CpuEmitter& emitter, llvm::Instruction* access, ir::AddressSpace space);
void annotate_call(CpuEmitter& emitter, llvm::CallInst* call, const ir::Function& callee);
/// "file.pyk:7": where the instruction, or else the function, stands in the source.
std::string place_in_source(const ModuleState& state, const ir::Function& source, const Instruction* i = nullptr);
/// Looks at a Loop of the IR, which the branch `latch` repeats: one around turns of threads is marked plain. Says where
/// it stands in the source.
void annotate_loop(CpuEmitter& emitter, llvm::Instruction* latch, const Instruction& loop);
void mark_parallel(CpuEmitter& emitter, llvm::Instruction* latch);
void mark_plain(llvm::Instruction* latch);
/// Of loops over the block's threads, or over parts of them: they end soon.
void mark_plain_over_threads(llvm::Instruction* latch);
void mark_over_threads(llvm::Instruction* latch);
/// Of loops over threads that run at the edges of arrays.
void mark_rare(llvm::Instruction* latch);

}  // namespace pykc::codegen
