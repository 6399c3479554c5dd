// Every operation is defined for every operand. LLVM leaves division by zero, MIN / -1 and long shifts undefined, so
// they are taken out of the way by selects that fold to nothing where an operand is constant or its range is known.
#include "codegen/emit/arithmetic.h"

#include <algorithm>

namespace pykc::codegen {
namespace {

/// The divisor, or 1 where the division has a result of its own: x // 0 is 0, and MIN // -1 is MIN, as MIN // 1.
Value* safe_divisor(Builder& builder, Value* a, Value* b, bool is_signed) {
  llvm::Type* type = b->getType();
  Value* is_unsafe = builder.CreateIsNull(b);
  if (is_signed) {
    llvm::Constant* smallest = builder.getInt(llvm::APInt::getSignedMinValue(type->getIntegerBitWidth()));
    Value* overflows = builder.CreateAnd(builder.CreateICmpEQ(b, llvm::Constant::getAllOnesValue(type)),
                                         builder.CreateICmpEQ(a, smallest));
    is_unsafe = builder.CreateOr(is_unsafe, overflows);
  }
  return builder.CreateSelect(is_unsafe, llvm::ConstantInt::get(type, 1), b);
}

/// Whether a truncated quotient is one too large: there is a remainder, and its sign is not the divisor's.
Value* needs_floor(Builder& builder, Value* remainder, Value* divisor) {
  Value* signs_differ =
      builder.CreateICmpSLT(builder.CreateXor(remainder, divisor), llvm::ConstantInt::get(remainder->getType(), 0));
  return builder.CreateAnd(builder.CreateIsNotNull(remainder), signs_differ);
}

/// Python's: the exact remainder, moved by the divisor where its sign is not the divisor's; 0 has the divisor's sign.
Value* float_modulo(Emitter& emitter, Value* a, Value* b) {
  Builder& builder = emitter.builder;
  llvm::Constant* zero = llvm::ConstantFP::get(a->getType(), 0.0);
  Value* remainder = builder.CreateCall(emitter.state.math_function("fmod", a->getType()), {a, b});
  Value* signs_differ = builder.CreateXor(builder.CreateFCmpOLT(remainder, zero), builder.CreateFCmpOLT(b, zero));
  Value* moved = builder.CreateSelect(signs_differ, builder.CreateFAdd(remainder, b), remainder);
  Value* signed_zero = builder.CreateCopySign(zero, b);
  return builder.CreateSelect(builder.CreateFCmpOEQ(remainder, zero), signed_zero, moved);
}

/// NumPy's: the whole number nearest to (a - a % b) / b; by zero the plain quotient, infinite or NaN.
Value* float_floor_divide(Emitter& emitter, Value* a, Value* b) {
  Builder& builder = emitter.builder;
  llvm::Constant* zero = llvm::ConstantFP::get(a->getType(), 0.0);
  llvm::Constant* one = llvm::ConstantFP::get(a->getType(), 1.0);
  llvm::Constant* half = llvm::ConstantFP::get(a->getType(), 0.5);
  Value* remainder = builder.CreateCall(emitter.state.math_function("fmod", a->getType()), {a, b});
  Value* quotient = builder.CreateFDiv(builder.CreateFSub(a, remainder), b);
  Value* signs_differ = builder.CreateXor(builder.CreateFCmpOLT(remainder, zero), builder.CreateFCmpOLT(b, zero));
  Value* has_remainder = builder.CreateFCmpUNE(remainder, zero);
  quotient =
      builder.CreateSelect(builder.CreateAnd(has_remainder, signs_differ), builder.CreateFSub(quotient, one), quotient);
  Value* floored = builder.CreateUnaryIntrinsic(llvm::Intrinsic::floor, quotient);
  Value* rounds_up = builder.CreateFCmpOGT(builder.CreateFSub(quotient, floored), half);
  Value* whole = builder.CreateSelect(rounds_up, builder.CreateFAdd(floored, one), floored);
  Value* plain = builder.CreateFDiv(a, b);
  whole = builder.CreateSelect(builder.CreateFCmpOEQ(quotient, zero), builder.CreateCopySign(zero, plain), whole);
  return builder.CreateSelect(builder.CreateFCmpOEQ(b, zero), plain, whole);
}

// A count outside the width, negative ones included, compares as a large unsigned number. The shift by such a count is
// poison, which the select does not let through.
Value* shift_left(Builder& builder, Value* a, Value* count) {
  llvm::Type* type = a->getType();
  Value* fits = builder.CreateICmpULT(count, llvm::ConstantInt::get(type, type->getIntegerBitWidth()));
  return builder.CreateSelect(fits, builder.CreateShl(a, count), llvm::ConstantInt::get(type, 0));
}

Value* shift_right(Builder& builder, Value* a, Value* count, bool is_signed) {
  llvm::Type* type = a->getType();
  const unsigned width = type->getIntegerBitWidth();
  Value* fits = builder.CreateICmpULT(count, llvm::ConstantInt::get(type, width));
  if (is_signed)
    return builder.CreateAShr(a, builder.CreateSelect(fits, count, llvm::ConstantInt::get(type, width - 1)));
  return builder.CreateSelect(fits, builder.CreateLShr(a, count), llvm::ConstantInt::get(type, 0));
}

Value* emit_integer(Emitter& emitter, ir::Opcode opcode, ScalarType type, Value* a, Value* b, bool no_wrap) {
  Builder& builder = emitter.builder;
  using enum ir::Opcode;
  const bool is_signed = is_signed_integer(type);
  switch (opcode) {
    case Add:
      return builder.CreateAdd(a, b, "", false, no_wrap);
    case Sub:
      return builder.CreateSub(a, b, "", false, no_wrap);
    case Mul:
      return builder.CreateMul(a, b, "", false, no_wrap);
    case FloorDiv:
      return floor_divide(builder, a, b, is_signed);
    case Mod:
      return floor_modulo(builder, a, b, is_signed);
    case And:
      return builder.CreateAnd(a, b);
    case Or:
      return builder.CreateOr(a, b);
    case Xor:
      return builder.CreateXor(a, b);
    case Shl:
      return shift_left(builder, a, b);
    default:
      return shift_right(builder, a, b, is_signed);
  }
}

Value* float_operation(Emitter& emitter, ir::Opcode opcode, Value* a, Value* b) {
  Builder& builder = emitter.builder;
  using enum ir::Opcode;
  switch (opcode) {
    case Add:
      return builder.CreateFAdd(a, b);
    case Sub:
      return builder.CreateFSub(a, b);
    case Mul:
      return builder.CreateFMul(a, b);
    case Div:
      return builder.CreateFDiv(a, b);
    case FloorDiv:
      return float_floor_divide(emitter, a, b);
    default:
      return float_modulo(emitter, a, b);
  }
}

/// In f64 the product of two small floats is exact. The sum may not be; the error of an addition can be computed, and
/// where there is one, the sum is moved to the neighbour whose last bit is set, so that the last rounding sees it.
Value* small_fma(Emitter& emitter, ScalarType type, Value* a, Value* b, Value* c) {
  Builder& builder = emitter.builder;
  const auto widest = [&](Value* value) {
    return builder.CreateFPExt(emitter.target->widen_float(value), builder.getDoubleTy());
  };
  Value* addend = widest(c);
  Value* product = builder.CreateFMul(widest(a), widest(b));
  Value* sum = builder.CreateFAdd(product, addend);
  Value* from_addend = builder.CreateFSub(sum, product);
  Value* from_product = builder.CreateFSub(sum, from_addend);
  Value* error = builder.CreateFAdd(builder.CreateFSub(product, from_product), builder.CreateFSub(addend, from_addend));

  llvm::Constant* zero = llvm::ConstantFP::get(builder.getDoubleTy(), 0.0);
  Value* bits = builder.CreateBitCast(sum, builder.getInt64Ty());
  Value* is_even = builder.CreateIsNull(builder.CreateAnd(bits, emitter.constant_i64(1)));
  Value* moves = builder.CreateAnd(is_even, builder.CreateFCmpONE(error, zero));
  Value* grows = builder.CreateICmpEQ(builder.CreateFCmpOGT(error, zero), builder.CreateFCmpOGT(sum, zero));
  Value* neighbour =
      builder.CreateAdd(bits, builder.CreateSelect(grows, emitter.constant_i64(1), emitter.constant_i64(-1)));
  Value* odd = builder.CreateBitCast(builder.CreateSelect(moves, neighbour, bits), builder.getDoubleTy());
  return emitter.target->narrow_float(odd, type);
}

Value* extremum(Emitter& emitter, ScalarType type, llvm::Intrinsic::ID id, Value* a, Value* b) {
  if (!is_float(type)) return emitter.builder.CreateBinaryIntrinsic(id, a, b);
  return narrow(emitter, emitter.target->extreme(id, widen(emitter, a, type), widen(emitter, b, type)), type);
}

}  // namespace

Value* emit_arithmetic(Emitter& emitter, const Instruction& i) {
  const ScalarType type = i.type.scalar;
  if (!is_float(type))
    return emit_integer(emitter, i.opcode, type, emitter.operand(i, 0), emitter.operand(i, 1), i.no_wrap);
  return emit_float(emitter, i.opcode, type, emitter.operand(i, 0), emitter.operand(i, 1));
}

/// On f16 and bf16 as well. Division with floor always goes through f32 there, for it is made of several steps.
Value* emit_float(Emitter& emitter, ir::Opcode opcode, ScalarType type, Value* a, Value* b) {
  const bool has_steps = opcode == ir::Opcode::FloorDiv || opcode == ir::Opcode::Mod;
  if (size_in_bytes(type) > 2 || !(has_steps || emitter.target->needs_wide_arithmetic(type)))
    return float_operation(emitter, opcode, a, b);
  return emitter.target->narrow_float(
      float_operation(emitter, opcode, emitter.target->widen_float(a), emitter.target->widen_float(b)), type);
}

Value* floor_divide(Builder& builder, Value* a, Value* b, bool is_signed) {
  llvm::Constant* zero = llvm::ConstantInt::get(b->getType(), 0);
  Value* divisor = safe_divisor(builder, a, b, is_signed);
  Value* quotient = is_signed ? builder.CreateSDiv(a, divisor) : builder.CreateUDiv(a, divisor);
  if (is_signed) {
    Value* adjust = needs_floor(builder, builder.CreateSRem(a, divisor), divisor);
    quotient = builder.CreateSub(quotient, builder.CreateZExt(adjust, b->getType()));
  }
  return builder.CreateSelect(builder.CreateIsNull(b), zero, quotient);
}

Value* floor_modulo(Builder& builder, Value* a, Value* b, bool is_signed) {
  llvm::Constant* zero = llvm::ConstantInt::get(b->getType(), 0);
  Value* divisor = safe_divisor(builder, a, b, is_signed);
  Value* remainder = is_signed ? builder.CreateSRem(a, divisor) : builder.CreateURem(a, divisor);
  if (is_signed) {
    Value* adjust = needs_floor(builder, remainder, divisor);
    remainder = builder.CreateAdd(remainder, builder.CreateSelect(adjust, divisor, zero));
  }
  return builder.CreateSelect(builder.CreateIsNull(b), zero, remainder);
}

Value* minimum(Emitter& emitter, ScalarType type, Value* a, Value* b) {
  using namespace llvm::Intrinsic;
  return extremum(emitter, type, is_float(type) ? minimumnum : is_signed_integer(type) ? smin : umin, a, b);
}

Value* maximum(Emitter& emitter, ScalarType type, Value* a, Value* b) {
  using namespace llvm::Intrinsic;
  return extremum(emitter, type, is_float(type) ? maximumnum : is_signed_integer(type) ? smax : umax, a, b);
}

Value* emit_negate(Emitter& emitter, const Instruction& i) {
  return is_float(i.type.scalar) ? negate_float(emitter, emitter.operand(i, 0), i.type.scalar)
                                 : emitter.builder.CreateNeg(emitter.operand(i, 0));
}

Value* negate_float(Emitter& emitter, Value* value, ScalarType type) {
  return narrow(emitter, emitter.builder.CreateFNeg(widen(emitter, value, type)), type);
}

Value* emit_fma(Emitter& emitter, const Instruction& i) {
  const ScalarType type = i.type.scalar;
  Value *a = emitter.operand(i, 0), *b = emitter.operand(i, 1), *c = emitter.operand(i, 2);
  if (size_in_bytes(type) == 2 && !emitter.target->has_small_fma(type)) return small_fma(emitter, type, a, b, c);
  return emitter.builder.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
}

Value* emit_compare(Emitter& emitter, const Instruction& i) {
  Builder& builder = emitter.builder;
  using llvm::CmpInst;
  struct Predicates {
    ir::Opcode opcode;
    CmpInst::Predicate of_float, of_signed, of_unsigned;
  };
  constexpr Predicates kPredicates[] = {
      {ir::Opcode::Eq, CmpInst::FCMP_OEQ, CmpInst::ICMP_EQ, CmpInst::ICMP_EQ},
      {ir::Opcode::Ne, CmpInst::FCMP_UNE, CmpInst::ICMP_NE, CmpInst::ICMP_NE},
      {ir::Opcode::Lt, CmpInst::FCMP_OLT, CmpInst::ICMP_SLT, CmpInst::ICMP_ULT},
      {ir::Opcode::Le, CmpInst::FCMP_OLE, CmpInst::ICMP_SLE, CmpInst::ICMP_ULE},
      {ir::Opcode::Gt, CmpInst::FCMP_OGT, CmpInst::ICMP_SGT, CmpInst::ICMP_UGT},
      {ir::Opcode::Ge, CmpInst::FCMP_OGE, CmpInst::ICMP_SGE, CmpInst::ICMP_UGE},
  };
  const Predicates& row = *std::ranges::find(kPredicates, i.opcode, &Predicates::opcode);
  const ScalarType type = i.operands[0]->type.scalar;
  Value *a = emitter.operand(i, 0), *b = emitter.operand(i, 1);
  if (is_float(type)) return builder.CreateFCmp(row.of_float, widen(emitter, a, type), widen(emitter, b, type));
  return builder.CreateICmp(is_signed_integer(type) ? row.of_signed : row.of_unsigned, a, b);
}

Value* widen(Emitter& emitter, Value* value, ScalarType type) {
  const bool is_small = type == ScalarType::F16 || type == ScalarType::BF16;
  return is_small && emitter.target->needs_wide_arithmetic(type) ? emitter.target->widen_float(value) : value;
}

Value* narrow(Emitter& emitter, Value* value, ScalarType type) {
  return value->getType() == emitter.type_of(type) ? value : emitter.target->narrow_float(value, type);
}

}  // namespace pykc::codegen
