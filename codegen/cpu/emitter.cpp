#include "codegen/cpu/emitter.h"

#include <llvm/IR/MDBuilder.h>

#include <cstddef>

#include "codegen/cpu/device_function.h"
#include "codegen/emit/fault_record.h"
#include "codegen/emit/kernel_info.h"
#include "codegen/emit/parameters.h"
#include "ir/walk.h"
#include "pykc/kernel_abi.h"

namespace pykc::codegen {
namespace {

// What a kernel's body takes after the parameters of the IR.
enum HiddenParameter : unsigned { kLaunch, kShared, kScratch, kFirst, kLast, kHiddenCount };
// What a part of it takes, that runs for one block: the same three, the block's number and the kernel's.
enum HiddenParameterOfPart : unsigned { kBlock = kScratch + 1, kKernel };

// The limits of CUDA hold here too, so that ranges are known.
constexpr std::int64_t kMaxBlockExtent = 1024;
constexpr std::int64_t kMaxGridExtent = std::int64_t{1} << 31;

llvm::Type* pointer_type(const ModuleState& state) { return llvm::PointerType::get(state.context, 0); }

llvm::Function* create_function(ModuleState& state, llvm::ArrayRef<llvm::Type*> types, llvm::Type* result,
                                const std::string& name, bool is_entry) {
  llvm::Function* function = llvm::Function::Create(
      llvm::FunctionType::get(result, types, false),
      is_entry ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage, name, state.module);
  function->setDoesNotThrow();
  return function;
}

llvm::Value* launch_field(llvm::IRBuilder<>& builder, llvm::Value* launch, std::size_t offset, llvm::Type* type) {
  llvm::Value* address = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), launch, offset);
  llvm::LoadInst* field = builder.CreateAlignedLoad(type, address, llvm::Align(8));
  field->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(builder.getContext(), {}));
  return field;
}

/// The entry point: takes the parameters out of the launch and hands them, by value, to the body, where the optimiser
/// then knows of them what it knows on a GPU.
void emit_entry(ModuleState& state, const ir::Function& source, llvm::Function* body) {
  llvm::Type* pointer = pointer_type(state);
  llvm::Type* i64 = llvm::Type::getInt64Ty(state.context);
  llvm::Function* entry =
      create_function(state, {pointer, pointer, pointer, i64, i64}, llvm::Type::getVoidTy(state.context),
                      entry_symbol(source, state.target), true);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(state.context, "entry", entry));
  llvm::Value* parameters =
      launch_field(builder, entry->getArg(kLaunch), offsetof(abi::CpuLaunch, parameters), pointer);
  llvm::SmallVector<llvm::Value*> arguments;
  for (const llvm::Argument& argument : llvm::drop_end(body->args(), kHiddenCount)) {
    llvm::Value* address = launch_field(builder, parameters, sizeof(void*) * argument.getArgNo(), pointer);
    const bool is_by_value = source.parameters[argument.getArgNo()].bytes > 0;  // then it points to the bytes
    arguments.push_back(is_by_value ? address : builder.CreateLoad(argument.getType(), address));
  }
  for (llvm::Argument& argument : entry->args()) arguments.push_back(&argument);
  builder.CreateCall(body, arguments);
  builder.CreateRetVoid();
}

}  // namespace

llvm::Function* CpuEmitter::declare(ModuleState& state, const ir::Function& source) {
  llvm::SmallVector<llvm::Type*> types = parameter_types(state, source);
  if (source.is_kernel) {
    types.append(3, pointer_type(state));
    types.append(2, llvm::Type::getInt64Ty(state.context));
  } else if (source.part == ir::FunctionPart::OfBlock) {
    types.append(3, pointer_type(state));
    types.append({llvm::Type::getInt64Ty(state.context), llvm::Type::getInt32Ty(state.context)});
  } else {
    append_place_types(state, source, types);
  }
  llvm::Type* result = device_result_type(state, source);
  llvm::Function* function = create_function(state, types, result, source.symbol + ".body", false);
  add_parameter_attributes(source, *function);
  if (source.part != ir::FunctionPart::None) function->addFnAttr(llvm::Attribute::NoInline);
  if (!runs_blocks(source)) return function;
  for (const unsigned hidden : {kLaunch, kShared, kScratch}) {
    llvm::Argument& argument = *function->getArg(static_cast<unsigned>(source.parameters.size()) + hidden);
    argument.addAttr(llvm::Attribute::NoUndef);
    if (hidden != kLaunch) argument.addAttr(llvm::Attribute::NoAlias);
    argument.addAttr(llvm::Attribute::getWithAlignment(state.context, llvm::Align(hidden == kLaunch ? 8 : 64)));
  }
  if (source.is_kernel) emit_entry(state, source, function);
  return function;
}

