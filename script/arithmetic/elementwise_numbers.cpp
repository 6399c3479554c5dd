// Functions of every element type: arithmetic, comparison, bits. Integers wrap, as the language has it.
#include <algorithm>
#include <cmath>

#include "script/arithmetic/division.h"
#include "script/arithmetic/elementwise_loops.h"

namespace pykc::script {
namespace {

/// Wrapping arithmetic: in unsigned 64 bits, then cut.
template <typename C, typename F>
C wrapping(C a, C b, F f) {
  if constexpr (std::is_same_v<C, bool>)
    return f(std::uint64_t{a}, std::uint64_t{b}) != 0;
  else if constexpr (std::is_integral_v<C>)
    return static_cast<C>(f(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
  else
    return f(a, b);
}

template <typename C>
C power(C base, C exponent) {
  if constexpr (std::is_floating_point_v<C>) {
    return std::pow(base, exponent);
  } else {
    std::uint64_t result = 1, factor = static_cast<std::uint64_t>(base);
    for (auto rest = static_cast<std::uint64_t>(exponent); rest != 0; rest >>= 1) {
      if (rest & 1) result *= factor;
      factor *= factor;
    }
    return static_cast<C>(result);
  }
}

/// A NaN on either side wins, as in NumPy.
template <typename C>
bool is_nan(C x) {
  if constexpr (std::is_floating_point_v<C>)
    return std::isnan(x);
  else
    return false;
}
template <typename C>
C minimum(C a, C b) {
  return is_nan(a) || a < b ? a : b;
}
template <typename C>
C maximum(C a, C b) {
  return is_nan(a) || b < a ? a : b;
}

template <typename C>
C shift_left(C value, C count) {
  if (count < 0 || static_cast<std::uint64_t>(count) >= 8 * sizeof(C)) return 0;
  return static_cast<C>(static_cast<std::uint64_t>(value) << count);
}
template <typename C>
C shift_right(C value, C count) {
  if (count < 0 || static_cast<std::uint64_t>(count) >= 8 * sizeof(C)) return static_cast<C>(value < 0 ? -1 : 0);
  return static_cast<C>(value >> count);
}

template <typename T>
void run_arithmetic(BinaryFunction function, const Shape& shape, const std::array<WalkOperand, 3>& operands) {
  using C = Compute<T>;
  const auto loop = [&](auto f) { binary_loop<T, T>(shape, operands, f); };
  switch (function) {
    case BinaryFunction::Add:
      return loop([](C a, C b) { return wrapping(a, b, [](auto x, auto y) { return x + y; }); });
    case BinaryFunction::Subtract:
      return loop([](C a, C b) { return wrapping(a, b, [](auto x, auto y) { return x - y; }); });
    case BinaryFunction::Multiply:
      return loop([](C a, C b) { return wrapping(a, b, [](auto x, auto y) { return x * y; }); });
    case BinaryFunction::Minimum:
      return loop([](C a, C b) { return minimum(a, b); });
    case BinaryFunction::Maximum:
      return loop([](C a, C b) { return maximum(a, b); });
    default:
      break;
  }
  if constexpr (!std::is_same_v<T, bool>) {
    switch (function) {
      case BinaryFunction::FloorDivide:
        return loop([](C a, C b) { return floor_divide(a, b); });
      case BinaryFunction::Modulo:
        return loop([](C a, C b) { return floor_modulo(a, b); });
      case BinaryFunction::Fmod:
        return loop([](C a, C b) { return cut_modulo(a, b); });
      case BinaryFunction::Power:
        return loop([](C a, C b) { return power(a, b); });
      default:
        break;
    }
  }
  if constexpr (kIsFloat<T>) {
    if (function == BinaryFunction::TrueDivide) loop([](C a, C b) { return a / b; });
  }
}

template <typename T>
void run_bits(BinaryFunction function, const Shape& shape, const std::array<WalkOperand, 3>& operands) {
  if constexpr (std::is_integral_v<T>) {
    const auto loop = [&](auto f) { binary_loop<T, T>(shape, operands, f); };
    switch (function) {
      case BinaryFunction::BitAnd:
        return loop([](T a, T b) { return static_cast<T>(a & b); });
      case BinaryFunction::BitOr:
        return loop([](T a, T b) { return static_cast<T>(a | b); });
      case BinaryFunction::BitXor:
        return loop([](T a, T b) { return static_cast<T>(a ^ b); });
      case BinaryFunction::LogicalAnd:
        return loop([](T a, T b) { return static_cast<T>(a && b); });
      case BinaryFunction::LogicalOr:
        return loop([](T a, T b) { return static_cast<T>(a || b); });
      default:
        break;
    }
    if constexpr (!std::is_same_v<T, bool>) {
      if (function == BinaryFunction::LeftShift) loop([](T a, T b) { return shift_left(a, b); });
      if (function == BinaryFunction::RightShift) loop([](T a, T b) { return shift_right(a, b); });
    }
  }
}

template <typename T>
void run_comparison(BinaryFunction function, const Shape& shape, const std::array<WalkOperand, 3>& operands) {
  using C = Compute<T>;
  const auto loop = [&](auto f) { binary_loop<bool, T>(shape, operands, f); };
  switch (function) {
    case BinaryFunction::Equal:
      return loop([](C a, C b) { return a == b; });
    case BinaryFunction::NotEqual:
      return loop([](C a, C b) { return a != b; });
    case BinaryFunction::Less:
      return loop([](C a, C b) { return a < b; });
    case BinaryFunction::LessEqual:
      return loop([](C a, C b) { return a <= b; });
    case BinaryFunction::Greater:
      return loop([](C a, C b) { return a > b; });
    default:
      return loop([](C a, C b) { return a >= b; });
  }
}

template <typename C>
C absolute(C x) {
  if constexpr (std::is_floating_point_v<C>)
    return std::fabs(x);
  else if constexpr (std::is_signed_v<C>)
    return x < 0 ? static_cast<C>(0 - static_cast<std::uint64_t>(x)) : x;
  else
    return x;
}

template <typename C>
C sign(C x) {
  if constexpr (std::is_unsigned_v<C>)
    return static_cast<C>(x != 0);
  else
    return is_nan(x) ? x : static_cast<C>((x > 0) - (x < 0));
}

template <typename T>
void run_unary(UnaryFunction function, const Shape& shape, const std::array<WalkOperand, 2>& operands) {
  using C = Compute<T>;
  const auto loop = [&](auto f) { unary_loop<T, T>(shape, operands, f); };
  switch (function) {
    case UnaryFunction::Abs:
      return loop([](C x) { return absolute(x); });
    case UnaryFunction::Sign:
      return loop([](C x) { return sign(x); });
    case UnaryFunction::Square:
      return loop([](C x) { return wrapping(x, x, [](auto a, auto b) { return a * b; }); });
    case UnaryFunction::Negate:
      if constexpr (std::is_floating_point_v<C>)
        return loop([](C x) { return -x; });
      else
        return loop([](C x) { return wrapping(C{}, x, [](auto a, auto b) { return a - b; }); });
    default:
      break;
  }
  if constexpr (std::is_same_v<T, bool>) {
    if (function == UnaryFunction::Invert || function == UnaryFunction::LogicalNot) loop([](bool x) { return !x; });
  } else if constexpr (std::is_integral_v<T>) {
    if (function == UnaryFunction::Invert) loop([](T x) { return static_cast<T>(~x); });
  }
}

/// `test` on floats; on integers always `otherwise`.
template <typename T, typename F>
void run_classification(const Shape& shape, const std::array<WalkOperand, 2>& operands, bool otherwise, F test) {
  if constexpr (kIsFloat<T>)
    unary_loop<bool, T>(shape, operands, [test](Compute<T> x) { return test(x); });
  else
    unary_loop<bool, T>(shape, operands, [otherwise](Compute<T>) { return otherwise; });
}

}  // namespace

void run_number_loop(BinaryFunction function, ScalarType type, const Shape& shape,
                     const std::array<WalkOperand, 3>& operands) {
  with_type(type, [&]<typename T>(std::type_identity<T>) {
    if (function >= BinaryFunction::Equal && function <= BinaryFunction::GreaterEqual)
      return run_comparison<T>(function, shape, operands);
    run_arithmetic<T>(function, shape, operands);
    run_bits<T>(function, shape, operands);
  });
}

void run_number_loop(UnaryFunction function, ScalarType type, const Shape& shape,
                     const std::array<WalkOperand, 2>& operands) {
  with_type(type, [&]<typename T>(std::type_identity<T>) {
    switch (function) {
      case UnaryFunction::IsNan:
        return run_classification<T>(shape, operands, false, [](auto x) { return std::isnan(x); });
      case UnaryFunction::IsInf:
        return run_classification<T>(shape, operands, false, [](auto x) { return std::isinf(x); });
      case UnaryFunction::IsFinite:
        return run_classification<T>(shape, operands, true, [](auto x) { return std::isfinite(x); });
      default:
        return run_unary<T>(function, shape, operands);
    }
  });
}

}  // namespace pykc::script
