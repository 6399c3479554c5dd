// The fast way is ptxas's own: a reciprocal refined once, a quotient, and one correction by the remainder, which is
// exact in a fused multiplication. It is correctly rounded while nothing on the way overflows or leaves the normal
// numbers (P. Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor", 1990). For
// operands between 2^-60 and 2^60 the quotient and the remainder are far from both ends.
#include "codegen/nvptx/passes/share_division_checks.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <cmath>

namespace pykc::codegen {
namespace {

constexpr std::size_t kMostDivisions = 16;    // that share a test
constexpr std::size_t kMostDependents = 400;  // instructions that exist twice for it
constexpr double kSmallest = 0x1p-60, kLargest = 0x1p60;

/// Divisions, and what depends on them up to the last one, in their order.
struct Group {
  llvm::SetVector<llvm::Instruction*> dependents;
  std::vector<llvm::Instruction*> divisions;
  std::size_t dependents_of_last = 0;  // up to and with the last division
};

bool may_be_usual(const llvm::Value* operand) {
  if (!llvm::isa<llvm::Constant>(operand)) return true;
  const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(operand);
  if (constant == nullptr) return false;
  const double size = std::abs(constant->getValueAPF().convertToDouble());
  return size >= kSmallest && size <= kLargest;
}

bool is_division(const llvm::Instruction& instruction) {
  return instruction.getOpcode() == llvm::Instruction::FDiv && instruction.getType()->isFloatTy() &&
         !instruction.hasAllowReciprocal() && !instruction.hasApproxFunc() &&
         llvm::all_of(instruction.operands(), [](const llvm::Use& operand) { return may_be_usual(operand); });
}

bool can_run_twice(const llvm::Instruction& instruction) {
  if (instruction.mayReadOrWriteMemory() || llvm::isa<llvm::PHINode>(instruction)) return false;
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return (call == nullptr || !call->isConvergent()) && llvm::isSafeToSpeculativelyExecute(&instruction);
}

/// The first group of several divisions from `begin` on.
Group find_group(llvm::BasicBlock::iterator begin, llvm::BasicBlock::iterator end) {
  Group group;
  for (llvm::Instruction& instruction : llvm::make_range(begin, end)) {
    const bool depends = llvm::any_of(instruction.operands(), [&](const llvm::Use& operand) {
      auto* value = llvm::dyn_cast<llvm::Instruction>(operand.get());
      return value != nullptr && group.dependents.contains(value);
    });
    const bool divides = is_division(instruction);
    if (!depends && !divides) continue;
    const bool is_full = group.divisions.size() == kMostDivisions || group.dependents.size() == kMostDependents;
    if (is_full || !can_run_twice(instruction)) {
      if (group.divisions.size() > 1) break;
      group = {};
      if (!divides) continue;
    }
    group.dependents.insert(&instruction);
    if (!divides) continue;
    group.divisions.push_back(&instruction);
    group.dependents_of_last = group.dependents.size();
  }
  return group;
}

/// The fast way of the divisions of a group, and what tells whether it was right.
class FastDivisions {
 public:
  llvm::Value* quotient(llvm::Instruction& division) {
    llvm::IRBuilder<> builder(&division);
    llvm::Value* a = division.getOperand(0);
    llvm::Value* b = division.getOperand(1);
    llvm::Value* reciprocal = reciprocal_of(b, builder);
    test(a, builder);
    llvm::Value* quotient = builder.CreateFMul(a, reciprocal);
    llvm::Value* remainder = multiply_add(builder, builder.CreateFNeg(b), quotient, a);
    return multiply_add(builder, reciprocal, remainder, quotient);
  }

  llvm::Value* is_right(llvm::IRBuilder<>& builder) const {
    llvm::Type* type = builder.getFloatTy();
    return builder.CreateAnd(builder.CreateFCmpOGE(smallest_, llvm::ConstantFP::get(type, kSmallest)),
                             builder.CreateFCmpOLE(largest_, llvm::ConstantFP::get(type, kLargest)));
  }

 private:
  static llvm::Value* multiply_add(llvm::IRBuilder<>& builder, llvm::Value* a, llvm::Value* b, llvm::Value* c) {
    return builder.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
  }