CpuEmitter::CpuEmitter(ModuleState& state, const ir::Function& source, llvm::Function& function)
    : Emitter(state, source, function), layout_(source) {}

void CpuEmitter::emit_function() {
  parameters_ = parameter_values(source_, function_, builder_);
  if (source_.is_kernel) return emit_kernel();
  if (source_.part == ir::FunctionPart::OfBlock)
    begin_part_of_block();
  else
    take_place();
  emit_block(source_.body);
  if (builder_.GetInsertBlock()->getTerminator() != nullptr) return;
  if (source_.results.empty())
    leave_function({}, false);
  else
    builder_.CreateUnreachable();
}

// --- A kernel: its blocks, one after the other -----------------------------------------------------------------------

void CpuEmitter::emit_kernel() {
  load_launch();
  kernel_number_ = builder_.getInt32(static_cast<std::uint32_t>(state_.kernel_index(source_)));
  collect_block_locals(source_.body);
  emit_blocks();
}

void CpuEmitter::begin_part_of_block() {
  load_launch();
  collect_block_locals(source_.body);
  kernel_number_ = hidden(kKernel);
  block_number_ = hidden(kBlock);
  block_index_ = index_of_block(block_number_);
}

void CpuEmitter::load_launch() {
  launch_ = hidden(kLaunch);
  shared_ = hidden(kShared);
  scratch_ = hidden(kScratch);
  const auto extent = [&](std::size_t offset, int axis, std::int64_t limit) {
    Value* value = launch_field(builder_, launch_, offset + sizeof(std::int64_t) * static_cast<std::size_t>(axis),
                                builder_.getInt64Ty());
    const llvm::APInt one(64, 1), end(64, static_cast<std::uint64_t>(limit + 1));
    llvm::cast<llvm::LoadInst>(value)->setMetadata(llvm::LLVMContext::MD_range,
                                                   llvm::MDBuilder(state_.context).createRange(one, end));
    return value;
  };
  for (int axis = 0; axis < 3; ++axis) {
    const auto n = static_cast<std::size_t>(axis);
    block_extents_[n] = extent(offsetof(abi::CpuLaunch, block), axis, kMaxBlockExtent);
    grid_extents_[n] = extent(offsetof(abi::CpuLaunch, grid), axis, kMaxGridExtent);
  }
  shared_bytes_ = launch_field(builder_, launch_, offsetof(abi::CpuLaunch, shared_bytes), builder_.getInt64Ty());
  fault_record_ = launch_field(builder_, launch_, offsetof(abi::CpuLaunch, fault), pointer_type(state_));
  Value* plane = builder_.CreateMul(block_extents_[0], block_extents_[1], "", true, true);
  threads_ = builder_.CreateMul(plane, block_extents_[2], "threads", true, true);
  Value* rounded = builder_.CreateAdd(threads_, constant_i64(kThreadPadding - 1), "", true, true);
  padded_threads_ = builder_.CreateAnd(rounded, constant_i64(-kThreadPadding));
}

