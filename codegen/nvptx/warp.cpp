#include "codegen/nvptx/warp.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

#include "codegen/emit/atomic.h"
#include "codegen/emit/builtin.h"
#include "codegen/machine.h"

namespace pykc::codegen {
namespace {

using llvm::Intrinsic::ID;

/// The words that carry a value from lane to lane: one of 32 bits, or two.
llvm::SmallVector<Value*, 2> words_of(NvptxEmitter& emitter, Value* value) {
  Builder& builder = emitter.builder;
  llvm::Type* i32 = builder.getInt32Ty();
  Value* bits = emitter.bits_of(value);
  if (bits->getType()->getIntegerBitWidth() <= 32) return {builder.CreateZExt(bits, i32)};
  return {builder.CreateTrunc(bits, i32), builder.CreateTrunc(builder.CreateLShr(bits, 32), i32)};
}

Value* from_words(Builder& builder, llvm::ArrayRef<Value*> words, llvm::Type* type) {
  if (words.size() == 1)
    return builder.CreateBitCast(builder.CreateTrunc(words[0], builder.getIntNTy(type->getScalarSizeInBits())), type);
  const auto extend = [&](Value* word) { return builder.CreateZExt(word, builder.getInt64Ty()); };
  return builder.CreateBitCast(builder.CreateOr(extend(words[0]), builder.CreateShl(extend(words[1]), 32)), type);
}

/// The lane that a shuffle reads from. One outside of the group may be any: the instruction gives the own value then.
Value* source_lane(NvptxEmitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  Value* lane = builder.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_laneid, {});
  Value* step = emitter.operand(i, 2);
  if (i.builtin == BuiltinId::ShflUpSync) return builder.CreateSub(lane, step);
  if (i.builtin == BuiltinId::ShflDownSync) return builder.CreateAdd(lane, step);
  if (i.builtin == BuiltinId::ShflXorSync) return builder.CreateXor(lane, step);
  Value* place =
      builder.CreateSub(emitter.operand(i, 3), builder.getInt32(1));  // the bits of a lane number within a group
  return builder.CreateOr(builder.CreateAnd(lane, builder.CreateNot(place)), builder.CreateAnd(step, place));
}

/// Whether the mask names the lane, modulo 32, and it is there. What another one gives is undefined to the hardware.
Value* takes_part(Builder& builder, Value* lane, Value* mask) {
  Value* members = builder.CreateIntrinsic(llvm::Intrinsic::nvvm_vote_ballot_sync, {mask, builder.getTrue()});
  Value* bit = builder.CreateLShr(members, builder.CreateAnd(lane, builder.getInt32(31)));
  return builder.CreateTrunc(bit, builder.getInt1Ty());
}

ID reduction_intrinsic(ir::AtomicOp op, bool is_signed) {
  switch (op) {
    case ir::AtomicOp::Add:
      return llvm::Intrinsic::nvvm_redux_sync_add;
    case ir::AtomicOp::Min:
      return is_signed ? llvm::Intrinsic::nvvm_redux_sync_min : llvm::Intrinsic::nvvm_redux_sync_umin;
    case ir::AtomicOp::Max:
      return is_signed ? llvm::Intrinsic::nvvm_redux_sync_max : llvm::Intrinsic::nvvm_redux_sync_umax;
    case ir::AtomicOp::And:
      return llvm::Intrinsic::nvvm_redux_sync_and;
    case ir::AtomicOp::Or:
      return llvm::Intrinsic::nvvm_redux_sync_or;
    default:
      return llvm::Intrinsic::nvvm_redux_sync_xor;
  }
}

/// All lanes of the mask that exist, from the lowest up: each hands its value to all.
Value* reduce_by_shuffles(NvptxEmitter& emitter, const Instruction& i, ir::AtomicOp op) {
  Builder& builder = emitter.builder;
  Value* mask = emitter.operand(i, 0);
  const llvm::SmallVector<Value*, 2> own = words_of(emitter, emitter.operand(i, 1));
  const auto value_of_lowest = [&](Value* lanes) {
    Value* lane = builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, lanes, builder.getTrue());
    llvm::SmallVector<Value*, 2> words;
    for (Value* word : own)
      words.push_back(
          builder.CreateIntrinsic(llvm::Intrinsic::nvvm_shfl_sync_idx_i32, {mask, word, lane, builder.getInt32(31)}));
    return from_words(builder, words, emitter.type_of(i.type));
  };
  const auto without_lowest = [&](Value* lanes) {
    return builder.CreateAnd(lanes, builder.CreateSub(lanes, builder.getInt32(1)));
  };
  Value* members = builder.CreateIntrinsic(llvm::Intrinsic::nvvm_vote_ballot_sync, {mask, builder.getTrue()});
  Value* first = value_of_lowest(members);
  Value* others = without_lowest(members);
  llvm::BasicBlock* before = builder.GetInsertBlock();
  llvm::BasicBlock* header = emitter.new_block("reduce");
  llvm::BasicBlock* body = emitter.new_block("reduce.body");
  llvm::BasicBlock* exit = emitter.new_block("reduce.end");
  builder.CreateBr(header);
  builder.SetInsertPoint(header);
  llvm::PHINode* result = builder.CreatePHI(emitter.type_of(i.type), 2);
  llvm::PHINode* rest = builder.CreatePHI(builder.getInt32Ty(), 2);
  result->addIncoming(first, before);
  rest->addIncoming(others, before);
  builder.CreateCondBr(builder.CreateIsNull(rest), exit, body);
  builder.SetInsertPoint(body);
  Value* next = combine(emitter, op, i.type.scalar, result, value_of_lowest(rest));
  result->addIncoming(next, builder.GetInsertBlock());
  rest->addIncoming(without_lowest(rest), builder.GetInsertBlock());
  builder.CreateBr(header);
  builder.SetInsertPoint(exit);
  return result;
}

}  // namespace

