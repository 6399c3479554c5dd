#include "codegen/cpu/passes/saturate_vectors.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace pykc::codegen {
namespace {

using llvm::APInt;
using llvm::ConstantInt;
using llvm::Value;

struct Range {
  APInt least, most;
};

Range range_of(unsigned bits, bool is_signed) {
  if (is_signed) return {APInt::getSignedMinValue(bits), APInt::getSignedMaxValue(bits)};
  return {APInt::getMinValue(bits), APInt::getMaxValue(bits)};
}

/// Both ends are numbers of the float's type: it is limited before it is converted, by way of 32 bits with sign, for
/// which there is an instruction.
Value* limited_before(Value* value, llvm::Type* type, const Range& range, bool is_signed, llvm::IRBuilder<>& builder) {
  const auto number = [&](const APInt& end) {
    return llvm::ConstantFP::get(value->getType(), end.roundToDouble(is_signed));
  };
  Value* limited = builder.CreateSelect(builder.CreateFCmpOGT(value, number(range.least)), value, number(range.least));
  limited = builder.CreateSelect(builder.CreateFCmpOLT(limited, number(range.most)), limited, number(range.most));
  const bool fits = type->getScalarSizeInBits() < 32;
  llvm::Type* wide = fits ? type->getWithNewBitWidth(32) : type;
  Value* converted = is_signed || fits ? builder.CreateFPToSI(limited, wide) : builder.CreateFPToUI(limited, wide);
  Value* result = builder.CreateTrunc(converted, type);
  if (!is_signed) return result;  // a NaN has become the least, 0
  return builder.CreateSelect(builder.CreateFCmpORD(value, value), result, ConstantInt::get(type, 0));
}

/// The largest integer is no float: what is not below the next one, which is a power of two, is chosen behind the
/// conversion.
Value* limited_behind(Value* value, llvm::Type* type, const Range& range, bool is_signed, llvm::IRBuilder<>& builder) {
  const unsigned bits = type->getScalarSizeInBits();
  const APInt end = APInt::getOneBitSet(bits + 1, is_signed ? bits - 1 : bits);
  Value* above = llvm::ConstantFP::get(value->getType(), end.roundToDouble());
  Value* least = llvm::ConstantFP::get(value->getType(), range.least.roundToDouble(is_signed));
  Value* result = is_signed ? builder.CreateFPToSI(value, type) : builder.CreateFPToUI(value, type);
  result = builder.CreateSelect(builder.CreateFCmpOGE(value, above), ConstantInt::get(type, range.most), result);
  if (!is_signed) return builder.CreateSelect(builder.CreateFCmpOGT(value, least), result, ConstantInt::get(type, 0));
  result = builder.CreateSelect(builder.CreateFCmpOLT(value, least), ConstantInt::get(type, range.least), result);
  return builder.CreateSelect(builder.CreateFCmpORD(value, value), result, ConstantInt::get(type, 0));
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
  call.replaceAllUsesWith(
      (has_ends ? limited_before : limited_behind)(value, type, range_of(bits, is_signed), is_signed, builder));
  call.eraseFromParent();
}

}  // namespace

void saturate_vectors(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) expand(*call);
}

}  // namespace pykc::codegen
