#include "codegen/nvptx/passes/ptxas/keep_negations.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include "codegen/nvptx/passes/ptxas/hidden.h"

namespace pykc::codegen {
namespace {

using namespace llvm::PatternMatch;

/// A product with -2^n becomes a shift and a negation.
bool is_negation(const llvm::Value* value) {
  return match(value, m_Neg(m_Value())) || match(value, m_Mul(m_Value(), m_NegatedPower2()));
}
/// What ptxas has as a modifier of operands.
bool is_modifier(const llvm::Value* value) {
  return is_negation(value) || match(value, m_Intrinsic<llvm::Intrinsic::abs>(m_Value(), m_Value()));
}
bool is_word(const llvm::Value* value) { return value->getType()->isIntegerTy(32); }
/// Whether a value is an integer of 8 or 16 bits; a bool is none.
bool is_part_of_word(const llvm::Value* value) {
  return value->getType()->isIntegerTy() && value->getType()->getIntegerBitWidth() > 1 &&
         value->getType()->getIntegerBitWidth() <= 16;
}

/// Whether the result may become an operand of a further minimum, or maximum: at once, or in the next turn of a loop.
bool may_become_one_of_three(const llvm::IntrinsicInst& extremum) {
  return llvm::any_of(extremum.users(), [&](const llvm::User* user) {
    const auto* further = llvm::dyn_cast<llvm::IntrinsicInst>(user);
    return llvm::isa<llvm::PHINode>(user) ||
           (further != nullptr && further->getIntrinsicID() == extremum.getIntrinsicID());
  });
}

bool is_signed_extremum(const llvm::IntrinsicInst& call) {
  const llvm::Intrinsic::ID id = call.getIntrinsicID();
  return id == llvm::Intrinsic::smin || id == llvm::Intrinsic::smax;
}

void keep_operands_of(llvm::IntrinsicInst& extremum) {
  llvm::IRBuilder<> builder(&extremum);
  for (llvm::Use& operand : extremum.args())
    if (is_word(operand) && is_negation(operand)) operand.set(hidden(operand, builder));
}

/// Whether it may be the lowest number, which is negative.
bool is_magnitude_that_wraps(const llvm::Value* value) {
  return match(value, m_Intrinsic<llvm::Intrinsic::abs>(m_Value(), m_Zero()));
}

/// Unoptimised, the operand of a minimum or shift comes out of a variable, through which ptxas sees.
bool must_keep(const llvm::Instruction& instruction, bool is_optimized) {
  if (is_part_of_word(&instruction)) return is_modifier(&instruction);
  if (!instruction.getType()->isIntegerTy()) return false;
  return is_magnitude_that_wraps(&instruction) || (!is_optimized && is_negation(&instruction));
}

void keep_operand_of(llvm::CastInst& conversion, bool is_optimized) {
  auto* integer = llvm::dyn_cast<llvm::Instruction>(conversion.getOperand(0));
  if (integer == nullptr || !is_modifier(integer) || must_keep(*integer, is_optimized)) return;
  llvm::IRBuilder<> builder(&conversion);
  conversion.setOperand(0, hidden(integer, builder));
}

/// The low word of a negated i64 is a negation, too.
bool is_word_of_negation(const llvm::Value* value) {
  const llvm::Value* wide = value;
  match(value, m_Trunc(m_Value(wide)));
  return is_word(value) && is_negation(wide);
}

/// Shifts to the right by a constant, which may become part of a sum.
void keep_what_is_shifted(llvm::Instruction& shift, bool is_optimized) {
  if (!is_optimized || !match(&shift, m_Shr(m_Value(), m_ConstantInt()))) return;
  if (!is_word_of_negation(shift.getOperand(0))) return;
  llvm::IRBuilder<> builder(&shift);
  shift.setOperand(0, hidden(shift.getOperand(0), builder));
}

}  // namespace

void keep_negations(llvm::Module& module, bool is_optimized) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (llvm::isa<llvm::SIToFPInst, llvm::UIToFPInst>(instruction))
        keep_operand_of(llvm::cast<llvm::CastInst>(instruction), is_optimized);
      keep_what_is_shifted(instruction, is_optimized);
      if (must_keep(instruction, is_optimized)) hide(instruction);
      if (is_optimized && call != nullptr && is_signed_extremum(*call) && may_become_one_of_three(*call))
        keep_operands_of(*call);
    }
}

}  // namespace pykc::codegen
