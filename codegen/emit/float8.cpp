#include "codegen/emit/float8.h"

#include <llvm/IR/Intrinsics.h>

#include <cmath>

namespace pykc::codegen {
namespace {

/// How far the fraction moves to be that of an f32, and the smallest number with a whole fraction.
struct Format {
  int shift;
  int smallest_exponent;
  unsigned largest, infinity;  // their bits; what is above infinity is no number
};

const Format& format_of(ScalarType type) {
  static constexpr Format kE4M3{20, -6, 0x7e, 0x7e}, kE5M2{21, -14, 0x7b, 0x7c};
  return type == ScalarType::F8E4M3 ? kE4M3 : kE5M2;
}

/// The bits of the f32 2**exponent.
unsigned power_of_two(int exponent) { return static_cast<unsigned>(127 + exponent) << 23; }

/// What is added to an exponent, where it stands.
unsigned bias(const Format& format) { return power_of_two(format.smallest_exponent - 1); }

}  // namespace

/// Below the smallest number with a whole fraction the bits count steps.
Value* widen_float8(Builder& builder, Value* bits, ScalarType type) {
  const Format& format = format_of(type);
  llvm::Type *i32 = builder.getInt32Ty(), *f32 = builder.getFloatTy();
  Value* wide = builder.CreateZExt(bits, i32);
  Value* magnitude = builder.CreateAnd(wide, 0x7f);
  Value* moved = builder.CreateShl(magnitude, format.shift);
  Value* normal = builder.CreateAdd(moved, builder.getInt32(bias(format)));
  const double step = std::ldexp(1.0, format.smallest_exponent - (23 - format.shift));
  Value* steps = builder.CreateFMul(builder.CreateUIToFP(magnitude, f32), llvm::ConstantFP::get(f32, step));
  Value* is_small = builder.CreateICmpULT(moved, builder.getInt32(1U << 23));
  Value* number = builder.CreateSelect(is_small, builder.CreateBitCast(steps, i32), normal);
  if (type == ScalarType::F8E5M2)
    number = builder.CreateSelect(builder.CreateICmpEQ(magnitude, builder.getInt32(format.infinity)),
                                  builder.getInt32(0x7f800000), number);
  Value* is_nan = builder.CreateICmpUGT(magnitude, builder.getInt32(format.infinity));
  number = builder.CreateSelect(is_nan, builder.getInt32(0x7fc00000), number);
  Value* sign = builder.CreateShl(builder.CreateAnd(wide, 0x80), 24);
  return builder.CreateBitCast(builder.CreateOr(number, sign), f32);
}

/// The sum with a number whose last bit is a step rounds what is small; in what is larger, just under half a step is
/// added, and one more where the kept part is odd. Nothing may take the sum apart.
Value* narrow_float8(Builder& builder, Value* wide, ScalarType to) {
  const llvm::IRBuilderBase::FastMathFlagGuard guard(builder);
  builder.clearFastMathFlags();
  const Format& format = format_of(to);
  llvm::Type *i32 = builder.getInt32Ty(), *f32 = builder.getFloatTy();
  Value* bits = builder.CreateBitCast(wide, i32);
  Value* all = builder.CreateAnd(bits, 0x7fffffff);
  Value* most = builder.getInt32((format.largest << format.shift) + bias(format));
  Value* magnitude = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, all, most);
  Value* odd = builder.CreateAnd(builder.CreateLShr(magnitude, format.shift), 1);
  Value* half = builder.getInt32((1U << (format.shift - 1)) - 1 - bias(format));
  Value* normal = builder.CreateLShr(builder.CreateAdd(magnitude, builder.CreateAdd(odd, half)), format.shift);
  const unsigned stepped = power_of_two(format.smallest_exponent + format.shift);
  Value* sum =
      builder.CreateFAdd(builder.CreateBitCast(magnitude, f32), builder.CreateBitCast(builder.getInt32(stepped), f32));
  Value* steps = builder.CreateSub(builder.CreateBitCast(sum, i32), builder.getInt32(stepped));
  Value* is_small = builder.CreateICmpULT(magnitude, builder.getInt32(power_of_two(format.smallest_exponent)));
  Value* sign = builder.CreateAnd(builder.CreateLShr(bits, 24), 0x80);
  Value* number = builder.CreateOr(builder.CreateSelect(is_small, steps, normal), sign);
  Value* is_nan = builder.CreateICmpUGT(all, builder.getInt32(0x7f800000));
  return builder.CreateTrunc(builder.CreateSelect(is_nan, builder.getInt32(0x7f), number), builder.getInt8Ty());
}

}  // namespace pykc::codegen
