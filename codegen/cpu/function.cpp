#include "codegen/cpu/function.h"

#include <llvm/IR/MDBuilder.h>

#include <cstddef>

#include "codegen/cpu/annotations.h"
#include "codegen/cpu/device_function.h"
#include "codegen/cpu/emitter.h"
#include "codegen/cpu/passes/stop_polls.h"
#include "codegen/cpu/thread_loop.h"
#include "codegen/cpu/warp.h"
#include "codegen/emit/control.h"
#include "codegen/emit/parameters.h"
#include "codegen/emit/report.h"
#include "codegen/kernel_info.h"
#include "codegen/optimize.h"
#include "ir/passes/passes.h"
#include "ir/walk.h"
#include "pykc/kernel_abi.h"

namespace pykc::codegen {
namespace {

// What a kernel's body takes after the parameters of the IR.
enum HiddenParameter : unsigned { kLaunch, kShared, kScratch, kFirst, kLast, kHiddenCount };
// What a part of it takes, that runs for one block: the same three, the block's number and the kernel's; where warps
// run apart, the first thread of the warp.
enum HiddenParameterOfPart : unsigned { kBlock = kScratch + 1, kKernel, kFirstThread };

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

/// The loop of a function that has one, in however many versions; else null.
const Instruction* only_loop(const ir::Function& source) {
  const Instruction* found = nullptr;
  bool is_only = true;
  ir::for_each_instruction(source.body, [&](const Instruction* i) {
    if (i->opcode != ir::Opcode::Loop) return;
    is_only &= found == nullptr || (found->source == i->source && found->range.begin == i->range.begin);
    found = i;
  });
  return is_only ? found : nullptr;
}

/// Tells add_stop_polls what it wants to know; `leads` leads to the record of faults.
void describe(const ModuleState& state, const ir::Function& source, llvm::Function& function, llvm::Argument& leads,
              llvm::StringRef as) {
  leads.addAttr(llvm::Attribute::get(state.context, as));
  function.addFnAttr(kPlaceInSource, place_in_source(state, source, only_loop(source)));
  if (source.is_recursive) {
    function.addFnAttr(kIsRecursive);
    function.addFnAttr("warn-stack-size", std::to_string(ir::kMaxRecursiveFrameBytes));
  }
  if (source.is_watched) function.addFnAttr(kIsWatched);
}

Value* launch_field(Builder& builder, Value* launch, std::size_t offset, llvm::Type* type) {
  Value* address = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), launch, offset);
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
  describe(state, source, *entry, *entry->getArg(kLaunch), kLaunchParameter);
  Builder builder(llvm::BasicBlock::Create(state.context, "entry", entry));
  Value* parameters = launch_field(builder, entry->getArg(kLaunch), offsetof(abi::CpuLaunch, parameters), pointer);
  llvm::SmallVector<Value*> arguments;
  for (const llvm::Argument& argument : llvm::drop_end(body->args(), kHiddenCount)) {
    Value* address = launch_field(builder, parameters, sizeof(void*) * argument.getArgNo(), pointer);
    const bool is_by_value = source.parameters[argument.getArgNo()].bytes > 0;  // then it points to the bytes
    arguments.push_back(is_by_value ? address : builder.CreateLoad(argument.getType(), address));
  }
  for (llvm::Argument& argument : entry->args()) arguments.push_back(&argument);
  builder.CreateCall(body, arguments);
  builder.CreateRetVoid();
}

/// What a kernel's body takes behind the parameters of the IR.
llvm::Argument* hidden(CpuEmitter& emitter, unsigned n) {
  return emitter.function.getArg(static_cast<unsigned>(emitter.source.parameters.size()) + n);
}

