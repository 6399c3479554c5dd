#include "codegen/nvptx/passes/compare_high_words.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

namespace pykc::codegen {
namespace {

constexpr unsigned kBitsOfWord = 32;
constexpr std::uint32_t kAllButSign = 0x7fffffff;

/// What the comparison means, or null where it is another one. A NaN's upper half is larger than that of any number.
llvm::Value* of_high_words(llvm::Instruction& comparison) {
  using namespace llvm::PatternMatch;
  llvm::CmpPredicate predicate;
  llvm::Value* x = nullptr;
  const llvm::APFloat* limit = nullptr;
  if (!match(&comparison, m_FCmp(predicate, m_FAbs(m_Value(x)), m_APFloat(limit))) || !x->getType()->isDoubleTy() ||
      (predicate != llvm::CmpInst::FCMP_OLT && predicate != llvm::CmpInst::FCMP_UGE))
    return nullptr;
  const llvm::APInt bits = limit->bitcastToAPInt();
  if (limit->isNegative() || limit->isNaN() || bits.countr_zero() < kBitsOfWord) return nullptr;
  llvm::IRBuilder<> builder(&comparison);
  llvm::Value* const word = builder.CreateTrunc(
      builder.CreateLShr(builder.CreateBitCast(x, builder.getInt64Ty()), kBitsOfWord), builder.getInt32Ty());
  llvm::Value* const size = builder.CreateAnd(word, kAllButSign);
  llvm::Value* const high = builder.getInt32(static_cast<std::uint32_t>(bits.getZExtValue() >> kBitsOfWord));
  return predicate == llvm::CmpInst::FCMP_OLT ? builder.CreateICmpULT(size, high) : builder.CreateICmpUGE(size, high);
}

}  // namespace

void compare_high_words(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& comparison : llvm::make_early_inc_range(llvm::instructions(function)))
      if (llvm::Value* words = of_high_words(comparison)) {
        comparison.replaceAllUsesWith(words);
        comparison.eraseFromParent();
      }
}

}  // namespace pykc::codegen
