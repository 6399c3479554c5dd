// Arithmetic and comparison with the language's rules: every operation is defined for every operand. LLVM leaves
// division by zero, MIN / -1 and long shifts undefined, so they are taken out of the way by selects that fold to
// nothing where an operand is constant or its range is known.
#include "codegen/emit/emitter.h"

namespace pykc::codegen {

Emitter::Value* Emitter::emit_arithmetic(const Instruction& i) {
  const ScalarType type = i.type.scalar;
  if (!is_float(type)) return emit_integer(i.opcode, type, operand(i, 0), operand(i, 1), i.no_wrap);
  return emit_rounded(i.opcode, type, operand(i, 0), operand(i, 1));
}

/// On f16 and bf16 as well. Division with floor always goes through f32 there, for it is made of several steps.
Emitter::Value* Emitter::emit_rounded(ir::Opcode opcode, ScalarType type, Value* a, Value* b) {
  const bool has_steps = opcode == ir::Opcode::FloorDiv || opcode == ir::Opcode::Mod;
  if (size_in_bytes(type) > 2 || !(has_steps || needs_wide_arithmetic(type))) return emit_float(opcode, a, b);
  return narrow_float(emit_float(opcode, widen_float(a), widen_float(b)), type);
}

Emitter::Value* Emitter::emit_integer(ir::Opcode opcode, ScalarType type, Value* a, Value* b, bool no_wrap) {
  using enum ir::Opcode;
  const bool is_signed = is_signed_integer(type);
  switch (opcode) {
    case Add:
      return builder_.CreateAdd(a, b, "", false, no_wrap);
    case Sub:
      return builder_.CreateSub(a, b, "", false, no_wrap);
    case Mul:
      return builder_.CreateMul(a, b, "", false, no_wrap);
    case FloorDiv:
      return floor_divide(a, b, is_signed);
    case Mod:
      return floor_modulo(a, b, is_signed);
    case And:
      return builder_.CreateAnd(a, b);
    case Or:
      return builder_.CreateOr(a, b);
    case Xor:
      return builder_.CreateXor(a, b);
    case Shl:
      return shift_left(a, b);
    default:
      return shift_right(a, b, is_signed);
  }
}

Emitter::Value* Emitter::emit_float(ir::Opcode opcode, Value* a, Value* b) {
  using enum ir::Opcode;
  switch (opcode) {
    case Add:
      return builder_.CreateFAdd(a, b);
    case Sub:
      return builder_.CreateFSub(a, b);
    case Mul:
      return builder_.CreateFMul(a, b);
    case Div:
      return builder_.CreateFDiv(a, b);
    case FloorDiv:
      return float_floor_divide(a, b);
    default:
      return float_modulo(a, b);
  }
}

/// The divisor, or 1 where the division has a result of its own: x // 0 is 0, and MIN // -1 is MIN, as MIN // 1.
Emitter::Value* Emitter::safe_divisor(Value* a, Value* b, bool is_signed) {
  llvm::Type* type = b->getType();
  Value* is_unsafe = builder_.CreateIsNull(b);
  if (is_signed) {
    llvm::Constant* smallest = builder_.getInt(llvm::APInt::getSignedMinValue(type->getIntegerBitWidth()));
    Value* overflows = builder_.CreateAnd(builder_.CreateICmpEQ(b, llvm::Constant::getAllOnesValue(type)),
                                          builder_.CreateICmpEQ(a, smallest));
    is_unsafe = builder_.CreateOr(is_unsafe, overflows);
  }
  return builder_.CreateSelect(is_unsafe, llvm::ConstantInt::get(type, 1), b);
}

/// Whether a truncated quotient is one too large: there is a remainder, and its sign is not the divisor's.
Emitter::Value* Emitter::needs_floor(Value* remainder, Value* divisor) {
  Value* signs_differ =
      builder_.CreateICmpSLT(builder_.CreateXor(remainder, divisor), llvm::ConstantInt::get(remainder->getType(), 0));
  return builder_.CreateAnd(builder_.CreateIsNotNull(remainder), signs_differ);
}

Emitter::Value* Emitter::floor_divide(Value* a, Value* b, bool is_signed) {
  llvm::Constant* zero = llvm::ConstantInt::get(b->getType(), 0);
  Value* divisor = safe_divisor(a, b, is_signed);
  Value* quotient = is_signed ? builder_.CreateSDiv(a, divisor) : builder_.CreateUDiv(a, divisor);
  if (is_signed) {
    Value* adjust = needs_floor(builder_.CreateSRem(a, divisor), divisor);
    quotient = builder_.CreateSub(quotient, builder_.CreateZExt(adjust, b->getType()));
  }
  return builder_.CreateSelect(builder_.CreateIsNull(b), zero, quotient);
}

Emitter::Value* Emitter::floor_modulo(Value* a, Value* b, bool is_signed) {
  llvm::Constant* zero = llvm::ConstantInt::get(b->getType(), 0);
  Value* divisor = safe_divisor(a, b, is_signed);
  Value* remainder = is_signed ? builder_.CreateSRem(a, divisor) : builder_.CreateURem(a, divisor);
  if (is_signed) {
    Value* adjust = needs_floor(remainder, divisor);
    remainder = builder_.CreateAdd(remainder, builder_.CreateSelect(adjust, divisor, zero));
  }
  return builder_.CreateSelect(builder_.CreateIsNull(b), zero, remainder);
}

/// Python's: the exact remainder, moved by the divisor where its sign is not the divisor's; 0 has the divisor's sign.
Emitter::Value* Emitter::float_modulo(Value* a, Value* b) {
  llvm::Constant* zero = llvm::ConstantFP::get(a->getType(), 0.0);
  Value* remainder = builder_.CreateCall(state_.math_function("fmod", a->getType()), {a, b});
  Value* signs_differ = builder_.CreateXor(builder_.CreateFCmpOLT(remainder, zero), builder_.CreateFCmpOLT(b, zero));
  Value* moved = builder_.CreateSelect(signs_differ, builder_.CreateFAdd(remainder, b), remainder);
  Value* signed_zero = builder_.CreateCopySign(zero, b);
  return builder_.CreateSelect(builder_.CreateFCmpOEQ(remainder, zero), signed_zero, moved);
}

/// NumPy's: the whole number nearest to (a - a % b) / b; by zero the plain quotient, infinite or NaN.
Emitter::Value* Emitter::float_floor_divide(Value* a, Value* b) {
  llvm::Constant* zero = llvm::ConstantFP::get(a->getType(), 0.0);
  llvm::Constant* one = llvm::ConstantFP::get(a->getType(), 1.0);
  llvm::Constant* half = llvm::ConstantFP::get(a->getType(), 0.5);
  Value* remainder = builder_.CreateCall(state_.math_function("fmod", a->getType()), {a, b});
  Value* quotient = builder_.CreateFDiv(builder_.CreateFSub(a, remainder), b);
  Value* signs_differ = builder_.CreateXor(builder_.CreateFCmpOLT(remainder, zero), builder_.CreateFCmpOLT(b, zero));
  Value* has_remainder = builder_.CreateFCmpUNE(remainder, zero);
  quotient = builder_.CreateSelect(builder_.CreateAnd(has_remainder, signs_differ), builder_.CreateFSub(quotient, one),
                                   quotient);
  Value* floored = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, quotient);
  Value* rounds_up = builder_.CreateFCmpOGT(builder_.CreateFSub(quotient, floored), half);
  Value* whole = builder_.CreateSelect(rounds_up, builder_.CreateFAdd(floored, one), floored);
  Value* plain = builder_.CreateFDiv(a, b);
  whole = builder_.CreateSelect(builder_.CreateFCmpOEQ(quotient, zero), builder_.CreateCopySign(zero, plain), whole);
  return builder_.CreateSelect(builder_.CreateFCmpOEQ(b, zero), plain, whole);
}

