#include "codegen/nvptx/passes/ptxas/keep_loops_apart.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace pykc::codegen {
namespace {

/// Whether a block becomes no instruction but its jump: copies that its phis need ptxas may drop.
bool is_empty(const llvm::BasicBlock& block) {
  const auto is_free = [](const llvm::Instruction& instruction) {
    return llvm::isa<llvm::PHINode, llvm::CastInst, llvm::GetElementPtrInst>(instruction) || instruction.isTerminator();
  };
  return llvm::all_of(block, is_free);
}

/// Whether control comes from another loop's end to this block, and does nothing on its way.
bool follows_a_loop(const llvm::BasicBlock& block, const llvm::Loop& loop, const llvm::LoopInfo& loops) {
  return llvm::any_of(llvm::predecessors(&block), [&](const llvm::BasicBlock* before) {
    if (loop.contains(before)) return false;
    const llvm::Loop* around = loops.getLoopFor(before);
    if (around != nullptr && !around->contains(&loop)) return true;
    return before->getSingleSuccessor() == &block && is_empty(*before) && follows_a_loop(*before, loop, loops);
  });
}

void keep_apart(llvm::Function& function) {
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!follows_a_loop(*loop->getHeader(), *loop, loops)) continue;
    llvm::BasicBlock* before = loop->getLoopPreheader();
    if (before == nullptr) before = llvm::InsertPreheaderForLoop(loop, &dominators, &loops, nullptr, false);
    llvm::IRBuilder<> builder(before->getTerminator());
    builder.CreateIntrinsic(llvm::Intrinsic::nvvm_pm_event_mask, {builder.getInt16(1)});
  }
}

}  // namespace

void keep_loops_apart(llvm::Module& module) {
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) keep_apart(function);
}

}  // namespace pykc::codegen
