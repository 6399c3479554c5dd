#include "codegen/nvptx/passes/ptxas/keep_negative_zeros.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include "codegen/nvptx/passes/ptxas/hidden.h"

namespace pykc::codegen {
namespace {

using namespace llvm::PatternMatch;

bool is_negative_zero(const llvm::Value* value) { return match(value, m_NegZeroFP()); }

/// -1, or what may come to be it.
bool may_be_minus_one(const llvm::Value* value) {
  return match(value, m_SpecificFP(-1.0)) || llvm::isa<llvm::SelectInst, llvm::PHINode>(value);
}

bool is_choice_with_negative_zero(const llvm::Instruction& instruction) {
  return instruction.getType()->isFloatTy() && llvm::isa<llvm::SelectInst, llvm::PHINode>(instruction) &&
         llvm::any_of(instruction.operand_values(), is_negative_zero) &&
         llvm::any_of(instruction.operand_values(), may_be_minus_one);
}

llvm::Value* hidden_negative_zero(llvm::Instruction& before) {
  llvm::IRBuilder<> builder(&before);
  llvm::Value* bits =
      builder.CreateBitCast(llvm::ConstantFP::getNegativeZero(builder.getFloatTy()), builder.getInt32Ty());
  return builder.CreateBitCast(hidden(bits, builder), builder.getFloatTy());
}

void hide_negative_zeros(llvm::Instruction& choice) {
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&choice)) {
    for (llvm::BasicBlock* block : phi->blocks())
      if (is_negative_zero(phi->getIncomingValueForBlock(block)))
        phi->setIncomingValueForBlock(block, hidden_negative_zero(*block->getTerminator()));
    return;
  }
  for (llvm::Use& operand : choice.operands())
    if (is_negative_zero(operand)) operand = hidden_negative_zero(choice);
}

/// LLVM makes the negation of a choice between constants a choice between others, later.
void negate_constants(llvm::Instruction& negation) {
  llvm::Value* flag = nullptr;
  llvm::Constant *one = nullptr, *other = nullptr;
  if (!match(&negation, m_FNeg(m_Select(m_Value(flag), m_Constant(one), m_Constant(other))))) return;
  llvm::IRBuilder<> builder(&negation);
  negation.replaceAllUsesWith(builder.CreateSelect(flag, builder.CreateFNeg(one), builder.CreateFNeg(other)));
  negation.eraseFromParent();
}

}  // namespace

void keep_negative_zeros(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      negate_constants(instruction);
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (is_choice_with_negative_zero(instruction)) hide_negative_zeros(instruction);
  }
}

}  // namespace pykc::codegen
