#include "codegen/passes/keep_unsigned_conversions.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include "codegen/own_passes.h"

namespace pykc::codegen {

llvm::PreservedAnalyses KeepUnsignedConversions::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  const llvm::DataLayout& layout = function.getDataLayout();
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* conversion = llvm::dyn_cast<llvm::UIToFPInst>(&instruction);
    if (!conversion || conversion->hasNonNeg()) continue;
    llvm::Value* integer = conversion->getOperand(0);
    if (llvm::ComputeNumSignBits(integer, layout) == 1 || llvm::isKnownNonNegative(integer, layout)) continue;
    conversion->setOperand(0, llvm::IRBuilder<>(conversion).CreateFreeze(integer));  // it does not look behind one
    changed = true;
  }
  return with_its_branches(changed);
}

}  // namespace pykc::codegen
