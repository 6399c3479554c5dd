#include "codegen/cpu/passes/saturate_vectors.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <cmath>

namespace pykc::codegen {
namespace {

using llvm::APInt;
using llvm::Value;

llvm::Constant* number(const Value* like, double value) { return llvm::ConstantFP::get(like->getType(), value); }

/// Both ends are numbers of the float's type: it is limited before it is converted, by way of 32 bits with sign, for
/// which there is an instruction.
Value* limited_before(Value* value, llvm::Type* type, bool is_signed, llvm::IRBuilder<>& builder) {
  const auto bits = static_cast<int>(type->getScalarSizeInBits());
  llvm::Constant* least = number(value, is_signed ? -std::ldexp(1.0, bits - 1) : 0.0);
  llvm::Constant* most = number(value, std::ldexp(1.0, is_signed ? bits - 1 : bits) - 1);
  Value* limited = builder.CreateSelect(builder.CreateFCmpOGT(value, least), value, least);
  limited = builder.CreateSelect(builder.CreateFCmpOLT(limited, most), limited, most);
  llvm::Type* wide = bits < 32 ? type->getWithNewBitWidth(32) : type;
  Value* converted = is_signed || bits < 32 ? builder.CreateFPToSI(limited, wide) : builder.CreateFPToUI(limited, wide);
  Value* result = builder.CreateTrunc(converted, type);
  if (!is_signed) return result;  // a NaN has become the least, 0
  return builder.CreateSelect(builder.CreateFCmpORD(value, value), result, llvm::Constant::getNullValue(type));
}

/// The largest integer is no float: what is not below the next one, which is a power of two, is chosen behind the
/// conversion.
Value* limited_behind(Value* value, llvm::Type* type, bool is_signed, llvm::IRBuilder<>& builder) {
  const unsigned bits = type->getScalarSizeInBits();
  const auto integer = [&](const APInt& n) { return llvm::ConstantInt::get(type, n); };
  llvm::Constant* zero = llvm::Constant::getNullValue(type);
  const double end = std::ldexp(1.0, static_cast<int>(is_signed ? bits - 1 : bits));
  Value* is_above = builder.CreateFCmpOGE(value, number(value, end));
  if (!is_signed) {
    Value* result =
        builder.CreateSelect(is_above, integer(APInt::getMaxValue(bits)), builder.CreateFPToUI(value, type));
    return builder.CreateSelect(builder.CreateFCmpOGT(value, number(value, 0)), result, zero);
  }
  Value* result =
      builder.CreateSelect(is_above, integer(APInt::getSignedMaxValue(bits)), builder.CreateFPToSI(value, type));
  Value* is_below = builder.CreateFCmpOLT(value, number(value, -end));
  result = builder.CreateSelect(is_below, integer(APInt::getSignedMinValue(bits)), result);
  return builder.CreateSelect(builder.CreateFCmpORD(value, value), result, zero);
}

void expand(llvm::IntrinsicInst& call) {
  const bool is_signed = call.getIntrinsicID() == llvm::Intrinsic::fptosi_sat;
  if (!is_signed && call.getIntrinsicID() != llvm::Intrinsic::fptoui_sat) return;
  llvm::Type* type = call.getType();
  Value* value = call.getArgOperand(0);
  const llvm::Type* from = value->getType()->getScalarType();
  const unsigned bits = type->getScalarSizeInBits();
  if (!type->isVectorTy() || bits < 8 || !(from->isFloatTy() || from->isDoubleTy())) return;
  llvm::IRBuilder<> builder(&call);
  const bool has_ends = static_cast<int>(bits) < from->getFPMantissaWidth();
  call.replaceAllUsesWith((has_ends ? limited_before : limited_behind)(value, type, is_signed, builder));
  call.eraseFromParent();
}

}  // namespace

void saturate_vectors(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) expand(*call);
}

}  // namespace pykc::codegen
