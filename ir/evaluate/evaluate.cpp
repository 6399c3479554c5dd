#include "ir/evaluate/evaluate.h"

#include <cmath>
#include <limits>

#include "base/float_bits.h"
#include "ir/evaluate/floats.h"

namespace pykc::ir {
namespace {

template <typename T>
bool relation(Opcode opcode, T a, T b) {
  switch (opcode) {
    case Opcode::Eq:
      return a == b;
    case Opcode::Ne:
      return a != b;
    case Opcode::Lt:
      return a < b;
    case Opcode::Le:
      return a <= b;
    case Opcode::Gt:
      return a > b;
    default:
      return a >= b;
  }
}

std::uint64_t compare(Opcode opcode, Scalar a, Scalar b) {
  if (is_float(a.type)) return relation(opcode, float_from_bits(a.type, a.bits), float_from_bits(b.type, b.bits));
  if (!is_signed_integer(a.type)) return relation(opcode, a.bits, b.bits);
  return relation(opcode, integer_from_bits(a.type, a.bits), integer_from_bits(b.type, b.bits));
}

std::uint64_t floor_divide(ScalarType type, std::uint64_t a, std::uint64_t b) {
  if (b == 0) return 0;
  if (!is_signed_integer(type)) return a / b;
  const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
  if (y == -1) return 0 - a;
  return static_cast<std::uint64_t>(x / y - (x % y != 0 && (x < 0) != (y < 0)));
}

std::uint64_t shift_right(ScalarType type, std::uint64_t value, std::uint64_t count) {
  const bool is_negative = is_signed_integer(type) && static_cast<std::int64_t>(value) < 0;
  if (count >= static_cast<std::uint64_t>(size_in_bits(type))) return is_negative ? ~std::uint64_t{0} : 0;
  return is_negative ? ~(~value >> count) : value >> count;
}

/// On operands extended to 64 bits; the caller wraps the result. A negative shift count is a huge one here.
std::optional<std::uint64_t> compute_integer(Opcode opcode, ScalarType type, std::uint64_t a, std::uint64_t b) {
  switch (opcode) {
    case Opcode::Add:
      return a + b;
    case Opcode::Sub:
      return a - b;
    case Opcode::Mul:
      return a * b;
    case Opcode::FloorDiv:
      return floor_divide(type, a, b);
    case Opcode::Mod:
      return b == 0 ? 0 : a - floor_divide(type, a, b) * b;
    case Opcode::Neg:
      return 0 - a;
    case Opcode::And:
      return a & b;
    case Opcode::Or:
      return a | b;
    case Opcode::Xor:
      return a ^ b;
    case Opcode::Not:
      return ~a;
    case Opcode::Shl:
      return b >= static_cast<std::uint64_t>(size_in_bits(type)) ? 0 : a << b;
    case Opcode::Shr:
      return shift_right(type, a, b);
    default:
      return std::nullopt;
  }
}

std::optional<std::uint64_t> integer_arithmetic(Opcode opcode, std::span<const Scalar> operands) {
  const ScalarType type = operands[0].type;
  const auto extended = [&](std::size_t i) {
    return i < operands.size() ? static_cast<std::uint64_t>(integer_from_bits(type, operands[i].bits)) : 0;
  };
  const std::optional<std::uint64_t> result = compute_integer(opcode, type, extended(0), extended(1));
  if (!result) return std::nullopt;
  return wrap_into(type, *result);
}

template <typename Float>
Float python_remainder(Float a, Float b) {
  const Float remainder = std::fmod(a, b);
  if (b == 0 || std::isnan(remainder)) return remainder;
  if (remainder == 0) return std::copysign(Float{0}, b);
  return (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

template <typename Float>
Float python_floor_divide(Float a, Float b) {
  if (b == 0) return a / b;
  const Float remainder = std::fmod(a, b);
  Float quotient = (a - remainder) / b;
  if (remainder != 0 && (remainder < 0) != (b < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(Float{0}, a / b);
  // The quotient is whole but for a rounding error.
  const Float floored = std::floor(quotient);
  return quotient - floored > Float{0.5} ? floored + 1 : floored;
}

std::optional<std::uint64_t> float_arithmetic(Opcode opcode, std::span<const Scalar> operands) {
  switch (opcode) {
    case Opcode::Add:
      return compute_float(operands, [](auto a, auto b, auto) { return a + b; });
    case Opcode::Sub:
      return compute_float(operands, [](auto a, auto b, auto) { return a - b; });
    case Opcode::Mul:
      return compute_float(operands, [](auto a, auto b, auto) { return a * b; });
    case Opcode::Div:
      return compute_float(operands, [](auto a, auto b, auto) { return a / b; });
    case Opcode::FloorDiv:
      return compute_float(operands, [](auto a, auto b, auto) { return python_floor_divide(a, b); });
    case Opcode::Mod:
      return compute_float(operands, [](auto a, auto b, auto) { return python_remainder(a, b); });
    case Opcode::Fma:
      return fused_multiply_add(operands);
    case Opcode::Neg:
      return operands[0].bits ^ sign_bit(operands[0].type);
    default:
      return std::nullopt;
  }
}

/// The magnitude as a double that rounds as the magnitude itself does to any type of up to 51 bits: what does not fit
/// leaves a trace in the last bit ("round to odd").
double round_to_odd(std::uint64_t magnitude) {
  int shift = 0;
  while (magnitude >> 53 != 0) {
    magnitude = magnitude >> 1 | (magnitude & 1);
    ++shift;
  }
  return std::ldexp(static_cast<double>(magnitude), shift);
}

std::uint64_t integer_to_float(Scalar value, ScalarType to) {
  const std::int64_t number = integer_from_bits(value.type, value.bits);
  const bool is_negative = is_signed_integer(value.type) && number < 0;
  const std::uint64_t magnitude = is_negative ? 0 - static_cast<std::uint64_t>(number) : value.bits;
  const double rounded = to == ScalarType::F64 ? static_cast<double>(magnitude) : round_to_odd(magnitude);
  return float_to_bits(to, is_negative ? -rounded : rounded);
}

template <typename Integer>
std::uint64_t saturate(double value) {
  using Limits = std::numeric_limits<Integer>;
  if (std::isnan(value)) return 0;
  const double end = std::ldexp(1.0, Limits::digits);  // one more than the largest
  if (value >= end) return static_cast<std::uint64_t>(Limits::max());
  if (value <= static_cast<double>(Limits::min())) return static_cast<std::uint64_t>(Limits::min());
  return static_cast<std::uint64_t>(static_cast<Integer>(value));
}

std::uint64_t float_to_integer(double value, ScalarType to) {
  switch (to) {
    case ScalarType::I8:
      return saturate<std::int8_t>(value);
    case ScalarType::I16:
      return saturate<std::int16_t>(value);
    case ScalarType::I32:
      return saturate<std::int32_t>(value);
    case ScalarType::I64:
      return saturate<std::int64_t>(value);
    case ScalarType::U8:
      return saturate<std::uint8_t>(value);
    case ScalarType::U16:
      return saturate<std::uint16_t>(value);
    case ScalarType::U32:
      return saturate<std::uint32_t>(value);
    default:
      return saturate<std::uint64_t>(value);
  }
}

std::uint64_t cast(Scalar value, ScalarType to) {
  if (!is_float(value.type)) {
    if (to == ScalarType::Bool) return value.bits != 0;
    if (is_float(to)) return integer_to_float(value, to);
    return wrap_into(to, static_cast<std::uint64_t>(integer_from_bits(value.type, value.bits)));
  }
  const double number = float_from_bits(value.type, value.bits);
  if (to == ScalarType::Bool) return number != 0;
  if (is_float(to)) return round_float(to, number);
  return wrap_into(to, float_to_integer(number, to));
}

}  // namespace

std::uint64_t wrap_into(ScalarType type, std::uint64_t value) {
  if (type == ScalarType::Bool) return value & 1;
  return value & ~std::uint64_t{0} >> (64 - size_in_bits(type));
}

std::int64_t integer_from_bits(ScalarType type, std::uint64_t bits) {
  if (!is_signed_integer(type)) return static_cast<std::int64_t>(bits);
  const int unused = 64 - size_in_bits(type);
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

std::optional<std::uint64_t> evaluate(Opcode opcode, ScalarType result, std::span<const Scalar> operands) {
  switch (opcode) {
    case Opcode::Eq:
    case Opcode::Ne:
    case Opcode::Lt:
    case Opcode::Le:
    case Opcode::Gt:
    case Opcode::Ge:
      return compare(opcode, operands[0], operands[1]);
    case Opcode::Select:
      return operands[0].bits != 0 ? operands[1].bits : operands[2].bits;
    case Opcode::Cast:
      return cast(operands[0], result);
    case Opcode::Bitcast:
      return operands[0].bits;
    default:
      if (operands.empty()) return std::nullopt;
      return is_float(operands[0].type) ? float_arithmetic(opcode, operands) : integer_arithmetic(opcode, operands);
  }
}

}  // namespace pykc::ir
