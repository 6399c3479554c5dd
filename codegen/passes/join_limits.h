#pragma once

#include <llvm/IR/PassManager.h>

namespace pykc::codegen {

/// A float is limited twice by one number, `t = 1 if 1 < x else x` and `t if t < 1 else 1`: LLVM 22's InstCombine
/// drops the second choice, whatever each gives for NaN, here 1 and x. Both become one choice before it looks:
/// `x if not 1 < x and t < 1 else 1`.
struct JoinLimits : llvm::PassInfoMixin<JoinLimits> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace pykc::codegen
