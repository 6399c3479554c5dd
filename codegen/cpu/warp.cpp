// What the lanes of a warp exchange, on a CPU: all threads of the block have left their arguments in slots; for each
// warp and each of its lanes the result is worked out and left in the result's slot. Loops over 32 lanes of plain
// arrays are what LLVM vectorises best.
//
// WarpExchange's slots: one for each argument (-1: the next operand, the same for all threads), the active threads (-1:
// all), the result (-1: none).
#include <algorithm>

#include "codegen/cpu/emitter.h"

namespace pykc::codegen {
namespace {

constexpr std::int64_t kLanes = 32;

}  // namespace

CpuEmitter::Value* CpuEmitter::emit_exchange(const Instruction& i) {
  switch (i.builtin) {
    case BuiltinId::Syncwarp:  // the lanes have met: their regions end here
      return nullptr;
    case BuiltinId::SyncthreadsCount:
    case BuiltinId::SyncthreadsAnd:
    case BuiltinId::SyncthreadsOr:
      return reduce_block(i);
    default:
      break;
  }
  Value* warps = builder_.CreateLShr(builder_.CreateAdd(threads_, constant_i64(kLanes - 1)), constant_i64(5));
  counted_loop(warps, "warp", [&](Value* warp) {
    exchange_in_warp(i, builder_.CreateMul(warp, constant_i64(kLanes), "", true, true));
  });
  return nullptr;
}

void CpuEmitter::exchange_in_warp(const Instruction& i, Value* base) {
  switch (i.builtin) {
    case BuiltinId::ShflSync:
    case BuiltinId::ShflUpSync:
    case BuiltinId::ShflDownSync:
    case BuiltinId::ShflXorSync:
      return shuffle_warp(i, base);
    case BuiltinId::MatchAnySync:
    case BuiltinId::MatchAllSync:
      return match_warp(i, base);
    case BuiltinId::AllSync:
    case BuiltinId::AnySync:
    case BuiltinId::EqSync:
    case BuiltinId::BallotSync:
    case BuiltinId::Activemask:
      return vote_warp(i, base);
    default:
      return reduce_warp(i, base);
  }
}

/// Argument `n` of the builtin for a thread.
CpuEmitter::Value* CpuEmitter::exchange_argument(const Instruction& i, std::size_t n, Value* thread) {
  if (i.slots[n] >= 0) return load_slot(i.slots[n], thread);
  const auto operands_before =
      static_cast<std::size_t>(std::count(i.slots.begin(), i.slots.begin() + static_cast<std::ptrdiff_t>(n), -1));
  return operand(i, operands_before);
}

CpuEmitter::Value* CpuEmitter::is_active(const Instruction& i, Value* thread) {
  const std::int64_t slot = i.slots[i.slots.size() - 2];
  Value* exists = builder_.CreateICmpSLT(thread, threads_);
  return slot < 0 ? exists : builder_.CreateAnd(exists, load_slot(slot, thread));
}

/// syncthreads_count, _and and _or, over the whole block; the result is the instruction's value.
CpuEmitter::Value* CpuEmitter::reduce_block(const Instruction& i) {
  llvm::Type* i32 = builder_.getInt32Ty();
  llvm::AllocaInst* holding = create_alloca(i32, 4, "holding");
  llvm::AllocaInst* living = create_alloca(i32, 4, "living");
  const auto add = [&](llvm::AllocaInst* sum, Value* flag) {
    builder_.CreateStore(builder_.CreateAdd(builder_.CreateLoad(i32, sum), builder_.CreateZExt(flag, i32)), sum);
  };
  builder_.CreateStore(builder_.getInt32(0), holding);
  builder_.CreateStore(builder_.getInt32(0), living);
  counted_loop(threads_, "reduce", [&](Value* thread) {
    Value* active = is_active(i, thread);
    add(living, active);
    add(holding, builder_.CreateAnd(active, exchange_argument(i, 0, thread)));
  });
  Value* count = builder_.CreateLoad(i32, holding);
  if (i.builtin == BuiltinId::SyncthreadsCount) return count;
  if (i.builtin == BuiltinId::SyncthreadsOr) return builder_.CreateIsNotNull(count);
  return builder_.CreateICmpEQ(count, builder_.CreateLoad(i32, living));
}

/// A word with bit `lane` set where `bit_of(thread)` holds for the warp's lane.
CpuEmitter::Value* CpuEmitter::gather_bits(Value* base, const std::function<Value*(Value*)>& bit_of) {
  llvm::Type* i32 = builder_.getInt32Ty();
  llvm::AllocaInst* word = create_alloca(i32, 4, "bits");
  builder_.CreateStore(builder_.getInt32(0), word);
  counted_loop(constant_i64(kLanes), "lane", [&](Value* lane) {
    Value* bit = builder_.CreateZExt(bit_of(builder_.CreateAdd(base, lane, "", true, true)), i32);
    bit = builder_.CreateShl(bit, builder_.CreateTrunc(lane, i32));
    builder_.CreateStore(builder_.CreateOr(builder_.CreateLoad(i32, word), bit), word);
  });
  return builder_.CreateLoad(i32, word);
}

/// Writes `result(thread)` into the result's slot of every active lane.
void CpuEmitter::store_results(const Instruction& i, Value* base, const std::function<Value*(Value*, Value*)>& result) {
  if (i.slots.back() < 0) return;
  counted_loop(constant_i64(kLanes), "lane", [&](Value* lane) {
    Value* thread = builder_.CreateAdd(base, lane, "", true, true);
    emit_when(is_active(i, thread), [&] { store_slot(i.slots.back(), thread, result(thread, lane)); });
  });
}

void CpuEmitter::vote_warp(const Instruction& i, Value* base) {
  Value* active = active_lanes(i, base);
  if (i.builtin == BuiltinId::Activemask) return store_results(i, base, [&](Value*, Value*) { return active; });
  Value* holding = gather_bits(
      base, [&](Value* thread) { return builder_.CreateAnd(is_active(i, thread), exchange_argument(i, 1, thread)); });
  store_results(i, base, [&](Value* thread, Value*) -> Value* {
    Value* members = builder_.CreateAnd(exchange_argument(i, 0, thread), active);
    Value* votes = builder_.CreateAnd(holding, members);
    switch (i.builtin) {
      case BuiltinId::AllSync:
        return builder_.CreateICmpEQ(votes, members);
      case BuiltinId::AnySync:
        return builder_.CreateIsNotNull(votes);
      case BuiltinId::EqSync:
        return builder_.CreateOr(builder_.CreateIsNull(votes), builder_.CreateICmpEQ(votes, members));
      default:
        return votes;
    }
  });
}

/// The lane that a shuffle reads from, as PTX has it: lanes form groups of `width`, of which the lane number's upper
/// bits name the group; `is_inside` says whether the lane wanted is in it.
CpuEmitter::Value* CpuEmitter::source_lane(const Instruction& i, Value* lane, Value* thread, Value*& is_inside) {
  const auto bits = [&](Value* value) { return builder_.CreateAnd(value, builder_.getInt32(kLanes - 1)); };
  Value* wanted = bits(exchange_argument(i, 2, thread));
  Value* group = bits(builder_.CreateSub(builder_.getInt32(kLanes), exchange_argument(i, 3, thread)));
  Value* inside = builder_.CreateXor(group, builder_.getInt32(kLanes - 1));
  Value* first = builder_.CreateAnd(lane, group);
  Value* last = builder_.CreateOr(first, inside);
  Value* source = nullptr;
  switch (i.builtin) {
    case BuiltinId::ShflSync:
      source = builder_.CreateOr(first, builder_.CreateAnd(wanted, inside));
      break;
    case BuiltinId::ShflUpSync:
      source = builder_.CreateSub(lane, wanted);
      is_inside = builder_.CreateICmpSGE(source, first);
      return source;
    case BuiltinId::ShflDownSync:
      source = builder_.CreateAdd(lane, wanted);
      break;
    default:
      source = builder_.CreateXor(lane, wanted);
      break;
  }
  is_inside = builder_.CreateICmpSLE(source, last);
  return source;
}

CpuEmitter::Value* CpuEmitter::active_lanes(const Instruction& i, Value* base) {
  return gather_bits(base, [&](Value* thread) { return is_active(i, thread); });
}

/// The lanes' values (argument 1). They are copied because the result's slot may be the value's own.
llvm::AllocaInst* CpuEmitter::copy_values(const Instruction& i, Value* base) {
  llvm::Type* type = exchange_argument(i, 1, base)->getType();
  llvm::AllocaInst* values = create_alloca(llvm::ArrayType::get(type, kLanes), 64, "values");
  counted_loop(constant_i64(kLanes), "lane", [&](Value* lane) {
    Value* value = exchange_argument(i, 1, builder_.CreateAdd(base, lane, "", true, true));
    builder_.CreateStore(value, builder_.CreateInBoundsGEP(type, values, lane));
  });
  return values;
}

CpuEmitter::Value* CpuEmitter::load_value(llvm::AllocaInst* values, Value* lane) {
  llvm::Type* type = values->getAllocatedType()->getArrayElementType();
  return builder_.CreateLoad(type, builder_.CreateInBoundsGEP(type, values, lane));
}

/// Values are the same where their bits are.
void CpuEmitter::match_warp(const Instruction& i, Value* base) {
  Value* active = active_lanes(i, base);
  llvm::AllocaInst* values = copy_values(i, base);
  store_results(i, base, [&](Value* thread, Value* own_lane) {
    Value* own = bits_of(load_value(values, own_lane));
    Value* equal = gather_bits(base, [&](Value* other) {
      Value* lane = builder_.CreateAnd(other, constant_i64(kLanes - 1));
      return builder_.CreateICmpEQ(bits_of(load_value(values, lane)), own);
    });
    Value* members = builder_.CreateAnd(exchange_argument(i, 0, thread), active);
    Value* matching = builder_.CreateAnd(equal, members);
    if (i.builtin == BuiltinId::MatchAnySync) return matching;
    return builder_.CreateSelect(builder_.CreateICmpEQ(matching, members), members, builder_.getInt32(0));
  });
}

/// Where all lanes name the same mask, which is the rule, one reduction serves the whole warp.
void CpuEmitter::reduce_warp(const Instruction& i, Value* base) {
  Value* active = active_lanes(i, base);
  llvm::AllocaInst* values = copy_values(i, base);
  const auto reduce = [&](Value* thread) {
    return reduce_lanes(i, builder_.CreateAnd(exchange_argument(i, 0, thread), active), values);
  };
  const bool has_one_mask = i.slots[0] < 0;
  Value* result = has_one_mask ? reduce(base) : nullptr;
  store_results(i, base, [&](Value* thread, Value*) { return has_one_mask ? result : reduce(thread); });
}

/// From the lowest lane up, so that floats add in the same order everywhere.
CpuEmitter::Value* CpuEmitter::reduce_lanes(const Instruction& i, Value* members, llvm::AllocaInst* values) {
  llvm::Type* type = values->getAllocatedType()->getArrayElementType();
  const ScalarType scalar = source_.slots[static_cast<std::size_t>(i.slots.back())].scalar;
  const ir::AtomicOp op = reduction_operator(i.builtin);
  llvm::AllocaInst* result = create_alloca(type, 8, "reduced");
  llvm::AllocaInst* has_result = create_alloca(builder_.getInt1Ty(), 1, "has_reduced");
  builder_.CreateStore(llvm::Constant::getNullValue(type), result);
  builder_.CreateStore(builder_.getFalse(), has_result);
  counted_loop(constant_i64(kLanes), "lane", [&](Value* lane) {
    Value* bit = builder_.CreateLShr(members, builder_.CreateTrunc(lane, builder_.getInt32Ty()));
    emit_when(builder_.CreateTrunc(bit, builder_.getInt1Ty()), [&] {
      Value* value = load_value(values, lane);
      Value* combined = combine(op, scalar, builder_.CreateLoad(type, result), value);
      Value* is_first = builder_.CreateNot(builder_.CreateLoad(builder_.getInt1Ty(), has_result));
      builder_.CreateStore(builder_.CreateSelect(is_first, value, combined), result);
      builder_.CreateStore(builder_.getTrue(), has_result);
    });
  });
  return builder_.CreateLoad(type, result);
}

void CpuEmitter::shuffle_warp(const Instruction& i, Value* base) {
  llvm::AllocaInst* values = copy_values(i, base);
  store_results(i, base, [&](Value* thread, Value* lane) {
    Value* is_inside = nullptr;
    Value* own = builder_.CreateTrunc(lane, builder_.getInt32Ty());
    Value* wanted = source_lane(i, own, thread, is_inside);
    Value* bounded = builder_.CreateZExt(builder_.CreateSelect(is_inside, wanted, own), builder_.getInt64Ty());
    Value* gives = is_active(i, builder_.CreateAdd(base, bounded, "", true, true));
    return load_value(values, builder_.CreateSelect(gives, bounded, lane));
  });
}

}  // namespace pykc::codegen
