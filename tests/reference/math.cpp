#include "tests/reference/math.h"

#include <cfenv>
#include <cmath>

#include "base/float_bits.h"

namespace pykc::reference {
namespace {

using ir::Scalar;

struct Unary {
  BuiltinId builtin;
  float (*f32)(float);
  double (*f64)(double);
};

struct Binary {
  BuiltinId builtin;
  float (*f32)(float, float);
  double (*f64)(double, double);
};

constexpr Unary kUnary[] = {
    {BuiltinId::Sin, std::sin, std::sin},
    {BuiltinId::Cos, std::cos, std::cos},
    {BuiltinId::Tan, std::tan, std::tan},
    {BuiltinId::Asin, std::asin, std::asin},
    {BuiltinId::Acos, std::acos, std::acos},
    {BuiltinId::Atan, std::atan, std::atan},
    {BuiltinId::Sinh, std::sinh, std::sinh},
    {BuiltinId::Cosh, std::cosh, std::cosh},
    {BuiltinId::Tanh, std::tanh, std::tanh},
    {BuiltinId::Asinh, std::asinh, std::asinh},
    {BuiltinId::Acosh, std::acosh, std::acosh},
    {BuiltinId::Atanh, std::atanh, std::atanh},
    {BuiltinId::Exp, std::exp, std::exp},
    {BuiltinId::Exp2, std::exp2, std::exp2},
    {BuiltinId::Exp10, [](float x) { return std::pow(10.0f, x); }, [](double x) { return std::pow(10.0, x); }},
    {BuiltinId::Expm1, std::expm1, std::expm1},
    {BuiltinId::Log, std::log, std::log},
    {BuiltinId::Log2, std::log2, std::log2},
    {BuiltinId::Log10, std::log10, std::log10},
    {BuiltinId::Log1p, std::log1p, std::log1p},
    {BuiltinId::Cbrt, std::cbrt, std::cbrt},
    {BuiltinId::Rsqrt, [](float x) { return 1 / std::sqrt(x); }, [](double x) { return 1 / std::sqrt(x); }},
    {BuiltinId::Erf, std::erf, std::erf},
    {BuiltinId::Erfc, std::erfc, std::erfc},
    {BuiltinId::Lgamma, std::lgamma, std::lgamma},
    {BuiltinId::Gamma, std::tgamma, std::tgamma},
    {BuiltinId::FastSin, std::sin, std::sin},
    {BuiltinId::FastCos, std::cos, std::cos},
    {BuiltinId::FastTan, std::tan, std::tan},
    {BuiltinId::FastExp, std::exp, std::exp},
    {BuiltinId::FastLog, std::log, std::log},
    {BuiltinId::FastLog2, std::log2, std::log2},
    {BuiltinId::FastLog10, std::log10, std::log10},
    {BuiltinId::FastExp10, [](float x) { return std::pow(10.0f, x); }, [](double x) { return std::pow(10.0, x); }},
};

constexpr Binary kBinary[] = {
    {BuiltinId::Pow, std::pow, std::pow},
    {BuiltinId::Atan2, std::atan2, std::atan2},
    {BuiltinId::Hypot, std::hypot, std::hypot},
    {BuiltinId::Fmod, std::fmod, std::fmod},
    {BuiltinId::Remainder, std::remainder, std::remainder},
    {BuiltinId::Nextafter, std::nextafter, std::nextafter},
    {BuiltinId::FastPow, std::pow, std::pow},
    {BuiltinId::FastDivide, [](float x, float y) { return x / y; }, [](double x, double y) { return x / y; }},
};

double number(Scalar value) { return float_from_bits(value.type, value.bits); }

double compute(const Unary& row, Scalar x) {
  return x.type == ScalarType::F64 ? row.f64(number(x)) : row.f32(static_cast<float>(number(x)));
}

double compute(const Binary& row, Scalar x, Scalar y) {
  if (x.type == ScalarType::F64) return row.f64(number(x), number(y));
  return row.f32(static_cast<float>(number(x)), static_cast<float>(number(y)));
}

constexpr int kDirections[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};  // as the rows: rn, rd, ru, rz

/// The operation of a row from `add_rn` on. What is volatile is computed where it stands.
template <typename T>
T compute_rounded(BuiltinId nearest, std::span<const Scalar> operands) {
  volatile T x = static_cast<T>(number(operands[0]));
  volatile T y = static_cast<T>(number(operands[operands.size() > 1 ? 1 : 0]));
  volatile T z = static_cast<T>(number(operands.back()));
  switch (nearest) {
    case BuiltinId::AddRn:
      return x + y;
    case BuiltinId::MulRn:
      return x * y;
    case BuiltinId::DivRn:
      return x / y;
    case BuiltinId::FmaRn:
      return std::fma(x, y, z);
    default:
      return std::sqrt(x);
  }
}

std::optional<std::uint64_t> evaluate_rounded(BuiltinId builtin, std::span<const Scalar> operands) {
  if (builtin < BuiltinId::AddRn || builtin > BuiltinId::SqrtRz) return std::nullopt;
  const int row = static_cast<int>(builtin), first = static_cast<int>(BuiltinId::AddRn);
  const int direction = (row - first) % 4;
  const auto nearest = static_cast<BuiltinId>(row - direction);
  std::fesetround(kDirections[direction]);
  volatile double result = operands[0].type == ScalarType::F64 ? compute_rounded<double>(nearest, operands)
                                                               : compute_rounded<float>(nearest, operands);
  std::fesetround(FE_TONEAREST);
  return float_to_bits(operands[0].type, result);
}

}  // namespace

std::optional<std::uint64_t> evaluate_math(BuiltinId builtin, std::span<const Scalar> operands) {
  for (const Unary& row : kUnary) {
    if (row.builtin == builtin) return float_to_bits(operands[0].type, compute(row, operands[0]));
  }
  for (const Binary& row : kBinary) {
    if (row.builtin == builtin) return float_to_bits(operands[0].type, compute(row, operands[0], operands[1]));
  }
  if (const auto rounded = evaluate_rounded(builtin, operands)) return rounded;
  if (builtin == BuiltinId::Ldexp) {
    const auto exponent = static_cast<int>(ir::integer_from_bits(operands[1].type, operands[1].bits));
    return float_to_bits(operands[0].type, std::ldexp(number(operands[0]), exponent));
  }
  return std::nullopt;
}

}  // namespace pykc::reference