void load_launch(CpuEmitter& emitter) {
  Builder& builder = emitter.builder;
  emitter.launch = hidden(emitter, kLaunch);
  emitter.shared = hidden(emitter, kShared);
  emitter.scratch = hidden(emitter, kScratch);
  const auto extent = [&](std::size_t offset, int axis, std::int64_t limit) {
    Value* value = launch_field(builder, emitter.launch, offset + sizeof(std::int64_t) * static_cast<std::size_t>(axis),
                                builder.getInt64Ty());
    const llvm::APInt one(64, 1), end(64, static_cast<std::uint64_t>(limit + 1));
    llvm::cast<llvm::LoadInst>(value)->setMetadata(llvm::LLVMContext::MD_range,
                                                   llvm::MDBuilder(emitter.state.context).createRange(one, end));
    return value;
  };
  for (int axis = 0; axis < 3; ++axis) {
    const auto n = static_cast<std::size_t>(axis);
    emitter.block_extents[n] = extent(offsetof(abi::CpuLaunch, block), axis, kMaxBlockExtent);
    emitter.grid_extents[n] = extent(offsetof(abi::CpuLaunch, grid), axis, kMaxGridExtent);
  }
  emitter.shared_bytes =
      launch_field(builder, emitter.launch, offsetof(abi::CpuLaunch, shared_bytes), builder.getInt64Ty());
  emitter.fault_record =
      launch_field(builder, emitter.launch, offsetof(abi::CpuLaunch, fault), pointer_type(emitter.state));
  Value* plane = builder.CreateMul(emitter.block_extents[0], emitter.block_extents[1], "", true, true);
  emitter.threads = builder.CreateMul(plane, emitter.block_extents[2], "threads", true, true);
  emitter.turns = emitter.threads;
  Value* rounded = builder.CreateAdd(emitter.threads, emitter.constant_i64(kThreadPadding - 1), "", true, true);
  emitter.padded_threads = builder.CreateAnd(rounded, emitter.constant_i64(-kThreadPadding));
}

Axes index_of_block(CpuEmitter& emitter, Value* number) {
  Builder& builder = emitter.builder;
  Value* row = builder.CreateUDiv(number, emitter.grid_extents[0]);
  return {builder.CreateURem(number, emitter.grid_extents[0]), builder.CreateURem(row, emitter.grid_extents[1]),
          builder.CreateUDiv(row, emitter.grid_extents[1])};
}

void stop_after_fault(CpuEmitter& emitter) {
  emit_when(emitter, any_fault(emitter), [&] { emitter.builder.CreateRetVoid(); });
}

void emit_one_block(CpuEmitter& emitter) {
  emitter.block_end = emitter.new_block("block.done");
  emit_block(emitter, emitter.source.body);
  emitter.branch_to(emitter.block_end);
  emitter.builder.SetInsertPoint(emitter.block_end);
}

/// Writes down the index of the next block, as far as the block has asked for its own.
void count_block(CpuEmitter& emitter, const std::array<llvm::AllocaInst*, 3>& next_index) {
  Builder& builder = emitter.builder;
  std::size_t asked = 3;
  while (asked > 0 && emitter.block_index[asked - 1]->use_empty()) --asked;
  Value* carry = builder.getInt64(1);
  for (std::size_t axis = 0; axis < asked; ++axis) {
    Value* sum = builder.CreateAdd(emitter.block_index[axis], carry, "", true, true);
    Value* wraps = builder.CreateICmpEQ(sum, emitter.grid_extents[axis]);
    builder.CreateStore(builder.CreateSelect(wraps, emitter.constant_i64(0), sum), next_index[axis]);
    carry = builder.CreateZExt(wraps, builder.getInt64Ty());
  }
}

/// The first block's index is computed from its number, the others' by counting: a division a block is saved, and LLVM
/// does not come to do it again for each address.
void emit_blocks(CpuEmitter& emitter) {
  Builder& builder = emitter.builder;
  Value* first = hidden(emitter, kFirst);
  Value* count = builder.CreateSub(hidden(emitter, kLast), first, "", false, true);
  const Axes first_index = index_of_block(emitter, first);
  std::array<llvm::AllocaInst*, 3> next_index{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    next_index[axis] = emitter.create_alloca(builder.getInt64Ty(), 8, "blockIdx");
    builder.CreateStore(first_index[axis], next_index[axis]);
  }
  emit_when(emitter, builder.CreateIsNotNull(count), [&] {
    mark_plain(counted_loop(emitter, count, "block", [&](Value* index) {
      if (emitter.state.traits(emitter.source).can_fault) stop_after_fault(emitter);
      emitter.block_number = builder.CreateAdd(first, index, "", true, true);
      for (std::size_t axis = 0; axis < 3; ++axis)
        emitter.block_index[axis] = builder.CreateLoad(builder.getInt64Ty(), next_index[axis]);
      emit_one_block(emitter);
      count_block(emitter, next_index);
    }));
  });
  builder.CreateRetVoid();
}

