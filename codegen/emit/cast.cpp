#include "codegen/emit/cast.h"

#include <algorithm>

namespace pykc::codegen {
namespace {

/// `f16(f64(n))`, which is `f16(n)`: what the wider float rounds is infinite in f16.
bool is_half_of_integer(const ir::Instruction& cast) {
  const ir::Instruction& inner = *cast.operands[0];
  return cast.type.scalar == ScalarType::F16 && is_float(inner.type.scalar) && size_in_bytes(inner.type.scalar) > 2 &&
         inner.opcode == ir::Opcode::Cast && is_integer(inner.operands[0]->type.scalar);
}

/// LLVM takes an integer of at most 11 significant bits for exact in f16, and a product of it, however many zeros stand
/// behind them; and it finds the integers of which a float was made, also in functions and variables. It must not see
/// the f16 made: drop_canonical.h.
Value* half_of(Emitter& emitter, Value* wide) {
  Value* hidden = emitter.builder.CreateUnaryIntrinsic(llvm::Intrinsic::canonicalize, wide);
  return emitter.target->narrow_float(hidden, ScalarType::F16);
}

/// Of two f16, which LLVM may compute in f16.
bool is_arithmetic_of_halves(const ir::Instruction& i) {
  using enum ir::Opcode;
  const bool is_arithmetic = i.opcode == Add || i.opcode == Sub || i.opcode == Mul || i.opcode == Div;
  return is_arithmetic && std::ranges::all_of(i.operands, [](const ir::Instruction* operand) {
           return operand->opcode == Cast && operand->operands[0]->type.scalar == ScalarType::F16;
         });
}

/// What is narrower than an f32 as one.
Value* widened(Emitter& emitter, Value* value, ScalarType type) {
  if (is_float8(type)) return emitter.target->widen_float8(value, type);
  return size_in_bytes(type) == 2 ? emitter.target->widen_float(value) : value;
}

Value* cast_float(Emitter& emitter, Value* value, const ir::Instruction& operand, ScalarType to) {
  const ScalarType from = operand.type.scalar;
  value = widened(emitter, value, from);
  if (is_float8(to))
    return emitter.target->narrow_float8(from == ScalarType::F64 ? round_to_odd(emitter.builder, value) : value, to);
  if (to == ScalarType::F16 && !is_arithmetic_of_halves(operand)) return half_of(emitter, value);
  if (size_in_bytes(to) == 2) return emitter.target->narrow_float(value, to);
  return emitter.builder.CreateFPCast(value, emitter.type_of(to));
}

Value* float_to_integer(Emitter& emitter, Value* value, ScalarType from, ScalarType to) {
  Builder& builder = emitter.builder;
  value = widened(emitter, value, from);
  if (to == ScalarType::Bool) return builder.CreateFCmpUNE(value, llvm::ConstantFP::get(value->getType(), 0.0));
  const auto saturate = is_signed_integer(to) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
  return builder.CreateIntrinsic(saturate, {emitter.type_of(to), value->getType()}, {value});
}

/// f16 and bf16 are rounded from a wider float that must not round on the way, or not so that it shows: f64 holds 53
/// bits; of a 64-bit integer with more, the low 12 bits are replaced by one that only says "not a tie". For f16 an f32
/// is wide enough, since what it rounds is infinite, and for floats of 8 bits, whose largest number is smaller.
Value* integer_to_float(Emitter& emitter, Value* value, ScalarType from, ScalarType to) {
  Builder& builder = emitter.builder;
  const bool is_signed = is_signed_integer(from);
  const auto convert = [&](Value* integer, llvm::Type* type) {
    return is_signed ? builder.CreateSIToFP(integer, type) : builder.CreateUIToFP(integer, type);
  };
  if (size_in_bytes(to) > 2) return convert(value, emitter.type_of(to));
  if (is_float8(to)) return emitter.target->narrow_float8(convert(value, builder.getFloatTy()), to);
  if (to == ScalarType::F16 && size_in_bytes(from) > 2) return half_of(emitter, convert(value, builder.getFloatTy()));
  if (size_in_bytes(from) == 8) {
    Value* low = builder.CreateAnd(value, emitter.constant_i64(0xfff));
    Value* high = builder.CreateAnd(value, emitter.constant_i64(~std::int64_t{0xfff}));
    Value* sticky =
        builder.CreateSelect(builder.CreateIsNull(low), emitter.constant_i64(0), emitter.constant_i64(0x800));
    Value* magnitude =
        is_signed ? builder.CreateBinaryIntrinsic(llvm::Intrinsic::abs, value, builder.getFalse()) : value;
    Value* fits = builder.CreateICmpULT(magnitude, emitter.constant_i64(std::int64_t{1} << 53));
    value = builder.CreateSelect(fits, value, builder.CreateOr(high, sticky));
  }
  return emitter.target->narrow_float(convert(value, builder.getDoubleTy()), to);
}

}  // namespace

Value* emit_cast(Emitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  const ScalarType from = i.operands[0]->type.scalar, to = i.type.scalar;
  if (is_half_of_integer(i)) {
    const Instruction& inner = *i.operands[0];
    return integer_to_float(emitter, emitter.operand(inner, 0), inner.operands[0]->type.scalar, to);
  }
  Value* value = emitter.operand(i, 0);
  if (from == to) return value;
  if (is_float(from))
    return is_float(to) ? cast_float(emitter, value, *i.operands[0], to) : float_to_integer(emitter, value, from, to);
  if (to == ScalarType::Bool) return builder.CreateIsNotNull(value);
  if (is_float(to)) return integer_to_float(emitter, value, from, to);
  return builder.CreateIntCast(value, emitter.type_of(to), is_signed_integer(from));
}

Value* round_to_odd(Builder& builder, Value* value) {
  llvm::Type* i32 = builder.getInt32Ty();
  Value* nearest = builder.CreateFPTrunc(value, builder.getFloatTy());
  Value* back = builder.CreateFPExt(nearest, builder.getDoubleTy());
  Value* bits = builder.CreateBitCast(nearest, i32);
  Value* is_even = builder.CreateIsNull(builder.CreateAnd(bits, builder.getInt32(1)));
  Value* is_off = builder.CreateAnd(builder.CreateFCmpONE(back, value), is_even);
  Value* size = builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
  Value* is_beyond = builder.CreateFCmpOGT(builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back), size);
  Value* neighbour =
      builder.CreateAdd(bits, builder.CreateSelect(is_beyond, builder.getInt32(~0U), builder.getInt32(1)));
  return builder.CreateBitCast(builder.CreateSelect(is_off, neighbour, bits), builder.getFloatTy());
}

/// A bf16 is the upper half of the f32, and is moved there bit by bit: an fpext of it LLVM 22 may exchange for the f16
/// of the same value, in a product that is rounded to f16, though f16 lacks the large and the small ones.
Value* extend_float(Builder& builder, Value* value) {
  if (value->getType()->isHalfTy()) return builder.CreateFPExt(value, builder.getFloatTy());
  Value* bits = builder.CreateZExt(builder.CreateBitCast(value, builder.getInt16Ty()), builder.getInt32Ty());
  return builder.CreateBitCast(builder.CreateShl(bits, 16), builder.getFloatTy());
}

}  // namespace pykc::codegen
