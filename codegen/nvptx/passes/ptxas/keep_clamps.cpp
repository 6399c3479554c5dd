#include "codegen/nvptx/passes/ptxas/keep_clamps.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

#include "codegen/nvptx/passes/ptxas/hidden.h"

namespace pykc::codegen {
namespace {

using namespace llvm::PatternMatch;

bool is_one_or_more(const llvm::Value* value) {
  const llvm::APFloat* number = nullptr;
  return match(value, m_APFloat(number)) && *number >= llvm::APFloat::getOne(number->getSemantics());
}

/// A minimum with 1 or more, be it written as a choice.
bool is_upper_limit(const llvm::Instruction& instruction) {
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    return call->getIntrinsicID() == llvm::Intrinsic::minimumnum && llvm::any_of(call->args(), is_one_or_more);
  const auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction);
  return choice != nullptr && llvm::isa<llvm::FCmpInst>(choice->getCondition()) &&
         (is_one_or_more(choice->getTrueValue()) || is_one_or_more(choice->getFalseValue()));
}

/// A maximum with 0, or the comparison of one that is written as a choice.
bool is_lower_limit(const llvm::User* user) {
  const auto is_zero = [](const llvm::Use& operand) { return match(operand.get(), m_AnyZeroFP()); };
  return (llvm::isa<llvm::FCmpInst>(user) || match(user, m_Intrinsic<llvm::Intrinsic::maximumnum>())) &&
         llvm::any_of(user->operands(), is_zero);
}

bool is_clamped(const llvm::Instruction& instruction) {
  const llvm::Type* type = instruction.getType();
  return (type->isFloatTy() || type->isDoubleTy()) && is_upper_limit(instruction) && !instruction.hasNoNaNs() &&
         llvm::any_of(instruction.users(), is_lower_limit);
}

/// Saturating makes +0 of -0.
bool is_limited_to_negative_zero(const llvm::Instruction& instruction) {
  const auto is_negative_zero = [](const llvm::Use& operand) { return match(operand.get(), m_NegZeroFP()); };
  const auto is_limited = [](const llvm::User* user) { return is_upper_limit(*llvm::cast<llvm::Instruction>(user)); };
  return match(&instruction, m_Intrinsic<llvm::Intrinsic::maximumnum>()) && instruction.getType()->isFloatTy() &&
         llvm::any_of(instruction.operands(), is_negative_zero) && llvm::any_of(instruction.users(), is_limited);
}

}  // namespace

void keep_clamps(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (is_clamped(instruction) || is_limited_to_negative_zero(instruction)) hide(instruction);
}

}  // namespace pykc::codegen
