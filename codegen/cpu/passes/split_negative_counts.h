#pragma once

#include <llvm/IR/PassManager.h>

namespace pykc::codegen {

/// An index below 0 counts from the end, so each access asks for its sign. Of a loop's counter that begins at what
/// memory or a parameter says, as in `for k in range(starts[row], starts[row + 1])`, nobody knows it. So short loops
/// get a version for counters that begin at 0 or above, which asks no more:
///
///   loop:  k = phi [start, before], [k + 1, loop]             br start < 0, loop, counted
///          … k < 0 …                                    →     loop:     as it was, rarely
///                                                             counted:  … false …
struct SplitNegativeCounts : llvm::PassInfoMixin<SplitNegativeCounts> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace pykc::codegen
