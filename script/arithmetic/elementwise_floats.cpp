// Functions of floats: the C library's, in the element's own precision.
#include <cmath>
#include <numbers>

#include "script/arithmetic/elementwise_loops.h"

namespace pykc::script {
namespace {

template <typename F>
void with_float_type(ScalarType type, F&& f) {
  switch (type) {
    case ScalarType::F16:
      return f(std::type_identity<F16>{});
    case ScalarType::BF16:
      return f(std::type_identity<BF16>{});
    case ScalarType::F32:
      return f(std::type_identity<float>{});
    default:
      return f(std::type_identity<double>{});
  }
}

/// The neighbour among the numbers of the element type, which of 16 bits is none of its Compute type.
template <typename T>
Compute<T> next_after(Compute<T> from, Compute<T> to) {
  if constexpr (kIsSmallFloat<T>) {
    if (!(from < to) && !(from > to)) return from == to ? to : from + to;
    T next(from);
    if (from == 0)
      next.bits = T(std::copysign(0.0f, to)).bits + 1;
    else
      next.bits += (from < to) == (from > 0) ? 1 : -1;
    return next;
  } else {
    return std::nextafter(from, to);
  }
}

}  // namespace

void run_float_loop(BinaryFunction function, ScalarType type, const Shape& shape,
                    const std::array<WalkOperand, 3>& operands) {
  with_float_type(type, [&]<typename T>(std::type_identity<T>) {
    using C = Compute<T>;
    const auto loop = [&](auto f) { binary_loop<T, T>(shape, operands, f); };
    switch (function) {
      case BinaryFunction::Hypot:
        return loop([](C a, C b) { return std::hypot(a, b); });
      case BinaryFunction::Arctan2:
        return loop([](C a, C b) { return std::atan2(a, b); });
      case BinaryFunction::Copysign:
        return loop([](C a, C b) { return std::copysign(a, b); });
      default:
        return loop(next_after<T>);
    }
  });
}

void run_float_loop(UnaryFunction function, ScalarType type, const Shape& shape,
                    const std::array<WalkOperand, 2>& operands) {
  with_float_type(type, [&]<typename T>(std::type_identity<T>) {
    using C = Compute<T>;
    const auto loop = [&](auto f) { unary_loop<T, T>(shape, operands, f); };
    switch (function) {
      case UnaryFunction::Sqrt:
        return loop([](C x) { return std::sqrt(x); });
      case UnaryFunction::Cbrt:
        return loop([](C x) { return std::cbrt(x); });
      case UnaryFunction::Exp:
        return loop([](C x) { return std::exp(x); });
      case UnaryFunction::Exp2:
        return loop([](C x) { return std::exp2(x); });
      case UnaryFunction::Expm1:
        return loop([](C x) { return std::expm1(x); });
      case UnaryFunction::Log:
        return loop([](C x) { return std::log(x); });
      case UnaryFunction::Log2:
        return loop([](C x) { return std::log2(x); });
      case UnaryFunction::Log10:
        return loop([](C x) { return std::log10(x); });
      case UnaryFunction::Log1p:
        return loop([](C x) { return std::log1p(x); });
      case UnaryFunction::Sin:
        return loop([](C x) { return std::sin(x); });
      case UnaryFunction::Cos:
        return loop([](C x) { return std::cos(x); });
      case UnaryFunction::Tan:
        return loop([](C x) { return std::tan(x); });
      case UnaryFunction::Arcsin:
        return loop([](C x) { return std::asin(x); });
      case UnaryFunction::Arccos:
        return loop([](C x) { return std::acos(x); });
      case UnaryFunction::Arctan:
        return loop([](C x) { return std::atan(x); });
      case UnaryFunction::Sinh:
        return loop([](C x) { return std::sinh(x); });
      case UnaryFunction::Cosh:
        return loop([](C x) { return std::cosh(x); });
      case UnaryFunction::Tanh:
        return loop([](C x) { return std::tanh(x); });
      case UnaryFunction::Arcsinh:
        return loop([](C x) { return std::asinh(x); });
      case UnaryFunction::Arccosh:
        return loop([](C x) { return std::acosh(x); });
      case UnaryFunction::Arctanh:
        return loop([](C x) { return std::atanh(x); });
      case UnaryFunction::Floor:
        return loop([](C x) { return std::floor(x); });
      case UnaryFunction::Ceil:
        return loop([](C x) { return std::ceil(x); });
      case UnaryFunction::Trunc:
        return loop([](C x) { return std::trunc(x); });
      case UnaryFunction::Rint:
        return loop([](C x) { return std::nearbyint(x); });
      case UnaryFunction::Degrees:
        return loop([](C x) { return x * (C(180) / std::numbers::pi_v<C>); });
      case UnaryFunction::Radians:
        return loop([](C x) { return x * (std::numbers::pi_v<C> / C(180)); });
      case UnaryFunction::Erf:
        return loop([](C x) { return std::erf(x); });
      case UnaryFunction::Gamma:
        return loop([](C x) { return std::tgamma(x); });
      default:
        return loop([](C x) {
          int sign = 0;  // lgamma writes a global, lgamma_r does not
          return static_cast<C>(::lgamma_r(static_cast<double>(x), &sign));
        });
    }
  });
}

}  // namespace pykc::script
