#include "codegen/nvptx/passes/ptxas/flag_bits.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include "codegen/nvptx/passes/ptxas/hidden.h"

namespace pykc::codegen {
namespace {

using namespace llvm::PatternMatch;

bool is_flag_value(const llvm::Value* constant) {
  const llvm::APInt* integer = nullptr;
  const llvm::APFloat* real = nullptr;
  if (match(constant, m_APInt(integer))) return integer->isZero() || integer->isOne() || integer->isAllOnes();
  if (!match(constant, m_APFloat(real))) return false;
  const llvm::APInt bits = real->bitcastToAPInt();
  return bits.isZero() || bits.isOne() || bits.isAllOnes();
}

bool is_choice_of_flags(const llvm::Value* value) {
  const auto* choice = llvm::dyn_cast<llvm::SelectInst>(value);
  return choice != nullptr && is_flag_value(choice->getTrueValue()) && is_flag_value(choice->getFalseValue());
}

bool is_flag(const llvm::Value* integer) {
  llvm::Value* from = nullptr;
  return (match(integer, m_ZExtOrSExt(m_Value(from))) && from->getType()->isIntegerTy(1)) ||
         is_choice_of_flags(integer);
}

constexpr unsigned kFar = 6;  // what is done to a converted number: NaN becomes 0, small types have limits

/// Whether an integer was a float, which may have been a flag.
bool is_converted(const llvm::Value* integer, unsigned depth = 0) {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(integer);
  if (instruction == nullptr || depth == kFar) return false;
  if (llvm::isa<llvm::FPToSIInst, llvm::FPToUIInst>(instruction)) return true;
  if (llvm::isa<llvm::IntrinsicInst>(instruction) && instruction->getOperand(0)->getType()->isFloatingPointTy())
    return true;
  const bool is_limited = match(instruction, m_MaxOrMin(m_Value(), m_Value())) ||
                          llvm::isa<llvm::SelectInst>(instruction) ||
                          match(instruction, m_CombineOr(m_Trunc(m_Value()), m_ZExtOrSExt(m_Value())));
  return is_limited && llvm::any_of(instruction->operands(),
                                    [&](const llvm::Use& operand) { return is_converted(operand, depth + 1); });
}

bool is_of_flag_bits(const llvm::Instruction& instruction) {
  if (!instruction.getType()->isFloatingPointTy()) return false;
  const auto* cast = llvm::dyn_cast<llvm::BitCastInst>(&instruction);
  if (cast == nullptr) return is_choice_of_flags(&instruction);
  return is_flag(cast->getOperand(0)) || is_converted(cast->getOperand(0));
}

}  // namespace

void hide_flag_bits(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (is_of_flag_bits(instruction)) hide(instruction);
}

}  // namespace pykc::codegen
