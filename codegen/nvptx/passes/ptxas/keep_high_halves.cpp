#include "codegen/nvptx/passes/ptxas/keep_high_halves.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include "codegen/nvptx/passes/ptxas/hidden.h"

namespace pykc::codegen {
namespace {

using namespace llvm::PatternMatch;

/// A quotient by a constant may become one.
bool is_high_half(const llvm::Value* value) {
  return match(value, m_ZExt(m_CombineOr(m_UDiv(m_Value(), m_ConstantInt()), m_Trunc(m_LShr(m_Value(), m_Value()))))) ||
         match(value, m_LShr(m_Mul(m_Value(), m_Value()), m_SpecificInt(32)));
}

void keep_minuend_of(llvm::Instruction& difference) {
  llvm::Value* minuend = nullptr;
  if (!match(&difference, m_Sub(m_Value(minuend), m_Value())) || !difference.getType()->isIntegerTy(64)) return;
  llvm::IRBuilder<> builder(&difference);
  if (is_high_half(minuend)) {
    llvm::Value* low = hidden(builder.CreateTrunc(minuend, builder.getInt32Ty()), builder);
    difference.setOperand(0, builder.CreateZExt(low, difference.getType()));
  } else if (match(minuend, m_UDiv(m_Value(), m_ConstantInt()))) {
    difference.setOperand(0, hidden(minuend, builder));  // LLVM narrows it where the dividend fits into 32 bits
  }
}

}  // namespace

void keep_high_halves(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function)) keep_minuend_of(instruction);
}

}  // namespace pykc::codegen
