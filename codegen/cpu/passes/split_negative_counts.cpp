#include "codegen/cpu/passes/split_negative_counts.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <vector>

#include "codegen/cpu/passes/loop_versions.h"

namespace pykc::codegen {
namespace {

using llvm::Value;

constexpr unsigned kLongLoop = 200;  // instructions

/// Whether it steps up from turn to turn, and never beyond the largest number.
bool counts_up(const llvm::PHINode& phi, const llvm::Loop& loop) {
  using namespace llvm::PatternMatch;
  Value* step = nullptr;
  Value* const next = phi.getIncomingValueForBlock(loop.getLoopLatch());
  if (!match(next, m_NSWAdd(m_Specific(&phi), m_Value(step))) || !loop.isLoopInvariant(step)) return false;
  return llvm::isKnownPositive(step, llvm::SimplifyQuery(phi.getDataLayout()));
}

struct Counted {
  llvm::Loop* loop;
  llvm::SmallVector<llvm::ICmpInst*> tests = {};  // whether a counter is negative
  llvm::SmallSetVector<Value*, 2> starts = {};    // of the counters
};

Counted tests_of(llvm::Loop& loop) {
  using namespace llvm::PatternMatch;
  Counted counted{&loop};
  for (llvm::PHINode& phi : loop.getHeader()->phis()) {
    if (!phi.getType()->isIntegerTy() || !counts_up(phi, loop)) continue;
    Value* const start = phi.getIncomingValueForBlock(loop.getLoopPreheader());
    if (llvm::isa<llvm::ConstantInt>(start)) continue;
    for (llvm::User* user : phi.users())
      if (match(user, m_SpecificICmp(llvm::ICmpInst::ICMP_SLT, m_Specific(&phi), m_Zero()))) {
        counted.tests.push_back(llvm::cast<llvm::ICmpInst>(user));
        counted.starts.insert(start);
      }
  }
  return counted;
}

bool is_short(const llvm::Loop& loop) {
  unsigned instructions = 0;
  for (const llvm::BasicBlock* block : loop.blocks()) instructions += block->size();
  return instructions <= kLongLoop;
}

void add_counted_version(const Counted& counted) {
  llvm::BasicBlock* const before = counted.loop->getLoopPreheader();
  llvm::IRBuilder<> builder(before->getTerminator());
  Value* from_zero = builder.getTrue();
  for (Value* start : counted.starts)
    from_zero = builder.CreateAnd(from_zero, builder.CreateICmpSGE(start, llvm::ConstantInt::get(start->getType(), 0)));
  llvm::ValueToValueMapTy copies;
  add_version(counted.loop->getBlocks(), before, from_zero, ".counted", copies,
              llvm::MDBuilder(before->getContext()).createLikelyBranchWeights());
  for (llvm::ICmpInst* test : counted.tests) copies[test]->replaceAllUsesWith(builder.getFalse());
  llvm::addStringMetadataToLoop(counted.loop, "llvm.loop.vectorize.enable", 0);
  llvm::addStringMetadataToLoop(counted.loop, "llvm.loop.unroll.disable", 1);
}

}  // namespace

llvm::PreservedAnalyses SplitNegativeCounts::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  std::vector<Counted> found;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !loop->isLoopSimplifyForm() || !is_short(*loop)) continue;
    if (Counted counted = tests_of(*loop); !counted.tests.empty()) found.push_back(std::move(counted));
  }
  if (found.empty()) return llvm::PreservedAnalyses::all();
  auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  for (const Counted& counted : found) llvm::formLCSSA(*counted.loop, dominators, &loops, nullptr);
  for (const Counted& counted : found) add_counted_version(counted);
  return llvm::PreservedAnalyses::none();
}

}  // namespace pykc::codegen
