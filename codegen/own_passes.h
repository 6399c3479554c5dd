// The passes over LLVM's IR that are ours: what LLVM lacks, and what it or ptxas gets wrong. The tables
// cpu/passes/passes.def and nvptx/passes/passes.def name them.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include "codegen/codegen.h"

namespace pykc::codegen {

/// Where in optimize.cpp a pass over functions runs.
/// BeforeCombining: before each time that LLVM combines instructions. BeforeLanes: before neighbouring scalars become
/// vectors.
enum class PassPoint : std::uint8_t {
  First,
  BeforeCombining,
  BeforeVectors,
  BeforeLanes,
  BehindVectors,
  BeforeUnrolling
};

/// Adds those of the target that run there.
void add_own_passes(llvm::FunctionPassManager& passes, PassPoint point, const Target& target, const Options& options);

/// Runs those that follow all of LLVM's.
void run_own_last_passes(llvm::Module& module, const Target& target, const Options& options);

/// What stays known of a function whose instructions may have changed, and whose branches have not.
llvm::PreservedAnalyses with_its_branches(bool has_changed);

}  // namespace pykc::codegen
