#include "codegen/nvptx/passes/compare_high_words.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

namespace pykc::codegen {
namespace {

using namespace llvm::PatternMatch;

constexpr unsigned kBitsOfWord = 32;
constexpr double kLeast = 0x1p-800, kMost = 0x1p800;  // between them, upper halves are normal numbers of f32

bool has_upper_half_alone(const llvm::APInt& bits) { return bits.countr_zero() >= kBitsOfWord; }

llvm::Value* upper_half(llvm::Value* bits, llvm::IRBuilder<>& builder) {
  return builder.CreateTrunc(builder.CreateLShr(bits, kBitsOfWord), builder.getInt32Ty());
}

llvm::APInt upper_half(const llvm::APInt& bits) { return bits.lshr(kBitsOfWord).trunc(kBitsOfWord); }

/// |x| < limit by upper halves, compared as numbers of f32: those of larger f64 are larger, infinite, or a NaN. Null of
/// other comparisons.
llvm::Value* compare_sizes(llvm::Instruction& comparison) {
  llvm::CmpPredicate predicate;
  llvm::Value* x = nullptr;
  const llvm::APFloat* limit = nullptr;
  if (!match(&comparison, m_FCmp(predicate, m_FAbs(m_Value(x)), m_APFloat(limit))) || !x->getType()->isDoubleTy() ||
      (predicate != llvm::CmpInst::FCMP_OLT && predicate != llvm::CmpInst::FCMP_UGE))
    return nullptr;
  const llvm::APInt bits = limit->bitcastToAPInt();
  const double value = limit->convertToDouble();
  if (!(value > kLeast && value < kMost) || !has_upper_half_alone(bits)) return nullptr;
  llvm::IRBuilder<> builder(&comparison);
  llvm::Value* const half =
      builder.CreateBitCast(upper_half(builder.CreateBitCast(x, builder.getInt64Ty()), builder), builder.getFloatTy());
  // Not llvm.fabs, which LLVM makes an `and` of: ptxas takes the size of a number in the comparison itself.
  llvm::Value* const size = builder.CreateIntrinsic(llvm::Intrinsic::nvvm_fabs, {half->getType()}, {half});
  const llvm::APFloat half_of_limit(llvm::APFloat::IEEEsingle(), upper_half(bits));
  return builder.CreateFCmp(predicate, size, llvm::ConstantFP::get(builder.getContext(), half_of_limit));
}

/// bits + offset < span, of integers, by upper halves. Null of other comparisons.
llvm::Value* compare_ranges(llvm::Instruction& comparison) {
  llvm::Value* bits = nullptr;
  const llvm::APInt *offset = nullptr, *span = nullptr;
  llvm::CmpPredicate predicate;
  if (!match(&comparison, m_ICmp(predicate, m_Add(m_Value(bits), m_APInt(offset)), m_APInt(span))) ||
      predicate != llvm::CmpInst::ICMP_ULT || !bits->getType()->isIntegerTy(2 * kBitsOfWord) ||
      !has_upper_half_alone(*offset) || !has_upper_half_alone(*span))
    return nullptr;
  llvm::IRBuilder<> builder(&comparison);
  llvm::Value* const sum = builder.CreateAdd(upper_half(bits, builder), builder.getInt(upper_half(*offset)));
  return builder.CreateICmpULT(sum, builder.getInt(upper_half(*span)));
}

/// bits < limit, of integers with a sign, by upper halves. Null of other comparisons.
llvm::Value* compare_limits(llvm::Instruction& comparison) {
  llvm::Value* bits = nullptr;
  const llvm::APInt* limit = nullptr;
  llvm::CmpPredicate predicate;
  if (!match(&comparison, m_ICmp(predicate, m_Value(bits), m_APInt(limit))) || predicate != llvm::CmpInst::ICMP_SLT ||
      !bits->getType()->isIntegerTy(2 * kBitsOfWord) || limit->isZero() || !has_upper_half_alone(*limit))
    return nullptr;
  llvm::IRBuilder<> builder(&comparison);
  return builder.CreateICmpSLT(upper_half(bits, builder), builder.getInt(upper_half(*limit)));
}

}  // namespace

void compare_high_words(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& comparison : llvm::make_early_inc_range(llvm::instructions(function)))
      for (const auto compare : {compare_sizes, compare_ranges, compare_limits})
        if (llvm::Value* halves = compare(comparison)) {
          comparison.replaceAllUsesWith(halves);
          comparison.eraseFromParent();
          break;
        }
}

}  // namespace pykc::codegen
