// How a device function is called on the CPU, and left. It takes the launch's record of faults as one more argument;
// where it asks for its thread's place, that as well. One that may stop its thread says, by one more result, whether it
// has.
#pragma once

#include "codegen/cpu/emitter.h"

namespace pykc::codegen {

/// A kernel, or a part of one that runs for a whole block: it has the kernel's slots, and its threads stop inside it.
inline bool runs_blocks(const ir::Function& source) {
  return source.is_kernel || source.part == ir::FunctionPart::OfBlock;
}

void append_place_types(const ModuleState& state, const ir::Function& source,
                        llvm::SmallVectorImpl<llvm::Type*>& types);
llvm::Type* device_result_type(const ModuleState& state, const ir::Function& source);

void take_place(CpuEmitter& emitter);
void add_hidden_arguments(CpuEmitter& emitter, const ir::Function& callee, llvm::SmallVectorImpl<Value*>& arguments);
Value* finish_call(CpuEmitter& emitter, const Instruction& i, llvm::CallInst* call);

void emit_return(CpuEmitter& emitter, const Instruction& i);
void leave_function(CpuEmitter& emitter, llvm::ArrayRef<Value*> results, bool has_faulted);
void end_thread(CpuEmitter& emitter);

}  // namespace pykc::codegen
