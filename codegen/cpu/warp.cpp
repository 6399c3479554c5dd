// All threads of the block have left their arguments in slots; for each warp the results of its lanes are worked out as
// vectors of 32 and left in the result's slot. A flag of each lane is a bit of a word or an i1 of a vector, as it
// suits.
//
// WarpExchange's slots: one for each argument (-1: the next operand, the same for all threads), the active threads (-1:
// all), the result (-1: none).
#include "codegen/cpu/warp.h"

#include <algorithm>
#include <functional>
#include <numeric>

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

/// A warp of an exchange.
struct Warp {
  CpuEmitter& emitter;
  const Instruction& i;
  Value* first_thread;
  Value* active;  // a bit for each lane that is there and takes part
};

llvm::VectorType* lanes_of(llvm::Type* element) { return llvm::FixedVectorType::get(element, kLanes); }

Value* in_all_lanes(CpuEmitter& emitter, Value* value) { return emitter.builder.CreateVectorSplat(kLanes, value); }

Value* lane_numbers(CpuEmitter& emitter) {
  llvm::SmallVector<std::uint32_t, kLanes> numbers(kLanes);
  std::iota(numbers.begin(), numbers.end(), 0);
  return llvm::ConstantDataVector::get(emitter.state.context, numbers);
}

Value* flags_of_word(CpuEmitter& emitter, Value* word) {
  return emitter.builder.CreateBitCast(word, lanes_of(emitter.builder.getInt1Ty()));
}

Value* word_of_flags(CpuEmitter& emitter, Value* flags) {
  return emitter.builder.CreateBitCast(flags, emitter.builder.getInt32Ty());
}

/// Argument `n` of each lane, in integers as wide as it is in memory.
Value* argument_lanes(const Warp& warp, std::size_t n) {
  if (warp.i.slots[n] >= 0) return load_lanes(warp.emitter, warp.i.slots[n], warp.first_thread);
  Value* value = warp.emitter.bits_of(exchange_argument(warp.emitter, warp.i, n, nullptr));
  if (value->getType()->isIntegerTy(1))
    value = warp.emitter.builder.CreateZExt(value, warp.emitter.builder.getInt8Ty());
  return in_all_lanes(warp.emitter, value);
}

Value* active_lanes(CpuEmitter& emitter, const Instruction& i, Value* first_thread) {
  Builder& builder = emitter.builder;
  Value* lanes = emitter.constant_i64(kLanes);
  Value* threads = builder.CreateSub(emitter.threads, first_thread, "", true, true);
  Value* missing = builder.CreateSub(lanes, builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, threads, lanes));
  Value* there = builder.CreateLShr(builder.getInt32(~0U), builder.CreateTrunc(missing, builder.getInt32Ty()));
  const std::int64_t slot = i.slots[i.slots.size() - 2];
  if (slot < 0) return there;
  Value* takes_part = builder.CreateIsNotNull(load_lanes(emitter, slot, first_thread));
  return builder.CreateAnd(there, word_of_flags(emitter, takes_part));
}

/// Leaves the results, a vector or the same for all lanes, with the active lanes.
void store_results(const Warp& warp, Value* results) {
  CpuEmitter& emitter = warp.emitter;
  Builder& builder = emitter.builder;
  const std::int64_t slot = warp.i.slots.back();
  if (slot < 0) return;
  results = results->getType()->isVectorTy() ? results : in_all_lanes(emitter, emitter.bits_of(results));
  if (results->getType()->getScalarSizeInBits() == 1)
    results = builder.CreateZExt(results, lanes_of(builder.getInt8Ty()));
  const bool all_take_part = warp.i.slots[warp.i.slots.size() - 2] < 0;
  if (!all_take_part)
    results = builder.CreateSelect(flags_of_word(emitter, warp.active), results,
                                   load_lanes(emitter, slot, warp.first_thread));
  store_lanes(emitter, slot, warp.first_thread, results);
}

