// Shared by the files that implement evaluate.h: computing on floats of any type.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "base/float_bits.h"
#include "ir/evaluate/evaluate.h"

namespace pykc::ir {

inline std::uint64_t sign_bit(ScalarType type) { return std::uint64_t{1} << (size_in_bits(type) - 1); }

/// `value` rounded into `type`; every NaN becomes the same one.
inline std::uint64_t round_float(ScalarType type, double value) {
  return float_to_bits(type, std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value);
}

/// The result of `operation` on up to three floats of one type: in double for f64, else in float, then rounded.
template <typename Operation>
std::uint64_t compute_float(std::span<const Scalar> operands, Operation operation) {
  const ScalarType type = operands[0].type;
  const auto value = [&](std::size_t i) { return i < operands.size() ? float_from_bits(type, operands[i].bits) : 0.0; };
  if (type == ScalarType::F64) return round_float(type, operation(value(0), value(1), value(2)));
  const auto narrow = [&](std::size_t i) { return static_cast<float>(value(i)); };
  return round_float(type, operation(narrow(0), narrow(1), narrow(2)));
}

/// In f64 the product of two 16-bit floats is exact, and so is the error of the sum. A sum that is not exact moves to
/// the neighbour whose last bit is set ("round to odd"), so that the rounding to 16 bits sees that something is
/// missing.
inline double add_round_to_odd(double a, double b) {
  const double sum = a + b, from_b = sum - a;
  const double error = (a - (sum - from_b)) + (b - from_b);
  const bool is_even = (std::bit_cast<std::uint64_t>(sum) & 1) == 0;
  if (!std::isfinite(sum) || error == 0 || !is_even) return sum;
  return std::nextafter(sum,
                        error > 0 ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity());
}

/// a * b + c, rounded once.
inline std::uint64_t fused_multiply_add(std::span<const Scalar> operands) {
  const ScalarType type = operands[0].type;
  if (size_in_bytes(type) > 2) return compute_float(operands, [](auto a, auto b, auto c) { return std::fma(a, b, c); });
  const auto value = [&](std::size_t i) { return float_from_bits(type, operands[i].bits); };
  return round_float(type, add_round_to_odd(value(0) * value(1), value(2)));
}

}  // namespace pykc::ir
