// What functions of `math` and divisions are on a GPU, where they are no single instruction.
#pragma once

#include <cstdint>

#include "ir/module.h"

namespace pykc::ir {

/// Instructions of a warp, beyond one.
struct MathCost {
  std::int16_t instructions = 0;
  std::int16_t of_f64 = 0;  // of them, those that the units for f64 do
};

/// `fast_math`: with approximations instead, where there are some. `is_divisor_known`: while compiling, so that a
/// division is a multiplication.
MathCost math_cost_of(const Instruction& instruction, bool fast_math, bool is_divisor_known);

}  // namespace pykc::ir
