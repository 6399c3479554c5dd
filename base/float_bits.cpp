#include "base/float_bits.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace pykc {
namespace {

/// A float of 8 or 16 bits: a sign, the exponent, the fraction.
struct Format {
  int exponent_bits;
  int fraction_bits;
  /// Of 8 bits: what is too large becomes the largest number, and every NaN the same one. e4m3 has no infinity; all but
  /// the last number of its highest exponent are finite.
  std::uint64_t largest = 0;
  bool saturates() const { return largest != 0; }
  std::uint64_t sign_bit() const { return std::uint64_t{1} << (exponent_bits + fraction_bits); }
  int minimum_exponent() const { return 2 - (1 << (exponent_bits - 1)); }
  std::uint64_t infinity() const { return ((std::uint64_t{1} << exponent_bits) - 1) << fraction_bits; }
  bool is_nan(std::uint64_t magnitude) const { return magnitude > std::max(largest, infinity()); }
};
constexpr Format kF16{5, 10};
constexpr Format kBF16{8, 7};
constexpr Format kF8E4M3{4, 3, 0x7e};
constexpr Format kF8E5M2{5, 2, 0x7b};

double widen_from(Format format, std::uint64_t bits) {
  const std::uint64_t fraction_mask = (std::uint64_t{1} << format.fraction_bits) - 1;
  const std::uint64_t magnitude = bits & (format.sign_bit() - 1);
  double value = 0;
  if (format.is_nan(magnitude)) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (magnitude == format.infinity() && magnitude > format.largest) {
    value = std::numeric_limits<double>::infinity();
  } else {
    const int exponent = static_cast<int>(magnitude >> format.fraction_bits);
    const std::uint64_t fraction = magnitude & fraction_mask;
    const std::uint64_t units = exponent == 0 ? fraction : fraction + fraction_mask + 1;
    value = std::ldexp(static_cast<double>(units),
                       std::max(exponent - 1, 0) + format.minimum_exponent() - format.fraction_bits);
  }
  return (bits & format.sign_bit()) != 0 ? -value : value;
}

std::uint64_t round_into(Format format, double value) {
  const std::uint64_t sign = std::signbit(value) ? format.sign_bit() : 0;
  if (std::isnan(value) && format.saturates()) return format.sign_bit() - 1;
  if (std::isnan(value)) return sign | format.infinity() | std::uint64_t{1} << (format.fraction_bits - 1);
  const double magnitude = std::fabs(value);
  const int minimum = format.minimum_exponent();
  if (format.saturates()) {
    if (magnitude >= widen_from(format, format.largest)) return sign | format.largest;
  } else if (magnitude >= std::ldexp(1.0, 2 - minimum)) {
    return sign | format.infinity();
  }
  // In units of the last place the number is whole; a carry out of the fraction steps the exponent as it should.
  const int exponent = magnitude == 0 ? minimum : std::max(std::ilogb(magnitude), minimum);
  const auto units = static_cast<std::uint64_t>(std::nearbyint(std::ldexp(magnitude, format.fraction_bits - exponent)));
  return sign | ((static_cast<std::uint64_t>(exponent - minimum) << format.fraction_bits) + units);
}

}  // namespace

std::uint64_t float_to_bits(ScalarType type, double value) {
  switch (type) {
    case ScalarType::F16:
      return round_into(kF16, value);
    case ScalarType::BF16:
      return round_into(kBF16, value);
    case ScalarType::F8E4M3:
      return round_into(kF8E4M3, value);
    case ScalarType::F8E5M2:
      return round_into(kF8E5M2, value);
    case ScalarType::F32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    default:
      return std::bit_cast<std::uint64_t>(value);
  }
}

double float_from_bits(ScalarType type, std::uint64_t bits) {
  switch (type) {
    case ScalarType::F16:
      return widen_from(kF16, bits);
    case ScalarType::BF16:
      return widen_from(kBF16, bits);
    case ScalarType::F8E4M3:
      return widen_from(kF8E4M3, bits);
    case ScalarType::F8E5M2:
      return widen_from(kF8E5M2, bits);
    case ScalarType::F32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    default:
      return std::bit_cast<double>(bits);
  }
}

}  // namespace pykc
