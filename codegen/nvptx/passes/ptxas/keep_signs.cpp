#include "codegen/nvptx/passes/ptxas/keep_signs.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include "codegen/nvptx/passes/ptxas/hidden.h"

namespace pykc::codegen {
namespace {

using namespace llvm::PatternMatch;

using Phis = llvm::SmallPtrSet<const llvm::PHINode*, 8>;

/// Classes of floats, of which zero is one, are told by bits.
bool is_taken_apart(const llvm::PHINode& phi) {
  return llvm::any_of(phi.users(), [](const llvm::User* user) {
    return llvm::isa<llvm::BitCastInst>(user) || match(user, m_Intrinsic<llvm::Intrinsic::is_fpclass>());
  });
}

/// Whether a value meets others behind its block, and the bits of what comes of that are used.
bool meets_use_of_bits(const llvm::Instruction& value, Phis& seen) {
  return llvm::any_of(value.users(), [&](const llvm::User* user) {
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
    return phi != nullptr && seen.insert(phi).second && (is_taken_apart(*phi) || meets_use_of_bits(*phi, seen));
  });
}

bool is_change_of_sign(const llvm::Instruction& instruction) {
  const llvm::Type* type = instruction.getType();
  if (type->isFloatTy() || type->isDoubleTy())
    return match(&instruction, m_CombineOr(m_FNeg(m_Value()), m_FAbs(m_Value())));
  return (type->isIntegerTy(32) || type->isIntegerTy(64)) &&
         match(&instruction, m_CombineOr(m_Neg(m_Value()), m_Intrinsic<llvm::Intrinsic::abs>(m_Value(), m_Value())));
}

}  // namespace

void keep_signs(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      Phis seen;
      if (is_change_of_sign(instruction) && meets_use_of_bits(instruction, seen)) hide(instruction);
    }
}

}  // namespace pykc::codegen
