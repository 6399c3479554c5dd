// The builtins that are one or a few special instructions of the GPU: the thread's place, barriers, fences, and
// exchange between the lanes of a warp.
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "codegen/machine.h"
#include "codegen/nvptx/emitter.h"

namespace pykc::codegen {

using llvm::Intrinsic::ID;

namespace {

constexpr std::int64_t kMaxClusterBlocks = 16;

}  // namespace

Emitter::Value* NvptxEmitter::emit_target_builtin(const Instruction& i) {
  const auto run = [&](ID id) { return builder_.CreateIntrinsic(id, {}); };
  const auto vote = [&](ID id) { return builder_.CreateIntrinsic(id, {operand(i, 0), operand(i, 1)}); };
  switch (i.builtin) {
    case BuiltinId::LaneId:
      return special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_laneid, 0, 32);
    case BuiltinId::LanemaskLt:
      return run(llvm::Intrinsic::nvvm_read_ptx_sreg_lanemask_lt);
    case BuiltinId::LanemaskLe:
      return run(llvm::Intrinsic::nvvm_read_ptx_sreg_lanemask_le);
    case BuiltinId::LanemaskEq:
      return run(llvm::Intrinsic::nvvm_read_ptx_sreg_lanemask_eq);
    case BuiltinId::LanemaskGe:
      return run(llvm::Intrinsic::nvvm_read_ptx_sreg_lanemask_ge);
    case BuiltinId::LanemaskGt:
      return run(llvm::Intrinsic::nvvm_read_ptx_sreg_lanemask_gt);
    case BuiltinId::Activemask:
      return run(llvm::Intrinsic::nvvm_activemask);
    case BuiltinId::Threadfence:
      return run(llvm::Intrinsic::nvvm_membar_gl);
    case BuiltinId::ThreadfenceBlock:
      return run(llvm::Intrinsic::nvvm_membar_cta);
    case BuiltinId::ThreadfenceSystem:
      return run(llvm::Intrinsic::nvvm_membar_sys);
    case BuiltinId::MemcpyAsyncCommit:
    case BuiltinId::MemcpyAsyncWait:
      return emit_wait_for_copies(i);
    case BuiltinId::BarrierSync:
      return builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cta_sync_count, {operand(i, 0), operand(i, 1)});
    case BuiltinId::BarrierArrive:
      return builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cta_arrive_count, {operand(i, 0), operand(i, 1)});
    case BuiltinId::ClusterSync:
      run(llvm::Intrinsic::nvvm_barrier_cluster_arrive);
      return run(llvm::Intrinsic::nvvm_barrier_cluster_wait);
    case BuiltinId::ClusterRank:
      return special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_cluster_ctarank, 0, kMaxClusterBlocks);
    case BuiltinId::ClusterBlocks:
      return special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_cluster_nctarank, 1, kMaxClusterBlocks + 1);
    case BuiltinId::Syncwarp:
      return builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_bar_warp_sync, {operand(i, 0)});
    case BuiltinId::Syncthreads:
      return emit_barrier(i, llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all,
                          llvm::Intrinsic::nvvm_barrier_cta_sync_all);
    case BuiltinId::SyncthreadsCount:
      return emit_barrier(i, llvm::Intrinsic::nvvm_barrier_cta_red_popc_aligned_all,
                          llvm::Intrinsic::nvvm_barrier_cta_red_popc_all);
    case BuiltinId::SyncthreadsAnd:
      return emit_barrier(i, llvm::Intrinsic::nvvm_barrier_cta_red_and_aligned_all,
                          llvm::Intrinsic::nvvm_barrier_cta_red_and_all);
    case BuiltinId::SyncthreadsOr:
      return emit_barrier(i, llvm::Intrinsic::nvvm_barrier_cta_red_or_aligned_all,
                          llvm::Intrinsic::nvvm_barrier_cta_red_or_all);
    case BuiltinId::GridSync:
      return emit_grid_barrier();
    case BuiltinId::AllSync:
      return vote(llvm::Intrinsic::nvvm_vote_all_sync);
    case BuiltinId::AnySync:
      return vote(llvm::Intrinsic::nvvm_vote_any_sync);
    case BuiltinId::EqSync:
      return vote(llvm::Intrinsic::nvvm_vote_uni_sync);
    case BuiltinId::BallotSync:
      return vote(llvm::Intrinsic::nvvm_vote_ballot_sync);
    case BuiltinId::MatchAnySync:
    case BuiltinId::MatchAllSync:
      return emit_match(i);
    case BuiltinId::ReduxSyncAdd:
    case BuiltinId::ReduxSyncMin:
    case BuiltinId::ReduxSyncMax:
    case BuiltinId::ReduxSyncAnd:
    case BuiltinId::ReduxSyncOr:
    case BuiltinId::ReduxSyncXor:
      return emit_reduction(i);
    case BuiltinId::ShflSync:
      return emit_shuffle(i, llvm::Intrinsic::nvvm_shfl_sync_idx_i32);
    case BuiltinId::ShflUpSync:
      return emit_shuffle(i, llvm::Intrinsic::nvvm_shfl_sync_up_i32);
    case BuiltinId::ShflDownSync:
      return emit_shuffle(i, llvm::Intrinsic::nvvm_shfl_sync_down_i32);
    case BuiltinId::ShflXorSync:
      return emit_shuffle(i, llvm::Intrinsic::nvvm_shfl_sync_bfly_i32);
    default:
      return emit_instruction(i);
  }
}

