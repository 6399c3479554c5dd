#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <numbers>

#include "ir/evaluate/evaluate.h"
#include "ir/evaluate/floats.h"

namespace pykc::ir {
namespace {

using Operands = std::span<const Scalar>;

std::uint64_t reverse_bits(Operands operands) {
  const Scalar value = operands[0];
  std::uint64_t reversed = 0;
  for (int i = 0; i < size_in_bits(value.type); ++i) reversed = reversed << 1 | (value.bits >> i & 1);
  return reversed;
}

std::uint64_t count_leading_zeros(Scalar value) {
  return static_cast<std::uint64_t>(std::countl_zero(value.bits) - (64 - size_in_bits(value.type)));
}

std::uint64_t find_first_set(Scalar value) {
  return value.bits == 0 ? 0 : static_cast<std::uint64_t>(std::countr_zero(value.bits) + 1);
}

std::uint64_t absolute(Operands operands) {
  const Scalar value = operands[0];
  if (is_float(value.type)) return value.bits & ~sign_bit(value.type);
  const std::int64_t number = integer_from_bits(value.type, value.bits);
  if (!is_signed_integer(value.type) || number >= 0) return value.bits;
  return wrap_into(value.type, 0 - static_cast<std::uint64_t>(number));
}

std::uint64_t with_sign_of(Operands operands) {
  return absolute(operands) | (operands[1].bits & sign_bit(operands[1].type));
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

std::uint64_t upper_half_of_product(Scalar a, Scalar b) {
  __extension__ using Wide = __int128;
  __extension__ using UnsignedWide = unsigned __int128;
  if (!is_signed_integer(a.type))
    return static_cast<std::uint64_t>((static_cast<UnsignedWide>(a.bits) * b.bits) >> size_in_bits(a.type));
  const Wide product = static_cast<Wide>(integer_from_bits(a.type, a.bits)) * integer_from_bits(b.type, b.bits);
  return wrap_into(a.type, static_cast<std::uint64_t>(product >> size_in_bits(a.type)));
}

std::uint64_t permute_bytes(std::uint64_t low, std::uint64_t high, std::uint64_t selector) {
  const std::uint64_t bytes = high << 32 | low;
  std::uint64_t result = 0;
  for (int i = 0; i < 4; ++i) result |= (bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
  return result;
}

std::uint64_t funnel_shift(BuiltinId builtin, std::uint64_t low, std::uint64_t high, std::uint64_t shift) {
  const bool clamps = builtin == BuiltinId::FunnelshiftLc || builtin == BuiltinId::FunnelshiftRc;
  const bool is_left = builtin == BuiltinId::FunnelshiftL || builtin == BuiltinId::FunnelshiftLc;
  const std::uint64_t count = clamps ? std::min<std::uint64_t>(shift, 32) : shift % 32;
  const std::uint64_t words = high << 32 | low;
  return (is_left ? words << count >> 32 : words >> count) & 0xffffffff;
}

/// Part `index` of a word, of `width` bits, signed or unsigned as the word is.
std::int64_t part_of(Scalar word, int index, int width) {
  const auto bits = static_cast<std::int64_t>(word.bits >> width * index & ((std::uint64_t{1} << width) - 1));
  const bool is_negative = is_signed_integer(word.type) && (bits >> (width - 1)) != 0;
  return is_negative ? bits - (std::int64_t{1} << width) : bits;
}

/// `c` plus the products of the parts of `a`, each of `width` bits, and as many bytes of `b` from `first` on.
std::uint64_t dot_product(Operands operands, int width, int first) {
  std::int64_t sum = integer_from_bits(operands[2].type, operands[2].bits);
  for (int i = 0; i < 32 / width; ++i) sum += part_of(operands[0], i, width) * part_of(operands[1], first + i, 8);
  return wrap_into(operands[2].type, static_cast<std::uint64_t>(sum));
}

/// What the function of an INTRINSIC row computes: one of a float in the type of its operand, the others on bits.
template <typename Function>
std::uint64_t compute(Operands operands, Function function) {
  if constexpr (std::invocable<Function, double>)
    return compute_float(operands, [&](auto x, auto, auto) { return function(x); });
  else
    return function(operands);
}

}  // namespace

std::optional<std::uint64_t> evaluate(BuiltinId builtin, Operands operands) {
  switch (builtin) {
#define BUILTIN(id, name, signature, effect, doc, nvptx, cpu, reach)
#define INTRINSIC(id, name, signature, doc, intrinsic, function, reach) \
  case BuiltinId::id:                                                   \
    return compute(operands, [](auto x) -> decltype(function(x)) { return function(x); });
#include "stdlib/builtins.def"
    case BuiltinId::WarpSize:
      return 32;
    case BuiltinId::CudaArch:  // where a GPU is meant, resolve_target has put its number in place of this
    case BuiltinId::CudaArchSpecific:
      return 0;
    case BuiltinId::Popc:
      return static_cast<std::uint64_t>(std::popcount(operands[0].bits));
    case BuiltinId::Clz:
      return count_leading_zeros(operands[0]);
    case BuiltinId::Ffs:
      return find_first_set(operands[0]);
    case BuiltinId::Mulhi:
      return upper_half_of_product(operands[0], operands[1]);
    case BuiltinId::BytePerm:
      return permute_bytes(operands[0].bits, operands[1].bits, operands[2].bits);
    case BuiltinId::FunnelshiftL:
    case BuiltinId::FunnelshiftLc:
    case BuiltinId::FunnelshiftR:
    case BuiltinId::FunnelshiftRc:
      return funnel_shift(builtin, operands[0].bits, operands[1].bits, operands[2].bits);
    case BuiltinId::Dp4a:
      return dot_product(operands, 8, 0);
    case BuiltinId::Dp2aLo:
      return dot_product(operands, 16, 0);
    case BuiltinId::Dp2aHi:
      return dot_product(operands, 16, 2);
    case BuiltinId::Likely:
    case BuiltinId::Unlikely:
      return operands[0].bits;
    case BuiltinId::Abs:
      return absolute(operands);
    case BuiltinId::Min:
      return smaller(operands[0], operands[1]);
    case BuiltinId::Max:
      return larger(operands[0], operands[1]);
    case BuiltinId::Selp:
      return operands[0].bits != 0 ? operands[1].bits : operands[2].bits;
    case BuiltinId::PowInt:
      return integer_power(operands[0], operands[1]);
    case BuiltinId::Degrees:
      return compute_float(operands,
                           [](auto x, auto, auto) { return x * static_cast<decltype(x)>(180 / std::numbers::pi); });
    case BuiltinId::Radians:
      return compute_float(operands,
                           [](auto x, auto, auto) { return x * static_cast<decltype(x)>(std::numbers::pi / 180); });
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
