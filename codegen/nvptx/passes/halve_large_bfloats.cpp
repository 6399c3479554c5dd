#include "codegen/nvptx/passes/halve_large_bfloats.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

#include "codegen/own_passes.h"

namespace pykc::codegen {
namespace {

bool is_large(const llvm::Value* value) {
  const llvm::APFloat* number = nullptr;
  return llvm::PatternMatch::match(value, llvm::PatternMatch::m_APFloat(number)) && number->isFinite() &&
         llvm::ilogb(*number) == llvm::APFloat::semanticsMaxExponent(number->getSemantics());
}

}  // namespace

llvm::PreservedAnalyses HalveLargeBfloats::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* comparison = llvm::dyn_cast<llvm::FCmpInst>(&instruction);
    if (!comparison || !comparison->getOperand(0)->getType()->isBFloatTy()) continue;
    if (!is_large(comparison->getOperand(0)) && !is_large(comparison->getOperand(1))) continue;
    llvm::IRBuilder<> builder(comparison);
    const auto half = [&](llvm::Value* value) {
      llvm::Value* wide = builder.CreateFPExt(value, builder.getFloatTy());
      return builder.CreateFMul(wide, llvm::ConstantFP::get(builder.getFloatTy(), 0.5));
    };
    llvm::Value* halves = builder.CreateFCmp(comparison->getPredicate(), half(comparison->getOperand(0)),
                                             half(comparison->getOperand(1)));
    comparison->replaceAllUsesWith(halves);
    comparison->eraseFromParent();
    changed = true;
  }
  return with_its_branches(changed);
}

}  // namespace pykc::codegen
