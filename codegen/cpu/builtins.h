// The builtins that a CPU has no single instruction for, and the thread's place.
#pragma once

#include "codegen/cpu/emitter.h"

namespace pykc::codegen {

Value* emit_target_builtin(CpuEmitter& emitter, const Instruction& i);
/// Calls one of the functions that include/pykc/kernel_abi.h names.
llvm::CallInst* call_runtime(CpuEmitter& emitter, llvm::StringRef name, llvm::Type* result,
                             llvm::ArrayRef<Value*> arguments);
/// The same of a function that gives the same each time that a block asks, and does nothing else.
Value* ask_runtime(CpuEmitter& emitter, llvm::StringRef name, llvm::Type* result, llvm::ArrayRef<Value*> arguments);
void emit_prefetch(CpuEmitter& emitter, const Instruction& i);
Value* extreme(Builder& builder, llvm::Intrinsic::ID id, Value* a, Value* b);

}  // namespace pykc::codegen
