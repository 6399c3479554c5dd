// The builtins that a CPU has no single instruction for, and the thread's place.
#pragma once

#include "codegen/cpu/emitter.h"

namespace pykc::codegen {

Value* emit_target_builtin(CpuEmitter& emitter, const Instruction& i);
void emit_prefetch(CpuEmitter& emitter, const Instruction& i);
Value* extreme(Builder& builder, llvm::Intrinsic::ID id, Value* a, Value* b);

}  // namespace pykc::codegen
