#include "codegen/nvptx/passes/native_conversions.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

#include "codegen/nvptx/passes/ptxas/hidden.h"

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

/// Whether there is nothing in a float but constants and flags, that is i1. What is in a variable may be.
bool is_made_of_flags(const llvm::Value* value, int depth = 8) {
  if (llvm::isa<llvm::ConstantFP>(value)) return true;
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr || depth == 0) return false;
  if (llvm::isa<llvm::UIToFPInst, llvm::SIToFPInst>(instruction))
    return instruction->getOperand(0)->getType()->isIntegerTy(1);
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction))
    return llvm::isa<llvm::AllocaInst>(load->getPointerOperand());
  const bool is_arithmetic = llvm::isa<llvm::UnaryOperator, llvm::BinaryOperator, llvm::FPExtInst, llvm::FPTruncInst,
                                       llvm::SelectInst, llvm::PHINode, llvm::IntrinsicInst>(instruction);
  return is_arithmetic && llvm::all_of(instruction->operands(), [&](const llvm::Use& operand) {
           return !operand->getType()->isFloatingPointTy() || is_made_of_flags(operand, depth - 1);
         });
}

/// A float that is 0 or -1 by a flag becomes a signed integer in ptxas 13.0, which leaves it so where an unsigned one
/// is asked for: u32(-f32(x > 3)) and u64(f32(-1) + (x > 3)) were 2^32 - 1 and 2^64 - 1 in the place of 0.
llvm::Value* hidden_if_made_of_flags(llvm::Value* value, llvm::IRBuilder<>& builder) {
  if (!is_made_of_flags(value)) return value;
  llvm::Type* bits = builder.getIntNTy(value->getType()->getScalarSizeInBits());
  return builder.CreateBitCast(hidden(builder.CreateBitCast(value, bits), builder), value->getType());
}

/// By way of 32 bits where there are fewer, which is cheaper; and ptxas 13.0 compared the register of a
/// `cvt.rzi.u16.f32` that it had repeated with 0, and all its 32 bits.
llvm::Value* converted(llvm::Value* value, llvm::Type* type, bool is_signed, llvm::IRBuilder<>& builder) {
  const unsigned bits = type->getIntegerBitWidth();
  llvm::Type* wide = builder.getIntNTy(std::max(bits, 32U));
  const ID native = native_conversion(is_signed, value->getType(), wide);
  if (native == llvm::Intrinsic::not_intrinsic) return nullptr;
  if (!is_signed) value = hidden_if_made_of_flags(value, builder);
  llvm::Value* result = builder.CreateIntrinsic(wide, native, {value});
  if (!value->getType()->isFloatTy() || bits > 32)
    result = builder.CreateSelect(builder.CreateFCmpUNO(value, value), llvm::ConstantInt::get(wide, 0), result);
  if (bits >= 32) return result;
  using llvm::APInt;
  const auto limit = [&](ID extremum, const APInt& value) {
    result =
        builder.CreateBinaryIntrinsic(extremum, result, builder.getInt(is_signed ? value.sext(32) : value.zext(32)));
  };
  limit(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin,
        is_signed ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits));
  if (is_signed) limit(llvm::Intrinsic::smax, APInt::getSignedMinValue(bits));
  return builder.CreateTrunc(result, type);
}

void use_native_conversion(llvm::IntrinsicInst& call) {
  const ID id = call.getIntrinsicID();
  if (id != llvm::Intrinsic::fptosi_sat && id != llvm::Intrinsic::fptoui_sat) return;
  const bool is_signed = id == llvm::Intrinsic::fptosi_sat;
  llvm::IRBuilder<> builder(&call);
  llvm::Value* result = converted(call.getArgOperand(0), call.getType(), is_signed, builder);
  if (result == nullptr) return;
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
