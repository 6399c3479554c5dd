#include "codegen/nvptx/passes/integers_to_bfloat.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace pykc::codegen {
namespace {

constexpr unsigned kExactInF32 = 24;  // bits

bool makes_bfloat_of_integer(const llvm::Instruction& instruction) {
  const bool converts = llvm::isa<llvm::SIToFPInst>(instruction) || llvm::isa<llvm::UIToFPInst>(instruction);
  return converts && instruction.getType()->isBFloatTy();
}

llvm::Value* rounded_once(llvm::CastInst& conversion, llvm::IRBuilder<>& builder) {
  llvm::Value* exact = builder.CreateCast(conversion.getOpcode(), conversion.getOperand(0), builder.getDoubleTy());
  return builder.CreateFPTrunc(exact, conversion.getType());
}

}  // namespace

void convert_integers_to_bfloat(llvm::Module& module, bool has_conversion) {
  if (has_conversion) return;
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      if (!makes_bfloat_of_integer(instruction)) continue;
      auto& conversion = llvm::cast<llvm::CastInst>(instruction);
      const unsigned bits = conversion.getOperand(0)->getType()->getIntegerBitWidth();
      if (bits <= kExactInF32) continue;
      llvm::IRBuilder<> builder(&conversion);
      conversion.replaceAllUsesWith(rounded_once(conversion, builder));
      conversion.eraseFromParent();
    }
}

}  // namespace pykc::codegen
