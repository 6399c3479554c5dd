#include "codegen/nvptx/function.h"

#include "codegen/emit/parameters.h"
#include "codegen/kernel_info.h"
#include "codegen/nvptx/device_function.h"

namespace pykc::codegen {
namespace {

void add_kernel_attributes(const ir::Function& source, llvm::Function& function) {
  const auto add = [&](llvm::StringRef name, int value) {
    if (value > 0) function.addFnAttr(name, std::to_string(value));
  };
  add("nvvm.maxntid", source.kernel.max_threads_per_block);
  add("nvvm.minctasm", source.min_blocks_per_multiprocessor);
  add("nvvm.maxnreg", source.max_registers);
  const Dim3 cluster = source.cluster;
  if (cluster != Dim3{})
    function.addFnAttr("nvvm.cluster_dim",
                       std::to_string(cluster.x) + "," + std::to_string(cluster.y) + "," + std::to_string(cluster.z));
}

/// The caller passes the bytes of a record, not an address.
void add_by_value_attributes(const ir::Function& source, llvm::Function& function) {
  for (unsigned n = 0; n < source.parameters.size(); ++n) {
    if (source.parameters[n].bytes == 0) continue;
    llvm::Type* bytes = llvm::ArrayType::get(llvm::Type::getInt8Ty(function.getContext()),
                                             static_cast<std::uint64_t>(source.parameters[n].bytes));
    function.getArg(n)->addAttr(llvm::Attribute::getWithByValType(function.getContext(), bytes));
    const bool is_tensor_map = n + source.kernel.tensor_maps.size() >= source.parameters.size();
    if (is_tensor_map) function.addParamAttr(n, llvm::Attribute::get(function.getContext(), "nvvm.grid_constant"));
  }
}

/// LLVM makes names of functions that nobody else sees ones that PTX takes; `$` is in no name of the language.
std::string symbol_of(const ir::Function& function, const Target& target) {
  if (function.is_kernel) return entry_symbol(function, target);
  return (function.is_recursive ? "device$" : "device.") + function.symbol;
}

}  // namespace

llvm::Function* declare_nvptx_function(ModuleState& state, const ir::Function& source) {
  llvm::SmallVector<llvm::Type*> types = parameter_types(state, source);
  if (has_hidden_kernel_number(state, source)) types.push_back(llvm::Type::getInt32Ty(state.context));
  llvm::Type* result = result_type(state.context, source.results, state.types);
  // ptxas 13.0 crashes where it drops a function that calls itself, behind a condition that it finds constant.
  const bool is_external = source.is_kernel || source.is_recursive;
  llvm::Function* function =
      llvm::Function::Create(llvm::FunctionType::get(result, types, false),
                             is_external ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage,
                             symbol_of(source, state.target), state.module);
  function->setDoesNotThrow();
  function->setConvergent();  // LLVM takes it back where nothing in the function waits for other threads
  add_parameter_attributes(source, *function);
  if (source.part != ir::FunctionPart::None) function->addFnAttr(llvm::Attribute::NoInline);
  if (!source.is_kernel) return function;
  function->setCallingConv(llvm::CallingConv::PTX_Kernel);
  add_by_value_attributes(source, *function);
  add_kernel_attributes(source, *function);
  return function;
}

void emit_nvptx_function(ModuleState& state, const ir::Function& source, llvm::Function& function) {
  NvptxEmitter emitter(state, source, function);
  Builder& builder = emitter.builder;
  emitter.parameters = parameter_values(source, function, builder);
  emit_block(emitter, source.body);
  if (builder.GetInsertBlock()->getTerminator() != nullptr) return;
  if (source.results.empty())
    builder.CreateRetVoid();
  else
    builder.CreateUnreachable();
}

}  // namespace pykc::codegen
