#include "codegen/nvptx/passes/ptxas/keep_masks.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include "codegen/nvptx/passes/ptxas/hidden.h"

namespace pykc::codegen {
namespace {

using namespace llvm::PatternMatch;

/// Of the bits of an absolute value, LLVM makes a mask. What was loaded ptxas knows nothing of.
bool is_mask_of_computed_half(const llvm::Value* value) {
  llvm::Value* half = nullptr;
  const auto bits = m_BitCast(m_Value(half));
  const auto mask = m_CombineOr(m_And(bits, m_ConstantInt()), m_Trunc(bits));
  return match(value, m_CombineOr(m_BitCast(m_FAbs(m_Value(half))), mask)) && half->getType()->is16bitFPTy() &&
         !llvm::isa<llvm::LoadInst>(half);
}

}  // namespace

void keep_masks(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (is_mask_of_computed_half(&instruction)) hide(instruction);
}

}  // namespace pykc::codegen
