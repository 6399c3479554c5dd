#include "codegen/cpu/passes/keep_access_order.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <map>
#include <optional>
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

/// What is known of an array on the way through the loop, since what follows got another name.
struct Order {
  int name = 0;  // how often it did
  std::vector<Access> stores = {};
  std::optional<std::size_t> first_load = {}, first_store = {};  // of those that may join, by their numbers
};

class LoopOrder {
 public:
  LoopOrder(llvm::Loop& loop, llvm::LoopInfo& loops, llvm::ScalarEvolution& scalars, llvm::AAResults& aliases)
      : loop_(loop), loops_(loops), scalars_(scalars), aliases_(aliases) {}

  bool run() {
    llvm::LoopBlocksRPO blocks(&loop_);
    blocks.perform(&loops_);
    for (llvm::BasicBlock* block : blocks)
      for (llvm::Instruction& instruction : *block)
        if (llvm::getLoadStorePointerOperand(&instruction) != nullptr) accesses_.push_back(described(instruction));
    for (std::size_t i = 0; i < accesses_.size(); ++i) take(i);
    for (const auto& [access, name] : renamed_) rename(*access, name);
    return !renamed_.empty();
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

  void take(std::size_t number) {
    const Access& access = accesses_[number];
    Order& order = orders_[base_of(access)];
    const bool follows_store = std::ranges::any_of(order.stores, [&](const Access& store) {
      return (access.may_join || store.may_join) && !are_apart(store, access);
    });
    if (follows_store || may_cross_others(access, order, number)) order = {.name = order.name + 1};
    if (access.is_store()) order.stores.push_back(access);
    std::optional<std::size_t>& first = access.is_store() ? order.first_store : order.first_load;
    if (access.may_join && !first) first = number;
    if (order.name > 0 && access.may_join) renamed_.emplace_back(access.instruction, order.name);
  }

  /// Whether what lies between the first of its kind and this access may be at its place by way of another array: a
  /// load would come before the store of that, or a store behind the load.
  bool may_cross_others(const Access& access, const Order& order, std::size_t number) {
    const std::optional<std::size_t> first = access.is_store() ? order.first_store : order.first_load;
    if (!access.may_join || !first) return false;
    for (std::size_t i = *first + 1; i < number; ++i) {
      const Access& between = accesses_[i];
      if (!access.is_store() && !between.is_store()) continue;
      if (base_of(between) != base_of(access) && !aliases_.isNoAlias(location(between), location(access))) return true;
    }
    return false;
  }

  const llvm::SCEV* base_of(const Access& access) { return scalars_.getPointerBase(access.place); }

  /// All that can be reached from where an access is: its turns move it.
  static llvm::MemoryLocation location(const Access& access) {
    return llvm::MemoryLocation::get(access.instruction).getWithNewSize(llvm::LocationSize::beforeOrAfterPointer());
  }

  /// Whether a turn has the two at different places for certain.
  bool are_apart(const Access& first, const Access& second) {
    const std::optional<llvm::APInt> distance = scalars_.computeConstantDifference(second.place, first.place);
    if (!distance) return false;
    return distance->sge(first.bytes) || distance->sle(-second.bytes);
  }

  /// Has the access begin at another name of its array; without one no loop is taken for independent.
  void rename(llvm::Instruction& access, int name) {
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
  llvm::AAResults& aliases_;
  std::vector<Access> accesses_;               // in the order of a turn
  std::map<const llvm::SCEV*, Order> orders_;  // by where an array begins
  std::vector<std::pair<llvm::Instruction*, int>> renamed_;
  std::map<std::pair<llvm::Value*, int>, llvm::Value*> names_;
};

}  // namespace

llvm::PreservedAnalyses KeepAccessOrder::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto& scalars = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto& aliases = analyses.getResult<llvm::AAManager>(function);
  bool any = false;
  for (llvm::Loop* loop : loops.getLoopsInPreorder())
    if (loop->isInnermost() && loop->isAnnotatedParallel()) any |= LoopOrder(*loop, loops, scalars, aliases).run();
  return any ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace pykc::codegen
