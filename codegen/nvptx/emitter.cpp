#include "codegen/nvptx/emitter.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

#include "codegen/emit/kernel_info.h"
#include "codegen/emit/parameters.h"
#include "codegen/machine.h"

namespace pykc::codegen {
namespace {

constexpr std::int64_t kMaxBlockThreads = 1024;
constexpr std::int64_t kMaxBlockDepth = 64;     // threads along z
constexpr std::int64_t kMaxGridX = 0x7fffffff;  // blocks along x
constexpr std::int64_t kMaxGridYZ = 0xffff;

bool has_hidden_kernel_number(const ModuleState& state, const ir::Function& source) {
  return !source.is_kernel && state.traits(source).can_fault;
}

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
  }
}

/// LLVM makes names of functions that nobody else sees ones that PTX takes; `$` is in no name of the language.
std::string symbol_of(const ir::Function& function, const Target& target) {
  if (function.is_kernel) return entry_symbol(function, target);
  return (function.is_recursive ? "device$" : "device.") + function.symbol;
}

}  // namespace

llvm::Function* NvptxEmitter::declare(ModuleState& state, const ir::Function& source) {
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

NvptxEmitter::NvptxEmitter(ModuleState& state, const ir::Function& source, llvm::Function& function)
    : Emitter(state, source, function) {}

void NvptxEmitter::emit_function() {
  parameters_ = parameter_values(source_, function_, builder_);
  emit_block(source_.body);
  if (builder_.GetInsertBlock()->getTerminator() != nullptr) return;
  if (source_.results.empty())
    builder_.CreateRetVoid();
  else
    builder_.CreateUnreachable();
}

void NvptxEmitter::add_hidden_arguments(const ir::Function& callee, llvm::SmallVectorImpl<Value*>& arguments) {
  if (has_hidden_kernel_number(state_, callee)) arguments.push_back(kernel_number());
}

NvptxEmitter::Value* NvptxEmitter::kernel_number() {
  if (source_.is_kernel) return builder_.getInt32(static_cast<std::uint32_t>(state_.kernel_index(source_)));
  return function_.getArg(function_.arg_size() - 1);
}

llvm::GlobalVariable* NvptxEmitter::shared_global(std::int64_t index) {
  const ir::ArrayStorage& array = source_.shared_arrays[static_cast<std::size_t>(index)];
  const std::string name = source_.symbol + "." + array.name + "." + std::to_string(index);
  if (llvm::GlobalVariable* known = state_.module.getNamedGlobal(name)) return known;
  llvm::Type* type = llvm::ArrayType::get(memory_type(state_.context, array.element, state_.types),
                                          static_cast<std::uint64_t>(array.count));
  auto* global = new llvm::GlobalVariable(state_.module, type, false, llvm::GlobalValue::InternalLinkage,
                                          llvm::UndefValue::get(type), name, nullptr, llvm::GlobalValue::NotThreadLocal,
                                          state_.types.shared);
  global->setAlignment(llvm::Align(static_cast<std::uint64_t>(array.alignment)));
  return global;
}

llvm::GlobalVariable* NvptxEmitter::dynamic_shared_base() {
  if (llvm::GlobalVariable* known = state_.module.getNamedGlobal(kDynamicSharedSymbol)) return known;
  llvm::Type* type = llvm::ArrayType::get(builder_.getInt8Ty(), 0);
  auto* global =
      new llvm::GlobalVariable(state_.module, type, false, llvm::GlobalValue::ExternalLinkage, nullptr,
                               kDynamicSharedSymbol, nullptr, llvm::GlobalValue::NotThreadLocal, state_.types.shared);
  global->setAlignment(llvm::Align(16));
  return global;
}

NvptxEmitter::Value* NvptxEmitter::emit_shared_array(const Instruction& i) {
  if (!source_.shared_arrays[static_cast<std::size_t>(i.index)].is_dynamic) return shared_global(i.index);
  return builder_.CreateInBoundsGEP(builder_.getInt8Ty(), dynamic_shared_base(), dynamic_offset(i.index));
}

NvptxEmitter::Value* NvptxEmitter::emit_launch_shared_bytes() {
  Value* all = builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_dynamic_smem_size, {});
  return builder_.CreateSub(builder_.CreateZExt(all, builder_.getInt64Ty()), dynamic_offset(kAfterAllSized));
}