// A count outside the width, negative ones included, compares as a large unsigned number. The shift by such a count is
// poison, which the select does not let through.
Emitter::Value* Emitter::shift_left(Value* a, Value* count) {
  llvm::Type* type = a->getType();
  Value* fits = builder_.CreateICmpULT(count, llvm::ConstantInt::get(type, type->getIntegerBitWidth()));
  return builder_.CreateSelect(fits, builder_.CreateShl(a, count), llvm::ConstantInt::get(type, 0));
}

Emitter::Value* Emitter::shift_right(Value* a, Value* count, bool is_signed) {
  llvm::Type* type = a->getType();
  const unsigned width = type->getIntegerBitWidth();
  Value* fits = builder_.CreateICmpULT(count, llvm::ConstantInt::get(type, width));
  if (is_signed)
    return builder_.CreateAShr(a, builder_.CreateSelect(fits, count, llvm::ConstantInt::get(type, width - 1)));
  return builder_.CreateSelect(fits, builder_.CreateLShr(a, count), llvm::ConstantInt::get(type, 0));
}

Emitter::Value* Emitter::emit_negate(const Instruction& i) {
  return is_float(i.type.scalar) ? negate_float(operand(i, 0), i.type.scalar) : builder_.CreateNeg(operand(i, 0));
}

