#include "codegen/cpu/passes/loop_versions.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace pykc::codegen {

using llvm::BasicBlock;
using llvm::Value;

void add_version(llvm::ArrayRef<BasicBlock*> loop, BasicBlock* before, Value* takes_copy, llvm::StringRef suffix,
                 llvm::ValueToValueMapTy& copies, llvm::MDNode* weights) {
  llvm::SmallVector<BasicBlock*> copied;
  for (BasicBlock* block : loop) {
    copied.push_back(llvm::CloneBasicBlock(block, copies, suffix, block->getParent()));
    copied.back()->moveAfter(copied.size() == 1 ? loop.back() : copied[copied.size() - 2]);
    copies[block] = copied.back();
  }
  llvm::remapInstructionsInBlocks(copied, copies);
  for (auto [block, copy] : llvm::zip_equal(loop, copied))
    for (BasicBlock* next : llvm::successors(block)) {
      if (copies.count(next) != 0) continue;
      for (llvm::PHINode& phi : next->phis()) {
        Value* value = phi.getIncomingValueForBlock(block);
        Value* of_copy = copies.lookup(value);
        phi.addIncoming(of_copy == nullptr ? value : of_copy, copy);
      }
    }
  auto* enter = llvm::cast<llvm::BranchInst>(before->getTerminator());
  BasicBlock* header = enter->getSuccessor(0);
  llvm::IRBuilder<>(enter).CreateCondBr(takes_copy, llvm::cast<BasicBlock>(copies[header]), header, weights);
  enter->eraseFromParent();
}

}  // namespace pykc::codegen
