// Compiled without exceptions, as LLVM is: see left_in_llvm.h.
#include "codegen/passes/where_they_gain.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LoopStrengthReduce.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SCCP.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Vectorize/SLPVectorizer.h>

#include "codegen/cpu/passes/stop_polls.h"
#include "codegen/optimize.h"
#include "codegen/passes/ways.h"

namespace pykc::codegen {
namespace {

bool is_plain(const llvm::Loop& loop) { return llvm::findOptionMDForLoop(&loop, kPlain) != nullptr; }

/// Whether LLVM has made vectors of it, or it is what such have left over.
bool is_vectorized(const llvm::Loop& loop) { return llvm::getBooleanLoopAttribute(&loop, "llvm.loop.isvectorized"); }

bool is_made_of_integers(const llvm::Instruction& instruction) {
  return instruction.getType()->isIntegerTy() && !llvm::isa<llvm::PHINode>(instruction);
}

bool has_local_arrays(const llvm::Function& function) {
  const auto is_array = [](const llvm::Instruction& i) { return llvm::isa<llvm::AllocaInst>(i); };
  return function.hasFnAttribute(kHasLocalArrays) || llvm::any_of(llvm::instructions(function), is_array);
}

/// What a pointer points into: an array, or one of those in a block's memory, which lie at constant places of it.
const llvm::Value* array_of(const llvm::Value* pointer) {
  while (const auto* element = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
    const llvm::Value* base = element->getPointerOperand();
    if (element->hasAllConstantIndices() && llvm::isa<llvm::Argument>(base)) return element;
    pointer = base;
  }
  return pointer;
}

/// Whether there may be the same to do for several values: to store in an array, to gather, to compute, or to sum up
/// four or more. In loops of vectors, and what such leave over, there is mostly nothing of the latter two.
bool has_lanes(const llvm::BasicBlock& block, bool of_vectors) {
  llvm::SmallPtrSet<const llvm::Value*, 8> stored;
  int stores = 0, gathered = 0, floats = 0, integers = 0;
  for (const llvm::Instruction& instruction : block) {
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
      stores += store->isSimple() && !stored.insert(array_of(store->getPointerOperand())).second ? 1 : 0;
    else if (const auto* insert = llvm::dyn_cast<llvm::InsertElementInst>(&instruction))
      gathered += llvm::PatternMatch::match(insert->getOperand(2), llvm::PatternMatch::m_Zero()) ? 0 : 1;
    else if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
      integers += load->isSimple() && load->getType()->isIntegerTy() ? 1 : 0;
    else
      floats += instruction.getType()->isFloatingPointTy() && !llvm::isa<llvm::PHINode>(instruction) ? 1 : 0;
  }
  return stores > 0 || gathered > 0 || (!of_vectors && (floats > 1 || integers > 3));
}

bool may_be_unrolled(const llvm::Loop* loop) {
  if (is_plain(*loop)) return false;
  return llvm::findOptionMDForLoop(loop, "llvm.loop.unroll.runtime.disable") == nullptr || ends_at_constant(*loop);
}

bool has_changing_product(const llvm::Loop& loop) {
  return llvm::any_of(loop.blocks(), [&](const llvm::BasicBlock* block) {
    return llvm::any_of(*block, [&](const llvm::Instruction& i) {
      return i.getOpcode() == llvm::Instruction::Mul && i.getType()->isIntegerTy(64) &&
             !loop.hasLoopInvariantOperands(&i);
    });
  });
}

/// How often such a loop turns is the least of what its exits say, which is worked out from all of them for each; and
/// what its counters can be is asked for each pair. Both take seconds for some hundred.
bool takes_long_to_count(const llvm::Loop& loop) {
  constexpr std::size_t kMost = 64;
  llvm::SmallVector<llvm::BasicBlock*> exiting;
  loop.getExitingBlocks(exiting);
  return exiting.size() > kMost || static_cast<std::size_t>(llvm::range_size(loop.getHeader()->phis())) > kMost;
}

}  // namespace

bool is_over_threads(const llvm::Loop& loop) {
  return is_plain(loop) || llvm::findOptionMDForLoop(&loop, kRunsThreads) != nullptr;
}

bool ends_at_constant(const llvm::Loop& loop) {
  const llvm::ICmpInst* test = loop.getLatchCmpInst();
  return test == nullptr || llvm::isa<llvm::ConstantInt>(test->getOperand(1));
}

bool has_side_effects(const llvm::Loop& loop) {
  return llvm::any_of(loop.blocks(), [](const llvm::BasicBlock* block) {
    return llvm::any_of(*block, [](const llvm::Instruction& i) { return i.mayHaveSideEffects(); });
  });
}

llvm::PreservedAnalyses UnswitchLoops::run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses,
                                           llvm::LoopStandardAnalysisResults& results, llvm::LPMUpdater& updater) {
  return llvm::SimpleLoopUnswitchPass(may_copy_ && !is_plain(loop)).run(loop, analyses, results, updater);
}

llvm::PreservedAnalyses SimplifyCounters::run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses,
                                              llvm::LoopStandardAnalysisResults& results, llvm::LPMUpdater& updater) {
  if (is_over_threads(loop) || takes_long_to_count(loop)) return llvm::PreservedAnalyses::all();
  return llvm::IndVarSimplifyPass().run(loop, analyses, results, updater);
}

llvm::PreservedAnalyses PropagateRanges::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  constexpr double kMostSteps = 2e5;
  Ways ways(is_made_of_integers);
  double steps = 0;
  for (const llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&function))
    for (const llvm::Instruction& instruction : *block) {
      ways.add(instruction);
      steps += ways.of(&instruction);
    }
  return steps > kMostSteps ? llvm::PreservedAnalyses::all() : llvm::SCCPPass().run(function, analyses);
}

llvm::PreservedAnalyses NumberHostValues::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  const auto options = llvm::GVNOptions().setLoadInLoopPRE(false).setMemDep(has_local_arrays(function));
  return llvm::GVNPass(options).run(function, analyses);
}

llvm::PreservedAnalyses VectorizeLanes::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  const auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  const bool is_kernel = llvm::any_of(function.args(), [](const auto& a) { return a.hasAttribute(kLaunchParameter); });
  const auto may_gain = [&](const llvm::BasicBlock& block) {
    const llvm::Loop* loop = loops.getLoopFor(&block);
    return !(is_kernel && block.isEntryBlock()) && has_lanes(block, loop != nullptr && is_vectorized(*loop));
  };
  if (llvm::none_of(function, may_gain)) return llvm::PreservedAnalyses::all();
  return llvm::SLPVectorizerPass().run(function, analyses);
}

llvm::PreservedAnalyses UnrollLoops::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  const auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  if (llvm::none_of(loops.getLoopsInPreorder(), may_be_unrolled)) return llvm::PreservedAnalyses::all();
  return llvm::LoopUnrollPass(llvm::LoopUnrollOptions(level_)).run(function, analyses);
}

llvm::PreservedAnalyses ReduceStrength::run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses,
                                            llvm::LoopStandardAnalysisResults& results, llvm::LPMUpdater& updater) {
  if (!loop.isInnermost() || !has_changing_product(loop)) return llvm::PreservedAnalyses::all();
  return llvm::LoopStrengthReducePass().run(loop, analyses, results, updater);
}

}  // namespace pykc::codegen
