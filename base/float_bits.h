// Floats of every type as the bits that Instruction::constant holds, and as the double that they stand for.
#pragma once

#include <cstdint>

#include "pykc/types.h"

namespace pykc {

/// `value` rounded to the nearest number of `type`, ties to even. Of 8 bits, what is too large, infinities too, becomes
/// the largest number, and a NaN the one without a sign whose bits are all set.
std::uint64_t float_to_bits(ScalarType type, double value);

/// The number that `bits` stand for; exact.
double float_from_bits(ScalarType type, std::uint64_t bits);

}  // namespace pykc