void vote_warp(const Warp& warp) {
  CpuEmitter& emitter = warp.emitter;
  Builder& builder = emitter.builder;
  if (warp.i.builtin == BuiltinId::Activemask) return store_results(warp, warp.active);
  Value* predicates = builder.CreateIsNotNull(argument_lanes(warp, 1));
  Value* holding = builder.CreateAnd(word_of_flags(emitter, predicates), warp.active);
  const bool has_one_mask = warp.i.slots[0] < 0;
  const auto beside_mask = [&](Value* word) { return has_one_mask ? word : in_all_lanes(emitter, word); };
  Value* mask = has_one_mask ? exchange_argument(emitter, warp.i, 0, nullptr) : argument_lanes(warp, 0);
  Value* members = builder.CreateAnd(mask, beside_mask(warp.active));
  Value* votes = builder.CreateAnd(beside_mask(holding), members);
  const auto result = [&]() -> Value* {
    switch (warp.i.builtin) {
      case BuiltinId::AllSync:
        return builder.CreateICmpEQ(votes, members);
      case BuiltinId::AnySync:
        return builder.CreateIsNotNull(votes);
      case BuiltinId::EqSync:
        return builder.CreateOr(builder.CreateIsNull(votes), builder.CreateICmpEQ(votes, members));
      default:
        return votes;
    }
  };
  store_results(warp, result());
}

/// The lanes that a shuffle reads from, as PTX has it: lanes form groups of `width`, of which the lane number's upper
/// bits name the group. A lane that wants another outside its group reads its own.
Value* source_lanes(const Warp& warp) {
  CpuEmitter& emitter = warp.emitter;
  Builder& builder = emitter.builder;
  const auto all = [&](std::uint32_t value) { return in_all_lanes(emitter, builder.getInt32(value)); };
  Value* own = lane_numbers(emitter);
  Value* wanted = builder.CreateAnd(argument_lanes(warp, 2), all(kLanes - 1));
  Value* group = builder.CreateAnd(builder.CreateSub(all(kLanes), argument_lanes(warp, 3)), all(kLanes - 1));
  Value* inside = builder.CreateXor(group, all(kLanes - 1));
  Value* first = builder.CreateAnd(own, group);
  Value* last = builder.CreateOr(first, inside);
  const auto where = [&](Value* is_inside, Value* source) { return builder.CreateSelect(is_inside, source, own); };
  const auto up_to_last = [&](Value* source) { return where(builder.CreateICmpSLE(source, last), source); };
  switch (warp.i.builtin) {
    case BuiltinId::ShflSync:
      return builder.CreateOr(first, builder.CreateAnd(wanted, inside));
    case BuiltinId::ShflUpSync: {
      Value* source = builder.CreateSub(own, wanted);
      return where(builder.CreateICmpSGE(source, first), source);
    }
    case BuiltinId::ShflDownSync:
      return up_to_last(builder.CreateAdd(own, wanted));
    default:
      return up_to_last(builder.CreateXor(own, wanted));
  }
}

/// Lane `k` has what lane `source(k)` of the values has; a source outside the warp means nothing.
Value* moved_lanes(CpuEmitter& emitter, Value* values, const std::function<int(int)>& source) {
  llvm::SmallVector<int, kLanes> sources;
  for (int lane = 0; lane < kLanes; ++lane) sources.push_back(source(lane));
  for (int& lane : sources) lane = lane >= 0 && lane < kLanes ? lane : llvm::PoisonMaskElem;
  return emitter.builder.CreateShuffleVector(values, sources);
}

/// All lanes want what is equally far away: a step for each bit of how far that is, which only is code where the number
/// is not known before.
Value* move_by(const Warp& warp, Value* values, Value* distance) {
  Builder& builder = warp.emitter.builder;
  for (int step = 1; step < kLanes; step *= 2) {
    Value* moved = moved_lanes(warp.emitter, values, [&](int lane) {
      if (warp.i.builtin == BuiltinId::ShflXorSync) return lane ^ step;
      return warp.i.builtin == BuiltinId::ShflUpSync ? lane - step : lane + step;
    });
    Value* bit = builder.CreateAnd(distance, builder.getInt32(static_cast<std::uint32_t>(step)));
    values = builder.CreateSelect(builder.CreateIsNotNull(bit), moved, values);
  }
  return values;
}

