// Passes of LLVM's for where they gain: elsewhere they find nothing, which takes long, or do too much.
#pragma once

#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>

#include <utility>

namespace pykc::codegen {

/// Whether a loop runs through a block's threads, or around such a loop.
bool is_over_threads(const llvm::Loop& loop);
/// Whether the number that a loop counts to stands in the code, as far as its test says.
bool ends_at_constant(const llvm::Loop& loop);
bool has_side_effects(const llvm::Loop& loop);

/// Takes conditions out of loops, of which it makes copies; of plain loops it makes none. What is the same for all
/// turns of a loop around those of threads costs it little, and its copies would hold copies of theirs.
struct UnswitchLoops : llvm::PassInfoMixin<UnswitchLoops> {
  explicit UnswitchLoops(bool may_copy) : may_copy_(may_copy) {}
  llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses,
                              llvm::LoopStandardAnalysisResults& results, llvm::LPMUpdater& updater);

 private:
  bool may_copy_;
};

/// Gives loops counters of one form and finds what these say of comparisons. Loops over threads, and those around them,
/// have such counters from the start, and nobody compares them.
struct SimplifyCounters : llvm::PassInfoMixin<SimplifyCounters> {
  llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses,
                              llvm::LoopStandardAnalysisResults& results, llvm::LPMUpdater& updater);
};

/// A pass for loops that do nothing, or of which the number of turns may be known. To find that it is not takes long,
/// and of the loops over threads, and those around them, it is known only where it stands in their tests.
template <typename Pass>
struct ForKnownTurns : llvm::PassInfoMixin<ForKnownTurns<Pass>> {
  explicit ForKnownTurns(Pass pass) : pass_(std::move(pass)) {}
  llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses,
                              llvm::LoopStandardAnalysisResults& results, llvm::LPMUpdater& updater) {
    const bool may_be_known = !is_over_threads(loop) || ends_at_constant(loop) || !has_side_effects(loop);
    return may_be_known ? pass_.run(loop, analyses, results, updater) : llvm::PreservedAnalyses::all();
  }

 private:
  Pass pass_;
};

/// What is known of integers by where they come from. Each time that the range of one grows, LLVM's pass looks again at
/// those that are made of it: for sums of sums, on each way between the two.
struct PropagateRanges : llvm::PassInfoMixin<PropagateRanges> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// GVN on CPUs. What loads find on several ways is worth to know of arrays that threads have for themselves; of others
/// EarlyCSE sees what there is, in a tenth of the time. What GVN would move out of a loop over threads could not be
/// sunk again, see SinkUniformLoads.
struct NumberHostValues : llvm::PassInfoMixin<NumberHostValues> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// Makes vectors in straight lines, for functions that may have some. Where a kernel begins, it only reads its
/// parameters.
struct VectorizeLanes : llvm::PassInfoMixin<VectorizeLanes> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// Unrolls loops, for functions that have some to unroll. It looks long at each: at the vectors that LLVM has made as
/// well, which are to be unrolled only where their number is known.
struct UnrollLoops : llvm::PassInfoMixin<UnrollLoops> {
  explicit UnrollLoops(int level) : level_(level) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  int level_;
};

/// Turns products, of which addresses are made, into sums that step with the loop: for the innermost loops that have
/// some. Other addresses the host's instructions compute by themselves, and the pass for all loops took a quarter to a
/// third of a compilation.
struct ReduceStrength : llvm::PassInfoMixin<ReduceStrength> {
  llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses,
                              llvm::LoopStandardAnalysisResults& results, llvm::LPMUpdater& updater);
};

}  // namespace pykc::codegen
