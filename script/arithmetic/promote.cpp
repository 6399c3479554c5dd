#include "script/arithmetic/promote.h"

#include <algorithm>

#include "script/values/array.h"

namespace pykc::script {

using Weakness = OperandType::Weakness;

ScalarType promote(const OperandType& a, const OperandType& b) {
  if (a.weakness == Weakness::Strong && b.weakness == Weakness::Strong) return promote(a.type, b.type);
  if (a.weakness != Weakness::Strong && b.weakness != Weakness::Strong) return promote(a.type, b.type);
  const OperandType& strong = a.weakness == Weakness::Strong ? a : b;
  const OperandType& weak = a.weakness == Weakness::Strong ? b : a;
  switch (weak.weakness) {
    case Weakness::WeakInt:
      return strong.type == ScalarType::Bool ? ScalarType::I64 : strong.type;
    case Weakness::WeakFloat:
      return is_float(strong.type) ? strong.type : ScalarType::F64;
    default:
      return strong.type;
  }
}

OperandType join(const OperandType& a, const OperandType& b) {
  const bool strong = a.weakness == Weakness::Strong || b.weakness == Weakness::Strong;
  return {strong ? Weakness::Strong : std::max(a.weakness, b.weakness), promote(a, b)};
}

std::optional<OperandType> operand_type(const Value& value) {
  if (value.is<bool>()) return OperandType{Weakness::WeakBool, ScalarType::Bool};
  if (value.is<std::int64_t>()) return OperandType{Weakness::WeakInt, ScalarType::I64};
  if (value.is<double>()) return OperandType{Weakness::WeakFloat, ScalarType::F64};
  if (const Scalar* scalar = value.as<Scalar>()) return OperandType{Weakness::Strong, scalar->type};
  if (const ArrayRef* array = value.as<ArrayRef>(); array && !(*array)->record)
    return OperandType{Weakness::Strong, (*array)->type};
  return std::nullopt;
}

Outcome<Scalar> to_scalar(const Value& value, ScalarType type) {
  if (const Scalar* scalar = value.as<Scalar>())
    return scalar->type == ScalarType::U64 ? Scalar::of(scalar->as<std::uint64_t>(), type)
           : is_float(scalar->type)        ? Scalar::of(scalar->as<double>(), type)
                                           : Scalar::of(scalar->as<std::int64_t>(), type);
  if (const double* number = value.as<double>()) return Scalar::of(*number, type);
  const std::optional<std::int64_t> integer = as_integer(value);
  if (!integer) return fail(DiagnosticId::HostWrongType, "value", "a number", describe(value));
  const Scalar scalar = Scalar::of(*integer, type);
  const bool holds = type == ScalarType::U64 ? *integer >= 0
                     : is_integer(type)      ? scalar.as<std::int64_t>() == *integer
                                             : true;
  if (!holds) return fail(DiagnosticId::HostValueOutOfRange, std::to_string(*integer), to_string(type));
  return scalar;
}

}  // namespace pykc::script