llvm::AllocaInst* in_memory(CpuEmitter& emitter, Value* lanes, llvm::Type* element) {
  llvm::AllocaInst* array = emitter.create_alloca(llvm::ArrayType::get(element, kLanes), 64, "lanes");
  emitter.builder.CreateStore(lanes, array);
  return array;
}

Value* lane_of(CpuEmitter& emitter, llvm::AllocaInst* lanes, Value* lane) {
  Builder& builder = emitter.builder;
  llvm::Type* type = lanes->getAllocatedType()->getArrayElementType();
  return builder.CreateLoad(type, builder.CreateInBoundsGEP(type, lanes, lane));
}

/// A vector of what `result(lane)` is for each.
Value* lane_by_lane(CpuEmitter& emitter, llvm::Type* element, const std::function<Value*(Value*)>& result) {
  Builder& builder = emitter.builder;
  llvm::AllocaInst* results = emitter.create_alloca(llvm::ArrayType::get(element, kLanes), 64, "results");
  counted_loop(emitter, emitter.constant_i64(kLanes), "lane", [&](Value* lane) {
    builder.CreateStore(result(lane), builder.CreateInBoundsGEP(element, results, lane));
  });
  return builder.CreateLoad(lanes_of(element), results);
}

Value* gather_lanes(CpuEmitter& emitter, Value* values, Value* sources) {
  llvm::Type* element = values->getType()->getScalarType();
  llvm::AllocaInst* from = in_memory(emitter, values, element);
  llvm::AllocaInst* places = in_memory(emitter, sources, emitter.builder.getInt32Ty());
  return lane_by_lane(emitter, element, [&](Value* lane) {
    Value* place = emitter.builder.CreateZExt(lane_of(emitter, places, lane), emitter.builder.getInt64Ty());
    return lane_of(emitter, from, place);
  });
}

/// Lanes that do not take part give nothing.
void shuffle_warp(const Warp& warp) {
  CpuEmitter& emitter = warp.emitter;
  Builder& builder = emitter.builder;
  Value* values = argument_lanes(warp, 1);
  Value* sources = source_lanes(warp);
  const auto shuffled = [&] {
    if (const auto* const known = llvm::dyn_cast<llvm::ConstantDataVector>(sources))
      return moved_lanes(emitter, values, [&](int lane) {
        return static_cast<int>(known->getElementAsInteger(static_cast<unsigned>(lane)));
      });
    if (warp.i.slots[2] < 0 && warp.i.builtin != BuiltinId::ShflSync)
      return move_by(warp, values, exchange_argument(emitter, warp.i, 2, nullptr));
    return gather_lanes(emitter, values, sources);
  };
  Value* is_inside = builder.CreateICmpNE(sources, lane_numbers(emitter));
  Value* gives = builder.CreateTrunc(builder.CreateLShr(in_all_lanes(emitter, warp.active), sources),
                                     lanes_of(builder.getInt1Ty()));
  store_results(warp, builder.CreateSelect(builder.CreateAnd(is_inside, gives), shuffled(), values));
}

/// Values are the same where their bits are.
void match_warp(const Warp& warp) {
  CpuEmitter& emitter = warp.emitter;
  Builder& builder = emitter.builder;
  Value* values = argument_lanes(warp, 1);
  llvm::AllocaInst* own = in_memory(emitter, values, values->getType()->getScalarType());
  Value* equal = lane_by_lane(emitter, builder.getInt32Ty(), [&](Value* lane) {
    return word_of_flags(emitter, builder.CreateICmpEQ(values, in_all_lanes(emitter, lane_of(emitter, own, lane))));
  });
  Value* members = builder.CreateAnd(argument_lanes(warp, 0), in_all_lanes(emitter, warp.active));
  Value* matching = builder.CreateAnd(equal, members);
  if (warp.i.builtin == BuiltinId::MatchAnySync) return store_results(warp, matching);
  Value* is_all = builder.CreateICmpEQ(matching, members);
  store_results(warp, builder.CreateSelect(is_all, members, llvm::Constant::getNullValue(members->getType())));
}

