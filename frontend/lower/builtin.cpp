// Calls of builtins. Almost all are one instruction; modf and frexp, which give two values, are spelled out here in
// arithmetic that is exact for every input.
#include "frontend/lower/builtin.h"

#include <cmath>

#include "frontend/lower/expr.h"
#include "frontend/lower/function.h"

namespace pykc::lowering {
namespace {

/// The lane itself is among the lanes that have the same value, if there are any.
Parts match_all(FunctionLowering& lowering, Parts arguments) {
  const ir::Type mask_type = ir::Type::of(ScalarType::U32);
  Instruction* lanes = lowering.build.builtin(BuiltinId::MatchAllSync, mask_type, std::move(arguments));
  return {lanes, lowering.build.emit(Opcode::Ne, {lanes, lowering.build.constant_int(ScalarType::U32, 0)})};
}

/// x - trunc(x) is exact. An infinite x has no fraction; 0 takes the sign of x.
Parts modf(FunctionLowering& lowering, Instruction* x) {
  Instruction* whole = lowering.build.builtin(BuiltinId::Trunc, x->type, {x});
  Instruction* is_infinite = lowering.build.builtin(BuiltinId::Isinf, ir::Type::of(ScalarType::Bool), {x});
  Instruction* rest = lowering.build.emit(Opcode::Sub, {x, whole});
  Instruction* fraction = lowering.build.select(is_infinite, lowering.build.constant_float(x->type.scalar, 0), rest);
  return {lowering.build.builtin(BuiltinId::Copysign, x->type, {fraction, x}), whole};
}

/// Takes the exponent out of the bits and puts that of 0.5 in its place. A subnormal is first scaled up; 0, infinities
/// and NaN are their own fraction, with exponent 0.
Parts frexp(FunctionLowering& lowering, Instruction* x) {
  const ScalarType type = x->type.scalar;
  const bool is_double = type == ScalarType::F64;
  const ScalarType bits_type = is_double ? ScalarType::U64 : ScalarType::U32;
  const int fraction_bits = is_double ? 52 : 23;
  const std::int64_t exponent_mask = is_double ? 0x7ff : 0xff;
  const std::int64_t half_exponent = exponent_mask / 2 - 1;
  const int scale = fraction_bits + 1;
  const auto bits_constant = [&](std::int64_t value) { return lowering.build.constant_int(bits_type, value); };
  const auto bits_of = [&](Instruction* value) {
    return lowering.build.emit_typed(Opcode::Bitcast, ir::Type::of(bits_type), {value});
  };
  const auto exponent_of = [&](Instruction* bits) {
    Instruction* shifted = lowering.build.emit(Opcode::Shr, {bits, bits_constant(fraction_bits)});
    return lowering.build.emit(Opcode::And, {shifted, bits_constant(exponent_mask)});
  };

  Instruction* given_exponent = exponent_of(bits_of(x));
  Instruction* is_tiny = lowering.build.emit(Opcode::Eq, {given_exponent, bits_constant(0)});
  Instruction* is_special = lowering.build.emit(Opcode::Eq, {given_exponent, bits_constant(exponent_mask)});
  Instruction* is_zero = lowering.build.emit(Opcode::Eq, {x, lowering.build.constant_float(type, 0)});
  Instruction* stays = lowering.build.emit(Opcode::Or, {is_special, is_zero});

  Instruction* scaled_up =
      lowering.build.emit(Opcode::Mul, {x, lowering.build.constant_float(type, std::ldexp(1.0, scale))});
  Instruction* bits = bits_of(lowering.build.select(is_tiny, scaled_up, x));
  Instruction* biased = lowering.build.cast(exponent_of(bits), ScalarType::I32);
  Instruction* bias =
      lowering.build.select(is_tiny, lowering.build.constant_int(ScalarType::I32, half_exponent + scale),
                            lowering.build.constant_int(ScalarType::I32, half_exponent));
  Instruction* exponent = lowering.build.emit(Opcode::Sub, {biased, bias});

  Instruction* kept = lowering.build.emit(Opcode::And, {bits, bits_constant(~(exponent_mask << fraction_bits))});
  Instruction* with_half = lowering.build.emit(Opcode::Or, {kept, bits_constant(half_exponent << fraction_bits)});
  Instruction* fraction = lowering.build.emit_typed(Opcode::Bitcast, x->type, {with_half});
  return {lowering.build.select(stays, x, fraction),
          lowering.build.select(stays, lowering.build.constant_int(ScalarType::I32, 0), exponent)};
}

}  // namespace

Parts lower(FunctionLowering& lowering, const checked::CallBuiltin& node, checked::Type type) {
  Parts arguments;
  for (const checked::ExprRef argument : node.arguments) arguments.push_back(scalar(lowering, argument));
  if (node.builtin == BuiltinId::Modf) return modf(lowering, arguments.front());
  if (node.builtin == BuiltinId::Frexp) return frexp(lowering, arguments.front());
  if (node.builtin == BuiltinId::MatchAllSync) return match_all(lowering, std::move(arguments));
  if (info(node.builtin).cpu.kind == Lowering::Kind::Bitcast)
    return {lowering.build.emit_typed(Opcode::Bitcast, ir::Type::of(type->scalar), {arguments.front()})};
  if (node.builtin == BuiltinId::Assume) {
    lowering.build.emit(Opcode::Assume, {arguments.front()});
    return {};
  }
  if (!type.is_scalar()) {
    lowering.build.builtin(node.builtin, ir::Type::none(), std::move(arguments));
    return {};
  }
  return {lowering.build.builtin(node.builtin, ir::Type::of(type->scalar), std::move(arguments))};
}

}  // namespace pykc::lowering
