#pragma once

#include <llvm/IR/PassManager.h>

namespace pykc::codegen {

/// llvm::VectorCombinePass, kept from functions that it could break: where the results of one intrinsic on operands of
/// two types are shuffled, it shuffles the operands, which are f32 on one side and f64 on the other (LLVM 22; mended in
/// LLVM's pull request 201241).
struct CombineVectors : llvm::PassInfoMixin<CombineVectors> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace pykc::codegen
