#include "codegen/nvptx/builtins.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "codegen/emit/builtin.h"
#include "codegen/machine.h"
#include "codegen/nvptx/fast_math.h"
#include "codegen/nvptx/grid_barrier.h"
#include "codegen/nvptx/place.h"
#include "codegen/nvptx/warp.h"

namespace pykc::codegen {
namespace {

using llvm::Intrinsic::ID;

constexpr std::int64_t kMaxClusterBlocks = 16;

/// Rows that are one instruction of the GPU.
Value* emit_instruction(NvptxEmitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  const auto dot_product = [&](ID of_signed, ID of_unsigned, std::initializer_list<Value*> arguments) {
    return builder.CreateIntrinsic(i.type.is(ScalarType::I32) ? of_signed : of_unsigned, arguments);
  };
  switch (i.builtin) {
    case BuiltinId::BytePerm: {
      Value* selector =
          builder.CreateAnd(emitter.operand(i, 2), builder.getInt32(0x7777));  // bit 3 would spread the sign
      return builder.CreateIntrinsic(llvm::Intrinsic::nvvm_prmt,
                                     {emitter.operand(i, 0), emitter.operand(i, 1), selector});
    }
    case BuiltinId::Dp4a:
      return dot_product(llvm::Intrinsic::nvvm_idp4a_s_s, llvm::Intrinsic::nvvm_idp4a_u_u,
                         {emitter.operand(i, 0), emitter.operand(i, 1), emitter.operand(i, 2)});
    case BuiltinId::Dp2aLo:
    case BuiltinId::Dp2aHi:
      return dot_product(llvm::Intrinsic::nvvm_idp2a_s_s, llvm::Intrinsic::nvvm_idp2a_u_u,
                         {emitter.operand(i, 0), emitter.operand(i, 1), builder.getInt1(i.builtin == BuiltinId::Dp2aHi),
                          emitter.operand(i, 2)});
    case BuiltinId::Clock:
      return builder.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_clock, {});
    case BuiltinId::Clock64:
      return builder.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_clock64, {});
    case BuiltinId::Globaltimer:
      return builder.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_globaltimer, {});
    case BuiltinId::Nanosleep:
      return builder.CreateIntrinsic(llvm::Intrinsic::nvvm_nanosleep, {emitter.operand(i, 0)});
    case BuiltinId::Breakpoint:
      return builder.CreateIntrinsic(llvm::Intrinsic::debugtrap, {});
    default:  // libdevice.fast_sinf and its kin
      if (Value* approximation = approximate(emitter, i)) return approximation;
      no_code_for(i.builtin);
  }
}

/// Before sm_80 a copy is done when it is started.
Value* emit_wait_for_copies(NvptxEmitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  if (sm_number(emitter.state.target) < 80) return nullptr;
  if (i.builtin == BuiltinId::MemcpyAsyncCommit)
    return builder.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_commit_group, {});
  return builder.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_wait_group, {emitter.operand(i, 0)});
}

/// As text: LLVM's own intrinsics say that they leave memory alone, and loads could come to stand before the wait.
void emit_grid_control(NvptxEmitter& emitter, llvm::StringRef text) {
  Builder& builder = emitter.builder;
  llvm::FunctionType* type = llvm::FunctionType::get(builder.getVoidTy(), false);
  builder.CreateCall(type, llvm::InlineAsm::get(type, text, "~{memory}", true));
}

/// A device function may be called where threads have parted.
bool arrives_together(NvptxEmitter& emitter, const Instruction& i) {
  if (emitter.meets_at_aligned_barriers()) return true;
  if (!emitter.source.is_kernel) return false;
  if (emitter.uniformity == nullptr) emitter.uniformity = std::make_unique<ir::Uniformity>(emitter.source);
  return emitter.uniformity->is_convergent(&i);
}

/// The aligned form takes less, but needs all threads of a warp to arrive together: only where that is proven.
Value* emit_barrier(NvptxEmitter& emitter, const Instruction& i, ID aligned, ID any) {
  Builder& builder = emitter.builder;
  llvm::SmallVector<Value*> arguments = {builder.getInt32(0)};
  if (!i.operands.empty()) arguments.push_back(emitter.operand(i, 0));
  return builder.CreateIntrinsic(arrives_together(emitter, i) ? aligned : any, arguments);
}

}  // namespace

