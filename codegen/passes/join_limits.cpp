#include "codegen/passes/join_limits.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include "codegen/own_passes.h"

namespace pykc::codegen {
namespace {

/// A choice between a constant and a value.
struct Limit {
  llvm::Constant* constant;
  llvm::Value* value;
  bool is_value_if_true;
};

llvm::SmallVector<Limit, 2> limits_of(llvm::SelectInst& choice) {
  llvm::SmallVector<Limit, 2> limits;
  llvm::Value* const if_true = choice.getTrueValue();
  llvm::Value* const if_false = choice.getFalseValue();
  if (auto* constant = llvm::dyn_cast<llvm::Constant>(if_false)) limits.push_back({constant, if_true, true});
  if (auto* constant = llvm::dyn_cast<llvm::Constant>(if_true)) limits.push_back({constant, if_false, false});
  return limits;
}

llvm::Value* takes_value(llvm::SelectInst& choice, const Limit& limit, llvm::IRBuilder<>& builder) {
  return limit.is_value_if_true ? choice.getCondition() : builder.CreateNot(choice.getCondition());
}

/// InstCombine looks through a conversion of what was limited first.
bool is_same(const Limit& outer, const Limit& inner, const llvm::CastInst* conversion, const llvm::DataLayout& layout) {
  if (conversion == nullptr) return outer.constant == inner.constant;
  return outer.constant ==
         llvm::ConstantFoldCastOperand(conversion->getOpcode(), inner.constant, conversion->getType(), layout);
}

bool join(llvm::SelectInst& choice, const Limit& outer, const llvm::DataLayout& layout) {
  const auto* conversion = llvm::dyn_cast<llvm::CastInst>(outer.value);
  auto* first = llvm::dyn_cast<llvm::SelectInst>(conversion == nullptr ? outer.value : conversion->getOperand(0));
  if (first == nullptr || !first->getType()->isFPOrFPVectorTy() ||
      first->getCondition()->getType() != choice.getCondition()->getType())
    return false;
  for (const Limit& inner : limits_of(*first)) {
    if (llvm::isa<llvm::Constant>(inner.value) || !is_same(outer, inner, conversion, layout)) continue;
    llvm::IRBuilder<> builder(&choice);
    llvm::Value* const is_within = takes_value(choice, outer, builder);
    llvm::Value* value = inner.value;
    if (conversion != nullptr) value = builder.CreateCast(conversion->getOpcode(), value, conversion->getType());
    choice.setCondition(builder.CreateLogicalAnd(is_within, takes_value(*first, inner, builder)));
    choice.setTrueValue(value);
    choice.setFalseValue(outer.constant);
    return true;
  }
  return false;
}

bool join_limits(llvm::SelectInst& choice, const llvm::DataLayout& layout) {
  return llvm::any_of(limits_of(choice), [&](const Limit& outer) { return join(choice, outer, layout); });
}

}  // namespace

llvm::PreservedAnalyses JoinLimits::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  const llvm::DataLayout& layout = function.getDataLayout();
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction)) changed |= join_limits(*choice, layout);
  return with_its_branches(changed);
}

}  // namespace pykc::codegen
