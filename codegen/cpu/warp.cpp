// All threads of the block have left their arguments in slots; for each warp and each of its lanes the result is worked
// out and left in the result's slot. Loops over 32 lanes of plain arrays are what LLVM vectorises best.
//
// WarpExchange's slots: one for each argument (-1: the next operand, the same for all threads), the active threads (-1:
// all), the result (-1: none).
#include "codegen/cpu/warp.h"

#include <algorithm>
#include <functional>

#include "codegen/cpu/annotations.h"
#include "codegen/cpu/barrier.h"
#include "codegen/cpu/storage.h"
#include "codegen/emit/atomic.h"
#include "codegen/emit/builtin.h"
#include "codegen/emit/control.h"
#include "ir/walk.h"

namespace pykc::codegen {

Value* exchange_argument(CpuEmitter& emitter, const Instruction& i, std::size_t n, Value* thread) {
  if (i.slots[n] >= 0) return load_slot(emitter, i.slots[n], thread);
  const auto operands_before =
      static_cast<std::size_t>(std::count(i.slots.begin(), i.slots.begin() + static_cast<std::ptrdiff_t>(n), -1));
  return emitter.operand(i, operands_before);
}

Value* is_active(CpuEmitter& emitter, const Instruction& i, Value* thread) {
  Builder& builder = emitter.builder;
  const std::int64_t slot = i.slots[i.slots.size() - 2];
  Value* exists = builder.CreateICmpSLT(thread, emitter.threads);
  return slot < 0 ? exists : builder.CreateAnd(exists, load_slot(emitter, slot, thread));
}

namespace {

/// A word with bit `lane` set where `bit_of(thread)` holds for the warp's lane.
Value* gather_bits(CpuEmitter& emitter, Value* base, const std::function<Value*(Value*)>& bit_of) {
  Builder& builder = emitter.builder;
  llvm::Type* i32 = builder.getInt32Ty();
  llvm::AllocaInst* word = emitter.create_alloca(i32, 4, "bits");
  builder.CreateStore(builder.getInt32(0), word);
  counted_loop(emitter, emitter.constant_i64(kLanes), "lane", [&](Value* lane) {
    Value* bit = builder.CreateZExt(bit_of(builder.CreateAdd(base, lane, "", true, true)), i32);
    bit = builder.CreateShl(bit, builder.CreateTrunc(lane, i32));
    builder.CreateStore(builder.CreateOr(builder.CreateLoad(i32, word), bit), word);
  });
  return builder.CreateLoad(i32, word);
}

/// Writes `result(thread)` into the result's slot of every active lane.
void store_results(CpuEmitter& emitter, const Instruction& i, Value* base,
                   const std::function<Value*(Value*, Value*)>& result) {
  if (i.slots.back() < 0) return;
  counted_loop(emitter, emitter.constant_i64(kLanes), "lane", [&](Value* lane) {
    Value* thread = emitter.builder.CreateAdd(base, lane, "", true, true);
    emit_when(emitter, is_active(emitter, i, thread),
              [&] { store_slot(emitter, i.slots.back(), thread, result(thread, lane)); });
  });
}

Value* active_lanes(CpuEmitter& emitter, const Instruction& i, Value* base) {
  return gather_bits(emitter, base, [&](Value* thread) { return is_active(emitter, i, thread); });
}

/// The lanes' values (argument 1). They are copied because the result's slot may be the value's own.
llvm::AllocaInst* copy_values(CpuEmitter& emitter, const Instruction& i, Value* base) {
  Builder& builder = emitter.builder;
  llvm::Type* type = exchange_argument(emitter, i, 1, base)->getType();
  llvm::AllocaInst* values = emitter.create_alloca(llvm::ArrayType::get(type, kLanes), 64, "values");
  counted_loop(emitter, emitter.constant_i64(kLanes), "lane", [&](Value* lane) {
    Value* value = exchange_argument(emitter, i, 1, builder.CreateAdd(base, lane, "", true, true));
    builder.CreateStore(value, builder.CreateInBoundsGEP(type, values, lane));
  });
  return values;
}

Value* load_value(CpuEmitter& emitter, llvm::AllocaInst* values, Value* lane) {
  Builder& builder = emitter.builder;
  llvm::Type* type = values->getAllocatedType()->getArrayElementType();
  return builder.CreateLoad(type, builder.CreateInBoundsGEP(type, values, lane));
}

void vote_warp(CpuEmitter& emitter, const Instruction& i, Value* base) {
  Builder& builder = emitter.builder;
  Value* active = active_lanes(emitter, i, base);
  if (i.builtin == BuiltinId::Activemask)
    return store_results(emitter, i, base, [&](Value*, Value*) { return active; });
  Value* holding = gather_bits(emitter, base, [&](Value* thread) {
    return builder.CreateAnd(is_active(emitter, i, thread), exchange_argument(emitter, i, 1, thread));
  });
  store_results(emitter, i, base, [&](Value* thread, Value*) -> Value* {
    Value* members = builder.CreateAnd(exchange_argument(emitter, i, 0, thread), active);
    Value* votes = builder.CreateAnd(holding, members);
    switch (i.builtin) {
      case BuiltinId::AllSync:
        return builder.CreateICmpEQ(votes, members);
      case BuiltinId::AnySync:
        return builder.CreateIsNotNull(votes);
      case BuiltinId::EqSync:
        return builder.CreateOr(builder.CreateIsNull(votes), builder.CreateICmpEQ(votes, members));
      default:
        return votes;
    }
  });
}

/// The lane that a shuffle reads from, as PTX has it: lanes form groups of `width`, of which the lane number's upper
/// bits name the group; `is_inside` says whether the lane wanted is in it.
Value* source_lane(CpuEmitter& emitter, const Instruction& i, Value* lane, Value* thread, Value*& is_inside) {
  Builder& builder = emitter.builder;
  const auto bits = [&](Value* value) { return builder.CreateAnd(value, builder.getInt32(kLanes - 1)); };
  Value* wanted = bits(exchange_argument(emitter, i, 2, thread));
  Value* group = bits(builder.CreateSub(builder.getInt32(kLanes), exchange_argument(emitter, i, 3, thread)));
  Value* inside = builder.CreateXor(group, builder.getInt32(kLanes - 1));
  Value* first = builder.CreateAnd(lane, group);
  Value* last = builder.CreateOr(first, inside);
  Value* source = nullptr;
  switch (i.builtin) {
    case BuiltinId::ShflSync:
      source = builder.CreateOr(first, builder.CreateAnd(wanted, inside));
      break;
    case BuiltinId::ShflUpSync:
      source = builder.CreateSub(lane, wanted);
      is_inside = builder.CreateICmpSGE(source, first);
      return source;
    case BuiltinId::ShflDownSync:
      source = builder.CreateAdd(lane, wanted);
      break;
    default:
      source = builder.CreateXor(lane, wanted);
      break;
  }
  is_inside = builder.CreateICmpSLE(source, last);
  return source;
}

void shuffle_warp(CpuEmitter& emitter, const Instruction& i, Value* base) {
  Builder& builder = emitter.builder;
  llvm::AllocaInst* values = copy_values(emitter, i, base);
  store_results(emitter, i, base, [&](Value* thread, Value* lane) {
    Value* is_inside = nullptr;
    Value* own = builder.CreateTrunc(lane, builder.getInt32Ty());
    Value* wanted = source_lane(emitter, i, own, thread, is_inside);
    Value* bounded = builder.CreateZExt(builder.CreateSelect(is_inside, wanted, own), builder.getInt64Ty());
    Value* gives = is_active(emitter, i, builder.CreateAdd(base, bounded, "", true, true));
    return load_value(emitter, values, builder.CreateSelect(gives, bounded, lane));
  });
}

/// Values are the same where their bits are.
void match_warp(CpuEmitter& emitter, const Instruction& i, Value* base) {
  Builder& builder = emitter.builder;
  Value* active = active_lanes(emitter, i, base);
  llvm::AllocaInst* values = copy_values(emitter, i, base);
  store_results(emitter, i, base, [&](Value* thread, Value* own_lane) {
    Value* own = emitter.bits_of(load_value(emitter, values, own_lane));
    Value* equal = gather_bits(emitter, base, [&](Value* other) {
      Value* lane = builder.CreateAnd(other, emitter.constant_i64(kLanes - 1));
      return builder.CreateICmpEQ(emitter.bits_of(load_value(emitter, values, lane)), own);
    });
    Value* members = builder.CreateAnd(exchange_argument(emitter, i, 0, thread), active);
    Value* matching = builder.CreateAnd(equal, members);
    if (i.builtin == BuiltinId::MatchAnySync) return matching;
    return builder.CreateSelect(builder.CreateICmpEQ(matching, members), members, builder.getInt32(0));
  });
}

/// From the lowest lane up, so that floats add in the same order everywhere.
Value* reduce_lanes(CpuEmitter& emitter, const Instruction& i, Value* members, llvm::AllocaInst* values) {
  Builder& builder = emitter.builder;
  llvm::Type* type = values->getAllocatedType()->getArrayElementType();
  const ScalarType scalar = emitter.source.slots[static_cast<std::size_t>(i.slots.back())].scalar;
  const ir::AtomicOp op = reduction_operator(i.builtin);
  llvm::AllocaInst* result = emitter.create_alloca(type, 8, "reduced");
  llvm::AllocaInst* has_result = emitter.create_alloca(builder.getInt1Ty(), 1, "has_reduced");
  builder.CreateStore(llvm::Constant::getNullValue(type), result);
  builder.CreateStore(builder.getFalse(), has_result);
  counted_loop(emitter, emitter.constant_i64(kLanes), "lane", [&](Value* lane) {
    Value* bit = builder.CreateLShr(members, builder.CreateTrunc(lane, builder.getInt32Ty()));
    emit_when(emitter, builder.CreateTrunc(bit, builder.getInt1Ty()), [&] {
      Value* value = load_value(emitter, values, lane);
      Value* combined = combine(emitter, op, scalar, builder.CreateLoad(type, result), value);
      Value* is_first = builder.CreateNot(builder.CreateLoad(builder.getInt1Ty(), has_result));
      builder.CreateStore(builder.CreateSelect(is_first, value, combined), result);
      builder.CreateStore(builder.getTrue(), has_result);
    });
  });
  return builder.CreateLoad(type, result);
}

/// Where all lanes name the same mask, which is the rule, one reduction serves the whole warp.
void reduce_warp(CpuEmitter& emitter, const Instruction& i, Value* base) {
  Value* active = active_lanes(emitter, i, base);
  llvm::AllocaInst* values = copy_values(emitter, i, base);
  const auto reduce = [&](Value* thread) {
    return reduce_lanes(emitter, i, emitter.builder.CreateAnd(exchange_argument(emitter, i, 0, thread), active),
                        values);
  };
  const bool has_one_mask = i.slots[0] < 0;
  Value* result = has_one_mask ? reduce(base) : nullptr;
  store_results(emitter, i, base, [&](Value* thread, Value*) { return has_one_mask ? result : reduce(thread); });
}

void exchange_in_warp(CpuEmitter& emitter, const Instruction& i, Value* base) {
  switch (i.builtin) {
    case BuiltinId::ShflSync:
    case BuiltinId::ShflUpSync:
    case BuiltinId::ShflDownSync:
    case BuiltinId::ShflXorSync:
      return shuffle_warp(emitter, i, base);
    case BuiltinId::MatchAnySync:
    case BuiltinId::MatchAllSync:
      return match_warp(emitter, i, base);
    case BuiltinId::AllSync:
    case BuiltinId::AnySync:
    case BuiltinId::EqSync:
    case BuiltinId::BallotSync:
    case BuiltinId::Activemask:
      return vote_warp(emitter, i, base);
    default:
      return reduce_warp(emitter, i, base);
  }
}

}  // namespace

Value* emit_exchange(CpuEmitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  if (i.builtin == BuiltinId::Syncwarp) return nullptr;  // the lanes have met: their regions end here
  if (ir::is_named_barrier(&i) || info(i.builtin).effect == Effect::Barrier) return emit_barrier(emitter, i);
  if (emitter.first_thread != nullptr) {
    exchange_in_warp(emitter, i, emitter.first_thread);
    return nullptr;
  }
  Value* warps =
      builder.CreateLShr(builder.CreateAdd(emitter.threads, emitter.constant_i64(kLanes - 1)), emitter.constant_i64(5));
  mark_over_threads(counted_loop(emitter, warps, "warp", [&](Value* warp) {
    exchange_in_warp(emitter, i, builder.CreateMul(warp, emitter.constant_i64(kLanes), "", true, true));
  }));
  return nullptr;
}

}  // namespace pykc::codegen
