#pragma once

#include <llvm/IR/PassManager.h>

namespace pykc::codegen {

/// Puts loads of floats that are the same for all threads of a row, such as the row's elements of a matrix in a
/// product, back into the loop over the threads, out of which they were moved. Once there is a loop over vectors and
/// one over the threads that are left, each takes what it needs out of itself; else the values for the second would be
/// kept in memory across the first, for each row.
struct SinkUniformLoads : llvm::PassInfoMixin<SinkUniformLoads> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace pykc::codegen
