#include "script/arithmetic/device_expressions.h"

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace pykc::script {
namespace {

/// A function's row: what it is for numbers, and where that differs, for bools.
struct Row {
  const char* text;
  const char* of_bools = nullptr;
  bool is_exact = true;
};

constexpr Row math(const char* text) { return {text, nullptr, false}; }

// In the order of the enumerations.
constexpr Row kBinaryRows[] = {
    {"x + y", "x or y"},
    {"x - y"},
    {"x * y", "x and y"},
    {"x / y"},
    {"x // y"},
    {"x % y"},
    {"x ** y"},
    {"x & y"},
    {"x | y"},
    {"x ^ y"},
    {"x << y"},
    {"x >> y"},
    {"x == y"},
    {"x != y"},
    {"x < y"},
    {"x <= y"},
    {"x > y"},
    {"x >= y"},
    {"x if x != x or x < y else y", "x and y"},
    {"x if x != x or y < x else y", "x or y"},
    {"x and y"},
    {"x or y"},
    math("math.hypot(x, y)"),
    math("math.atan2(x, y)"),
    {"math.copysign(x, y)"},
    {"np.fmod(x, y)"},
    {"math.nextafter(x, y)"},
};
constexpr Row kUnaryRows[] = {
    {"-x"},
    {"~x", "not x"},
    {"abs(x)", "x"},
    {"1 if x > 0 else (-1 if x < 0 else (0 if x == 0 else x))", "x"},
    {"not x"},
    {"x * x"},
    {"math.sqrt(x)"},
    math("math.cbrt(x)"),
    math("math.exp(x)"),
    math("math.exp2(x)"),
    math("math.expm1(x)"),
    math("math.log(x)"),
    math("math.log2(x)"),
    math("math.log10(x)"),
    math("math.log1p(x)"),
    math("math.sin(x)"),
    math("math.cos(x)"),
    math("math.tan(x)"),
    math("math.asin(x)"),
    math("math.acos(x)"),
    math("math.atan(x)"),
    math("math.sinh(x)"),
    math("math.cosh(x)"),
    math("math.tanh(x)"),
    math("math.asinh(x)"),
    math("math.acosh(x)"),
    math("math.atanh(x)"),
    {"math.floor(x)"},
    {"math.ceil(x)"},
    {"math.trunc(x)"},
    {"np.rint(x)"},
    {"math.degrees(x)"},
    {"math.radians(x)"},
    math("math.erf(x)"),
    math("math.gamma(x)"),
    math("math.lgamma(x)"),
    {"math.isnan(x)"},
    {"math.isinf(x)"},
    {"math.isfinite(x)"},
};

static_assert(std::size(kBinaryRows) == static_cast<std::size_t>(BinaryFunction::Nextafter) + 1);
static_assert(std::size(kUnaryRows) == static_cast<std::size_t>(UnaryFunction::IsFinite) + 1);

// `math.nextafter` of 16 bits computes in f32, whose neighbours are none of the type.
#define PYKC_NEXT(smallest, stepped) \
  "y if x == y else x + y if x != x or y != y else math.copysign(" smallest ", y) if x == 0 else " stepped
constexpr std::string_view kNextF16 =
    PYKC_NEXT("5.960464477539063e-08", "short_as_half(i16(half_as_short(x) + (1 if (x < y) == (x > 0) else -1)))");
constexpr std::string_view kNextBF16 = PYKC_NEXT(
    "9.183549615799121e-41", "bf16(int_as_float(float_as_int(f32(x)) + (65536 if (x < y) == (x > 0) else -65536)))");
#undef PYKC_NEXT

DeviceExpression expression_of(const Row& row, ScalarType type) {
  return {type == ScalarType::Bool && row.of_bools ? row.of_bools : row.text, row.is_exact};
}

/// What no element is beyond: the largest value of the type, or the smallest.
std::string bound(ScalarType type, bool is_largest) {
  if (is_float(type)) return is_largest ? "math.inf" : "-math.inf";
  if (type == ScalarType::Bool) return is_largest ? "True" : "False";
  const int bits = size_in_bits(type) - (is_signed_integer(type) ? 1 : 0);
  const std::string largest = std::to_string(~std::uint64_t{0} >> (64 - bits));
  if (is_largest) return largest;
  return is_signed_integer(type) ? "-" + largest + " - 1" : "0";
}

/// The smallest or the largest element; a NaN wins.
ReductionSource extreme(ScalarType type, bool is_minimum) {
  return {.reduce = type == ScalarType::Bool ? (is_minimum ? "a and b" : "a or b")
                    : is_minimum             ? "a if a != a or a < b else b"
                                             : "a if a != a or b < a else b",
          .identity = bound(type, is_minimum),
          .accumulator = type};
}

}  // namespace

DeviceExpression device_expression(BinaryFunction function, ScalarType type) {
  if (function == BinaryFunction::Nextafter && type == ScalarType::F16) return {kNextF16};
  if (function == BinaryFunction::Nextafter && type == ScalarType::BF16) return {kNextBF16};
  DeviceExpression expression = expression_of(kBinaryRows[static_cast<std::size_t>(function)], type);
  if (function == BinaryFunction::Power) expression.is_exact = !is_float(type);
  return expression;
}

DeviceExpression device_expression(UnaryFunction function, ScalarType type) {
  if (function == UnaryFunction::Sign && is_unsigned_integer(type)) return {"1 if x > 0 else 0"};
  // The host divides in f32, which rounds otherwise than the constant does.
  if (function == UnaryFunction::Degrees && type != ScalarType::F64) return {"f32(x) * f32(57.295776)"};
  return expression_of(kUnaryRows[static_cast<std::size_t>(function)], type);
}

std::optional<ReductionSource> device_reduction(Reduction reduction, ScalarType type, std::int64_t degrees) {
  const ScalarType whole = is_unsigned_integer(type) ? ScalarType::U64 : ScalarType::I64;
  const ScalarType sum = is_float(type) ? ScalarType::F64 : whole;
  const std::string nonzero = type == ScalarType::Bool ? "1 if x else 0" : "1 if x != 0 else 0";
  const std::string variance = "a / (count - " + std::to_string(degrees) + ")";
  const std::string squares = "(f64(x) - y) * (f64(x) - y)";
  switch (reduction) {
    case Reduction::Sum:
      return ReductionSource{.accumulator = sum};
    case Reduction::Product:
      return ReductionSource{.reduce = "a * b", .identity = "1", .accumulator = sum};
    case Reduction::Minimum:
      return extreme(type, true);
    case Reduction::Maximum:
      return extreme(type, false);
    case Reduction::Mean:
      return ReductionSource{.post = "a / count", .accumulator = ScalarType::F64};
    case Reduction::Variance:
      return ReductionSource{.inputs = "x, y", .map = squares, .post = variance, .accumulator = ScalarType::F64};
    case Reduction::StandardDeviation:
      return ReductionSource{
          .inputs = "x, y", .map = squares, .post = "math.sqrt(" + variance + ")", .accumulator = ScalarType::F64};
    case Reduction::Any:
      return ReductionSource{.map = nonzero, .reduce = "a | b", .post = "a != 0", .accumulator = ScalarType::I32};
    case Reduction::All:
      return ReductionSource{
          .map = nonzero, .reduce = "a & b", .post = "a != 0", .identity = "1", .accumulator = ScalarType::I32};
    case Reduction::Norm:
      return ReductionSource{.map = "f64(x) * f64(x)", .post = "math.sqrt(a)", .accumulator = ScalarType::F64};
    case Reduction::CountNonzero:
      return ReductionSource{.map = nonzero, .accumulator = ScalarType::I64};
    case Reduction::ArgMinimum:
    case Reduction::ArgMaximum:
      break;
  }
  return std::nullopt;
}

}  // namespace pykc::script