Value* emit_target_builtin(NvptxEmitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  const auto run = [&](ID id) { return builder.CreateIntrinsic(id, {}); };
  const auto vote = [&](ID id) { return builder.CreateIntrinsic(id, {emitter.operand(i, 0), emitter.operand(i, 1)}); };
  switch (i.builtin) {
    case BuiltinId::LaneId:
      return special_register(builder, llvm::Intrinsic::nvvm_read_ptx_sreg_laneid, 0, 32);
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
      return emit_wait_for_copies(emitter, i);
    case BuiltinId::WaitTurn:  // warps go on by themselves
      return nullptr;
    case BuiltinId::BarrierSync:
      return builder.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cta_sync_count,
                                     {emitter.operand(i, 0), emitter.operand(i, 1)});
    case BuiltinId::BarrierArrive:
      return builder.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cta_arrive_count,
                                     {emitter.operand(i, 0), emitter.operand(i, 1)});
    case BuiltinId::GridDependencyWait:
      emit_grid_control(emitter, "griddepcontrol.wait;");
      return nullptr;
    case BuiltinId::GridDependencyLaunch:
      emit_grid_control(emitter, "griddepcontrol.launch_dependents;");
      return nullptr;
    case BuiltinId::ClusterSync:
      run(llvm::Intrinsic::nvvm_barrier_cluster_arrive);
      return run(llvm::Intrinsic::nvvm_barrier_cluster_wait);
    case BuiltinId::ClusterArrive:
      return run(llvm::Intrinsic::nvvm_barrier_cluster_arrive);
    case BuiltinId::ClusterWait:
      return run(llvm::Intrinsic::nvvm_barrier_cluster_wait);
    case BuiltinId::ClusterRank:
      return special_register(builder, llvm::Intrinsic::nvvm_read_ptx_sreg_cluster_ctarank, 0, kMaxClusterBlocks);
    case BuiltinId::ClusterBlocks:
      return special_register(builder, llvm::Intrinsic::nvvm_read_ptx_sreg_cluster_nctarank, 1, kMaxClusterBlocks + 1);
    case BuiltinId::Syncwarp:
      return builder.CreateIntrinsic(llvm::Intrinsic::nvvm_bar_warp_sync, {emitter.operand(i, 0)});
    case BuiltinId::Syncthreads:
      return emit_barrier(emitter, i, llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all,
                          llvm::Intrinsic::nvvm_barrier_cta_sync_all);
    case BuiltinId::SyncthreadsCount:
      return emit_barrier(emitter, i, llvm::Intrinsic::nvvm_barrier_cta_red_popc_aligned_all,
                          llvm::Intrinsic::nvvm_barrier_cta_red_popc_all);
    case BuiltinId::SyncthreadsAnd:
      return emit_barrier(emitter, i, llvm::Intrinsic::nvvm_barrier_cta_red_and_aligned_all,
                          llvm::Intrinsic::nvvm_barrier_cta_red_and_all);
    case BuiltinId::SyncthreadsOr:
      return emit_barrier(emitter, i, llvm::Intrinsic::nvvm_barrier_cta_red_or_aligned_all,
                          llvm::Intrinsic::nvvm_barrier_cta_red_or_all);
    case BuiltinId::GridSync:
      emit_grid_barrier(emitter);
      return nullptr;
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
      return emit_match(emitter, i);
    case BuiltinId::ReduxSyncAdd:
    case BuiltinId::ReduxSyncMin:
    case BuiltinId::ReduxSyncMax:
    case BuiltinId::ReduxSyncAnd:
    case BuiltinId::ReduxSyncOr:
    case BuiltinId::ReduxSyncXor:
      return emit_reduction(emitter, i);
    case BuiltinId::ShflSync:
      return emit_shuffle(emitter, i, llvm::Intrinsic::nvvm_shfl_sync_idx_i32);
    case BuiltinId::ShflUpSync:
      return emit_shuffle(emitter, i, llvm::Intrinsic::nvvm_shfl_sync_up_i32);
    case BuiltinId::ShflDownSync:
      return emit_shuffle(emitter, i, llvm::Intrinsic::nvvm_shfl_sync_down_i32);
    case BuiltinId::ShflXorSync:
      return emit_shuffle(emitter, i, llvm::Intrinsic::nvvm_shfl_sync_bfly_i32);
    default:
      return emit_instruction(emitter, i);
  }
}

}  // namespace pykc::codegen
