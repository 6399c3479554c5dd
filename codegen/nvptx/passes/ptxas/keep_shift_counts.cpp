#include "codegen/nvptx/passes/ptxas/keep_shift_counts.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include "codegen/nvptx/passes/ptxas/hidden.h"

namespace pykc::codegen {
namespace {

using namespace llvm::PatternMatch;

bool is_shift_by(const llvm::User* user, const llvm::Value& count) {
  return match(user, m_Shl(m_Value(), m_Specific(&count)));
}

/// Whether an integer is the count of a shift of an i64, be it widened first.
bool is_count(const llvm::Instruction& integer) {
  return llvm::any_of(integer.users(), [&](const llvm::User* user) {
    return llvm::isa<llvm::ZExtInst>(user) &&
           llvm::any_of(user->users(), [&](const llvm::User* shift) { return is_shift_by(shift, *user); });
  });
}

bool is_float_bits(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::BitCastInst>(instruction) && instruction.getType()->isIntegerTy(32) &&
         instruction.getOperand(0)->getType()->isFloatTy();
}

}  // namespace

void keep_shift_counts(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (is_float_bits(instruction) && is_count(instruction)) hide(instruction);
}

}  // namespace pykc::codegen
