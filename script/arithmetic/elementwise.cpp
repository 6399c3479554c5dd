// How an operation on values finds its way: pick the type by the operands' types and the function's kind, convert both,
// broadcast, and run the loop of that type. The loops are in elementwise_loops.h; two files hold their instances, so
// that each compiles in reasonable time.
#include "script/arithmetic/elementwise.h"

#include <optional>
#include <vector>

#include "script/arithmetic/array_from.h"
#include "script/arithmetic/device_expressions.h"
#include "script/arithmetic/elementwise_loops.h"
#include "script/arithmetic/promote.h"
#include "script/arithmetic/python_numbers.h"
#include "script/arithmetic/reductions.h"
#include "script/values/array.h"
#include "script/values/device_operations.h"

namespace pykc::script {
namespace {

/// What types a function works on, and so what its operands are converted to.
enum class Domain : std::uint8_t {
  Numbers,   // any type, the result has it too
  NoBool,    // as Numbers, bools as i8
  Integers,  // integers and bools
  Counts,    // integers, bools as i8 (shifts)
  Floats,    // integers become floats of a size that fits
  Whole,     // floats; integers and bools are what they are
  Quotient,  // integers become f64
  Logical,   // bools
  Compare,   // any type, the result is bool
};

struct FunctionInfo {
  std::string_view spelling;
  Domain domain;
};

constexpr FunctionInfo kBinary[] = {
    {"+", Domain::Numbers},          {"-", Domain::Numbers},       {"*", Domain::Numbers},
    {"/", Domain::Quotient},         {"//", Domain::NoBool},       {"%", Domain::NoBool},
    {"**", Domain::NoBool},          {"&", Domain::Integers},      {"|", Domain::Integers},
    {"^", Domain::Integers},         {"<<", Domain::Counts},       {">>", Domain::Counts},
    {"==", Domain::Compare},         {"!=", Domain::Compare},      {"<", Domain::Compare},
    {"<=", Domain::Compare},         {">", Domain::Compare},       {">=", Domain::Compare},
    {"minimum", Domain::Numbers},    {"maximum", Domain::Numbers}, {"logical_and", Domain::Logical},
    {"logical_or", Domain::Logical}, {"hypot", Domain::Floats},    {"arctan2", Domain::Floats},
    {"copysign", Domain::Floats},    {"fmod", Domain::NoBool},     {"nextafter", Domain::Floats},
};

constexpr FunctionInfo kUnary[] = {
    {"-", Domain::Numbers},      {"~", Domain::Integers},          {"abs", Domain::Numbers},
    {"sign", Domain::Numbers},   {"logical_not", Domain::Logical}, {"square", Domain::NoBool},
    {"sqrt", Domain::Floats},    {"cbrt", Domain::Floats},         {"exp", Domain::Floats},
    {"exp2", Domain::Floats},    {"expm1", Domain::Floats},        {"log", Domain::Floats},
    {"log2", Domain::Floats},    {"log10", Domain::Floats},        {"log1p", Domain::Floats},
    {"sin", Domain::Floats},     {"cos", Domain::Floats},          {"tan", Domain::Floats},
    {"arcsin", Domain::Floats},  {"arccos", Domain::Floats},       {"arctan", Domain::Floats},
    {"sinh", Domain::Floats},    {"cosh", Domain::Floats},         {"tanh", Domain::Floats},
    {"arcsinh", Domain::Floats}, {"arccosh", Domain::Floats},      {"arctanh", Domain::Floats},
    {"floor", Domain::Whole},    {"ceil", Domain::Whole},          {"trunc", Domain::Whole},
    {"rint", Domain::Floats},    {"degrees", Domain::Floats},      {"radians", Domain::Floats},
    {"erf", Domain::Floats},     {"gamma", Domain::Floats},        {"lgamma", Domain::Floats},
    {"isnan", Domain::Compare},  {"isinf", Domain::Compare},       {"isfinite", Domain::Compare},
};

const FunctionInfo& info(BinaryFunction function) { return kBinary[static_cast<std::size_t>(function)]; }
const FunctionInfo& info(UnaryFunction function) { return kUnary[static_cast<std::size_t>(function)]; }

/// The type to compute in, or nothing where the function does not work on `type`.
std::optional<ScalarType> computing_type(Domain domain, ScalarType type) {
  switch (domain) {
    case Domain::Numbers:
    case Domain::Whole:
    case Domain::Compare:
      return type;
    case Domain::NoBool:
      return type == ScalarType::Bool ? ScalarType::I8 : type;
    case Domain::Integers:
      return is_float(type) ? std::nullopt : std::optional(type);
    case Domain::Counts:
      if (is_float(type)) return std::nullopt;
      return type == ScalarType::Bool ? ScalarType::I8 : type;
    case Domain::Floats:
      return float_type_for(type);
    case Domain::Quotient:
      return is_float(type) ? type : ScalarType::F64;
    case Domain::Logical:
      break;
  }
  return ScalarType::Bool;
}

/// NumPy compares an integer that the array's type does not hold with its own value; so does this, in a wider type.
ScalarType widen_for(const Value& number, ScalarType type) {
  const std::int64_t* integer = number.as<std::int64_t>();
  if (!integer || !is_integer(type) || to_scalar(number, type)) return type;
  return promote(type, ScalarType::I64);
}

/// An array result as the value it is: what came from numbers alone is a number again.
Outcome<Value> as_result(const ArrayRef& result, bool is_array) {
  if (is_array) return Value(result);
  ASSIGN_OR_RETURN(const Scalar scalar, first_element(*result));
  if (scalar.type == ScalarType::Bool) return Value(scalar.bits != 0);
  return Value(scalar);
}

bool is_array(const Value& value) { return value.is<ArrayRef>(); }

/// Column-major operands give a column-major result.
Order result_order(const Array& left, const Array& right, const Shape& shape) {
  const auto is_free = [&](const Array& a) { return a.rank() == 0 || a.size() == 1 || a.shape != shape; };
  const auto is_column = [&](const Array& a) { return a.shape == shape && a.order() == Order::ColumnMajor; };
  const bool any = is_column(left) || is_column(right);
  const bool all = (is_column(left) || is_free(left)) && (is_column(right) || is_free(right));
  return any && all ? Order::ColumnMajor : Order::RowMajor;
}

/// NumPy's array ** negative integer has no integer result.
Status check_powers(const Array& exponents) {
  if (!is_signed_integer(exponents.type)) return Done{};
  ASSIGN_OR_RETURN(const ArrayRef zero, array_of(Scalar::of(0, exponents.type)));
  ASSIGN_OR_RETURN(const ArrayRef negative,
                   apply_arrays(BinaryFunction::Less, std::make_shared<const Array>(exponents), zero, exponents.type));
  ASSIGN_OR_RETURN(const ArrayRef any, reduce(Reduction::Any, "any", negative, std::nullopt));
  ASSIGN_OR_RETURN(const Scalar is_negative, first_element(*any));
  if (is_negative.bits != 0) return fail(DiagnosticId::HostNegativePower);
  return Done{};
}

}  // namespace

std::string_view spelling(BinaryFunction function) { return info(function).spelling; }
std::string_view spelling(UnaryFunction function) { return info(function).spelling; }

Outcome<ArrayRef> apply_arrays(BinaryFunction function, const ArrayRef& left, const ArrayRef& right, ScalarType type) {
  ASSIGN_OR_RETURN(const Shape shape, broadcast_shapes(left->shape, right->shape));
  const Domain domain = info(function).domain;
  const ScalarType result_type = domain == Domain::Compare ? ScalarType::Bool : type;
  ASSIGN_OR_RETURN(ArrayRef result, make_array(result_type, shape, result_order(*left, *right, shape)));
  share_home(*result, {left.get(), right.get()});
  const DeviceExpression expression = device_expression(function, type);
  if (DeviceOperations* const device = device_for({left.get(), right.get()}, result->size(), expression.is_exact)) {
    RETURN_IF_FAILED(device->map(*result, expression.text, {type, type}, {left, right}));
    return result;
  }
  ASSIGN_OR_RETURN(const ArrayRef converted_left, convert_array(left, type));
  ASSIGN_OR_RETURN(const ArrayRef converted_right, convert_array(right, type));
  ASSIGN_OR_RETURN(const ArrayRef a, broadcast_array(*converted_left, shape));
  ASSIGN_OR_RETURN(const ArrayRef b, broadcast_array(*converted_right, shape));
  ASSIGN_OR_RETURN(std::byte* const to, result->write());
  ASSIGN_OR_RETURN(std::byte* const from_a, a->read());
  ASSIGN_OR_RETURN(std::byte* const from_b, b->read());
  const std::array<WalkOperand, 3> operands = {WalkOperand(to, *result), WalkOperand(from_a, *a),
                                               WalkOperand(from_b, *b)};
  domain == Domain::Floats ? run_float_loop(function, type, shape, operands)
                           : run_number_loop(function, type, shape, operands);
  return result;
}

Outcome<ArrayRef> apply_array(UnaryFunction function, const ArrayRef& operand, ScalarType type) {
  const ScalarType result_type = info(function).domain == Domain::Compare ? ScalarType::Bool : type;
  ASSIGN_OR_RETURN(ArrayRef result, make_array(result_type, operand->shape, operand->order()));
  share_home(*result, {operand.get()});
  const DeviceExpression expression = device_expression(function, type);
  if (DeviceOperations* const device = device_for({operand.get()}, result->size(), expression.is_exact)) {
    RETURN_IF_FAILED(device->map(*result, expression.text, {type}, {operand}));
    return result;
  }
  ASSIGN_OR_RETURN(const ArrayRef a, convert_array(operand, type));
  ASSIGN_OR_RETURN(std::byte* const to, result->write());
  ASSIGN_OR_RETURN(std::byte* const from, a->read());
  const std::array<WalkOperand, 2> operands = {WalkOperand(to, *result), WalkOperand(from, *a)};
  const Domain domain = info(function).domain;
  domain == Domain::Floats || domain == Domain::Whole ? run_float_loop(function, type, a->shape, operands)
                                                      : run_number_loop(function, type, a->shape, operands);
  return result;
}

Outcome<Value> apply(BinaryFunction function, const Value& left, const Value& right) {
  const FunctionInfo& row = info(function);
  const std::optional<OperandType> a = operand_type(left), b = operand_type(right);
  if (!a || !b) return fail(DiagnosticId::HostOperandTypes, row.spelling, describe(left), describe(right));
  const bool is_operator = function <= BinaryFunction::GreaterEqual;
  if (is_operator && is_python_number(left) && is_python_number(right)) return apply_python(function, left, right);

  if (row.domain != Domain::Logical && (is_float8(a->type) || is_float8(b->type)))
    return fail(DiagnosticId::HostOperandTypes, row.spelling, describe(left), describe(right)).note(kStoredOnly);
  ScalarType type = promote(*a, *b);
  if (row.domain == Domain::Compare) type = widen_for(left, widen_for(right, type));
  const std::optional<ScalarType> computing = computing_type(row.domain, type);
  if (!computing || (function == BinaryFunction::Subtract && type == ScalarType::Bool))
    return fail(DiagnosticId::HostOperandTypes, row.spelling, describe(left), describe(right));
  ASSIGN_OR_RETURN(const ArrayRef x, to_array(left, *computing));
  ASSIGN_OR_RETURN(const ArrayRef y, to_array(right, *computing));
  if (function == BinaryFunction::Power && is_integer(*computing)) RETURN_IF_FAILED(check_powers(*y));
  ASSIGN_OR_RETURN(const ArrayRef result, apply_arrays(function, x, y, *computing));
  return as_result(result, is_array(left) || is_array(right));
}

Outcome<Value> apply(UnaryFunction function, const Value& operand) {
  const FunctionInfo& row = info(function);
  const std::optional<OperandType> type = operand_type(operand);
  std::optional<ScalarType> computing;
  if (type && row.domain != Domain::Logical && is_float8(type->type))
    return fail(DiagnosticId::HostOperandType, row.spelling, describe(operand)).note(kStoredOnly);
  if (type) computing = computing_type(row.domain, type->type);
  const bool is_bad_negation = function == UnaryFunction::Negate && computing == ScalarType::Bool;
  if (!computing || is_bad_negation) return fail(DiagnosticId::HostOperandType, row.spelling, describe(operand));
  ASSIGN_OR_RETURN(const ArrayRef x, to_array(operand, *computing));
  const bool is_done = row.domain == Domain::Whole && !is_float(*computing);
  ASSIGN_OR_RETURN(const ArrayRef result, is_done ? copy_array(x, x->order()) : apply_array(function, x, *computing));
  return as_result(result, is_array(operand));
}

Outcome<Value> where(const Value& condition, const Value& then, const Value& otherwise) {
  const std::optional<OperandType> a = operand_type(then), b = operand_type(otherwise);
  if (!a || !b || !operand_type(condition))
    return fail(DiagnosticId::HostOperandTypes, "where", describe(then), describe(otherwise));
  const ScalarType type = promote(*a, *b);
  ASSIGN_OR_RETURN(const ArrayRef test, to_array(condition, ScalarType::Bool));
  ASSIGN_OR_RETURN(const ArrayRef x, to_array(then, type));
  ASSIGN_OR_RETURN(const ArrayRef y, to_array(otherwise, type));
  ASSIGN_OR_RETURN(const Shape values_shape, broadcast_shapes(x->shape, y->shape));
  ASSIGN_OR_RETURN(const Shape shape, broadcast_shapes(test->shape, values_shape));
  const bool is_array_result = is_array(condition) || is_array(then) || is_array(otherwise);
  ASSIGN_OR_RETURN(ArrayRef result, make_array(type, shape));
  share_home(*result, {test.get(), x.get(), y.get()});
  if (DeviceOperations* const device = device_for({test.get(), x.get(), y.get()}, result->size())) {
    RETURN_IF_FAILED(device->map(*result, "y if x else z", {ScalarType::Bool, type, type}, {test, x, y}));
    return as_result(result, is_array_result);
  }
  ASSIGN_OR_RETURN(ArrayRef flags, convert_array(test, ScalarType::Bool));
  ASSIGN_OR_RETURN(flags, broadcast_array(*flags, shape));
  ASSIGN_OR_RETURN(ArrayRef chosen, convert_array(x, type));
  ASSIGN_OR_RETURN(chosen, broadcast_array(*chosen, shape));
  ASSIGN_OR_RETURN(ArrayRef other, convert_array(y, type));
  ASSIGN_OR_RETURN(other, broadcast_array(*other, shape));
  ASSIGN_OR_RETURN(std::byte* const to, result->write());
  ASSIGN_OR_RETURN(std::byte* const from_flags, flags->read());
  ASSIGN_OR_RETURN(std::byte* const from_chosen, chosen->read());
  ASSIGN_OR_RETURN(std::byte* const from_other, other->read());
  const std::array<WalkOperand, 4> operands = {WalkOperand(to, *result), WalkOperand(from_flags, *flags),
                                               WalkOperand(from_chosen, *chosen), WalkOperand(from_other, *other)};
  const auto bytes = static_cast<std::size_t>(size_in_bytes(type));
  for_each_row<4>(shape, operands, [bytes](auto address, std::int64_t count, auto strides) {
    for (std::int64_t i = 0; i < count; ++i) {
      const bool holds = address[1][i * strides[1]] != std::byte{0};
      const std::byte* from = holds ? address[2] + i * strides[2] : address[3] + i * strides[3];
      std::memcpy(address[0] + i * strides[0], from, bytes);
    }
  });
  return as_result(result, is_array_result);
}

}  // namespace pykc::script
