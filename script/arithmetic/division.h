// Division that floors, as Python's `//` and `%` do. Integers: by zero gives 0, and the overflow of MIN // -1 wraps.
#pragma once

#include <cmath>
#include <type_traits>

namespace pykc::script {

template <typename T>
requires std::is_integral_v<T> T floor_divide(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a));
    return static_cast<T>(a / b - (a % b != 0 && (a < 0) != (b < 0)));
  } else {
    return static_cast<T>(a / b);
  }
}

template <typename T>
requires std::is_integral_v<T> T floor_modulo(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
    const T rest = static_cast<T>(a % b);
    return static_cast<T>(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
  } else {
    return static_cast<T>(a % b);
  }
}

template <typename T>
requires std::is_floating_point_v<T> T floor_divide(T a, T b) {
  if (b == 0) return a / b;
  const T rest = std::fmod(a, b);
  T quotient = (a - rest) / b;
  if (rest != 0 && (rest < 0) != (b < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(T(0), a / b);
  const T floored = std::floor(quotient);  // the quotient is whole but for rounding
  return quotient - floored > T(0.5) ? floored + 1 : floored;
}

template <typename T>
requires std::is_floating_point_v<T> T floor_modulo(T a, T b) {
  const T rest = std::fmod(a, b);
  if (rest == 0) return std::copysign(T(0), b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

/// What a division leaves that cuts off, as `np.fmod` does.
template <typename T>
T cut_modulo(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fmod(a, b);
  } else {
    const bool is_minus_one = std::is_signed_v<T> && b == static_cast<T>(-1);
    return b == 0 || is_minus_one ? T(0) : static_cast<T>(a % b);
  }
}

}  // namespace pykc::script