Emitter::Value* Emitter::negate_float(Value* value, ScalarType type) {
  return narrow(builder_.CreateFNeg(widen(value, type)), type);
}

Emitter::Value* Emitter::emit_fma(const Instruction& i) {
  const ScalarType type = i.type.scalar;
  Value *a = operand(i, 0), *b = operand(i, 1), *c = operand(i, 2);
  if (size_in_bytes(type) == 2 && !has_small_fma(type)) return small_fma(type, a, b, c);
  return builder_.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
}

/// In f64 the product of two small floats is exact. The sum may not be; the error of an addition can be computed, and
/// where there is one, the sum is moved to the neighbour whose last bit is set, so that the last rounding sees it.
Emitter::Value* Emitter::small_fma(ScalarType type, Value* a, Value* b, Value* c) {
  const auto widest = [&](Value* value) { return builder_.CreateFPExt(widen_float(value), builder_.getDoubleTy()); };
  Value* addend = widest(c);
  Value* product = builder_.CreateFMul(widest(a), widest(b));
  Value* sum = builder_.CreateFAdd(product, addend);
  Value* from_addend = builder_.CreateFSub(sum, product);
  Value* from_product = builder_.CreateFSub(sum, from_addend);
  Value* error =
      builder_.CreateFAdd(builder_.CreateFSub(product, from_product), builder_.CreateFSub(addend, from_addend));

  llvm::Constant* zero = llvm::ConstantFP::get(builder_.getDoubleTy(), 0.0);
  Value* bits = builder_.CreateBitCast(sum, builder_.getInt64Ty());
  Value* is_even = builder_.CreateIsNull(builder_.CreateAnd(bits, constant_i64(1)));
  Value* moves = builder_.CreateAnd(is_even, builder_.CreateFCmpONE(error, zero));
  Value* grows = builder_.CreateICmpEQ(builder_.CreateFCmpOGT(error, zero), builder_.CreateFCmpOGT(sum, zero));
  Value* neighbour = builder_.CreateAdd(bits, builder_.CreateSelect(grows, constant_i64(1), constant_i64(-1)));
  Value* odd = builder_.CreateBitCast(builder_.CreateSelect(moves, neighbour, bits), builder_.getDoubleTy());
  return narrow_float(odd, type);
}

Emitter::Value* Emitter::emit_compare(const Instruction& i) {
  using llvm::CmpInst;
  struct Predicates {
    CmpInst::Predicate of_float, of_signed, of_unsigned;
  };
  constexpr Predicates kPredicates[] = {
      {CmpInst::FCMP_OEQ, CmpInst::ICMP_EQ, CmpInst::ICMP_EQ},
      {CmpInst::FCMP_UNE, CmpInst::ICMP_NE, CmpInst::ICMP_NE},
      {CmpInst::FCMP_OLT, CmpInst::ICMP_SLT, CmpInst::ICMP_ULT},
      {CmpInst::FCMP_OLE, CmpInst::ICMP_SLE, CmpInst::ICMP_ULE},
      {CmpInst::FCMP_OGT, CmpInst::ICMP_SGT, CmpInst::ICMP_UGT},
      {CmpInst::FCMP_OGE, CmpInst::ICMP_SGE, CmpInst::ICMP_UGE},
  };
  static_assert(static_cast<int>(ir::Opcode::Ge) - static_cast<int>(ir::Opcode::Eq) + 1 == std::size(kPredicates));
  const Predicates& row = kPredicates[static_cast<int>(i.opcode) - static_cast<int>(ir::Opcode::Eq)];
  const ScalarType type = i.operands[0]->type.scalar;
  Value *a = operand(i, 0), *b = operand(i, 1);
  if (is_float(type)) return builder_.CreateFCmp(row.of_float, widen(a, type), widen(b, type));
  return builder_.CreateICmp(is_signed_integer(type) ? row.of_signed : row.of_unsigned, a, b);
}

Emitter::Value* Emitter::widen(Value* value, ScalarType type) {
  const bool is_small = type == ScalarType::F16 || type == ScalarType::BF16;
  return is_small && needs_wide_arithmetic(type) ? widen_float(value) : value;
}

Emitter::Value* Emitter::narrow(Value* value, ScalarType type) {
  return value->getType() == type_of(type) ? value : narrow_float(value, type);
}

}  // namespace pykc::codegen
