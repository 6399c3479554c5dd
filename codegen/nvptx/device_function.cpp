#include "codegen/nvptx/device_function.h"

namespace pykc::codegen {

bool has_hidden_kernel_number(const ModuleState& state, const ir::Function& source) {
  return !source.is_kernel && state.traits(source).can_fault;
}

void add_hidden_arguments(NvptxEmitter& emitter, const ir::Function& callee, llvm::SmallVectorImpl<Value*>& arguments) {
  if (has_hidden_kernel_number(emitter.state, callee)) arguments.push_back(kernel_number(emitter));
}

Value* kernel_number(NvptxEmitter& emitter) {
  if (emitter.source.is_kernel)
    return emitter.builder.getInt32(static_cast<std::uint32_t>(emitter.state.kernel_index(emitter.source)));
  return emitter.function.getArg(emitter.function.arg_size() - 1);
}

}  // namespace pykc::codegen
