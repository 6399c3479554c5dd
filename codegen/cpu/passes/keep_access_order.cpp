#include "codegen/cpu/passes/keep_access_order.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include <map>
#include <vector>

namespace pykc::codegen {
namespace {

/// A load or store of a loop.
struct Access {
  llvm::Instruction* instruction;
  const llvm::SCEV* place;
  std::int64_t bytes;
  bool may_join;  // its turns are apart: what lies between may be another access of the loop

  bool is_store() const { return llvm::isa<llvm::StoreInst>(instruction); }
};

/// What is known of an array on the way through the loop.
struct Order {
  int name = 0;  // how often what follows got another one
  std::vector<Access> stores = {};
};

class LoopOrder {
 public:
  LoopOrder(llvm::Loop& loop, llvm::LoopInfo& loops, llvm::ScalarEvolution& scalars)
      : loop_(loop), loops_(loops), scalars_(scalars) {}

  bool run() {
    llvm::LoopBlocksRPO blocks(&loop_);
    blocks.perform(&loops_);
    std::vector<Access> accesses;
    for (llvm::BasicBlock* block : blocks)
      for (llvm::Instruction& instruction : *block)
        if (llvm::getLoadStorePointerOperand(&instruction) != nullptr) accesses.push_back(described(instruction));
    for (const Access& access : accesses) take(access);
    return any_;
  }

 private:
  Access described(llvm::Instruction& instruction) {
    const llvm::SCEV* place = scalars_.getSCEV(llvm::getLoadStorePointerOperand(&instruction));
    const auto size = instruction.getDataLayout().getTypeStoreSize(llvm::getLoadStoreType(&instruction));
    const auto bytes = static_cast<std::int64_t>(size.getKnownMinValue());
    const auto* turns = llvm::dyn_cast<llvm::SCEVAddRecExpr>(place);
    const auto* step =
        turns && turns->isAffine() ? llvm::dyn_cast<llvm::SCEVConstant>(turns->getStepRecurrence(scalars_)) : nullptr;
    return {&instruction, place, bytes, step != nullptr && step->getAPInt().abs() != bytes};
  }

  void take(const Access& access) {
    Order& order = orders_[scalars_.getPointerBase(access.place)];
    for (const Access& store : order.stores) {
      if (!(access.may_join || store.may_join) || are_apart(store, access)) continue;
      ++order.name;
      order.stores.clear();
      break;
    }
    if (access.is_store()) order.stores.push_back(access);
    if (order.name > 0 && access.may_join) rename(*access.instruction, order.name);
  }

  /// Whether a turn has the two at different places for certain.
  bool are_apart(const Access& first, const Access& second) {
    const std::optional<llvm::APInt> distance = scalars_.computeConstantDifference(second.place, first.place);
    if (!distance) return false;
    return distance->sge(first.bytes) || distance->sle(-second.bytes);
  }

  /// Has the access begin at another name of its array; without one no loop is taken for independent.
  void rename(llvm::Instruction& access, int name) {
    any_ = true;
    std::vector<llvm::GetElementPtrInst*> steps;
    llvm::Value* pointer = llvm::getLoadStorePointerOperand(&access);
    while (auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(pointer)) {
      if (loop_.isLoopInvariant(step)) break;
      steps.push_back(step);
      pointer = step->getPointerOperand();
    }
    llvm::BasicBlock* before = loop_.getLoopPreheader();
    if (before == nullptr || !loop_.isLoopInvariant(pointer))
      return access.setMetadata(llvm::LLVMContext::MD_access_group, nullptr);
    llvm::Value*& renamed = names_[{pointer, name}];
    if (renamed == nullptr) renamed = new llvm::FreezeInst(pointer, "", before->getTerminator()->getIterator());
    llvm::Value* place = renamed;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      llvm::Instruction* copy = (*step)->clone();
      copy->setOperand(0, place);
      copy->insertBefore(access.getIterator());
      place = copy;
    }
    access.setOperand(llvm::isa<llvm::StoreInst>(access) ? llvm::StoreInst::getPointerOperandIndex()
                                                         : llvm::LoadInst::getPointerOperandIndex(),
                      place);
  }

  llvm::Loop& loop_;
  llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& scalars_;
  std::map<const llvm::SCEV*, Order> orders_;  // by where an array begins
  std::map<std::pair<llvm::Value*, int>, llvm::Value*> names_;
  bool any_ = false;
};

}  // namespace

llvm::PreservedAnalyses KeepAccessOrder::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto& scalars = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  bool any = false;
  for (llvm::Loop* loop : loops.getLoopsInPreorder())
    if (loop->isInnermost() && loop->isAnnotatedParallel()) any |= LoopOrder(*loop, loops, scalars).run();
  return any ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace pykc::codegen
