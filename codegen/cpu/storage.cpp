#include "codegen/cpu/storage.h"

#include "codegen/cpu/annotations.h"
#include "codegen/cpu/builtins.h"
#include "codegen/cpu/device_function.h"
#include "codegen/cpu/thread_loop.h"
#include "codegen/cpu/warp.h"
#include "codegen/emit/control.h"
#include "codegen/emit/launch.h"
#include "codegen/emit/memory.h"
#include "pykc/kernel_abi.h"

namespace pykc::codegen {
namespace {

llvm::Type* slot_type(CpuEmitter& emitter, std::int64_t slot) {
  const ir::Type type = emitter.source.slots[static_cast<std::size_t>(slot)];
  return type.is_pointer() ? emitter.type_of(type)
                           : memory_type(emitter.state.context, type.scalar, emitter.state.types);
}

/// Address of a thread's value in a slot.
Value* slot_address(CpuEmitter& emitter, std::int64_t slot, Value* thread) {
  Builder& builder = emitter.builder;
  const auto n = static_cast<std::size_t>(slot);
  Value* start =
      builder.CreateMul(emitter.padded_threads, emitter.constant_i64(emitter.layout.slot_offsets[n]), "", true, true);
  Value* base = builder.CreateInBoundsGEP(builder.getInt8Ty(), emitter.scratch, start);
  return builder.CreateInBoundsGEP(slot_type(emitter, slot), base, thread);
}

}  // namespace

Value* load_slot(CpuEmitter& emitter, std::int64_t slot, Value* thread) {
  Builder& builder = emitter.builder;
  llvm::LoadInst* load = builder.CreateLoad(slot_type(emitter, slot), slot_address(emitter, slot, thread));
  annotate(emitter, load, ir::AddressSpace::Shared);
  const bool is_bool = emitter.source.slots[static_cast<std::size_t>(slot)].is(ScalarType::Bool);
  return is_bool ? builder.CreateIsNotNull(load) : load;
}

void store_slot(CpuEmitter& emitter, std::int64_t slot, Value* thread, Value* value) {
  Builder& builder = emitter.builder;
  if (value->getType()->isIntegerTy(1)) value = builder.CreateZExt(value, builder.getInt8Ty());
  annotate(emitter, builder.CreateStore(value, slot_address(emitter, slot, thread)), ir::AddressSpace::Shared);
}

Value* load_lanes(CpuEmitter& emitter, std::int64_t slot, Value* first_thread) {
  const unsigned bits = slot_type(emitter, slot)->getScalarSizeInBits();
  auto* const type = llvm::FixedVectorType::get(emitter.builder.getIntNTy(bits), kLanes);
  llvm::LoadInst* load =
      emitter.builder.CreateAlignedLoad(type, slot_address(emitter, slot, first_thread), llvm::Align(bits / 8));
  annotate(emitter, load, ir::AddressSpace::Shared);
  return load;
}

void store_lanes(CpuEmitter& emitter, std::int64_t slot, Value* first_thread, Value* lanes) {
  const unsigned bits = lanes->getType()->getScalarSizeInBits();
  annotate(emitter,
           emitter.builder.CreateAlignedStore(lanes, slot_address(emitter, slot, first_thread), llvm::Align(bits / 8)),
           ir::AddressSpace::Shared);
}

Value* any_slot(CpuEmitter& emitter, std::int64_t slot) {
  Builder& builder = emitter.builder;
  llvm::AllocaInst* any = emitter.create_alloca(builder.getInt8Ty(), 1, "any");
  builder.CreateStore(builder.getInt8(0), any);
  mark_over_threads(loop_over_threads(emitter, "any", [&](Value* thread) {
    Value* flag = builder.CreateLoad(builder.getInt8Ty(), slot_address(emitter, slot, thread));
    builder.CreateStore(builder.CreateOr(builder.CreateLoad(builder.getInt8Ty(), any), flag), any);
  }));
  return builder.CreateIsNotNull(builder.CreateLoad(builder.getInt8Ty(), any));
}

Value* many_slot(CpuEmitter& emitter, std::int64_t slot) {
  Builder& builder = emitter.builder;
  llvm::Type* i16 = builder.getInt16Ty();  // narrow, for wide vectors; a block has at most 1,024 threads
  llvm::AllocaInst* sum = emitter.create_alloca(i16, 1, "many");
  builder.CreateStore(builder.getInt16(0), sum);
  mark_over_threads(loop_over_threads(emitter, "many", [&](Value* thread) {
    Value* flag = builder.CreateLoad(builder.getInt8Ty(), slot_address(emitter, slot, thread));
    builder.CreateStore(builder.CreateAdd(builder.CreateLoad(i16, sum), builder.CreateZExt(flag, i16)), sum);
  }));
  Value* count = builder.CreateZExt(builder.CreateLoad(i16, sum), builder.getInt64Ty());
  Value* part = builder.CreateICmpUGE(builder.CreateMul(count, emitter.constant_i64(8)), emitter.turns);
  return builder.CreateAnd(part, builder.CreateICmpUGE(count, emitter.constant_i64(8)));
}

Value* local_array(CpuEmitter& emitter, std::int64_t index) {
  Builder& builder = emitter.builder;
  const ir::ArrayStorage& array = emitter.source.local_arrays[static_cast<std::size_t>(index)];
  const std::int64_t offset = emitter.layout.local_array_offsets[static_cast<std::size_t>(index)];
  const auto in_scratch = [&](Value* bytes) {
    return builder.CreateInBoundsGEP(builder.getInt8Ty(), emitter.scratch, bytes);
  };
  if (is_per_thread(emitter.source, array)) {
    Value* start = builder.CreateMul(emitter.padded_threads, emitter.constant_i64(offset), "", true, true);
    Value* part = builder.CreateMul(emitter.thread_number, emitter.constant_i64(size_of(array)), "", true, true);
    return in_scratch(builder.CreateAdd(start, part, "", true, true));
  }
  if (runs_blocks(emitter.source) && is_in_scratch(array)) {
    Value* start = builder.CreateMul(emitter.padded_threads, emitter.constant_i64(emitter.layout.bytes_per_thread), "",
                                     true, true);
    return in_scratch(builder.CreateAdd(start, emitter.constant_i64(offset), "", true, true));
  }
  return stack_array(emitter, index);
}

Value* emit_shared_array(CpuEmitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  const auto n = static_cast<std::size_t>(i.index);
  Value* offset = emitter.constant_i64(emitter.layout.shared_offsets[n]);
  if (emitter.source.shared_arrays[n].is_dynamic)
    offset =
        builder.CreateAdd(emitter.constant_i64(emitter.layout.static_shared_bytes), dynamic_offset(emitter, i.index));
  return builder.CreateInBoundsGEP(builder.getInt8Ty(), emitter.shared, offset);
}

Value* emit_cluster_pointer(CpuEmitter& emitter, const Instruction& i) {
  return ask_runtime(emitter, abi::kClusterMemorySymbol, emitter.type_of(i.type), emitter.operands(i));
}

Value* emit_launch_shared_bytes(CpuEmitter& emitter) {
  return emitter.builder.CreateSub(emitter.shared_bytes, dynamic_offset(emitter, kAfterAllSized));
}

}  // namespace pykc::codegen