/// Operands: mask, value, lane (or delta, or lane mask), width. The instruction's last operand holds the highest lane
/// of a group (0 for "up", which counts down) and, from bit 8 on, which bits of the lane number name the group.
Value* emit_shuffle(NvptxEmitter& emitter, const Instruction& i, ID id) {
  Builder& builder = emitter.builder;
  Value* group = builder.CreateShl(builder.CreateSub(builder.getInt32(32), emitter.operand(i, 3)), builder.getInt32(8));
  Value* clamp = i.builtin == BuiltinId::ShflUpSync ? group : builder.CreateOr(group, builder.getInt32(31));
  llvm::SmallVector<Value*, 2> words = words_of(emitter, emitter.operand(i, 1));
  for (Value*& word : words)
    word = builder.CreateIntrinsic(id, {emitter.operand(i, 0), word, emitter.operand(i, 2), clamp});
  Value* moved = from_words(builder, words, emitter.type_of(i.type));
  const auto* mask = llvm::dyn_cast<llvm::ConstantInt>(emitter.operand(i, 0));
  if (mask != nullptr && mask->isMinusOne()) return moved;
  return builder.CreateSelect(takes_part(builder, source_lane(emitter, i), emitter.operand(i, 0)), moved,
                              emitter.operand(i, 1));
}

Value* emit_match(NvptxEmitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  Value* bits = emitter.bits_of(emitter.operand(i, 1));
  const bool is_wide = bits->getType()->getIntegerBitWidth() == 64;
  if (!is_wide) bits = builder.CreateZExt(bits, builder.getInt32Ty());
  if (i.builtin == BuiltinId::MatchAnySync)
    return builder.CreateIntrinsic(
        is_wide ? llvm::Intrinsic::nvvm_match_any_sync_i64 : llvm::Intrinsic::nvvm_match_any_sync_i32,
        {emitter.operand(i, 0), bits});
  Value* match = builder.CreateIntrinsic(
      is_wide ? llvm::Intrinsic::nvvm_match_all_sync_i64p : llvm::Intrinsic::nvvm_match_all_sync_i32p,
      {emitter.operand(i, 0), bits});
  return builder.CreateExtractValue(match, 0);
}

/// From sm_80 on there is an instruction for integers of up to 32 bits; all else goes from lane to lane.
Value* emit_reduction(NvptxEmitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  const ir::AtomicOp op = reduction_operator(i.builtin);
  const ScalarType type = i.type.scalar;
  if (is_float(type) || size_in_bytes(type) > 4 || sm_number(emitter.state.target) < 80)
    return reduce_by_shuffles(emitter, i, op);
  const bool is_signed = is_signed_integer(type);
  Value* word = builder.CreateIntCast(emitter.operand(i, 1), builder.getInt32Ty(), is_signed);
  Value* result = builder.CreateIntrinsic(reduction_intrinsic(op, is_signed), {word, emitter.operand(i, 0)});
  return builder.CreateTrunc(result, emitter.type_of(type));
}

}  // namespace pykc::codegen
