// np.sqrt and its kin, elementwise over anything; math.sqrt and its kin, of one number.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "script/arithmetic/elementwise.h"
#include "script/functions/format.h"
#include "script/functions/functions.h"
#include "script/functions/records.h"

namespace pykc::script {
namespace {

constexpr std::uint32_t kNumbers = in(Library::Prelude, Library::Numpy);
constexpr std::uint32_t kNumpy = in(Library::Numpy);
constexpr std::uint32_t kMath = in(Library::Math);

template <UnaryFunction kFunction>
Outcome<Value> unary(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ArrayRef array, arguments.array(0));  // for its message
  return apply(kFunction, items_of(arguments[0]) ? Value(array) : arguments[0]);
}
Outcome<Value> absolute(Run& run, const Arguments& arguments) {
  return is_complex(arguments[0]) ? magnitude(arguments[0]) : unary<UnaryFunction::Abs>(run, arguments);
}
template <BinaryFunction kFunction>
Outcome<Value> binary(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const ArrayRef a, arguments.array(0));
  ASSIGN_OR_RETURN(const ArrayRef b, arguments.array(1));
  return apply(kFunction, items_of(arguments[0]) ? Value(a) : arguments[0],
               items_of(arguments[1]) ? Value(b) : arguments[1]);
}

/// Python's math: a float from a float, and an error where the result is not a number but the argument is.
template <double (*kFunction)(double)>
Outcome<Value> math_unary(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const double x, arguments.number(0));
  const double result = kFunction(x);
  if (std::isnan(result) && !std::isnan(x))
    return fail(DiagnosticId::HostMathDomain, arguments.function->name).note("the argument is " + float_text(x));
  if (std::isinf(result) && !std::isinf(x))
    return fail(DiagnosticId::HostMathDomain, arguments.function->name).note("the argument is " + float_text(x));
  return Value(result);
}
template <double (*kFunction)(double, double)>
Outcome<Value> math_binary(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const double x, arguments.number(0));
  ASSIGN_OR_RETURN(const double y, arguments.number(1));
  const double result = kFunction(x, y);
  if (std::isnan(result) && !std::isnan(x) && !std::isnan(y))
    return fail(DiagnosticId::HostMathDomain, arguments.function->name)
        .note("the arguments are " + float_text(x) + " and " + float_text(y));
  return Value(result);
}
template <double (*kFunction)(double)>
Outcome<Value> math_whole(Run&, const Arguments& arguments) {
  if (as_integer(arguments[0])) return Value(*as_integer(arguments[0]));
  ASSIGN_OR_RETURN(const double x, arguments.number(0));
  const double whole = kFunction(x);
  if (!(std::fabs(whole) < 0x1p63)) return fail(DiagnosticId::HostValueOutOfRange, float_text(x), "an int");
  return Value(static_cast<std::int64_t>(whole));
}
template <bool (*kTest)(double)>
Outcome<Value> math_test(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const double x, arguments.number(0));
  return Value(kTest(x));
}
Outcome<Value> math_log(Run& run, const Arguments& arguments) {
  if (arguments.is_none(1)) return math_unary<std::log>(run, arguments);
  ASSIGN_OR_RETURN(const double x, arguments.number(0));
  ASSIGN_OR_RETURN(const double base, arguments.number(1));
  if (x <= 0 || base <= 0 || base == 1) return fail(DiagnosticId::HostMathDomain, "log");
  return Value(std::log(x) / std::log(base));
}
Outcome<Value> math_gcd(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::int64_t a, arguments.integer(0));
  ASSIGN_OR_RETURN(const std::int64_t b, arguments.integer(1));
  const auto size = [](std::int64_t x) {
    return x < 0 ? -static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
  };
  const std::uint64_t divisor = std::gcd(size(a), size(b));
  if (divisor > INT64_MAX) return fail(DiagnosticId::HostIntegerOverflow);
  return Value(static_cast<std::int64_t>(divisor));
}
Outcome<Value> math_ldexp(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const double x, arguments.number(0));
  ASSIGN_OR_RETURN(const std::int64_t exponent, arguments.integer(1));
  constexpr std::int64_t kBeyondAll = 5000;  // from any number, this leads to 0 or infinity
  const double result = std::ldexp(x, static_cast<int>(std::clamp(exponent, -kBeyondAll, kBeyondAll)));
  if (std::isinf(result) && !std::isinf(x))
    return fail(DiagnosticId::HostMathDomain, arguments.function->name)
        .note("the arguments are " + float_text(x) + " and " + std::to_string(exponent));
  return Value(result);
}
Outcome<Value> math_frexp(Run&, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const double x, arguments.number(0));
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return make_tuple({Value(fraction), Value(std::int64_t{std::isfinite(x) ? exponent : 0})});
}

