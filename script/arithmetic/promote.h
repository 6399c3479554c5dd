// The types that results have, as NumPy 2 has them: Python's own numbers are weak, everything else keeps its type.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/promotion.h"
#include "script/values/outcome.h"
#include "script/values/value.h"

namespace pykc::script {

/// How a value enters an operation.
struct OperandType {
  enum class Weakness : std::uint8_t { Strong, WeakBool, WeakInt, WeakFloat };
  Weakness weakness = Weakness::Strong;
  ScalarType type = ScalarType::F64;
};
/// Nothing for values that are not numbers or arrays.
std::optional<OperandType> operand_type(const Value& value);

/// A number as a Scalar of `type`; integers must fit.
Outcome<Scalar> to_scalar(const Value& value, ScalarType type);

using pykc::promote;
/// The type that an operation on the two computes in.
ScalarType promote(const OperandType& a, const OperandType& b);
/// What both have in common: weak numbers adapt to typed ones.
OperandType join(const OperandType& a, const OperandType& b);

}  // namespace pykc::script
