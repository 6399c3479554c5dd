#include "codegen/nvptx/passes/limit_sums.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "codegen/passes/ways.h"

namespace pykc::codegen {
namespace {

constexpr double kMostSteps = 1e4;  // for one access

bool may_have_constant(const llvm::Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
    case llvm::Instruction::Or:
    case llvm::Instruction::Xor:
    case llvm::Instruction::Trunc:
    case llvm::Instruction::SExt:
    case llvm::Instruction::ZExt:
      return true;
    default:
      return false;
  }
}

}  // namespace

void limit_sums(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    Ways ways(may_have_constant);
    for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal(&function))
      for (llvm::Instruction& instruction : *block) {
        ways.add(instruction);
        auto* const address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
        if (address == nullptr) continue;
        for (llvm::Use& index : address->indices())
          if (ways.of(index) > kMostSteps) index.set(llvm::IRBuilder<>(address).CreateFreeze(index));
      }
  }
}

}  // namespace pykc::codegen
