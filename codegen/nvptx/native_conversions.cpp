#include "codegen/nvptx/native_conversions.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

namespace pykc::codegen {
namespace {

using llvm::Intrinsic::ID;

/// The conversion towards zero, or not_intrinsic.
ID native_conversion(bool is_signed, llvm::Type* from, llvm::Type* to) {
  const bool is_double = from->isDoubleTy();
  if (!is_double && !from->isFloatTy()) return llvm::Intrinsic::not_intrinsic;
  if (to->isIntegerTy(32)) {
    if (is_double) return is_signed ? llvm::Intrinsic::nvvm_d2i_rz : llvm::Intrinsic::nvvm_d2ui_rz;
    return is_signed ? llvm::Intrinsic::nvvm_f2i_rz : llvm::Intrinsic::nvvm_f2ui_rz;
  }
  if (!to->isIntegerTy(64)) return llvm::Intrinsic::not_intrinsic;
  if (is_double) return is_signed ? llvm::Intrinsic::nvvm_d2ll_rz : llvm::Intrinsic::nvvm_d2ull_rz;
  return is_signed ? llvm::Intrinsic::nvvm_f2ll_rz : llvm::Intrinsic::nvvm_f2ull_rz;
}

void use_native_conversion(llvm::IntrinsicInst& call) {
  const ID id = call.getIntrinsicID();
  if (id != llvm::Intrinsic::fptosi_sat && id != llvm::Intrinsic::fptoui_sat) return;
  llvm::Value* value = call.getArgOperand(0);
  llvm::Type* type = call.getType();
  const ID native = native_conversion(id == llvm::Intrinsic::fptosi_sat, value->getType(), type);
  if (native == llvm::Intrinsic::not_intrinsic) return;
  llvm::IRBuilder<> builder(&call);
  llvm::Value* result = builder.CreateIntrinsic(type, native, {value});
  if (!value->getType()->isFloatTy() || !type->isIntegerTy(32))
    result = builder.CreateSelect(builder.CreateFCmpUNO(value, value), llvm::ConstantInt::get(type, 0), result);
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

}  // namespace

void use_native_conversions(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) use_native_conversion(*call);
}

}  // namespace pykc::codegen
