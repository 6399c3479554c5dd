// Conversion between scalar types: integers wrap, floats saturate (NaN gives 0), what becomes a float is rounded once.
#include "codegen/emit/emitter.h"

namespace pykc::codegen {
namespace {

/// `f16(f64(n))`, which is `f16(n)`: what the wider float rounds is infinite in f16.
bool is_half_of_integer(const ir::Instruction& cast) {
  const ir::Instruction& inner = *cast.operands[0];
  return cast.type.scalar == ScalarType::F16 && is_float(inner.type.scalar) && size_in_bytes(inner.type.scalar) > 2 &&
         inner.opcode == ir::Opcode::Cast && is_integer(inner.operands[0]->type.scalar);
}

}  // namespace

Emitter::Value* Emitter::emit_cast(const Instruction& i) {
  const ScalarType from = i.operands[0]->type.scalar, to = i.type.scalar;
  if (is_half_of_integer(i)) {
    const Instruction& inner = *i.operands[0];
    return integer_to_float(operand(inner, 0), inner.operands[0]->type.scalar, to);
  }
  Value* value = operand(i, 0);
  if (from == to) return value;
  if (is_float(from)) return is_float(to) ? cast_float(value, from, to) : float_to_integer(value, from, to);
  if (to == ScalarType::Bool) return builder_.CreateIsNotNull(value);
  if (is_float(to)) return integer_to_float(value, from, to);
  return builder_.CreateIntCast(value, type_of(to), is_signed_integer(from));
}

/// A bf16 is the upper half of the f32, and is moved there bit by bit: an fpext of it LLVM 22 may exchange for the f16
/// of the same value, in a product that is rounded to f16, though f16 lacks the large and the small ones.
Emitter::Value* Emitter::widen_float(Value* value) {
  if (value->getType()->isHalfTy()) return builder_.CreateFPExt(value, builder_.getFloatTy());
  Value* bits = builder_.CreateZExt(builder_.CreateBitCast(value, builder_.getInt16Ty()), builder_.getInt32Ty());
  return builder_.CreateBitCast(builder_.CreateShl(bits, 16), builder_.getFloatTy());
}

Emitter::Value* Emitter::cast_float(Value* value, ScalarType from, ScalarType to) {
  if (size_in_bytes(from) == 2) value = widen_float(value);
  if (size_in_bytes(to) == 2) return narrow_float(value, to);
  return builder_.CreateFPCast(value, type_of(to));
}

Emitter::Value* Emitter::float_to_integer(Value* value, ScalarType from, ScalarType to) {
  if (size_in_bytes(from) == 2) value = widen_float(value);
  if (to == ScalarType::Bool) return builder_.CreateFCmpUNE(value, llvm::ConstantFP::get(value->getType(), 0.0));
  const auto saturate = is_signed_integer(to) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
  return builder_.CreateIntrinsic(saturate, {type_of(to), value->getType()}, {value});
}

Emitter::Value* Emitter::hidden_half(Value* single) {
  Value* bits = builder_.CreateIntrinsic(llvm::Intrinsic::convert_to_fp16, {single->getType()}, {single});
  return builder_.CreateBitCast(bits, builder_.getHalfTy());
}

/// f16 and bf16 are rounded from a wider float that must not round on the way, or not so that it shows: f64 holds 53
/// bits; of a 64-bit integer with more, the low 12 bits are replaced by one that only says "not a tie". For f16 an f32
/// is wide enough, since what it rounds is infinite; and LLVM must not see the f16 made, for it takes an integer
/// of at most 11 significant bits for exact in f16, and a product of it, however many zeros stand behind them.
Emitter::Value* Emitter::integer_to_float(Value* value, ScalarType from, ScalarType to) {
  const bool is_signed = is_signed_integer(from);
  const auto convert = [&](Value* integer, llvm::Type* type) {
    return is_signed ? builder_.CreateSIToFP(integer, type) : builder_.CreateUIToFP(integer, type);
  };
  if (size_in_bytes(to) > 2) return convert(value, type_of(to));
  if (to == ScalarType::F16 && size_in_bytes(from) > 2) return hidden_half(convert(value, builder_.getFloatTy()));
  if (size_in_bytes(from) == 8) {
    Value* low = builder_.CreateAnd(value, constant_i64(0xfff));
    Value* high = builder_.CreateAnd(value, constant_i64(~std::int64_t{0xfff}));
    Value* sticky = builder_.CreateSelect(builder_.CreateIsNull(low), constant_i64(0), constant_i64(0x800));
    Value* magnitude =
        is_signed ? builder_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, value, builder_.getFalse()) : value;
    Value* fits = builder_.CreateICmpULT(magnitude, constant_i64(std::int64_t{1} << 53));
    value = builder_.CreateSelect(fits, value, builder_.CreateOr(high, sticky));
  }
  return narrow_float(convert(value, builder_.getDoubleTy()), to);
}

}  // namespace pykc::codegen
