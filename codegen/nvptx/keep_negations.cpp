#include "codegen/nvptx/keep_negations.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

namespace pykc::codegen {
namespace {

using namespace llvm::PatternMatch;

constexpr std::uint32_t kBytesInOrder = 0x3210;

/// A product with -2^n becomes a shift and a negation.
bool is_negation(const llvm::Value* value) {
  return value->getType()->isIntegerTy(32) &&
         (match(value, m_Neg(m_Value())) || match(value, m_Mul(m_Value(), m_NegatedPower2())));
}

/// Whether the result may become an operand of a further minimum, or maximum: at once, or in the next turn of a loop.
bool may_become_one_of_three(const llvm::IntrinsicInst& extremum) {
  return llvm::any_of(extremum.users(), [&](const llvm::User* user) {
    const auto* further = llvm::dyn_cast<llvm::IntrinsicInst>(user);
    return llvm::isa<llvm::PHINode>(user) ||
           (further != nullptr && further->getIntrinsicID() == extremum.getIntrinsicID());
  });
}

llvm::Value* hidden(llvm::Value* value, llvm::IRBuilder<>& builder) {
  return builder.CreateIntrinsic(llvm::Intrinsic::nvvm_prmt,
                                 {value, builder.getInt32(0), builder.getInt32(kBytesInOrder)});
}

bool is_signed_extremum(const llvm::IntrinsicInst& call) {
  const llvm::Intrinsic::ID id = call.getIntrinsicID();
  return id == llvm::Intrinsic::smin || id == llvm::Intrinsic::smax;
}

void keep_operands_of(llvm::IntrinsicInst& extremum) {
  llvm::IRBuilder<> builder(&extremum);
  for (llvm::Use& operand : extremum.args())
    if (is_negation(operand)) operand.set(hidden(operand, builder));
}

/// Unoptimised, an operand comes out of a variable, through which ptxas sees.
void keep(llvm::BinaryOperator& negation) {
  llvm::IRBuilder<> builder(negation.getNextNode());
  llvm::Value* result = hidden(&negation, builder);
  negation.replaceUsesWithIf(result, [&](const llvm::Use& use) { return use.getUser() != result; });
}

}  // namespace

void keep_negations(llvm::Module& module, bool is_optimized) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (!is_optimized && is_negation(&instruction)) keep(llvm::cast<llvm::BinaryOperator>(instruction));
      if (is_optimized && call != nullptr && is_signed_extremum(*call) && may_become_one_of_three(*call))
        keep_operands_of(*call);
    }
}

}  // namespace pykc::codegen
