#include "codegen/nvptx/widen_small_integers.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
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

}  // namespace

void widen_small_integers(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction); call != nullptr && is_small(*call))
        widen(*call);
}

}  // namespace pykc::codegen
