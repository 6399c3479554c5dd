#include "codegen/cpu/passes/watched_loops.h"

#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <bit>

#include "codegen/cpu/passes/stop_polls.h"

namespace pykc::codegen {
namespace {

using llvm::BasicBlock;
using llvm::CmpInst;

// Work is counted in instructions.
constexpr std::uint64_t kMostUnwatched = 1 << 17;  // between two looks: well below a millisecond, as a rule
constexpr std::uint64_t kFewestTurns = 8;          // of a strip that is worth it
constexpr std::uint64_t kMostCopied = 256;         // of a turn
constexpr std::uint64_t kWorkOfCall = 100;
constexpr std::uint64_t kMostThreads = 1024;  // of a block

bool is_marked(const llvm::Loop& loop, llvm::StringRef mark) {
  return llvm::findOptionMDForLoop(&loop, mark) != nullptr;
}

std::string place_of(const llvm::Loop& loop, const llvm::Function& function) {
  for (const llvm::Loop* around = &loop; around != nullptr; around = around->getParentLoop())
    if (const llvm::MDNode* place = llvm::findOptionMDForLoop(around, kPlaceInSource))
      return llvm::cast<llvm::MDString>(place->getOperand(1))->getString().str();
  return function.getFnAttribute(kPlaceInSource).getValueAsString().str();
}

std::uint64_t work_of(const llvm::Instruction& instruction) {
  if (llvm::isa<llvm::PHINode>(instruction) || instruction.isLifetimeStartOrEnd()) return 0;
  if (llvm::isa<llvm::IntrinsicInst>(instruction) || !llvm::isa<llvm::CallBase>(instruction)) return 1;
  return kWorkOfCall;
}

/// How the loop counts, if its end is decided by that.
std::optional<Counting> counting_of(const llvm::Loop& loop) {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(loop.getLoopLatch()->getTerminator());
  if (branch == nullptr || !branch->isConditional() || !loop.isLoopExiting(loop.getLoopLatch())) return std::nullopt;
  auto* test = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  if (test == nullptr || !test->getOperand(0)->getType()->isIntegerTy()) return std::nullopt;
  Counting found{test, test->getPredicate(), test->getOperand(0), test->getOperand(1), nullptr, 0};
  if (branch->getSuccessor(0) != loop.getHeader()) found.goes_on = CmpInst::getInversePredicate(found.goes_on);
  if (loop.isLoopInvariant(found.counter)) {
    std::swap(found.counter, found.bound);
    found.goes_on = CmpInst::getSwappedPredicate(found.goes_on);
  }
  if (!loop.isLoopInvariant(found.bound)) return std::nullopt;

  const auto step_of = [&](llvm::PHINode* phi) -> const llvm::BinaryOperator* {
    if (phi == nullptr || phi->getParent() != loop.getHeader()) return nullptr;
    auto* next = llvm::dyn_cast<llvm::BinaryOperator>(phi->getIncomingValueForBlock(loop.getLoopLatch()));
    const bool counts = next != nullptr && next->getOpcode() == llvm::Instruction::Add && next->getOperand(0) == phi &&
                        llvm::isa<llvm::ConstantInt>(next->getOperand(1));
    return counts ? next : nullptr;
  };
  auto* added = llvm::dyn_cast<llvm::BinaryOperator>(found.counter);
  found.phi = llvm::dyn_cast<llvm::PHINode>(added != nullptr ? added->getOperand(0) : found.counter);
  const llvm::BinaryOperator* next = step_of(found.phi);
  if (next == nullptr || (added != nullptr && added != next)) return std::nullopt;
  const llvm::APInt& step = llvm::cast<llvm::ConstantInt>(next->getOperand(1))->getValue();
  if (step.getBitWidth() > 64) return std::nullopt;
  found.step = step.getSExtValue();

  using enum CmpInst::Predicate;
  const bool is_upwards =
      found.goes_on == ICMP_SLT || found.goes_on == ICMP_SLE || found.goes_on == ICMP_ULT || found.goes_on == ICMP_ULE;
  const bool is_downwards =
      found.goes_on == ICMP_SGT || found.goes_on == ICMP_SGE || found.goes_on == ICMP_UGT || found.goes_on == ICMP_UGE;
  const bool is_sound = found.goes_on == ICMP_NE || (found.step > 0 ? is_upwards : is_downwards);
  if (found.step == 0 || !is_sound) return std::nullopt;
  return found;
}

/// Finds the loops of a function that have to look, the inner ones first.
class LoopWatcher {
 public:
  LoopWatcher(llvm::Function& function, llvm::FunctionAnalysisManager& analyses)
      : function_(function),
        loops_(analyses.getResult<llvm::LoopAnalysis>(function)),
        scalars_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)) {}

  std::vector<Watched> find() {
    for (const llvm::Loop* loop : loops_) visit(*loop);
    return std::move(watched_);
  }

 private:
  /// Gives the most work that the loop does without a look.
  std::uint64_t visit(const llvm::Loop& loop) {
    std::uint64_t turn = 0;
    bool runs_threads_inside = false;
    for (const llvm::Loop* inner : loop) {
      turn += visit(*inner);
      runs_threads_inside |= is_marked(*inner, kRunsThreads);
    }
    for (const BasicBlock* block : loop.blocks())
      if (loops_.getLoopFor(block) == &loop)
        for (const llvm::Instruction& instruction : *block) turn += work_of(instruction);
    turn = std::clamp<std::uint64_t>(turn, 1, std::uint64_t{1} << 32);
    if (is_marked(loop, kRunsThreads)) return runs_threads_inside ? turn : turn * kMostThreads;
    const std::uint64_t turns = scalars_.getSmallConstantMaxTripCount(&loop);
    if (turns > 0 && turns * turn < kMostUnwatched) return turns * turn;
    // Where a loop runs in strips, the last may be as long as any, and has no look behind it.
    return watch(loop, turn) ? kMostUnwatched : turn;
  }

  /// Whether it runs in strips.
  bool watch(const llvm::Loop& loop, std::uint64_t turn) {
    Watched watched{loop.getHeader(), loop.getLoopLatch(), place_of(loop, function_), {}};
    watched.turns = std::bit_floor(kMostUnwatched / turn);
    if (watched.turns >= kFewestTurns && watched.latch != nullptr && loop.getLoopPreheader() != nullptr)
      watched.counting = counting_of(loop);
    // The end of a strip must not lie farther than the counter goes.
    if (watched.counting) {
      const unsigned bits = watched.counting->counter->getType()->getIntegerBitWidth();
      const std::int64_t farthest = (std::int64_t{1} << 30) / static_cast<std::int64_t>(watched.turns);
      if (bits < 32 || watched.counting->step > farthest || watched.counting->step < -farthest)
        watched.counting.reset();
    }
    if (watched.counting && loop.isInnermost() && turn <= kMostCopied && !function_.hasOptNone())
      watched.blocks = loop.getBlocks().vec();
    watched_.push_back(watched);
    return watched.counting.has_value();
  }

  llvm::Function& function_;
  llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& scalars_;
  std::vector<Watched> watched_;
};

}  // namespace

std::vector<Watched> watched_loops(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  return LoopWatcher(function, analyses).find();
}

}  // namespace pykc::codegen
