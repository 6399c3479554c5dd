#include "codegen/nvptx/passes/signs_of_words.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

namespace pykc::codegen {
namespace {

using namespace llvm::PatternMatch;

constexpr std::uint32_t kSign = 1U << 31;

/// Whether ptxas makes a sign a part of the operand.
bool takes_signs(const llvm::User* user) {
  const auto* instruction = llvm::cast<llvm::Instruction>(user);
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(instruction))
    return call->getIntrinsicID() == llvm::Intrinsic::fma || call->getIntrinsicID() == llvm::Intrinsic::fabs;
  return llvm::isa<llvm::FPMathOperator>(instruction) &&
         !llvm::isa<llvm::SelectInst, llvm::PHINode, llvm::CallBase>(instruction);
}

/// The number with the upper half that `change` makes of its own.
template <typename Change>
llvm::Value* with_upper_half(llvm::Value* x, llvm::IRBuilder<>& builder, Change change) {
  auto* const words = llvm::FixedVectorType::get(builder.getInt32Ty(), 2);
  llvm::Value* const halves = builder.CreateBitCast(x, words);
  llvm::Value* const upper = change(builder.CreateExtractElement(halves, std::uint64_t{1}));
  return builder.CreateBitCast(builder.CreateInsertElement(halves, upper, std::uint64_t{1}), x->getType());
}

/// The same number by the upper half, in front of the instruction; null where it changes no sign.
llvm::Value* by_words(llvm::Instruction& instruction) {
  llvm::Value* x = nullptr;
  llvm::IRBuilder<> builder(&instruction);
  if (match(&instruction, m_FNeg(m_Value(x))))
    return with_upper_half(x, builder, [&](llvm::Value* upper) { return builder.CreateXor(upper, kSign); });
  if (match(&instruction, m_FAbs(m_Value(x))))
    return with_upper_half(x, builder, [&](llvm::Value* upper) {
      llvm::Type* const word = upper->getType();
      // of a plain `and`, LLVM makes the size of an f64 again
      auto* const clear = llvm::InlineAsm::get(llvm::FunctionType::get(word, {word}, false),
                                               "and.b32 $0, $1, 0x7fffffff;", "=r,r", /*hasSideEffects=*/false);
      return builder.CreateCall(clear, {upper});
    });
  return nullptr;
}

}  // namespace

void change_signs_of_words(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      if (!instruction.getType()->isDoubleTy() || llvm::all_of(instruction.users(), takes_signs)) continue;
      if (llvm::Value* const changed = by_words(instruction))
        instruction.replaceUsesWithIf(changed, [](const llvm::Use& use) { return !takes_signs(use.getUser()); });
    }
}

}  // namespace pykc::codegen
