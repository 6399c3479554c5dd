#include "codegen/cpu/passes/combine_vectors.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Vectorize/VectorCombine.h>

namespace pykc::codegen {
namespace {

/// Whether vectors of one type come from one intrinsic on operands of two types.
bool mixes_operand_types(llvm::Function& function) {
  llvm::DenseMap<std::pair<unsigned, const llvm::Type*>, const llvm::FunctionType*> seen;
  return llvm::any_of(llvm::instructions(function), [&](const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (call == nullptr || !call->getType()->isVectorTy()) return false;
    const llvm::FunctionType* type = call->getFunctionType();
    return seen.try_emplace({call->getIntrinsicID(), call->getType()}, type).first->second != type;
  });
}

}  // namespace

llvm::PreservedAnalyses CombineVectors::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  if (mixes_operand_types(function)) return llvm::PreservedAnalyses::all();
  return llvm::VectorCombinePass().run(function, analyses);
}

}  // namespace pykc::codegen
