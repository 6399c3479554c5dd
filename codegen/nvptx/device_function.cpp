#include "codegen/nvptx/device_function.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

namespace pykc::codegen {

bool has_hidden_kernel_number(const ModuleState& state, const ir::Function& source) {
  return !source.is_kernel && state.traits(source).can_fault;
}

void add_hidden_arguments(NvptxEmitter& emitter, const ir::Function& callee, llvm::SmallVectorImpl<Value*>& arguments) {
  if (has_hidden_kernel_number(emitter.state, callee)) arguments.push_back(kernel_number(emitter));
}

// Threads that recurse to different depths come back one group after the other. ptxas, once a warp operation has found
// them together, takes them for together behind the call as well (13.0), and the next warp operation does not wait for
// them. It looks anew behind a branch that they may take apart, which this one is to it; none ever takes it.
Value* finish_call(NvptxEmitter& emitter, const Instruction& i, llvm::CallInst* call) {
  if (!emitter.state.traits(*i.callee).recurses) return call;
  Builder& builder = emitter.builder;
  llvm::BasicBlock* nobody = emitter.new_block("nobody");
  llvm::BasicBlock* on = emitter.new_block("on");
  Value* threads = builder.CreateIntrinsic(builder.getInt32Ty(), llvm::Intrinsic::nvvm_activemask, {});
  builder.CreateCondBr(builder.CreateIsNull(threads), nobody, on);
  builder.SetInsertPoint(nobody);
  builder.CreateIntrinsic(llvm::Intrinsic::trap, {});
  builder.CreateUnreachable();
  builder.SetInsertPoint(on);
  return call;
}

Value* kernel_number(NvptxEmitter& emitter) {
  if (emitter.source.is_kernel)
    return emitter.builder.getInt32(static_cast<std::uint32_t>(emitter.state.kernel_index(emitter.source)));
  return emitter.function.getArg(emitter.function.arg_size() - 1);
}

}  // namespace pykc::codegen
