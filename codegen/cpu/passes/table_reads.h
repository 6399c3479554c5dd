#pragma once

#include <llvm/IR/PassManager.h>

namespace pykc::codegen {

/// Says of reads of constant tables that they wait for nothing in any loop over threads: the math functions' tables,
/// above all, whose reads come into a loop by inlining. One read that is not said to be independent keeps a loop from
/// becoming vector code.
struct MarkTableReads : llvm::PassInfoMixin<MarkTableReads> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace pykc::codegen