/// Rows that are one instruction of the GPU.
NvptxEmitter::Value* NvptxEmitter::emit_instruction(const Instruction& i) {
  const auto dot_product = [&](ID of_signed, ID of_unsigned, std::initializer_list<Value*> arguments) {
    return builder_.CreateIntrinsic(i.type.is(ScalarType::I32) ? of_signed : of_unsigned, arguments);
  };
  switch (i.builtin) {
    case BuiltinId::BytePerm: {
      Value* selector = builder_.CreateAnd(operand(i, 2), builder_.getInt32(0x7777));  // bit 3 would spread the sign
      return builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_prmt, {operand(i, 0), operand(i, 1), selector});
    }
    case BuiltinId::Dp4a:
      return dot_product(llvm::Intrinsic::nvvm_idp4a_s_s, llvm::Intrinsic::nvvm_idp4a_u_u,
                         {operand(i, 0), operand(i, 1), operand(i, 2)});
    case BuiltinId::Dp2aLo:
    case BuiltinId::Dp2aHi:
      return dot_product(
          llvm::Intrinsic::nvvm_idp2a_s_s, llvm::Intrinsic::nvvm_idp2a_u_u,
          {operand(i, 0), operand(i, 1), builder_.getInt1(i.builtin == BuiltinId::Dp2aHi), operand(i, 2)});
    case BuiltinId::Clock:
      return builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_clock, {});
    case BuiltinId::Clock64:
      return builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_clock64, {});
    case BuiltinId::Globaltimer:
      return builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_globaltimer, {});
    case BuiltinId::Nanosleep:
      return builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_nanosleep, {operand(i, 0)});
    case BuiltinId::Breakpoint:
      return builder_.CreateIntrinsic(llvm::Intrinsic::debugtrap, {});
    default:  // libdevice.fast_sinf and its kin
      if (Value* approximation = approximate(i)) return approximation;
      no_code_for(i.builtin);
  }
}

/// Before sm_80 a copy is done when it is started.
NvptxEmitter::Value* NvptxEmitter::emit_wait_for_copies(const Instruction& i) {
  if (sm_number(state_.target) < 80) return nullptr;
  if (i.builtin == BuiltinId::MemcpyAsyncCommit)
    return builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_commit_group, {});
  return builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_wait_group, {operand(i, 0)});
}

