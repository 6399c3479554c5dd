#include "tests/reference/math.h"

#include <algorithm>
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

enum class Operation { Add, Multiply, Divide, FusedMultiplyAdd, SquareRoot };

/// Arithmetic that says how it rounds: in C's terms.
struct Rounded {
  BuiltinId builtin;
  Operation operation;
  int direction;
};

constexpr Rounded kRounded[] = {
    {BuiltinId::AddRn, Operation::Add, FE_TONEAREST},
    {BuiltinId::AddRd, Operation::Add, FE_DOWNWARD},
    {BuiltinId::AddRu, Operation::Add, FE_UPWARD},
    {BuiltinId::AddRz, Operation::Add, FE_TOWARDZERO},
    {BuiltinId::MulRn, Operation::Multiply, FE_TONEAREST},
    {BuiltinId::MulRd, Operation::Multiply, FE_DOWNWARD},
    {BuiltinId::MulRu, Operation::Multiply, FE_UPWARD},
    {BuiltinId::MulRz, Operation::Multiply, FE_TOWARDZERO},
    {BuiltinId::DivRn, Operation::Divide, FE_TONEAREST},
    {BuiltinId::DivRd, Operation::Divide, FE_DOWNWARD},
    {BuiltinId::DivRu, Operation::Divide, FE_UPWARD},
    {BuiltinId::DivRz, Operation::Divide, FE_TOWARDZERO},
    {BuiltinId::FmaRn, Operation::FusedMultiplyAdd, FE_TONEAREST},
    {BuiltinId::FmaRd, Operation::FusedMultiplyAdd, FE_DOWNWARD},
    {BuiltinId::FmaRu, Operation::FusedMultiplyAdd, FE_UPWARD},
    {BuiltinId::FmaRz, Operation::FusedMultiplyAdd, FE_TOWARDZERO},
    {BuiltinId::SqrtRn, Operation::SquareRoot, FE_TONEAREST},
    {BuiltinId::SqrtRd, Operation::SquareRoot, FE_DOWNWARD},
    {BuiltinId::SqrtRu, Operation::SquareRoot, FE_UPWARD},
    {BuiltinId::SqrtRz, Operation::SquareRoot, FE_TOWARDZERO},
};

/// What is volatile is computed where it stands.
template <typename T>
T compute_rounded(Operation operation, std::span<const Scalar> operands) {
  volatile T x = static_cast<T>(number(operands[0]));
  volatile T y = static_cast<T>(number(operands[operands.size() > 1 ? 1 : 0]));
  volatile T z = static_cast<T>(number(operands.back()));
  switch (operation) {
    case Operation::Add:
      return x + y;
    case Operation::Multiply:
      return x * y;
    case Operation::Divide:
      return x / y;
    case Operation::FusedMultiplyAdd:
      return std::fma(x, y, z);
    case Operation::SquareRoot:
      return std::sqrt(x);
  }
  return x;
}

std::optional<std::uint64_t> evaluate_rounded(BuiltinId builtin, std::span<const Scalar> operands) {
  const auto row = std::ranges::find(kRounded, builtin, &Rounded::builtin);
  if (row == std::end(kRounded)) return std::nullopt;
  std::fesetround(row->direction);
  volatile double result = operands[0].type == ScalarType::F64 ? compute_rounded<double>(row->operation, operands)
                                                               : compute_rounded<float>(row->operation, operands);
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
