#include "codegen/nvptx/passes/ptxas/keep_signed_parts.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include "codegen/nvptx/passes/ptxas/hidden.h"

namespace pykc::codegen {
namespace {

using namespace llvm::PatternMatch;

bool is_signed_part_of_word(const llvm::Value* value) {
  return value->getType()->isIntegerTy(32) &&
         match(value, m_CombineOr(m_SExt(m_Value()), m_AShr(m_Value(), m_Value())));
}

void keep_operand_of(llvm::UIToFPInst& conversion) {
  llvm::Value* integer = conversion.getOperand(0);
  if (!is_signed_part_of_word(integer)) return;
  llvm::IRBuilder<> builder(&conversion);
  conversion.setOperand(0, hidden(integer, builder));
}

}  // namespace

void keep_signed_parts(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (auto* conversion = llvm::dyn_cast<llvm::UIToFPInst>(&instruction)) keep_operand_of(*conversion);
}

}  // namespace pykc::codegen
