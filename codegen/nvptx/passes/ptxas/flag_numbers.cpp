#include "codegen/nvptx/passes/ptxas/flag_numbers.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>

namespace pykc::codegen {
namespace {

using namespace llvm::PatternMatch;

/// The number of the flag where it is set, and the flag.
struct FlagNumber {
  llvm::Value* flag;
  double number;
};

std::optional<FlagNumber> flag_number(llvm::CastInst& conversion) {
  llvm::Value* const integer = conversion.getOperand(0);
  const bool is_signed = llvm::isa<llvm::SIToFPInst>(conversion);
  if (!is_signed && !llvm::isa<llvm::UIToFPInst>(conversion)) return std::nullopt;
  if (integer->getType()->isIntegerTy(1)) return FlagNumber{integer, is_signed ? -1.0 : 1.0};
  llvm::Value* flag = nullptr;
  if (match(integer, m_ZExt(m_Value(flag))) && flag->getType()->isIntegerTy(1)) return FlagNumber{flag, 1.0};
  if (is_signed && match(integer, m_SExt(m_Value(flag))) && flag->getType()->isIntegerTy(1))
    return FlagNumber{flag, -1.0};
  return std::nullopt;
}

}  // namespace

void choose_numbers_of_flags(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* conversion = llvm::dyn_cast<llvm::CastInst>(&instruction);
      const std::optional<FlagNumber> number = conversion ? flag_number(*conversion) : std::nullopt;
      if (!number) continue;
      llvm::IRBuilder<> builder(conversion);
      llvm::Type* type = conversion->getType();
      conversion->replaceAllUsesWith(builder.CreateSelect(number->flag, llvm::ConstantFP::get(type, number->number),
                                                          llvm::ConstantFP::get(type, 0.0)));
      conversion->eraseFromParent();
    }
}

}  // namespace pykc::codegen
