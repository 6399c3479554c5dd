// Shared by the files that implement evaluate.h: computing on floats of any type.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "ir/evaluate.h"
#include "base/float_bits.h"

namespace pykc::ir {

inline std::uint64_t sign_bit(ScalarType type) { return std::uint64_t{1} << (8 * size_in_bytes(type) - 1); }

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

}  // namespace pykc::ir
