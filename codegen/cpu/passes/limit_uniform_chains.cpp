#include "codegen/cpu/passes/limit_uniform_chains.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace pykc::codegen {
namespace {

constexpr double kMostSteps = 1e5;  // below a millisecond a question, and there are hundreds of questions a loop

/// What the vectorizer would find out of a value, and in how many steps.
struct Answer {
  bool is_uniform = true;
  double steps = 1;
};

bool looks_at_operands(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CastInst, llvm::CmpInst, llvm::SelectInst,
                   llvm::GetElementPtrInst, llvm::FreezeInst, llvm::PHINode>(instruction);
}

class Questions {
 public:
  explicit Questions(llvm::Loop& loop) : loop_(loop) {}

  /// Operands come before what uses them.
  double most_steps(llvm::LoopInfo& loops) {
    double most = 0;
    llvm::LoopBlocksRPO blocks(&loop_);
    blocks.perform(&loops);
    for (const llvm::BasicBlock* block : blocks)
      for (const llvm::Instruction& instruction : *block) {
        const Answer answer = ask(instruction);
        answers_[&instruction] = answer;
        most = std::max(most, answer.steps);
      }
    return most;
  }

 private:
  Answer ask(const llvm::Instruction& instruction) const {
    if (llvm::isa<llvm::PHINode>(instruction) && instruction.getParent() == loop_.getHeader()) return {false, 1};
    Answer answer;
    for (const llvm::Value* operand : instruction.operands()) {
      const auto known = answers_.find(operand);
      if (known == answers_.end()) continue;  // comes from outside
      answer.steps += known->second.steps;
      answer.is_uniform = known->second.is_uniform;
      if (!answer.is_uniform) break;
    }
    if (!looks_at_operands(instruction)) answer.steps = 1;
    return answer;
  }

  llvm::Loop& loop_;
  llvm::DenseMap<const llvm::Value*, Answer> answers_;
};

}  // namespace

llvm::PreservedAnalyses LimitUniformChains::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  llvm::LoopInfo& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  for (llvm::Loop* loop : loops.getLoopsInPreorder())
    if (loop->isInnermost() && Questions(*loop).most_steps(loops) > kMostSteps)
      llvm::addStringMetadataToLoop(loop, "llvm.loop.vectorize.enable", 0);
  return llvm::PreservedAnalyses::all();
}

}  // namespace pykc::codegen
