// How a device function is called on a GPU: one that may fault takes its kernel's number as a further argument,
// and behind one that recurses the threads of a warp may be apart.
#pragma once

#include "codegen/nvptx/emitter.h"

namespace pykc::codegen {

bool has_hidden_kernel_number(const ModuleState& state, const ir::Function& source);
void add_hidden_arguments(NvptxEmitter& emitter, const ir::Function& callee, llvm::SmallVectorImpl<Value*>& arguments);
/// What stands behind a call.
Value* finish_call(NvptxEmitter& emitter, const Instruction& i, llvm::CallInst* call);
/// The number of the kernel that the function is, or was called by.
Value* kernel_number(NvptxEmitter& emitter);

}  // namespace pykc::codegen
