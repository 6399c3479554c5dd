#include "codegen/cpu/passes/flag_halves.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

namespace pykc::codegen {

void choose_flag_halves(llvm::Module& module) {
  using namespace llvm::PatternMatch;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      llvm::Value* flag = nullptr;
      if (!match(&instruction, m_BitCast(m_ZExt(m_Value(flag))))) continue;
      llvm::Type* type = instruction.getType();
      if (!type->is16bitFPTy() || !flag->getType()->isIntegerTy(1)) continue;
      llvm::IRBuilder<> builder(&instruction);
      llvm::Constant* one = llvm::ConstantFP::get(type, llvm::APFloat(type->getFltSemantics(), llvm::APInt(16, 1)));
      instruction.replaceAllUsesWith(builder.CreateSelect(flag, one, llvm::ConstantFP::getZero(type)));
      instruction.eraseFromParent();
    }
  }
}

}  // namespace pykc::codegen