  llvm::Value* reciprocal_of(llvm::Value* b, llvm::IRBuilder<>& builder) {
    llvm::Value*& known = reciprocals_[b];
    if (known != nullptr) return known;
    test(b, builder);
    llvm::Value* rough = builder.CreateIntrinsic(llvm::Intrinsic::nvvm_rcp_approx_ftz_f, {b});
    llvm::Value* error =
        multiply_add(builder, builder.CreateFNeg(b), rough, llvm::ConstantFP::get(builder.getFloatTy(), 1.0));
    return known = multiply_add(builder, rough, error, rough);
  }

  /// A NaN among the operands is passed over: the fast way makes a NaN of it as well.
  void test(llvm::Value* operand, llvm::IRBuilder<>& builder) {
    if (!tested_.insert(operand).second) return;
    llvm::Value* size = builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, operand);
    smallest_ = smallest_ == nullptr ? size : builder.CreateMinNum(smallest_, size);
    largest_ = largest_ == nullptr ? size : builder.CreateMaxNum(largest_, size);
  }

  llvm::DenseMap<llvm::Value*, llvm::Value*> reciprocals_;
  llvm::DenseSet<llvm::Value*> tested_;
  llvm::Value* smallest_ = nullptr;
  llvm::Value* largest_ = nullptr;
};

/// What is used behind the slow path is what either path has made.
void join_paths(llvm::Instruction* fast, llvm::Value* slow, llvm::BasicBlock* slow_block, llvm::BasicBlock* tail) {
  llvm::PHINode* joined = nullptr;
  for (llvm::Use& use : llvm::make_early_inc_range(fast->uses())) {
    auto* user = llvm::cast<llvm::Instruction>(use.getUser());
    const bool is_before = user->getParent() == fast->getParent() || user->getParent() == slow_block;
    if (user == joined || (is_before && !llvm::isa<llvm::PHINode>(user))) continue;
    if (joined == nullptr) {
      joined = llvm::PHINode::Create(fast->getType(), 2, "", tail->begin());
      joined->addIncoming(fast, fast->getParent());
      joined->addIncoming(slow, slow_block);
    }
    use.set(joined);
  }
}

/// Gives the block behind the group.
llvm::BasicBlock* share_check(const Group& group) {
  const llvm::ArrayRef<llvm::Instruction*> dependents =
      group.dependents.getArrayRef().take_front(group.dependents_of_last);
  llvm::Instruction* behind = group.divisions.back()->getNextNode();
  llvm::BasicBlock* head = behind->getParent();

  // The slow path has the group as it is.
  FastDivisions fast;
  llvm::ValueToValueMapTy copies;
  std::vector<llvm::Instruction*> slow;
  for (llvm::Instruction* instruction : dependents) {
    slow.push_back(instruction->clone());
    llvm::RemapInstruction(slow.back(), copies, llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
    copies[instruction] = slow.back();
  }
  llvm::DenseMap<llvm::Instruction*, llvm::Instruction*> quotients;
  for (llvm::Instruction* division : group.divisions) {
    auto* quotient = llvm::cast<llvm::Instruction>(fast.quotient(*division));
    quotients[division] = quotient;
    division->replaceAllUsesWith(quotient);
  }
  llvm::IRBuilder<> builder(behind);
  llvm::Value* is_wrong = builder.CreateNot(fast.is_right(builder));
  llvm::MDNode* rarely = llvm::MDBuilder(head->getContext()).createBranchWeights(1, 1000);
  llvm::Instruction* end = llvm::SplitBlockAndInsertIfThen(is_wrong, behind, false, rarely);
  for (llvm::Instruction* instruction : slow) instruction->insertBefore(end->getIterator());
  for (std::size_t i = 0; i < dependents.size(); ++i) {
    llvm::Instruction* value = dependents[i];
    const auto quotient = quotients.find(value);
    join_paths(quotient == quotients.end() ? value : quotient->second, slow[i], end->getParent(), behind->getParent());
  }
  for (llvm::Instruction* division : group.divisions) division->eraseFromParent();
  return behind->getParent();
}

void share_checks(llvm::BasicBlock* block) {
  while (true) {
    const Group group = find_group(block->begin(), block->end());
    if (group.divisions.size() < 2) return;
    block = share_check(group);
  }
}

}  // namespace

void share_division_checks(llvm::Module& module) {
  std::vector<llvm::BasicBlock*> blocks;
  for (llvm::Function& function : module)
    for (llvm::BasicBlock& block : function) blocks.push_back(&block);
  for (llvm::BasicBlock* block : blocks) share_checks(block);
}

}  // namespace pykc::codegen