/// The aligned form takes less, but needs all threads of a warp to arrive together: only where that is proven.
NvptxEmitter::Value* NvptxEmitter::emit_barrier(const Instruction& i, ID aligned, ID any) {
  llvm::SmallVector<Value*> arguments = {builder_.getInt32(0)};
  if (!i.operands.empty()) arguments.push_back(operand(i, 0));
  return builder_.CreateIntrinsic(arrives_together(i) ? aligned : any, arguments);
}

/// A device function may be called where threads have parted.
bool NvptxEmitter::arrives_together(const Instruction& i) {
  if (!source_.is_kernel) return false;
  if (uniformity_ == nullptr) uniformity_ = std::make_unique<ir::Uniformity>(source_);
  return uniformity_->is_convergent(&i);
}

/// The words that carry a value from lane to lane: one of 32 bits, or two.
llvm::SmallVector<NvptxEmitter::Value*, 2> NvptxEmitter::words_of(Value* value) {
  llvm::Type* i32 = builder_.getInt32Ty();
  Value* bits = bits_of(value);
  if (bits->getType()->getIntegerBitWidth() <= 32) return {builder_.CreateZExt(bits, i32)};
  return {builder_.CreateTrunc(bits, i32), builder_.CreateTrunc(builder_.CreateLShr(bits, 32), i32)};
}

NvptxEmitter::Value* NvptxEmitter::from_words(llvm::ArrayRef<Value*> words, llvm::Type* type) {
  if (words.size() == 1)
    return builder_.CreateBitCast(builder_.CreateTrunc(words[0], builder_.getIntNTy(type->getScalarSizeInBits())),
                                  type);
  const auto extend = [&](Value* word) { return builder_.CreateZExt(word, builder_.getInt64Ty()); };
  return builder_.CreateBitCast(builder_.CreateOr(extend(words[0]), builder_.CreateShl(extend(words[1]), 32)), type);
}

/// Operands: mask, value, lane (or delta, or lane mask), width. The instruction's last operand holds the highest lane
/// of a group (0 for "up", which counts down) and, from bit 8 on, which bits of the lane number name the group.
NvptxEmitter::Value* NvptxEmitter::emit_shuffle(const Instruction& i, ID id) {
  Value* group = builder_.CreateShl(builder_.CreateSub(builder_.getInt32(32), operand(i, 3)), builder_.getInt32(8));
  Value* clamp = i.builtin == BuiltinId::ShflUpSync ? group : builder_.CreateOr(group, builder_.getInt32(31));
  llvm::SmallVector<Value*, 2> words = words_of(operand(i, 1));
  for (Value*& word : words) word = builder_.CreateIntrinsic(id, {operand(i, 0), word, operand(i, 2), clamp});
  Value* moved = from_words(words, type_of(i.type));
  const auto* mask = llvm::dyn_cast<llvm::ConstantInt>(operand(i, 0));
  if (mask != nullptr && mask->isMinusOne()) return moved;
  return builder_.CreateSelect(takes_part(source_lane(i), operand(i, 0)), moved, operand(i, 1));
}

/// The lane that a shuffle reads from. One outside of the group may be any: the instruction gives the own value then.
NvptxEmitter::Value* NvptxEmitter::source_lane(const Instruction& i) {
  Value* lane = builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_laneid, {});
  Value* step = operand(i, 2);
  if (i.builtin == BuiltinId::ShflUpSync) return builder_.CreateSub(lane, step);
  if (i.builtin == BuiltinId::ShflDownSync) return builder_.CreateAdd(lane, step);
  if (i.builtin == BuiltinId::ShflXorSync) return builder_.CreateXor(lane, step);
  Value* place = builder_.CreateSub(operand(i, 3), builder_.getInt32(1));  // the bits of a lane number within a group
  return builder_.CreateOr(builder_.CreateAnd(lane, builder_.CreateNot(place)), builder_.CreateAnd(step, place));
}

/// Whether the mask names the lane, modulo 32, and it is there. What another one gives is undefined to the hardware.
NvptxEmitter::Value* NvptxEmitter::takes_part(Value* lane, Value* mask) {
  Value* members = builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_vote_ballot_sync, {mask, builder_.getTrue()});
  Value* bit = builder_.CreateLShr(members, builder_.CreateAnd(lane, builder_.getInt32(31)));
  return builder_.CreateTrunc(bit, builder_.getInt1Ty());
}

