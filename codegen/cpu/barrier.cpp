// A function that runs a whole block has met when it comes here, and only what syncthreads_count, _and and _or gather
// is left to do. Where warps run apart, the runtime lets the warp wait (include/pykc/kernel_abi.h): not if none of its
// lanes has come, which happens behind the masks of code that others are in.
#include "codegen/cpu/barrier.h"

#include "codegen/cpu/annotations.h"
#include "codegen/cpu/builtins.h"
#include "codegen/cpu/thread_loop.h"
#include "codegen/cpu/warp.h"
#include "codegen/emit/control.h"
#include "ir/walk.h"
#include "pykc/kernel_abi.h"

namespace pykc::codegen {
namespace {

/// i32: how many threads are at a barrier, and for how many of them its predicate holds.
struct Votes {
  Value *living, *holding;
};

Votes count_votes(CpuEmitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  llvm::Type* i32 = builder.getInt32Ty();
  llvm::AllocaInst* holding = emitter.create_alloca(i32, 4, "holding");
  llvm::AllocaInst* living = emitter.create_alloca(i32, 4, "living");
  const auto add = [&](llvm::AllocaInst* sum, Value* flag) {
    builder.CreateStore(builder.CreateAdd(builder.CreateLoad(i32, sum), builder.CreateZExt(flag, i32)), sum);
  };
  const bool has_predicate = info(i.builtin).signature.starts_with("(predicate");
  builder.CreateStore(builder.getInt32(0), holding);
  builder.CreateStore(builder.getInt32(0), living);
  mark_over_threads(loop_over_threads(emitter, "reduce", [&](Value* thread) {
    Value* active = is_active(emitter, i, thread);
    add(living, active);
    if (has_predicate) add(holding, builder.CreateAnd(active, exchange_argument(emitter, i, 0, thread)));
  }));
  Value* held = builder.CreateLoad(i32, holding);
  return {builder.CreateLoad(i32, living), held};
}

/// The fault sites of the barrier begin with this one.
Value* first_fault(CpuEmitter& emitter, const Instruction& i) {
  return emitter.builder.getInt32(static_cast<std::uint32_t>(i.index));
}

/// The votes of the whole block, of which these are a warp's.
Votes meet_block(CpuEmitter& emitter, const Instruction& i, Votes votes) {
  Builder& builder = emitter.builder;
  llvm::Type* i64 = builder.getInt64Ty();
  llvm::AllocaInst* sum = emitter.create_alloca(i64, 8, "votes");
  builder.CreateStore(emitter.constant_i64(0), sum);
  emit_when(emitter, builder.CreateIsNotNull(votes.living), [&] {
    Value* own = builder.CreateOr(builder.CreateShl(builder.CreateZExt(votes.living, i64), 32),
                                  builder.CreateZExt(votes.holding, i64));
    builder.CreateStore(
        call_runtime(emitter, abi::kBlockBarrierSymbol, i64, {own, emitter.kernel_number, first_fault(emitter, i)}),
        sum);
  });
  Value* all = builder.CreateLoad(i64, sum);
  return {builder.CreateTrunc(builder.CreateLShr(all, 32), builder.getInt32Ty()),
          builder.CreateTrunc(all, builder.getInt32Ty())};
}

/// Argument `n`, which is the same in all lanes that are there.
Value* argument_of_warp(CpuEmitter& emitter, const Instruction& i, std::size_t n) {
  if (i.slots[n] < 0) return exchange_argument(emitter, i, n, emitter.first_thread);
  Builder& builder = emitter.builder;
  llvm::AllocaInst* given = emitter.create_alloca(builder.getInt32Ty(), 4, "given");
  builder.CreateStore(builder.getInt32(0), given);
  mark_over_threads(loop_over_threads(emitter, "given", [&](Value* thread) {
    Value* active = is_active(emitter, i, thread);
    builder.CreateStore(builder.CreateSelect(active, exchange_argument(emitter, i, n, thread),
                                             builder.CreateLoad(builder.getInt32Ty(), given)),
                        given);
  }));
  return builder.CreateLoad(builder.getInt32Ty(), given);
}

void meet_at_named(CpuEmitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  emit_when(emitter, builder.CreateIsNotNull(count_votes(emitter, i).living), [&] {
    call_runtime(emitter, abi::kNamedBarrierSymbol, builder.getVoidTy(),
                 {builder.getInt32(i.builtin == BuiltinId::BarrierSync ? 1 : 0), argument_of_warp(emitter, i, 0),
                  argument_of_warp(emitter, i, 1), emitter.kernel_number, first_fault(emitter, i)});
  });
}

}  // namespace

Value* emit_barrier(CpuEmitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  if (i.builtin == BuiltinId::BarrierSync || i.builtin == BuiltinId::BarrierArrive) {
    meet_at_named(emitter, i);
    return nullptr;
  }
  Votes votes = count_votes(emitter, i);
  if (i.builtin == BuiltinId::GridSync) {
    emit_when(emitter, builder.CreateIsNotNull(votes.living),
              [&] { call_runtime(emitter, abi::kGridSyncSymbol, builder.getVoidTy(), {}); });
    return nullptr;
  }
  if (ir::is_cluster_barrier(&i)) {
    emit_when(emitter, builder.CreateIsNotNull(votes.living), [&] {
      call_runtime(emitter, abi::kClusterBarrierSymbol, builder.getVoidTy(),
                   {builder.getInt32(i.builtin == BuiltinId::ClusterWait ? 0 : 1),
                    builder.getInt32(i.builtin == BuiltinId::ClusterArrive ? 0 : 1), emitter.kernel_number,
                    first_fault(emitter, i)});
    });
    return nullptr;
  }
  if (emitter.source.runs_warps_apart) votes = meet_block(emitter, i, votes);
  switch (i.builtin) {
    case BuiltinId::SyncthreadsCount:
      return votes.holding;
    case BuiltinId::SyncthreadsOr:
      return builder.CreateIsNotNull(votes.holding);
    case BuiltinId::SyncthreadsAnd:
      return builder.CreateICmpEQ(votes.holding, votes.living);
    default:
      return nullptr;
  }
}

}  // namespace pykc::codegen