/// From here on the function runs the warp that begins with this thread.
void take_warp(CpuEmitter& emitter, Value* first_thread) {
  Builder& builder = emitter.builder;
  emitter.first_thread = first_thread;
  Value* rest = builder.CreateSub(emitter.threads, first_thread, "", true, true);
  emitter.turns =
      builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, rest, emitter.constant_i64(kLanes), nullptr, "turns");
}

void emit_warp(CpuEmitter& emitter) {
  emitter.block_number = hidden(emitter, kFirst);
  emitter.block_index = index_of_block(emitter, emitter.block_number);
  take_warp(emitter, hidden(emitter, kLast));
  emit_one_block(emitter);
  emitter.builder.CreateRetVoid();
}

void emit_kernel(CpuEmitter& emitter) {
  load_launch(emitter);
  emitter.kernel_number =
      emitter.builder.getInt32(static_cast<std::uint32_t>(emitter.state.kernel_index(emitter.source)));
  collect_block_locals(emitter, emitter.source.body);
  if (emitter.source.runs_warps_apart) return emit_warp(emitter);
  emit_blocks(emitter);
}

void begin_part_of_block(CpuEmitter& emitter) {
  load_launch(emitter);
  collect_block_locals(emitter, emitter.source.body);
  emitter.kernel_number = hidden(emitter, kKernel);
  emitter.block_number = hidden(emitter, kBlock);
  emitter.block_index = index_of_block(emitter, emitter.block_number);
  if (emitter.source.runs_warps_apart) take_warp(emitter, hidden(emitter, kFirstThread));
}

}  // namespace

llvm::Function* declare_cpu_function(ModuleState& state, const ir::Function& source) {
  llvm::SmallVector<llvm::Type*> types = parameter_types(state, source);
  if (source.is_kernel) {
    types.append(3, pointer_type(state));
    types.append(2, llvm::Type::getInt64Ty(state.context));
  } else if (source.part == ir::FunctionPart::OfBlock) {
    types.append(3, pointer_type(state));
    types.append({llvm::Type::getInt64Ty(state.context), llvm::Type::getInt32Ty(state.context)});
    if (source.runs_warps_apart) types.push_back(llvm::Type::getInt64Ty(state.context));
  } else {
    append_place_types(state, source, types);
  }
  llvm::Type* result = device_result_type(state, source);
  llvm::Function* function = create_function(state, types, result, source.symbol + ".body", false);
  add_parameter_attributes(source, *function);
  if (source.part != ir::FunctionPart::None) function->addFnAttr(llvm::Attribute::NoInline);
  if (!source.local_arrays.empty()) function->addFnAttr(kHasLocalArrays);
  const auto count = static_cast<unsigned>(source.parameters.size());
  describe(state, source, *function, *function->getArg(count),
           runs_blocks(source) ? kLaunchParameter : kRecordParameter);
  if (!runs_blocks(source)) return function;
  for (const unsigned hidden : {kLaunch, kShared, kScratch}) {
    llvm::Argument& argument = *function->getArg(count + hidden);
    argument.addAttr(llvm::Attribute::NoUndef);
    // While a warp waits, others write to the shared memory.
    if (hidden == kScratch || (hidden == kShared && !source.runs_warps_apart))
      argument.addAttr(llvm::Attribute::NoAlias);
    argument.addAttr(llvm::Attribute::getWithAlignment(state.context, llvm::Align(hidden == kLaunch ? 8 : 64)));
  }
  if (source.is_kernel) emit_entry(state, source, function);
  return function;
}

void emit_cpu_function(ModuleState& state, const ir::Function& source, llvm::Function& function) {
  CpuEmitter emitter(state, source, function);
  Builder& builder = emitter.builder;
  emitter.parameters = parameter_values(source, function, builder);
  if (source.is_kernel) return emit_kernel(emitter);
  if (source.part == ir::FunctionPart::OfBlock)
    begin_part_of_block(emitter);
  else
    take_place(emitter);
  emit_block(emitter, source.body);
  if (builder.GetInsertBlock()->getTerminator() != nullptr) return;
  if (source.results.empty())
    leave_function(emitter, {}, false);
  else
    builder.CreateUnreachable();
}

}  // namespace pykc::codegen
