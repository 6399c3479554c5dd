#include "codegen/nvptx/passes/limit_shift_counts.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/KnownBits.h>
#include <llvm/Transforms/Utils/Local.h>

namespace pykc::codegen {
namespace {

using namespace llvm::PatternMatch;

constexpr unsigned kCountBits = 32;

/// A shift where its count is below the width, else 0.
struct GuardedShift {
  llvm::BinaryOperator* shift;
  llvm::Value* count;  // that is compared; the shift's own is the same, or its low bits
};

std::optional<GuardedShift> guarded_shift(llvm::SelectInst& select) {
  llvm::Value *count = nullptr, *shifted = nullptr;
  const llvm::APInt* bound = nullptr;
  llvm::CmpPredicate predicate;
  if (!match(select.getCondition(), m_ICmp(predicate, m_Value(count), m_APInt(bound)))) return std::nullopt;
  const unsigned width = select.getType()->getScalarSizeInBits();
  if (predicate == llvm::ICmpInst::ICMP_ULT && *bound == width && match(select.getFalseValue(), m_Zero()))
    shifted = select.getTrueValue();
  else if (predicate == llvm::ICmpInst::ICMP_UGT && *bound == width - 1 && match(select.getTrueValue(), m_Zero()))
    shifted = select.getFalseValue();
  if (shifted == nullptr || !match(shifted, m_LogicalShift(m_Value(), m_ZExtOrTruncOrSelf(m_Specific(count)))))
    return std::nullopt;
  return GuardedShift{llvm::cast<llvm::BinaryOperator>(shifted), count};
}

/// Whether its low 32 bits say of a number below the width which one it is, and of every other that it is none.
bool is_known_by_low_bits(const llvm::Value* count, const llvm::DataLayout& layout) {
  const unsigned bits = count->getType()->getScalarSizeInBits();
  return llvm::computeKnownBits(count, layout).countMaxActiveBits() <= kCountBits ||
         llvm::ComputeNumSignBits(count, layout) > bits - kCountBits;
}

void limit(llvm::SelectInst& select, const llvm::DataLayout& layout) {
  const std::optional<GuardedShift> found = guarded_shift(select);
  if (!found || is_known_by_low_bits(found->count, layout)) return;
  llvm::IRBuilder<> builder(&select);
  llvm::Type* type = select.getType();
  llvm::Constant* width = llvm::ConstantInt::get(found->count->getType(), type->getScalarSizeInBits());
  llvm::Value* limited = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, found->count, width);
  llvm::Value* shift = builder.CreateBinOp(found->shift->getOpcode(), found->shift->getOperand(0),
                                           builder.CreateZExtOrTrunc(limited, type));
  llvm::Value* result =
      builder.CreateSelect(builder.CreateICmpULT(limited, width), shift, llvm::ConstantInt::get(type, 0));
  select.replaceAllUsesWith(result);
  llvm::RecursivelyDeleteTriviallyDeadInstructions(&select);
}

/// A shift whose comparison stands elsewhere, with other conditions, that LLVM takes apart. Its own count, beyond the
/// width, has no meaning; what a narrower one was cut from may be any number.
void limit(llvm::BinaryOperator& shift, const llvm::DataLayout& layout) {
  llvm::Value* count = nullptr;
  if (!match(&shift, m_LogicalShift(m_Value(), m_Value(count))) || is_known_by_low_bits(count, layout)) return;
  llvm::Constant* most = llvm::ConstantInt::get(count->getType(), count->getType()->getScalarSizeInBits() - 1);
  shift.setOperand(1, llvm::IRBuilder<>(&shift).CreateBinaryIntrinsic(llvm::Intrinsic::umin, count, most));
}

template <typename Kind>
llvm::SmallVector<Kind*> all(llvm::Function& function) {
  llvm::SmallVector<Kind*> found;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* one = llvm::dyn_cast<Kind>(&instruction)) found.push_back(one);
  return found;
}

}  // namespace

void limit_shift_counts(llvm::Module& module) {
  const llvm::DataLayout& layout = module.getDataLayout();
  for (llvm::Function& function : module) {
    for (llvm::SelectInst* select : all<llvm::SelectInst>(function)) limit(*select, layout);
    for (llvm::BinaryOperator* shift : all<llvm::BinaryOperator>(function)) limit(*shift, layout);
  }
}

}  // namespace pykc::codegen
