#pragma once

#include <llvm/IR/PassManager.h>

namespace pykc::codegen {

/// Compares with bfloats of 2^127 and more by their halves, in f32. LLVM 22 compares what was rounded to a bfloat as it
/// was before, with the middle between the constant and its neighbour; their sum overflows there (foldFCmpFpTrunc), so
/// that the greatest f32 was not taken for greater than `bf16(3e38)`. It runs before LLVM looks at comparisons. CPUs
/// have bfloats as integers, and no such comparison.
struct HalveLargeBfloats : llvm::PassInfoMixin<HalveLargeBfloats> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace pykc::codegen