/// The first block's index is computed from its number, the others' by counting: a division a block is saved, and LLVM
/// does not come to do it again for each address.
void CpuEmitter::emit_blocks() {
  Value* first = hidden(kFirst);
  Value* count = builder_.CreateSub(hidden(kLast), first, "", false, true);
  const Axes first_index = index_of_block(first);
  std::array<llvm::AllocaInst*, 3> next_index{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    next_index[axis] = create_alloca(builder_.getInt64Ty(), 8, "blockIdx");
    builder_.CreateStore(first_index[axis], next_index[axis]);
  }
  mark_plain(counted_loop(count, "block", [&](Value* index) {
    if (state_.traits(source_).can_fault) stop_after_fault();
    block_number_ = builder_.CreateAdd(first, index, "", true, true);
    for (std::size_t axis = 0; axis < 3; ++axis)
      block_index_[axis] = builder_.CreateLoad(builder_.getInt64Ty(), next_index[axis]);
    emit_one_block();
    Value* carry = builder_.getInt64(1);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Value* sum = builder_.CreateAdd(block_index_[axis], carry, "", true, true);
      Value* wraps = builder_.CreateICmpEQ(sum, grid_extents_[axis]);
      builder_.CreateStore(builder_.CreateSelect(wraps, constant_i64(0), sum), next_index[axis]);
      carry = builder_.CreateZExt(wraps, builder_.getInt64Ty());
    }
  }));
  builder_.CreateRetVoid();
}

void CpuEmitter::stop_after_fault() {
  emit_when(any_fault(), [&] { builder_.CreateRetVoid(); });
}

CpuEmitter::Axes CpuEmitter::index_of_block(Value* number) {
  Value* row = builder_.CreateUDiv(number, grid_extents_[0]);
  return {builder_.CreateURem(number, grid_extents_[0]), builder_.CreateURem(row, grid_extents_[1]),
          builder_.CreateUDiv(row, grid_extents_[1])};
}

void CpuEmitter::emit_one_block() {
  block_end_ = new_block("block.done");
  emit_block(source_.body);
  branch_to(block_end_);
  builder_.SetInsertPoint(block_end_);
}

// --- Storage ---------------------------------------------------------------------------------------------------------

CpuEmitter::Value* CpuEmitter::slot_address(std::int64_t slot, Value* thread) {
  const auto n = static_cast<std::size_t>(slot);
  Value* start = builder_.CreateMul(padded_threads_, constant_i64(layout_.slot_offsets[n]), "", true, true);
  Value* base = builder_.CreateInBoundsGEP(builder_.getInt8Ty(), scratch_, start);
  return builder_.CreateInBoundsGEP(slot_type(slot), base, thread);
}

llvm::Type* CpuEmitter::slot_type(std::int64_t slot) const {
  const ir::Type type = source_.slots[static_cast<std::size_t>(slot)];
  return type.is_pointer() ? type_of(type) : memory_type(state_.context, type.scalar, state_.types);
}

CpuEmitter::Value* CpuEmitter::load_slot(std::int64_t slot, Value* thread) {
  llvm::LoadInst* load = builder_.CreateLoad(slot_type(slot), slot_address(slot, thread));
  annotate(load, ir::AddressSpace::Shared);
  const bool is_bool = source_.slots[static_cast<std::size_t>(slot)].is(ScalarType::Bool);
  return is_bool ? builder_.CreateIsNotNull(load) : load;
}

void CpuEmitter::store_slot(std::int64_t slot, Value* thread, Value* value) {
  if (value->getType()->isIntegerTy(1)) value = builder_.CreateZExt(value, builder_.getInt8Ty());
  annotate(builder_.CreateStore(value, slot_address(slot, thread)), ir::AddressSpace::Shared);
}

CpuEmitter::Value* CpuEmitter::any_slot(std::int64_t slot) {
  llvm::AllocaInst* any = create_alloca(builder_.getInt8Ty(), 1, "any");
  builder_.CreateStore(builder_.getInt8(0), any);
  counted_loop(threads_, "any", [&](Value* thread) {
    Value* flag = builder_.CreateLoad(builder_.getInt8Ty(), slot_address(slot, thread));
    builder_.CreateStore(builder_.CreateOr(builder_.CreateLoad(builder_.getInt8Ty(), any), flag), any);
  });
  return builder_.CreateIsNotNull(builder_.CreateLoad(builder_.getInt8Ty(), any));
}