/// From the lowest lane up, so that floats add in the same order everywhere.
Value* reduce_lanes(const Warp& warp, Value* members, llvm::AllocaInst* values) {
  CpuEmitter& emitter = warp.emitter;
  Builder& builder = emitter.builder;
  llvm::Type* type = values->getAllocatedType()->getArrayElementType();
  const ScalarType scalar = emitter.source.slots[static_cast<std::size_t>(warp.i.slots.back())].scalar;
  const ir::AtomicOp op = reduction_operator(warp.i.builtin);
  llvm::AllocaInst* result = emitter.create_alloca(type, 8, "reduced");
  llvm::AllocaInst* has_result = emitter.create_alloca(builder.getInt1Ty(), 1, "has_reduced");
  builder.CreateStore(llvm::Constant::getNullValue(type), result);
  builder.CreateStore(builder.getFalse(), has_result);
  counted_loop(emitter, emitter.constant_i64(kLanes), "lane", [&](Value* lane) {
    Value* bit = builder.CreateLShr(members, builder.CreateTrunc(lane, builder.getInt32Ty()));
    emit_when(emitter, builder.CreateTrunc(bit, builder.getInt1Ty()), [&] {
      Value* value = lane_of(emitter, values, lane);
      Value* combined = combine(emitter, op, scalar, builder.CreateLoad(type, result), value);
      Value* is_first = builder.CreateNot(builder.CreateLoad(builder.getInt1Ty(), has_result));
      builder.CreateStore(builder.CreateSelect(is_first, value, combined), result);
      builder.CreateStore(builder.getTrue(), has_result);
    });
  });
  return builder.CreateLoad(type, result);
}

/// Where all lanes name the same mask, which is the rule, one reduction serves the whole warp.
void reduce_warp(const Warp& warp) {
  CpuEmitter& emitter = warp.emitter;
  const std::int64_t slot = warp.i.slots.back();
  if (slot < 0) return;
  llvm::Type* type = emitter.type_of(emitter.source.slots[static_cast<std::size_t>(slot)]);
  llvm::AllocaInst* values = in_memory(emitter, argument_lanes(warp, 1), type);
  const auto reduce = [&](Value* mask) {
    return reduce_lanes(warp, emitter.builder.CreateAnd(mask, warp.active), values);
  };
  if (warp.i.slots[0] < 0) return store_results(warp, reduce(exchange_argument(emitter, warp.i, 0, nullptr)));
  llvm::AllocaInst* masks = in_memory(emitter, argument_lanes(warp, 0), emitter.builder.getInt32Ty());
  llvm::Type* bits = emitter.builder.getIntNTy(type->getScalarSizeInBits());
  store_results(warp, lane_by_lane(emitter, bits, [&](Value* lane) {
                  return emitter.bits_of(reduce(lane_of(emitter, masks, lane)));
                }));
}

void exchange_in_warp(CpuEmitter& emitter, const Instruction& i, Value* first_thread) {
  const Warp warp{emitter, i, first_thread, active_lanes(emitter, i, first_thread)};
  switch (i.builtin) {
    case BuiltinId::ShflSync:
    case BuiltinId::ShflUpSync:
    case BuiltinId::ShflDownSync:
    case BuiltinId::ShflXorSync:
      return shuffle_warp(warp);
    case BuiltinId::MatchAnySync:
    case BuiltinId::MatchAllSync:
      return match_warp(warp);
    case BuiltinId::AllSync:
    case BuiltinId::AnySync:
    case BuiltinId::EqSync:
    case BuiltinId::BallotSync:
    case BuiltinId::Activemask:
      return vote_warp(warp);
    default:
      return reduce_warp(warp);
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