bool is_nan(double x) { return std::isnan(x); }
bool is_infinite(double x) { return std::isinf(x); }
bool is_finite(double x) { return std::isfinite(x); }
double degrees(double x) { return x * (180 / M_PI); }
double radians(double x) { return x * (M_PI / 180); }
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

constexpr HostFunction kMathFunctions[] = {
    {"abs", kNumpy, "x", absolute, "Absolute value."},
    {"absolute", kNumpy, "x", absolute, "Absolute value."},
    {"sign", kNumbers, "x", unary<UnaryFunction::Sign>, "-1, 0 or 1."},
    {"negative", kNumpy, "x", unary<UnaryFunction::Negate>, "`-x`."},
    {"square", kNumbers, "x", unary<UnaryFunction::Square>, "`x * x`."},
    {"sqrt", kNumbers, "x", unary<UnaryFunction::Sqrt>, "Square root."},
    {"cbrt", kNumbers, "x", unary<UnaryFunction::Cbrt>, "Cube root."},
    {"exp", kNumbers, "x", unary<UnaryFunction::Exp>, "e to the power `x`."},
    {"exp2", kNumbers, "x", unary<UnaryFunction::Exp2>, "2 to the power `x`."},
    {"expm1", kNumbers, "x", unary<UnaryFunction::Expm1>, "`exp(x) - 1`."},
    {"log", kNumbers, "x", unary<UnaryFunction::Log>, "Natural logarithm."},
    {"log2", kNumbers, "x", unary<UnaryFunction::Log2>, "Logarithm to base 2."},
    {"log10", kNumbers, "x", unary<UnaryFunction::Log10>, "Logarithm to base 10."},
    {"log1p", kNumbers, "x", unary<UnaryFunction::Log1p>, "`log(1 + x)`."},
    {"sin", kNumbers, "x", unary<UnaryFunction::Sin>, "Sine."},
    {"cos", kNumbers, "x", unary<UnaryFunction::Cos>, "Cosine."},
    {"tan", kNumbers, "x", unary<UnaryFunction::Tan>, "Tangent."},
    {"arcsin", kNumbers, "x", unary<UnaryFunction::Arcsin>, "Arc sine."},
    {"arccos", kNumbers, "x", unary<UnaryFunction::Arccos>, "Arc cosine."},
    {"arctan", kNumbers, "x", unary<UnaryFunction::Arctan>, "Arc tangent."},
    {"sinh", kNumbers, "x", unary<UnaryFunction::Sinh>, "Hyperbolic sine."},
    {"cosh", kNumbers, "x", unary<UnaryFunction::Cosh>, "Hyperbolic cosine."},
    {"tanh", kNumbers, "x", unary<UnaryFunction::Tanh>, "Hyperbolic tangent."},
    {"arcsinh", kNumbers, "x", unary<UnaryFunction::Arcsinh>, "Inverse hyperbolic sine."},
    {"arccosh", kNumbers, "x", unary<UnaryFunction::Arccosh>, "Inverse hyperbolic cosine."},
    {"arctanh", kNumbers, "x", unary<UnaryFunction::Arctanh>, "Inverse hyperbolic tangent."},
    {"floor", kNumbers, "x", unary<UnaryFunction::Floor>, "The largest whole number not above `x`."},
    {"ceil", kNumbers, "x", unary<UnaryFunction::Ceil>, "The smallest whole number not below `x`."},
    {"trunc", kNumbers, "x", unary<UnaryFunction::Trunc>, "`x` without its fraction."},
    {"rint", kNumbers, "x", unary<UnaryFunction::Rint>, "The nearest whole number, halves to even."},
    {"degrees", kNumbers, "x", unary<UnaryFunction::Degrees>, "Radians to degrees."},
    {"radians", kNumbers, "x", unary<UnaryFunction::Radians>, "Degrees to radians."},
    {"erf", kNumbers, "x", unary<UnaryFunction::Erf>, "Error function."},
    {"lgamma", kNumbers, "x", unary<UnaryFunction::Lgamma>, "Logarithm of the gamma function's absolute value."},
    {"gamma", kNumbers, "x", unary<UnaryFunction::Gamma>, "Gamma function."},
    {"isnan", kNumbers, "x", unary<UnaryFunction::IsNan>, "Whether `x` is not a number."},
    {"isinf", kNumbers, "x", unary<UnaryFunction::IsInf>, "Whether `x` is infinite."},
    {"isfinite", kNumbers, "x", unary<UnaryFunction::IsFinite>, "Whether `x` is neither infinite nor NaN."},
    {"logical_not", kNumbers, "x", unary<UnaryFunction::LogicalNot>, "`not x`, elementwise."},
    {"add", kNumpy, "x, y", binary<BinaryFunction::Add>, "`x + y`."},
    {"subtract", kNumpy, "x, y", binary<BinaryFunction::Subtract>, "`x - y`."},
    {"multiply", kNumpy, "x, y", binary<BinaryFunction::Multiply>, "`x * y`."},
    {"divide", kNumpy, "x, y", binary<BinaryFunction::TrueDivide>, "`x / y`."},
    {"power", kNumpy, "x, y", binary<BinaryFunction::Power>, "`x ** y`."},
    {"minimum", kNumbers, "x, y", binary<BinaryFunction::Minimum>, "The smaller of each pair; NaN wins."},
    {"maximum", kNumbers, "x, y", binary<BinaryFunction::Maximum>, "The larger of each pair; NaN wins."},
    {"logical_and", kNumbers, "x, y", binary<BinaryFunction::LogicalAnd>, "`x and y`, elementwise."},
    {"logical_or", kNumbers, "x, y", binary<BinaryFunction::LogicalOr>, "`x or y`, elementwise."},
    {"hypot", kNumbers, "x, y", binary<BinaryFunction::Hypot>, "`sqrt(x*x + y*y)` without overflow."},
    {"arctan2", kNumbers, "y, x", binary<BinaryFunction::Arctan2>, "Angle of the point (y, x)."},
    {"copysign", kNumbers, "x, y", binary<BinaryFunction::Copysign>, "`x` with the sign of `y`."},
    {"fmod", kNumbers, "x, y", binary<BinaryFunction::Fmod>, "Remainder with the sign of `x`."},
    {"nextafter", kNumbers, "x, y", binary<BinaryFunction::Nextafter>, "The next number from `x` towards `y`."},

    {"sqrt", kMath, "x", math_unary<std::sqrt>, "Square root."},
    {"cbrt", kMath, "x", math_unary<std::cbrt>, "Cube root."},
    {"exp", kMath, "x", math_unary<std::exp>, "e to the power `x`."},
    {"exp2", kMath, "x", math_unary<std::exp2>, "2 to the power `x`."},
    {"expm1", kMath, "x", math_unary<std::expm1>, "`exp(x) - 1`."},
    {"log", kMath, "x, base=None", math_log, "Logarithm, natural unless a base is given."},
    {"log2", kMath, "x", math_unary<std::log2>, "Logarithm to base 2."},
    {"log10", kMath, "x", math_unary<std::log10>, "Logarithm to base 10."},
    {"log1p", kMath, "x", math_unary<std::log1p>, "`log(1 + x)`."},
    {"sin", kMath, "x", math_unary<std::sin>, "Sine."},
    {"cos", kMath, "x", math_unary<std::cos>, "Cosine."},
    {"tan", kMath, "x", math_unary<std::tan>, "Tangent."},
    {"asin", kMath, "x", math_unary<std::asin>, "Arc sine."},
    {"acos", kMath, "x", math_unary<std::acos>, "Arc cosine."},
    {"atan", kMath, "x", math_unary<std::atan>, "Arc tangent."},
    {"sinh", kMath, "x", math_unary<std::sinh>, "Hyperbolic sine."},
    {"cosh", kMath, "x", math_unary<std::cosh>, "Hyperbolic cosine."},
    {"tanh", kMath, "x", math_unary<std::tanh>, "Hyperbolic tangent."},
    {"asinh", kMath, "x", math_unary<std::asinh>, "Inverse hyperbolic sine."},
    {"acosh", kMath, "x", math_unary<std::acosh>, "Inverse hyperbolic cosine."},
    {"atanh", kMath, "x", math_unary<std::atanh>, "Inverse hyperbolic tangent."},
    {"fabs", kMath, "x", math_unary<std::fabs>, "Absolute value."},
    {"erf", kMath, "x", math_unary<std::erf>, "Error function."},
    {"erfc", kMath, "x", math_unary<std::erfc>, "Complementary error function."},
    {"gamma", kMath, "x", math_unary<std::tgamma>, "Gamma function."},
    {"lgamma", kMath, "x", math_unary<log_gamma>, "Logarithm of the gamma function's absolute value."},
    {"degrees", kMath, "x", math_unary<degrees>, "Radians to degrees."},
    {"radians", kMath, "x", math_unary<radians>, "Degrees to radians."},
    {"pow", kMath, "x, y", math_binary<std::pow>, "`x` to the power `y`."},
    {"atan2", kMath, "y, x", math_binary<std::atan2>, "Angle of the point (y, x)."},
    {"hypot", kMath, "x, y", math_binary<std::hypot>, "`sqrt(x*x + y*y)` without overflow."},
    {"fmod", kMath, "x, y", math_binary<std::fmod>, "Remainder with the sign of `x`."},
    {"remainder", kMath, "x, y", math_binary<std::remainder>, "IEEE remainder."},
    {"copysign", kMath, "x, y", math_binary<std::copysign>, "`x` with the sign of `y`."},
    {"nextafter", kMath, "x, y", math_binary<std::nextafter>, "The next number from `x` towards `y`."},
    {"gcd", kMath, "a, b", math_gcd, "Greatest common divisor, not negative; 0 of 0 and 0."},
    {"ldexp", kMath, "x, i", math_ldexp, "`x * 2**i`."},
    {"frexp", kMath, "x", math_frexp, "Fraction in [0.5, 1) and exponent."},
    {"floor", kMath, "x", math_whole<std::floor>, "The largest int not above `x`."},
    {"ceil", kMath, "x", math_whole<std::ceil>, "The smallest int not below `x`."},
    {"trunc", kMath, "x", math_whole<std::trunc>, "`x` without its fraction, as an int."},
    {"isnan", kMath, "x", math_test<is_nan>, "Whether `x` is not a number."},
    {"isinf", kMath, "x", math_test<is_infinite>, "Whether `x` is infinite."},
    {"isfinite", kMath, "x", math_test<is_finite>, "Whether `x` is neither infinite nor NaN."},
};

}  // namespace

std::span<const HostFunction> math_functions() { return kMathFunctions; }

}  // namespace pykc::script
