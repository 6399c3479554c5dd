#include "codegen/nvptx/passes/ptxas/widen_small_integers.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

namespace pykc::codegen {
namespace {

constexpr unsigned kWide = 32;

bool is_small(const llvm::IntrinsicInst& call) {
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::abs:
    case llvm::Intrinsic::smax:
    case llvm::Intrinsic::smin:
    case llvm::Intrinsic::umax:
    case llvm::Intrinsic::umin:
      return call.getType()->getScalarSizeInBits() < kWide;
    default:
      return false;
  }
}

void widen(llvm::IntrinsicInst& call) {
  llvm::IRBuilder<> builder(&call);
  const llvm::Intrinsic::ID id = call.getIntrinsicID();
  llvm::Type* type = call.getType();
  llvm::Type* wide = type->getWithNewBitWidth(kWide);
  const bool is_signed = id != llvm::Intrinsic::umax && id != llvm::Intrinsic::umin;
  llvm::SmallVector<llvm::Value*, 2> operands;
  for (llvm::Value* operand : call.args())  // the second of abs is a flag
    operands.push_back(operand->getType() == type ? builder.CreateIntCast(operand, wide, is_signed) : operand);
  llvm::Value* result = builder.CreateIntrinsic(id, {wide}, operands);
  call.replaceAllUsesWith(builder.CreateTrunc(result, type));
  call.eraseFromParent();
}

/// A function's parameter of 8 bits with its sign, in 16: the byte permutation's 8 in a selector repeats a byte's sign.
void extend_by_permutation(llvm::SExtInst& extension) {
  llvm::IRBuilder<> builder(&extension);
  llvm::Value* wide = builder.CreateZExt(extension.getOperand(0), builder.getInt32Ty());
  llvm::Value* sign_repeated =
      builder.CreateIntrinsic(llvm::Intrinsic::nvvm_prmt, {wide, builder.getInt32(0), builder.getInt32(0x8880)});
  extension.replaceAllUsesWith(builder.CreateTrunc(sign_repeated, extension.getType()));
  extension.eraseFromParent();
}

bool is_parameter_extended_to_16_bits(const llvm::SExtInst& extension) {
  return llvm::isa<llvm::Argument>(extension.getOperand(0)) && extension.getSrcTy()->isIntegerTy(8) &&
         extension.getDestTy()->isIntegerTy(16);
}

void mend(llvm::Instruction& instruction) {
  if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
    if (is_small(*call)) widen(*call);
  } else if (auto* extension = llvm::dyn_cast<llvm::SExtInst>(&instruction)) {
    if (is_parameter_extended_to_16_bits(*extension)) extend_by_permutation(*extension);
  }
}

}  // namespace

void widen_small_integers(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) mend(instruction);
}

}  // namespace pykc::codegen
