#pragma once

#include <llvm/IR/PassManager.h>

namespace pykc::codegen {

/// Keeps loops from the vectorizer whose values would take it for ever. To find out whether a value is the same for all
/// turns, LLVM 22 looks at its operands, at theirs, and so on, and remembers nothing on the way
/// (vputils::isSingleScalar): `v = v ^ (v << 1)`, forty times in a row, has 2^40 ways from its end to its beginning. In
/// the same way it computes anew what an address is (vputils::getSCEVExprForVPValue).
struct LimitChains : llvm::PassInfoMixin<LimitChains> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace pykc::codegen
