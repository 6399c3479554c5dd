#include "codegen/cpu/device_function.h"

#include "codegen/cpu/annotations.h"
#include "codegen/emit/control.h"

namespace pykc::codegen {
namespace {

constexpr unsigned kPlaceNumbers = 13;  // i64: the thread's index and number, the block's index, both extents

}  // namespace

void append_place_types(const ModuleState& state, const ir::Function& source,
                        llvm::SmallVectorImpl<llvm::Type*>& types) {
  types.push_back(llvm::PointerType::get(state.context, 0));  // the record of faults
  if (!state.traits(source).asks_for_place) return;
  types.append(kPlaceNumbers, llvm::Type::getInt64Ty(state.context));
  types.push_back(llvm::Type::getInt32Ty(state.context));  // the kernel's number
}

llvm::Type* device_result_type(const ModuleState& state, const ir::Function& source) {
  if (runs_blocks(source) || !state.traits(source).can_fault)
    return result_type(state.context, source.results, state.types);
  llvm::SmallVector<llvm::Type*> members;
  for (const ir::Type result : source.results) members.push_back(value_type(state.context, result, state.types));
  members.push_back(llvm::Type::getInt1Ty(state.context));
  return llvm::StructType::get(state.context, members);
}

void take_place(CpuEmitter& emitter) {
  auto n = static_cast<unsigned>(emitter.source.parameters.size());
  const auto take = [&] { return emitter.function.getArg(n++); };
  emitter.fault_record = take();
  if (!emitter.state.traits(emitter.source).asks_for_place) return;
  for (Axes* axes : {&emitter.thread_index, &emitter.block_index, &emitter.block_extents, &emitter.grid_extents})
    for (Value*& axis : *axes) axis = take();
  emitter.thread_number = take();
  emitter.kernel_number = take();
}

void add_hidden_arguments(CpuEmitter& emitter, const ir::Function& callee, llvm::SmallVectorImpl<Value*>& arguments) {
  if (callee.part == ir::FunctionPart::OfBlock) {
    arguments.append({emitter.launch, emitter.shared, emitter.scratch, emitter.block_number, emitter.kernel_number});
    if (callee.runs_warps_apart) arguments.push_back(emitter.first_thread);
    return;
  }
  arguments.push_back(emitter.fault_record);
  if (!emitter.state.traits(callee).asks_for_place) return;
  const auto add = [&](Value* number) { arguments.push_back(number != nullptr ? number : emitter.constant_i64(0)); };
  for (const Axes& axes : {emitter.thread_index, emitter.block_index, emitter.block_extents, emitter.grid_extents})
    for (Value* axis : axes) add(axis);
  add(emitter.thread_number);
  arguments.push_back(emitter.kernel_number);
}

/// A thread that the callee has stopped ends here as well.
Value* finish_call(CpuEmitter& emitter, const Instruction& i, llvm::CallInst* call) {
  Builder& builder = emitter.builder;
  annotate_call(emitter, call, *i.callee);
  if (runs_blocks(*i.callee) || !emitter.state.traits(*i.callee).can_fault) return call;
  const auto count = static_cast<unsigned>(i.callee->results.size());
  emit_when(emitter, builder.CreateExtractValue(call, count), [&] { end_thread(emitter); });
  return count == 1 ? builder.CreateExtractValue(call, 0U) : call;
}

void leave_function(CpuEmitter& emitter, llvm::ArrayRef<Value*> results, bool has_faulted) {
  Builder& builder = emitter.builder;
  if (runs_blocks(emitter.source) || !emitter.state.traits(emitter.source).can_fault)
    return create_return(builder, results);
  auto* type = llvm::cast<llvm::StructType>(emitter.function.getReturnType());
  Value* all = llvm::PoisonValue::get(type);
  for (const auto& [i, result] : llvm::enumerate(results))
    all = builder.CreateInsertValue(all, result, static_cast<unsigned>(i));
  builder.CreateRet(builder.CreateInsertValue(all, builder.getInt1(has_faulted), type->getNumElements() - 1));
}

/// What the thread does next has no block: its turn, or the function, is over.
void end_thread(CpuEmitter& emitter) {
  if (emitter.source.is_kernel || emitter.turn_end != nullptr)
    emitter.branch_to(emitter.turn_end != nullptr ? emitter.turn_end : emitter.block_end);
  else
    leave_function(emitter, {}, true);
}

void emit_return(CpuEmitter& emitter, const Instruction& i) {
  if (emitter.source.is_kernel || emitter.turn_end != nullptr) return end_thread(emitter);
  leave_function(emitter, emitter.operands(i), false);
}

}  // namespace pykc::codegen
