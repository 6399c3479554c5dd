// The builtins that are one or a few special instructions of the GPU: the thread's place, barriers, fences, and
// exchange between the lanes of a warp.
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "codegen/nvptx/emitter.h"

namespace pykc::codegen {

using llvm::Intrinsic::ID;

Emitter::Value* NvptxEmitter::emit_target_builtin(const Instruction& i) {
  const auto run = [&](ID id) { return builder_.CreateIntrinsic(id, {}); };
  switch (i.builtin) {
    case BuiltinId::ThreadIdxX:
    case BuiltinId::ThreadIdxY:
    case BuiltinId::ThreadIdxZ:
      return thread_index(static_cast<int>(i.builtin) - static_cast<int>(BuiltinId::ThreadIdxX));
    case BuiltinId::BlockIdxX:
    case BuiltinId::BlockIdxY:
    case BuiltinId::BlockIdxZ:
      return block_index(static_cast<int>(i.builtin) - static_cast<int>(BuiltinId::BlockIdxX));
    case BuiltinId::BlockDimX:
    case BuiltinId::BlockDimY:
    case BuiltinId::BlockDimZ:
      return block_extent(static_cast<int>(i.builtin) - static_cast<int>(BuiltinId::BlockDimX));
    case BuiltinId::GridDimX:
    case BuiltinId::GridDimY:
    case BuiltinId::GridDimZ:
      return grid_extent(static_cast<int>(i.builtin) - static_cast<int>(BuiltinId::GridDimX));
    case BuiltinId::LaneId:
      return special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_laneid, 0, 32);
    case BuiltinId::LanemaskLt:
      return run(llvm::Intrinsic::nvvm_read_ptx_sreg_lanemask_lt);
    case BuiltinId::Activemask:
      return run(llvm::Intrinsic::nvvm_activemask);
    case BuiltinId::Threadfence:
      return run(llvm::Intrinsic::nvvm_membar_gl);
    case BuiltinId::ThreadfenceBlock:
      return run(llvm::Intrinsic::nvvm_membar_cta);
    case BuiltinId::ThreadfenceSystem:
      return run(llvm::Intrinsic::nvvm_membar_sys);
    case BuiltinId::Syncwarp:
      return builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_bar_warp_sync, {operand(i, 0)});
    case BuiltinId::Syncthreads:
    case BuiltinId::SyncthreadsCount:
    case BuiltinId::SyncthreadsAnd:
    case BuiltinId::SyncthreadsOr:
      return emit_barrier(i);
    case BuiltinId::AllSync:
    case BuiltinId::AnySync:
    case BuiltinId::EqSync:
    case BuiltinId::BallotSync:
      return emit_vote(i);
    default:
      return emit_shuffle(i);
  }
}

/// The aligned form takes less, but needs all threads of a warp to arrive together: only where that is proven.
NvptxEmitter::Value* NvptxEmitter::emit_barrier(const Instruction& i) {
  struct Forms {
    ID aligned, any;
  };
  constexpr Forms kForms[] = {
      {llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all, llvm::Intrinsic::nvvm_barrier_cta_sync_all},
      {llvm::Intrinsic::nvvm_barrier_cta_red_popc_aligned_all, llvm::Intrinsic::nvvm_barrier_cta_red_popc_all},
      {llvm::Intrinsic::nvvm_barrier_cta_red_and_aligned_all, llvm::Intrinsic::nvvm_barrier_cta_red_and_all},
      {llvm::Intrinsic::nvvm_barrier_cta_red_or_aligned_all, llvm::Intrinsic::nvvm_barrier_cta_red_or_all},
  };
  const Forms& forms = kForms[static_cast<int>(i.builtin) - static_cast<int>(BuiltinId::Syncthreads)];
  llvm::SmallVector<Value*> arguments = {builder_.getInt32(0)};
  if (!i.operands.empty()) arguments.push_back(operand(i, 0));
  return builder_.CreateIntrinsic(arrives_together(i) ? forms.aligned : forms.any, arguments);
}

/// A device function may be called where threads have parted.
bool NvptxEmitter::arrives_together(const Instruction& i) {
  if (!source_.is_kernel) return false;
  if (uniformity_ == nullptr) uniformity_ = std::make_unique<ir::Uniformity>(source_);
  return uniformity_->is_convergent(&i);
}

NvptxEmitter::Value* NvptxEmitter::emit_vote(const Instruction& i) {
  constexpr ID kVotes[] = {llvm::Intrinsic::nvvm_vote_all_sync, llvm::Intrinsic::nvvm_vote_any_sync,
                           llvm::Intrinsic::nvvm_vote_uni_sync, llvm::Intrinsic::nvvm_vote_ballot_sync};
  return builder_.CreateIntrinsic(kVotes[static_cast<int>(i.builtin) - static_cast<int>(BuiltinId::AllSync)],
                                  {operand(i, 0), operand(i, 1)});
}

/// Operands: mask, value, lane (or delta, or lane mask), width. The instruction's last operand holds the highest lane
/// of a group (0 for "up", which counts down) and, from bit 8 on, which bits of the lane number name the group.
/// Values of 64 bits travel as two words.
NvptxEmitter::Value* NvptxEmitter::emit_shuffle(const Instruction& i) {
  constexpr ID kShuffles[] = {llvm::Intrinsic::nvvm_shfl_sync_idx_i32, llvm::Intrinsic::nvvm_shfl_sync_up_i32,
                              llvm::Intrinsic::nvvm_shfl_sync_down_i32, llvm::Intrinsic::nvvm_shfl_sync_bfly_i32};
  const ID id = kShuffles[static_cast<int>(i.builtin) - static_cast<int>(BuiltinId::ShflSync)];
  Value* group = builder_.CreateShl(builder_.CreateSub(builder_.getInt32(32), operand(i, 3)), builder_.getInt32(8));
  Value* clamp = i.builtin == BuiltinId::ShflUpSync ? group : builder_.CreateOr(group, builder_.getInt32(31));
  const auto shuffle = [&](Value* word) {
    return builder_.CreateIntrinsic(id, {operand(i, 0), word, operand(i, 2), clamp});
  };
  if (size_in_bytes(i.type.scalar) == 4)
    return builder_.CreateBitCast(shuffle(builder_.CreateBitCast(operand(i, 1), builder_.getInt32Ty())),
                                  type_of(i.type));
  Value* bits = builder_.CreateBitCast(operand(i, 1), builder_.getInt64Ty());
  Value* low = shuffle(builder_.CreateTrunc(bits, builder_.getInt32Ty()));
  Value* high = shuffle(builder_.CreateTrunc(builder_.CreateLShr(bits, 32), builder_.getInt32Ty()));
  Value* joined = builder_.CreateOr(builder_.CreateZExt(low, builder_.getInt64Ty()),
                                    builder_.CreateShl(builder_.CreateZExt(high, builder_.getInt64Ty()), 32));
  return builder_.CreateBitCast(joined, type_of(i.type));
}

}  // namespace pykc::codegen