NvptxEmitter::Value* NvptxEmitter::emit_match(const Instruction& i) {
  Value* bits = bits_of(operand(i, 1));
  const bool is_wide = bits->getType()->getIntegerBitWidth() == 64;
  if (!is_wide) bits = builder_.CreateZExt(bits, builder_.getInt32Ty());
  if (i.builtin == BuiltinId::MatchAnySync)
    return builder_.CreateIntrinsic(
        is_wide ? llvm::Intrinsic::nvvm_match_any_sync_i64 : llvm::Intrinsic::nvvm_match_any_sync_i32,
        {operand(i, 0), bits});
  Value* match = builder_.CreateIntrinsic(
      is_wide ? llvm::Intrinsic::nvvm_match_all_sync_i64p : llvm::Intrinsic::nvvm_match_all_sync_i32p,
      {operand(i, 0), bits});
  return builder_.CreateExtractValue(match, 0);
}

namespace {

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

}  // namespace

/// From sm_80 on there is an instruction for integers of up to 32 bits; all else goes from lane to lane.
NvptxEmitter::Value* NvptxEmitter::emit_reduction(const Instruction& i) {
  const ir::AtomicOp op = reduction_operator(i.builtin);
  const ScalarType type = i.type.scalar;
  if (is_float(type) || size_in_bytes(type) > 4 || sm_number(state_.target) < 80) return reduce_by_shuffles(i, op);
  const bool is_signed = is_signed_integer(type);
  Value* word = builder_.CreateIntCast(operand(i, 1), builder_.getInt32Ty(), is_signed);
  Value* result = builder_.CreateIntrinsic(reduction_intrinsic(op, is_signed), {word, operand(i, 0)});
  return builder_.CreateTrunc(result, type_of(type));
}

/// All lanes of the mask that exist, from the lowest up: each hands its value to all.
NvptxEmitter::Value* NvptxEmitter::reduce_by_shuffles(const Instruction& i, ir::AtomicOp op) {
  Value* mask = operand(i, 0);
  const llvm::SmallVector<Value*, 2> own = words_of(operand(i, 1));
  const auto value_of_lowest = [&](Value* lanes) {
    Value* lane = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, lanes, builder_.getTrue());
    llvm::SmallVector<Value*, 2> words;
    for (Value* word : own)
      words.push_back(
          builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_shfl_sync_idx_i32, {mask, word, lane, builder_.getInt32(31)}));
    return from_words(words, type_of(i.type));
  };
  const auto without_lowest = [&](Value* lanes) {
    return builder_.CreateAnd(lanes, builder_.CreateSub(lanes, builder_.getInt32(1)));
  };
  Value* members = builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_vote_ballot_sync, {mask, builder_.getTrue()});
  Value* first = value_of_lowest(members);
  Value* others = without_lowest(members);
  llvm::BasicBlock* before = builder_.GetInsertBlock();
  llvm::BasicBlock* header = new_block("reduce");
  llvm::BasicBlock* body = new_block("reduce.body");
  llvm::BasicBlock* exit = new_block("reduce.end");
  builder_.CreateBr(header);
  builder_.SetInsertPoint(header);
  llvm::PHINode* result = builder_.CreatePHI(type_of(i.type), 2);
  llvm::PHINode* rest = builder_.CreatePHI(builder_.getInt32Ty(), 2);
  result->addIncoming(first, before);
  rest->addIncoming(others, before);
  builder_.CreateCondBr(builder_.CreateIsNull(rest), exit, body);
  builder_.SetInsertPoint(body);
  Value* next = combine(op, i.type.scalar, result, value_of_lowest(rest));
  result->addIncoming(next, builder_.GetInsertBlock());
  rest->addIncoming(without_lowest(rest), builder_.GetInsertBlock());
  builder_.CreateBr(header);
  builder_.SetInsertPoint(exit);
  return result;
}

}  // namespace pykc::codegen
