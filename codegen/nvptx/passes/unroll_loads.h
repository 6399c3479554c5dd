#pragma once

#include <llvm/IR/PassManager.h>

namespace pykc::codegen {

/// Chooses how often LoopUnrollPass repeats the body of a loop that reads global memory and writes none, such as a sum
/// or a dot product: often enough that many loads are on their way together. ptxas then needs registers for what they
/// bring, but by itself aims at 32 a thread; so a kernel without launch bounds is bounded by what every device has,
/// blocks of 1,024 threads, one at a time, which lets it use 64.
struct UnrollLoads : llvm::PassInfoMixin<UnrollLoads> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace pykc::codegen
