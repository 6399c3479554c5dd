#include "codegen/cpu/passes/sink_uniform_loads.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Instructions.h>

namespace pykc::codegen {
namespace {

/// Whether the turns of the loop are known not to write to what the load reads.
bool is_independent_of_turns(const llvm::LoadInst& load, const llvm::Loop& loop) {
  const llvm::MDNode* groups = llvm::findOptionMDForLoop(&loop, "llvm.loop.parallel_accesses");
  const llvm::MDNode* group = load.getMetadata(llvm::LLVMContext::MD_access_group);
  return groups != nullptr && group != nullptr && llvm::is_contained(llvm::drop_begin(groups->operands()), group);
}

bool is_for_loop_alone(const llvm::LoadInst& load, const llvm::Loop& loop) {
  return llvm::all_of(load.users(), [&](const llvm::User* user) {
    const auto* instruction = llvm::cast<llvm::Instruction>(user);
    return loop.contains(instruction) && !llvm::isa<llvm::PHINode>(instruction);
  });
}

}  // namespace

llvm::PreservedAnalyses SinkUniformLoads::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  bool any = false;
  for (const llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    llvm::BasicBlock* before = loop->getLoopPreheader();
    if (!loop->isInnermost() || before == nullptr) continue;
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(*before)) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (load == nullptr || !load->isSimple() || !load->getType()->isFloatingPointTy()) continue;
      if (!is_independent_of_turns(*load, *loop) || !is_for_loop_alone(*load, *loop)) continue;
      load->moveBefore(loop->getHeader()->getFirstInsertionPt());
      any = true;
    }
  }
  return any ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace pykc::codegen
