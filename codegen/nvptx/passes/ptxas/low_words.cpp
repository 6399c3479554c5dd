#include "codegen/nvptx/passes/ptxas/low_words.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

namespace pykc::codegen {

using namespace llvm::PatternMatch;

namespace {
constexpr unsigned kBitsOfWord = 32;
}  // namespace

void read_low_words(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      llvm::Value* real = nullptr;
      if (!match(&instruction, m_Trunc(m_BitCast(m_Value(real)))) || !real->getType()->isDoubleTy()) continue;
      if (instruction.getType()->getIntegerBitWidth() > kBitsOfWord) continue;
      llvm::IRBuilder<> builder(&instruction);
      llvm::Value* word = builder.CreateIntrinsic(llvm::Intrinsic::nvvm_d2i_lo, {real});
      instruction.replaceAllUsesWith(builder.CreateTrunc(word, instruction.getType()));
      instruction.eraseFromParent();
    }
}

}  // namespace pykc::codegen
