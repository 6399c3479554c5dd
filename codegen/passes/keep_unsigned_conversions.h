#pragma once

#include <llvm/IR/PassManager.h>

namespace pykc::codegen {

/// Keeps conversions of unsigned integers to floats as wide as they are. LLVM 22's vectorizer of straight-line code
/// narrows what is a sign extension, `f32(u64(i32(4 * x)))`, and converts the narrow integer as an unsigned one: 2^32
/// too little in the place of 2^64.
struct KeepUnsignedConversions : llvm::PassInfoMixin<KeepUnsignedConversions> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace pykc::codegen
