#pragma once

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>

namespace pykc::codegen {

/// What a pass that runs behind LLVM's own, without their managers, asks about loops.
inline void register_loop_analyses(llvm::FunctionAnalysisManager& analyses) {
  analyses.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
  analyses.registerPass([] { return llvm::TargetIRAnalysis(); });
  analyses.registerPass([] { return llvm::AssumptionAnalysis(); });
  analyses.registerPass([] { return llvm::DominatorTreeAnalysis(); });
  analyses.registerPass([] { return llvm::LoopAnalysis(); });
  analyses.registerPass([] { return llvm::ScalarEvolutionAnalysis(); });
  analyses.registerPass([] { return llvm::TargetLibraryAnalysis(); });
}

}  // namespace pykc::codegen
