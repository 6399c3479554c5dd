#include "codegen/cpu/device_function.h"

#include "codegen/cpu/emitter.h"

namespace pykc::codegen {
namespace {

constexpr unsigned kPlaceNumbers = 13;  // i64: the thread's index and number, the block's index, both extents

}  // namespace

void append_place_types(const ModuleState& state, const ir::Function& source,
                        llvm::SmallVectorImpl<llvm::Type*>& types) {
  if (!state.traits(source).asks_for_place) return;
  types.append(kPlaceNumbers, llvm::Type::getInt64Ty(state.context));
  types.push_back(llvm::PointerType::get(state.context, 0));  // the record of faults
  types.push_back(llvm::Type::getInt32Ty(state.context));     // the kernel's number
}

llvm::Type* device_result_type(const ModuleState& state, const ir::Function& source) {
  if (runs_blocks(source) || !state.traits(source).can_fault)
    return result_type(state.context, source.results, state.types);
  llvm::SmallVector<llvm::Type*> members;
  for (const ir::Type result : source.results) members.push_back(value_type(state.context, result, state.types));
  members.push_back(llvm::Type::getInt1Ty(state.context));
  return llvm::StructType::get(state.context, members);
}

void CpuEmitter::take_place() {
  if (!state_.traits(source_).asks_for_place) return;
  auto n = static_cast<unsigned>(source_.parameters.size());
  const auto take = [&] { return function_.getArg(n++); };
  for (Axes* axes : {&thread_index_, &block_index_, &block_extents_, &grid_extents_})
    for (Value*& axis : *axes) axis = take();
  thread_number_ = take();
  fault_record_ = take();
  kernel_number_ = take();
}

void CpuEmitter::add_hidden_arguments(const ir::Function& callee, llvm::SmallVectorImpl<Value*>& arguments) {
  if (callee.part == ir::FunctionPart::OfBlock)
    return arguments.append({launch_, shared_, scratch_, block_number_, kernel_number_});
  if (!state_.traits(callee).asks_for_place) return;
  const auto add = [&](Value* number) { arguments.push_back(number != nullptr ? number : constant_i64(0)); };
  for (const Axes& axes : {thread_index_, block_index_, block_extents_, grid_extents_})
    for (Value* axis : axes) add(axis);
  add(thread_number_);
  arguments.push_back(fault_record_);
  arguments.push_back(kernel_number_);
}

/// A thread that the callee has stopped ends here as well.
CpuEmitter::Value* CpuEmitter::emit_call(const Instruction& i) {
  Value* call = Emitter::emit_call(i);
  if (runs_blocks(*i.callee) || !state_.traits(*i.callee).can_fault) return call;
  const auto count = static_cast<unsigned>(i.callee->results.size());
  emit_when(builder_.CreateExtractValue(call, count), [&] { end_thread(); });
  return count == 1 ? builder_.CreateExtractValue(call, 0U) : call;
}

void CpuEmitter::leave_function(llvm::ArrayRef<Value*> results, bool has_faulted) {
  if (runs_blocks(source_) || !state_.traits(source_).can_fault) return create_return(results);
  llvm::SmallVector<Value*> values(results.begin(), results.end());
  auto* type = llvm::cast<llvm::StructType>(function_.getReturnType());
  while (values.size() + 1 < type->getNumElements())
    values.push_back(llvm::PoisonValue::get(type->getElementType(static_cast<unsigned>(values.size()))));
  values.push_back(builder_.getInt1(has_faulted));
  builder_.CreateAggregateRet(values.data(), static_cast<unsigned>(values.size()));
}

/// What the thread does next has no block: its turn, or the function, is over.
void CpuEmitter::end_thread() {
  if (source_.is_kernel || turn_end_ != nullptr)
    branch_to(turn_end_ != nullptr ? turn_end_ : block_end_);
  else
    leave_function({}, true);
}

}  // namespace pykc::codegen
