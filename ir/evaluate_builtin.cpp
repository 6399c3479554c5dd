#include <bit>
#include <cmath>
#include <numbers>

#include "ir/evaluate.h"
#include "ir/evaluate_float.h"

namespace pykc::ir {
namespace {

int width_of(ScalarType type) { return 8 * size_in_bytes(type); }

std::uint64_t reverse_bits(Scalar value) {
  std::uint64_t reversed = 0;
  for (int i = 0; i < width_of(value.type); ++i) reversed = reversed << 1 | (value.bits >> i & 1);
  return reversed;
}

std::uint64_t count_leading_zeros(Scalar value) {
  return static_cast<std::uint64_t>(std::countl_zero(value.bits) - (64 - width_of(value.type)));
}

std::uint64_t find_first_set(Scalar value) {
  return value.bits == 0 ? 0 : static_cast<std::uint64_t>(std::countr_zero(value.bits) + 1);
}

std::uint64_t absolute(Scalar value) {
  if (is_float(value.type)) return value.bits & ~sign_bit(value.type);
  const std::int64_t number = integer_from_bits(value.type, value.bits);
  if (!is_signed_integer(value.type) || number >= 0) return value.bits;
  return wrap_into(value.type, 0 - static_cast<std::uint64_t>(number));
}

bool is_less(Scalar a, Scalar b) {
  if (is_signed_integer(a.type)) return integer_from_bits(a.type, a.bits) < integer_from_bits(b.type, b.bits);
  if (!is_float(a.type)) return a.bits < b.bits;
  const double x = float_from_bits(a.type, a.bits), y = float_from_bits(b.type, b.bits);
  return x < y || (x == y && std::signbit(x) && !std::signbit(y));
}

bool is_nan(Scalar value) { return is_float(value.type) && std::isnan(float_from_bits(value.type, value.bits)); }

std::uint64_t smaller(Scalar a, Scalar b) {
  if (is_nan(a)) return b.bits;
  if (is_nan(b)) return a.bits;
  return is_less(b, a) ? b.bits : a.bits;
}

std::uint64_t larger(Scalar a, Scalar b) {
  if (is_nan(a)) return b.bits;
  if (is_nan(b)) return a.bits;
  return is_less(a, b) ? b.bits : a.bits;
}

std::uint64_t integer_power(Scalar base, Scalar exponent) {
  const std::int64_t x = integer_from_bits(base.type, base.bits);
  const std::int64_t y = integer_from_bits(exponent.type, exponent.bits);
  if (is_signed_integer(exponent.type) && y < 0 && x != 1 && x != -1) return 0;
  std::uint64_t result = 1;
  auto square = static_cast<std::uint64_t>(x);
  // A negative exponent of 1 or -1 has the parity of its bits, which is all that counts there.
  for (auto rest = static_cast<std::uint64_t>(y); rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) result *= square;
    square *= square;
  }
  return wrap_into(base.type, result);
}

}  // namespace

std::optional<std::uint64_t> evaluate(BuiltinId builtin, std::span<const Scalar> operands) {
  switch (builtin) {
    case BuiltinId::WarpSize:
      return 32;
    case BuiltinId::Popc:
      return static_cast<std::uint64_t>(std::popcount(operands[0].bits));
    case BuiltinId::Clz:
      return count_leading_zeros(operands[0]);
    case BuiltinId::Ffs:
      return find_first_set(operands[0]);
    case BuiltinId::Brev:
      return reverse_bits(operands[0]);
    case BuiltinId::Abs:
    case BuiltinId::Fabs:
      return absolute(operands[0]);
    case BuiltinId::Min:
      return smaller(operands[0], operands[1]);
    case BuiltinId::Max:
      return larger(operands[0], operands[1]);
    case BuiltinId::Selp:
      return operands[0].bits != 0 ? operands[1].bits : operands[2].bits;
    case BuiltinId::PowInt:
      return integer_power(operands[0], operands[1]);
    case BuiltinId::Round:
      return compute_float(operands, [](auto x, auto, auto) { return std::nearbyint(x); });
    case BuiltinId::Sqrt:
      return compute_float(operands, [](auto x, auto, auto) { return std::sqrt(x); });
    case BuiltinId::Floor:
      return compute_float(operands, [](auto x, auto, auto) { return std::floor(x); });
    case BuiltinId::Ceil:
      return compute_float(operands, [](auto x, auto, auto) { return std::ceil(x); });
    case BuiltinId::Trunc:
      return compute_float(operands, [](auto x, auto, auto) { return std::trunc(x); });
    case BuiltinId::Fma:
      return compute_float(operands, [](auto x, auto y, auto z) { return std::fma(x, y, z); });
    case BuiltinId::Degrees:
      return compute_float(operands,
                           [](auto x, auto, auto) { return x * static_cast<decltype(x)>(180 / std::numbers::pi); });
    case BuiltinId::Radians:
      return compute_float(operands,
                           [](auto x, auto, auto) { return x * static_cast<decltype(x)>(std::numbers::pi / 180); });
    case BuiltinId::Copysign:
      return absolute(operands[0]) | (operands[1].bits & sign_bit(operands[1].type));
    case BuiltinId::Isnan:
      return is_nan(operands[0]);
    case BuiltinId::Isinf:
      return std::isinf(float_from_bits(operands[0].type, operands[0].bits));
    case BuiltinId::Isfinite:
      return std::isfinite(float_from_bits(operands[0].type, operands[0].bits));
    default:
      return std::nullopt;
  }
}

}  // namespace pykc::ir
