#include "script/arithmetic/python_numbers.h"

#include <cmath>
#include <optional>

#include "script/arithmetic/division.h"

namespace pykc::script {
namespace {

using Function = BinaryFunction;

Outcome<Value> power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) {
    if (base == 0) return fail(DiagnosticId::HostDivisionByZero);
    return std::pow(static_cast<double>(base), static_cast<double>(exponent));
  }
  std::int64_t result = 1;
  while (exponent > 0) {
    if (exponent % 2 == 1 && __builtin_mul_overflow(result, base, &result))
      return fail(DiagnosticId::HostIntegerOverflow);
    exponent /= 2;
    if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) return fail(DiagnosticId::HostIntegerOverflow);
  }
  return result;
}

Outcome<Value> shift_left(std::int64_t value, std::int64_t count) {
  if (count < 0) return fail(DiagnosticId::HostNegativeShift);
  if (value == 0) return value;
  std::int64_t result = 0;
  if (count > 62 || __builtin_mul_overflow(value, std::int64_t{1} << count, &result))
    return fail(DiagnosticId::HostIntegerOverflow);
  return result;
}

Outcome<Value> shift_right(std::int64_t value, std::int64_t count) {
  if (count < 0) return fail(DiagnosticId::HostNegativeShift);
  return value >> (count > 63 ? 63 : count);
}

/// Whether a comparison holds; nothing where the function is none.
template <typename Number>
std::optional<bool> compare(Function function, Number a, Number b) {
  switch (function) {
    case Function::Equal:
      return a == b;
    case Function::NotEqual:
      return a != b;
    case Function::Less:
      return a < b;
    case Function::LessEqual:
      return a <= b;
    case Function::Greater:
      return a > b;
    case Function::GreaterEqual:
      return a >= b;
    default:
      return std::nullopt;
  }
}

Outcome<Value> apply_integers(Function function, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflows = false;
  switch (function) {
    case Function::Add:
      overflows = __builtin_add_overflow(a, b, &result);
      break;
    case Function::Subtract:
      overflows = __builtin_sub_overflow(a, b, &result);
      break;
    case Function::Multiply:
      overflows = __builtin_mul_overflow(a, b, &result);
      break;
    case Function::TrueDivide:
      if (b == 0) return fail(DiagnosticId::HostDivisionByZero);
      return static_cast<double>(a) / static_cast<double>(b);
    case Function::FloorDivide:
      if (b == 0) return fail(DiagnosticId::HostDivisionByZero);
      if (b == -1) return apply_integers(Function::Subtract, 0, a);
      return floor_divide(a, b);
    case Function::Modulo:
      if (b == 0) return fail(DiagnosticId::HostDivisionByZero);
      return floor_modulo(a, b);
    case Function::Power:
      return power(a, b);
    case Function::BitAnd:
      return a & b;
    case Function::BitOr:
      return a | b;
    case Function::BitXor:
      return a ^ b;
    case Function::LeftShift:
      return shift_left(a, b);
    case Function::RightShift:
      return shift_right(a, b);
    default:
      if (const std::optional<bool> holds = compare(function, a, b)) return *holds;
      return fail(DiagnosticId::HostOperandTypes, spelling(function), "an int", "an int");
  }
  if (overflows) return fail(DiagnosticId::HostIntegerOverflow);
  return result;
}

Outcome<Value> apply_floats(Function function, double a, double b) {
  switch (function) {
    case Function::Add:
      return a + b;
    case Function::Subtract:
      return a - b;
    case Function::Multiply:
      return a * b;
    case Function::TrueDivide:
      if (b == 0) return fail(DiagnosticId::HostDivisionByZero);
      return a / b;
    case Function::FloorDivide:
      if (b == 0) return fail(DiagnosticId::HostDivisionByZero);
      return floor_divide(a, b);
    case Function::Modulo:
      if (b == 0) return fail(DiagnosticId::HostDivisionByZero);
      return floor_modulo(a, b);
    case Function::Power: {
      if (a == 0 && b < 0) return fail(DiagnosticId::HostDivisionByZero);
      const double result = std::pow(a, b);
      if (std::isnan(result) && !std::isnan(a) && !std::isnan(b))
        return fail(DiagnosticId::HostMathDomain, "**").note("a negative number has no real root of this kind");
      if (std::isinf(result) && std::isfinite(a) && std::isfinite(b))
        return fail(DiagnosticId::HostMathDomain, "**").note("the result is too large for a float");
      return result;
    }
    default:
      if (const std::optional<bool> holds = compare(function, a, b)) return *holds;
      return fail(DiagnosticId::HostOperandTypes, spelling(function), "a float", "a float");
  }
}

bool is_bitwise(Function function) {
  return function == Function::BitAnd || function == Function::BitOr || function == Function::BitXor;
}

}  // namespace

bool is_python_number(const Value& value) { return value.is<bool>() || value.is<std::int64_t>() || value.is<double>(); }

Outcome<Value> apply_python(BinaryFunction function, const Value& left, const Value& right) {
  if (left.is<double>() || right.is<double>()) return apply_floats(function, *as_number(left), *as_number(right));
  Outcome<Value> result = apply_integers(function, *as_integer(left), *as_integer(right));
  if (result && is_bitwise(function) && left.is<bool>() && right.is<bool>()) return *as_integer(*result) != 0;
  return result;
}

}  // namespace pykc::script
