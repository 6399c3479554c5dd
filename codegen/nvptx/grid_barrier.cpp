// One thread of each block stands for it. The first block adds 2^31 less the number of the other blocks, each other
// block adds 1: when all have come, the top bit has flipped, whatever it was before, so the word needs no clearing. The
// driver gives the address of its workspace in the registers envreg1 (high half) and envreg2 (low half); the word
// stands 4 bytes into it.
#include "codegen/nvptx/grid_barrier.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

#include <cstddef>

#include "codegen/nvptx/place.h"
#include "codegen/nvptx/report.h"
#include "pykc/kernel_abi.h"

namespace pykc::codegen {
namespace {

constexpr unsigned kWordOffset = 4;
constexpr std::uint32_t kTopBit = 0x80000000;

/// Code of one call of the barrier, in LLVM's IR.
class GridBarrier {
 public:
  GridBarrier(Builder& builder, Value* thread, Value* block, Value* blocks)
      : builder_(builder), context_(builder.getContext()), thread_(thread), block_(block), blocks_(blocks) {}

  void use_aligned_barriers() { is_aligned_ = true; }

  /// A block of which a thread has faulted may never come: who waits looks here (a fault record's `claimed`), and
  /// stops.
  void stop_when_set(Value* claimed) { claimed_ = claimed; }

  void emit() {
    Value* stands_for_block = first_living_thread();
    llvm::BasicBlock* arrive = append("grid.arrive");
    llvm::BasicBlock* spin = append("grid.spin");
    llvm::BasicBlock* done = append("grid.done");
    builder_.CreateCondBr(stands_for_block, arrive, done);

    builder_.SetInsertPoint(arrive);
    Value* const word = barrier_word();
    Value* const first_share = builder_.CreateSub(builder_.getInt32(kTopBit + 1), blocks_);
    Value* const is_first = builder_.CreateIsNull(block_);
    builder_.CreateFence(llvm::AtomicOrdering::Release, device_scope());  // LLVM's atomicrmw is a relaxed `atom`
    Value* const before = builder_.CreateAtomicRMW(llvm::AtomicRMWInst::Add, word,
                                                   builder_.CreateSelect(is_first, first_share, builder_.getInt32(1)),
                                                   llvm::Align(4), llvm::AtomicOrdering::Monotonic, device_scope());
    builder_.CreateBr(spin);

    builder_.SetInsertPoint(spin);
    llvm::LoadInst* const now = builder_.CreateAlignedLoad(builder_.getInt32Ty(), word, llvm::Align(4));
    now->setAtomic(llvm::AtomicOrdering::Acquire, device_scope());
    Value* const has_flipped = builder_.CreateICmpSLT(builder_.CreateXor(before, now), builder_.getInt32(0));
    llvm::BasicBlock* const wait = claimed_ == nullptr ? spin : append("grid.wait");
    builder_.CreateCondBr(has_flipped, done, wait);
    if (claimed_ != nullptr) emit_stop(wait, spin);

    builder_.SetInsertPoint(done);
    builder_.CreateIntrinsic(is_aligned_ ? llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all
                                         : llvm::Intrinsic::nvvm_barrier_cta_sync_all,
                             {builder_.getInt32(0)});
  }

 private:
  /// Whether this is the first thread of the block that has not returned: one barrier where that is thread 0.
  Value* first_living_thread() {
    llvm::BasicBlock* const before = builder_.GetInsertBlock();
    llvm::BasicBlock* const search = append("grid.search");
    llvm::BasicBlock* const found = append("grid.found");
    builder_.CreateBr(search);
    builder_.SetInsertPoint(search);
    llvm::PHINode* const candidate = builder_.CreatePHI(thread_->getType(), 2);
    Value* const is_it = builder_.CreateICmpEQ(thread_, candidate);
    Value* const is_living =
        builder_.CreateIntrinsic(is_aligned_ ? llvm::Intrinsic::nvvm_barrier_cta_red_or_aligned_all
                                             : llvm::Intrinsic::nvvm_barrier_cta_red_or_all,
                                 {builder_.getInt32(0), is_it});
    candidate->addIncoming(llvm::ConstantInt::get(thread_->getType(), 0), before);
    candidate->addIncoming(builder_.CreateAdd(candidate, llvm::ConstantInt::get(thread_->getType(), 1)), search);
    builder_.CreateCondBr(is_living, found, search);
    builder_.SetInsertPoint(found);
    return is_it;
  }

  void emit_stop(llvm::BasicBlock* wait, llvm::BasicBlock* spin) {
    llvm::BasicBlock* const stop = append("grid.stop");
    builder_.SetInsertPoint(wait);
    llvm::LoadInst* const claimed = builder_.CreateAlignedLoad(builder_.getInt32Ty(), claimed_, llvm::Align(4));
    claimed->setAtomic(llvm::AtomicOrdering::Monotonic, device_scope());
    builder_.CreateCondBr(builder_.CreateIsNotNull(claimed), stop, spin);
    builder_.SetInsertPoint(stop);
    builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_exit, {});
    builder_.CreateUnreachable();
  }

  Value* barrier_word() {
    const auto half = [&](llvm::Intrinsic::ID id) {
      return builder_.CreateZExt(builder_.CreateIntrinsic(id, {}), builder_.getInt64Ty());
    };
    Value* const high = half(llvm::Intrinsic::nvvm_read_ptx_sreg_envreg1);
    Value* const low = half(llvm::Intrinsic::nvvm_read_ptx_sreg_envreg2);
    Value* const workspace = builder_.CreateOr(builder_.CreateShl(high, 32), low);
    return builder_.CreateIntToPtr(builder_.CreateAdd(workspace, builder_.getInt64(kWordOffset)), builder_.getPtrTy(1));
  }

  llvm::SyncScope::ID device_scope() { return context_.getOrInsertSyncScopeID("device"); }
  llvm::BasicBlock* append(const char* name) {
    return llvm::BasicBlock::Create(context_, name, builder_.GetInsertBlock()->getParent());
  }

  Builder& builder_;
  llvm::LLVMContext& context_;
  Value* const thread_;
  Value* const block_;
  Value* const blocks_;
  Value* claimed_ = nullptr;
  bool is_aligned_ = false;
};

}  // namespace

void emit_grid_barrier(NvptxEmitter& emitter) {
  Builder& builder = emitter.builder;
  const auto linear = [&](auto index, auto extent) {
    Value* z = builder.CreateMul(index(2), extent(1));
    Value* zy = builder.CreateAdd(z, index(1));
    return builder.CreateAdd(builder.CreateMul(zy, extent(0)), index(0));
  };
  Value* thread = linear([&](int axis) { return thread_index(emitter, axis); },
                         [&](int axis) { return block_extent(emitter, axis); });
  Value* block = linear([&](int axis) { return block_index(emitter, axis); },
                        [&](int axis) { return grid_extent(emitter, axis); });
  Value* blocks =
      builder.CreateMul(builder.CreateMul(grid_extent(emitter, 0), grid_extent(emitter, 1)), grid_extent(emitter, 2));
  GridBarrier barrier(builder, thread, block, builder.CreateTrunc(blocks, builder.getInt32Ty()));
  if (emitter.meets_at_aligned_barriers()) barrier.use_aligned_barriers();
  if (!emitter.state.source.faults.empty())
    barrier.stop_when_set(builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), fault_record(emitter),
                                                             offsetof(abi::FaultRecord, claimed)));
  barrier.emit();
}

}  // namespace pykc::codegen
