// Calls of builtins. Almost all are one instruction; modf and frexp, which give two values, are spelled out here in
// arithmetic that is exact for every input.
#include <cmath>

#include "frontend/lower/function.h"

namespace pykc::lowering {

Parts FunctionLowering::lower(const checked::CallBuiltin& node, const checked::Type& type) {
  Parts arguments;
  for (const checked::ExprRef argument : node.arguments) arguments.push_back(scalar(argument));
  if (node.builtin == BuiltinId::Modf) return modf(arguments.front());
  if (node.builtin == BuiltinId::Frexp) return frexp(arguments.front());
  if (node.builtin == BuiltinId::MatchAllSync) return match_all(std::move(arguments));
  if (info(node.builtin).cpu.kind == Lowering::Kind::Bitcast)
    return {b_.emit_typed(Opcode::Bitcast, ir::Type::of(type.scalar), {arguments.front()})};
  if (node.builtin == BuiltinId::Assume) {
    b_.emit(Opcode::Assume, {arguments.front()});
    return {};
  }
  if (!type.is_scalar()) {
    b_.builtin(node.builtin, ir::Type::none(), std::move(arguments));
    return {};
  }
  return {b_.builtin(node.builtin, ir::Type::of(type.scalar), std::move(arguments))};
}

/// The lane itself is among the lanes that have the same value, if there are any.
Parts FunctionLowering::match_all(Parts arguments) {
  const ir::Type mask_type = ir::Type::of(ScalarType::U32);
  Instruction* lanes = b_.builtin(BuiltinId::MatchAllSync, mask_type, std::move(arguments));
  return {lanes, b_.emit(Opcode::Ne, {lanes, b_.constant_int(ScalarType::U32, 0)})};
}

/// x - trunc(x) is exact. An infinite x has no fraction; 0 takes the sign of x.
Parts FunctionLowering::modf(Instruction* x) {
  Instruction* whole = b_.builtin(BuiltinId::Trunc, x->type, {x});
  Instruction* is_infinite = b_.builtin(BuiltinId::Isinf, ir::Type::of(ScalarType::Bool), {x});
  Instruction* rest = b_.emit(Opcode::Sub, {x, whole});
  Instruction* fraction = b_.select(is_infinite, b_.constant_float(x->type.scalar, 0), rest);
  return {b_.builtin(BuiltinId::Copysign, x->type, {fraction, x}), whole};
}

/// Takes the exponent out of the bits and puts that of 0.5 in its place. A subnormal is first scaled up; 0, infinities
/// and NaN are their own fraction, with exponent 0.
Parts FunctionLowering::frexp(Instruction* x) {
  const ScalarType type = x->type.scalar;
  const bool is_double = type == ScalarType::F64;
  const ScalarType bits_type = is_double ? ScalarType::U64 : ScalarType::U32;
  const int fraction_bits = is_double ? 52 : 23;
  const std::int64_t exponent_mask = is_double ? 0x7ff : 0xff;
  const std::int64_t half_exponent = exponent_mask / 2 - 1;
  const int scale = fraction_bits + 1;
  const auto bits_constant = [&](std::int64_t value) { return b_.constant_int(bits_type, value); };
  const auto bits_of = [&](Instruction* value) {
    return b_.emit_typed(Opcode::Bitcast, ir::Type::of(bits_type), {value});
  };
  const auto exponent_of = [&](Instruction* bits) {
    Instruction* shifted = b_.emit(Opcode::Shr, {bits, bits_constant(fraction_bits)});
    return b_.emit(Opcode::And, {shifted, bits_constant(exponent_mask)});
  };

  Instruction* given_exponent = exponent_of(bits_of(x));
  Instruction* is_tiny = b_.emit(Opcode::Eq, {given_exponent, bits_constant(0)});
  Instruction* is_special = b_.emit(Opcode::Eq, {given_exponent, bits_constant(exponent_mask)});
  Instruction* is_zero = b_.emit(Opcode::Eq, {x, b_.constant_float(type, 0)});
  Instruction* stays = b_.emit(Opcode::Or, {is_special, is_zero});

  Instruction* scaled_up = b_.emit(Opcode::Mul, {x, b_.constant_float(type, std::ldexp(1.0, scale))});
  Instruction* bits = bits_of(b_.select(is_tiny, scaled_up, x));
  Instruction* biased = b_.cast(exponent_of(bits), ScalarType::I32);
  Instruction* bias = b_.select(is_tiny, b_.constant_int(ScalarType::I32, half_exponent + scale),
                                b_.constant_int(ScalarType::I32, half_exponent));
  Instruction* exponent = b_.emit(Opcode::Sub, {biased, bias});

  Instruction* kept = b_.emit(Opcode::And, {bits, bits_constant(~(exponent_mask << fraction_bits))});
  Instruction* with_half = b_.emit(Opcode::Or, {kept, bits_constant(half_exponent << fraction_bits)});
  Instruction* fraction = b_.emit_typed(Opcode::Bitcast, x->type, {with_half});
  return {b_.select(stays, x, fraction), b_.select(stays, b_.constant_int(ScalarType::I32, 0), exponent)};
}

}  // namespace pykc::lowering
