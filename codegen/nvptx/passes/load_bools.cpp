#include "codegen/nvptx/passes/load_bools.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace pykc::codegen {

void load_bools_as_bytes(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (load == nullptr || !load->getType()->isIntegerTy(1)) continue;
      llvm::IRBuilder<> builder(load);
      llvm::Value* byte = builder.CreateAlignedLoad(builder.getInt8Ty(), load->getPointerOperand(), load->getAlign(),
                                                    load->isVolatile());
      load->replaceAllUsesWith(builder.CreateTrunc(byte, load->getType()));
      load->eraseFromParent();
    }
}

}  // namespace pykc::codegen
