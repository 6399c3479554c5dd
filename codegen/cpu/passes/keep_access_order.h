#pragma once

#include <llvm/IR/PassManager.h>

namespace pykc::codegen {

/// Keeps the order of a store and what a thread reads or writes at the same place after it. LLVM 22 makes one access of
/// vectors of a loop's accesses to neighbouring elements, `x[2 * i]` and `x[2 * i + 1]`, at the place of the first load
/// or the last store. In a loop whose turns are independent it asks for no dependences, not even for those within a
/// turn, so that `x[2 * i + 1]` was read before it was stored, be it by way of another parameter. Here what follows
/// such a store gets the array by another name, which LLVM does not join with the one before.
struct KeepAccessOrder : llvm::PassInfoMixin<KeepAccessOrder> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace pykc::codegen