CpuEmitter::Value* CpuEmitter::many_slot(std::int64_t slot) {
  llvm::Type* i16 = builder_.getInt16Ty();  // narrow, for wide vectors; a block has at most 1,024 threads
  llvm::AllocaInst* sum = create_alloca(i16, 1, "many");
  builder_.CreateStore(builder_.getInt16(0), sum);
  counted_loop(threads_, "many", [&](Value* thread) {
    Value* flag = builder_.CreateLoad(builder_.getInt8Ty(), slot_address(slot, thread));
    builder_.CreateStore(builder_.CreateAdd(builder_.CreateLoad(i16, sum), builder_.CreateZExt(flag, i16)), sum);
  });
  Value* count = builder_.CreateZExt(builder_.CreateLoad(i16, sum), builder_.getInt64Ty());
  Value* part = builder_.CreateICmpUGE(builder_.CreateMul(count, constant_i64(8)), threads_);
  return builder_.CreateAnd(part, builder_.CreateICmpUGE(count, constant_i64(8)));
}

CpuEmitter::Value* CpuEmitter::local_array(std::int64_t index) {
  const ir::ArrayStorage& array = source_.local_arrays[static_cast<std::size_t>(index)];
  const std::int64_t offset = layout_.local_array_offsets[static_cast<std::size_t>(index)];
  const auto in_scratch = [&](Value* bytes) {
    return builder_.CreateInBoundsGEP(builder_.getInt8Ty(), scratch_, bytes);
  };
  if (array.per_thread) {
    Value* start = builder_.CreateMul(padded_threads_, constant_i64(offset), "", true, true);
    Value* part = builder_.CreateMul(thread_number_, constant_i64(size_of(array)), "", true, true);
    return in_scratch(builder_.CreateAdd(start, part, "", true, true));
  }
  if (runs_blocks(source_) && is_in_scratch(array)) {
    Value* start = builder_.CreateMul(padded_threads_, constant_i64(layout_.bytes_per_thread), "", true, true);
    return in_scratch(builder_.CreateAdd(start, constant_i64(offset), "", true, true));
  }
  return Emitter::local_array(index);
}

CpuEmitter::Value* CpuEmitter::emit_shared_array(const Instruction& i) {
  const auto n = static_cast<std::size_t>(i.index);
  Value* offset = constant_i64(layout_.shared_offsets[n]);
  if (source_.shared_arrays[n].is_dynamic)
    offset = builder_.CreateAdd(constant_i64(layout_.static_shared_bytes), dynamic_offset(i.index));
  return builder_.CreateInBoundsGEP(builder_.getInt8Ty(), shared_, offset);
}

CpuEmitter::Value* CpuEmitter::emit_launch_shared_bytes() {
  return builder_.CreateSub(shared_bytes_, dynamic_offset(kAfterAllSized));
}

// --- Leaving, and telling the host -----------------------------------------------------------------------------------

void CpuEmitter::emit_return(const Instruction& i) {
  if (source_.is_kernel || turn_end_ != nullptr) return end_thread();
  leave_function(operands(i), false);
}

void CpuEmitter::emit_fault(const Instruction& i) {
  FaultReport report{.record = fault_record_};
  report.kernel = kernel_number_;
  report.site = builder_.getInt32(static_cast<std::uint32_t>(i.index));
  report.block = block_index_;
  report.thread = thread_index_[0] != nullptr ? thread_index_ : Axes{constant_i64(0), constant_i64(0), constant_i64(0)};
  for (std::size_t n = 0; n < i.operands.size(); ++n) report.values[n] = operand(i, n);
  emit_fault_report(builder_, report);
  end_thread();
}

void CpuEmitter::emit_print(const Instruction& i) {
  llvm::SmallVector<Value*> arguments = {state_.text(source_.print_formats[static_cast<std::size_t>(i.index)].text)};
  for (std::size_t n = 0; n < i.operands.size(); ++n) arguments.push_back(print_argument(i, n));
  llvm::FunctionType* type = llvm::FunctionType::get(builder_.getVoidTy(), {pointer_type(state_)}, true);
  builder_.CreateCall(state_.module.getOrInsertFunction(abi::kPrintSymbol, type), arguments);
}

}  // namespace pykc::codegen
