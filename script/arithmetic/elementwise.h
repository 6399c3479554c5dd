// Operations that work element by element: on numbers, on arrays, and between both with broadcasting.
#pragma once

#include <cstdint>
#include <string_view>

#include "script/values/outcome.h"
#include "script/values/value.h"

namespace pykc::script {

/// What is said where floats of 8 bits meet anything else.
inline constexpr const char* kStoredOnly = "floats of 8 bits are stored and converted: `x.astype(f32)`, `f32(x)`";

enum class BinaryFunction : std::uint8_t {
  Add,
  Subtract,
  Multiply,
  TrueDivide,
  FloorDivide,
  Modulo,
  Power,
  BitAnd,
  BitOr,
  BitXor,
  LeftShift,
  RightShift,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Minimum,
  Maximum,
  LogicalAnd,
  LogicalOr,
  Hypot,
  Arctan2,
  Copysign,
  Fmod,
  Nextafter,
};
enum class UnaryFunction : std::uint8_t {
  Negate,
  Invert,
  Abs,
  Sign,
  LogicalNot,
  Square,
  Sqrt,
  Cbrt,
  Exp,
  Exp2,
  Expm1,
  Log,
  Log2,
  Log10,
  Log1p,
  Sin,
  Cos,
  Tan,
  Arcsin,
  Arccos,
  Arctan,
  Sinh,
  Cosh,
  Tanh,
  Arcsinh,
  Arccosh,
  Arctanh,
  Floor,
  Ceil,
  Trunc,
  Rint,
  Degrees,
  Radians,
  Erf,
  Gamma,
  Lgamma,
  IsNan,
  IsInf,
  IsFinite,
};
std::string_view spelling(BinaryFunction function);
std::string_view spelling(UnaryFunction function);

/// Numbers and arrays of any kind. Two Python numbers follow Python's rules (python_numbers.h), all else NumPy's.
Outcome<Value> apply(BinaryFunction function, const Value& left, const Value& right);
Outcome<Value> apply(UnaryFunction function, const Value& operand);

/// The operation on arrays whose type has been decided: both operands are converted to `type` first.
Outcome<ArrayRef> apply_arrays(BinaryFunction function, const ArrayRef& left, const ArrayRef& right, ScalarType type);
Outcome<ArrayRef> apply_array(UnaryFunction function, const ArrayRef& operand, ScalarType type);

/// `then` where `condition` holds, else `otherwise`.
Outcome<Value> where(const Value& condition, const Value& then, const Value& otherwise);

}  // namespace pykc::script
