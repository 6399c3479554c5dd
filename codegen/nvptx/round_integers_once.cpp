#include "codegen/nvptx/round_integers_once.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace pykc::codegen {
namespace {

constexpr unsigned kExactInF32 = 24;  // bits

bool is_rounded_twice(const llvm::Instruction& instruction) {
  const bool converts = llvm::isa<llvm::SIToFPInst>(instruction) || llvm::isa<llvm::UIToFPInst>(instruction);
  return converts && instruction.getType()->isBFloatTy() &&
         instruction.getOperand(0)->getType()->getIntegerBitWidth() > kExactInF32;
}

void round_once(llvm::CastInst& conversion) {
  llvm::IRBuilder<> builder(&conversion);
  llvm::Value* exact = builder.CreateCast(conversion.getOpcode(), conversion.getOperand(0), builder.getDoubleTy());
  conversion.replaceAllUsesWith(builder.CreateFPTrunc(exact, conversion.getType()));
  conversion.eraseFromParent();
}

}  // namespace

void round_integers_once(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (is_rounded_twice(instruction)) round_once(llvm::cast<llvm::CastInst>(instruction));
}

}  // namespace pykc::codegen
