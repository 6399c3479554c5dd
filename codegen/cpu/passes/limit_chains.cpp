#include "codegen/cpu/passes/limit_chains.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <algorithm>

#include "codegen/passes/ways.h"

namespace pykc::codegen {
namespace {

constexpr double kMostSteps = 1e5;  // below a millisecond a question, and there are hundreds of questions a loop

/// What the vectorizer would find out of a value, and in how many steps.
struct Answer {
  bool is_uniform = true;
  double steps = 1;
};
using Answers = llvm::DenseMap<const llvm::Value*, Answer>;  // without the values that come from outside the loop

bool looks_at_operands(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CastInst, llvm::CmpInst, llvm::SelectInst,
                   llvm::GetElementPtrInst, llvm::FreezeInst, llvm::PHINode>(instruction);
}

/// The vectorizer asks one operand after the other, until one differs between turns.
Answer ask(const llvm::Instruction& instruction, const Answers& known) {
  Answer answer;
  for (const llvm::Value* operand : instruction.operands()) {
    const auto found = known.find(operand);
    if (found == known.end()) continue;
    answer.steps += found->second.steps;
    answer.is_uniform = found->second.is_uniform;
    if (!answer.is_uniform) break;
  }
  if (!looks_at_operands(instruction)) answer.steps = 1;
  return answer;
}

/// Whether the vectorizer looks at the operands to find out what an address is.
bool is_of_address(const llvm::Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
    case llvm::Instruction::Mul:
    case llvm::Instruction::UDiv:
    case llvm::Instruction::Trunc:
    case llvm::Instruction::SExt:
    case llvm::Instruction::ZExt:
    case llvm::Instruction::GetElementPtr:
      return true;
    default:
      return llvm::isa<llvm::MinMaxIntrinsic>(instruction);
  }
}

double most_steps(llvm::Loop& loop, llvm::LoopInfo& loops) {
  double most = 0;
  Answers known;
  Ways ways(is_of_address);
  llvm::LoopBlocksRPO blocks(&loop);  // operands come before what uses them
  blocks.perform(&loops);
  for (const llvm::BasicBlock* block : blocks)
    for (const llvm::Instruction& instruction : *block) {
      const bool changes_by_turn = llvm::isa<llvm::PHINode>(instruction) && block == loop.getHeader();
      const Answer answer = changes_by_turn ? Answer{.is_uniform = false} : ask(instruction, known);
      known[&instruction] = answer;
      ways.add(instruction);
      most = std::max({most, answer.steps, ways.of(llvm::getLoadStorePointerOperand(&instruction))});
    }
  return most;
}

}  // namespace

llvm::PreservedAnalyses LimitChains::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  llvm::LoopInfo& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  for (llvm::Loop* loop : loops.getLoopsInPreorder())
    if (loop->isInnermost() && most_steps(*loop, loops) > kMostSteps)
      llvm::addStringMetadataToLoop(loop, "llvm.loop.vectorize.enable", 0);
  return llvm::PreservedAnalyses::all();
}

}  // namespace pykc::codegen