NvptxEmitter::Value* NvptxEmitter::special_register(llvm::Intrinsic::ID id, std::int64_t minimum, std::int64_t end) {
  llvm::CallInst* value = builder_.CreateIntrinsic(id, {});
  value->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(32, static_cast<std::uint64_t>(minimum)),
                                             llvm::APInt(32, static_cast<std::uint64_t>(end))));
  return builder_.CreateZExt(value, builder_.getInt64Ty(), "", true);
}

std::int64_t NvptxEmitter::extent_limit(int axis) const {
  const std::int64_t stated = source_.kernel.max_threads_per_block;
  const std::int64_t hardware = axis == 2 ? kMaxBlockDepth : kMaxBlockThreads;
  return stated > 0 && stated < hardware ? stated : hardware;
}

NvptxEmitter::Value* NvptxEmitter::thread_index(int axis) {
  constexpr llvm::Intrinsic::ID kRegisters[] = {llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x,
                                                llvm::Intrinsic::nvvm_read_ptx_sreg_tid_y,
                                                llvm::Intrinsic::nvvm_read_ptx_sreg_tid_z};
  return special_register(kRegisters[axis], 0, extent_limit(axis));
}

NvptxEmitter::Value* NvptxEmitter::block_extent(int axis) {
  constexpr llvm::Intrinsic::ID kRegisters[] = {llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x,
                                                llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_y,
                                                llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_z};
  return special_register(kRegisters[axis], 1, extent_limit(axis) + 1);
}

NvptxEmitter::Value* NvptxEmitter::block_index(int axis) {
  constexpr llvm::Intrinsic::ID kRegisters[] = {llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
                                                llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
                                                llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_z};
  return special_register(kRegisters[axis], 0, axis == 0 ? kMaxGridX : kMaxGridYZ);
}

NvptxEmitter::Value* NvptxEmitter::grid_extent(int axis) {
  constexpr llvm::Intrinsic::ID kRegisters[] = {llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x,
                                                llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
                                                llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_z};
  return special_register(kRegisters[axis], 1, (axis == 0 ? kMaxGridX : kMaxGridYZ) + 1);
}

/// No chip adds floats in shared memory, or changes 64 bits there other than by exchange: ptxas makes a loop of it.
/// Where that is the first thing in a loop that all threads run equally often, ptxas 13.0 takes the two for one loop,
/// and threads that have succeeded count its rounds for those that have not. So something that stays comes first: a
/// read.
void NvptxEmitter::prepare_atomic(const Instruction& i) {
  const ir::Type pointer = i.operands[0]->type;
  const bool is_emulated = is_float(pointer.scalar) || size_in_bytes(pointer.scalar) == 8;
  if (pointer.space != ir::AddressSpace::Shared || i.atomic == ir::AtomicOp::Exchange || !is_emulated) return;
  builder_.CreateLoad(bits_type(pointer.scalar), operand(i, 0), true);
}

/// f16 arithmetic is older than the oldest target; bf16's fma came with sm_80, add and multiply with sm_90.
bool NvptxEmitter::has_small_fma(ScalarType type) const {
  return type == ScalarType::F16 || sm_number(state_.target) >= 80;
}

bool NvptxEmitter::needs_wide_arithmetic(ScalarType type) const {
  return type == ScalarType::BF16 && sm_number(state_.target) < 90;
}

NvptxEmitter::Value* NvptxEmitter::narrow_float(Value* wide, ScalarType to) {
  return builder_.CreateFPTrunc(wide, type_of(to));
}

}  // namespace pykc::codegen
