// What the pure instructions and the pure builtins of the language compute: the exact rules, in one place. Constant
// folding and the reference interpreter both ask here; the back ends must give the same bits.
//
//   Integers wrap. // and % floor; by 0 they give 0, and the smallest integer // -1 is itself. A shift by a negative
//   count or by the width and more gives 0, or all sign bits.
//   f32 and f64 are IEEE; f16 and bf16 are computed in f32 and rounded once more. A float x // y is the whole number
//   nearest to (x - x % y) / y, and x % y is the exact remainder (fmod), moved by y where its sign is not y's: Python's
//   and NumPy's definition. By zero: x / 0, and NaN. min and max order -0 below +0. A NaN that is computed is the
//   quiet one with the sign bit clear.
//   Casts: integers wrap, a float loses its fraction and saturates (NaN: 0), what becomes a float is rounded once, and
//   bool tests against 0.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "ir/opcode.h"
#include "pykc/types.h"
#include "stdlib/builtins.h"

namespace pykc::ir {

/// A scalar with its bits zero-extended to 64, as Instruction::constant holds them.
struct Scalar {
  ScalarType type = ScalarType::I64;
  std::uint64_t bits = 0;
};

/// The low bits of `value`, as many as `type` has; bool keeps the lowest.
std::uint64_t wrap_into(ScalarType type, std::uint64_t value);
/// The integer or bool that `bits` stand for, sign- or zero-extended; a u64 above the largest i64 comes out negative.
std::int64_t integer_from_bits(ScalarType type, std::uint64_t bits);

/// The bits of the result of a pure opcode; none where the opcode does not compute on scalars (a constant, an address).
std::optional<std::uint64_t> evaluate(Opcode opcode, ScalarType result, std::span<const Scalar> operands);

/// The bits of the result of a builtin; none for those that are not pure, and for the functions of the math library.
std::optional<std::uint64_t> evaluate(BuiltinId builtin, std::span<const Scalar> operands);

}  // namespace pykc::ir
