// The loops under elementwise.cpp, one for each function and element type.
#pragma once

#include <array>

#include "script/arithmetic/elementwise.h"
#include "script/values/rows.h"

namespace pykc::script {

/// Operand 0 is the result. All operands have `type`, but the result of a comparison is bool.
/// Functions of any type (elementwise_numbers.cpp) …
void run_number_loop(BinaryFunction function, ScalarType type, const Shape& shape,
                     const std::array<WalkOperand, 3>& operands);
void run_number_loop(UnaryFunction function, ScalarType type, const Shape& shape,
                     const std::array<WalkOperand, 2>& operands);
/// … and of floats only (elementwise_floats.cpp).
void run_float_loop(BinaryFunction function, ScalarType type, const Shape& shape,
                    const std::array<WalkOperand, 3>& operands);
void run_float_loop(UnaryFunction function, ScalarType type, const Shape& shape,
                    const std::array<WalkOperand, 2>& operands);

/// Result element = f(a, b) over all elements, computed in Compute<T>.
template <typename To, typename T, typename F>
void binary_loop(const Shape& shape, const std::array<WalkOperand, 3>& operands, F f) {
  for_each_row<3>(shape, operands, [f](auto address, std::int64_t count, auto strides) {
    To* const to = reinterpret_cast<To*>(address[0]);
    const T* const a = reinterpret_cast<const T*>(address[1]);
    const T* const b = reinterpret_cast<const T*>(address[2]);
    const auto one = [f](T x, T y) { return To(f(static_cast<Compute<T>>(x), static_cast<Compute<T>>(y))); };
    if (strides[0] == sizeof(To) && strides[1] == sizeof(T) && strides[2] == sizeof(T)) {  // the compiler's vectors
      for (std::int64_t i = 0; i < count; ++i) to[i] = one(a[i], b[i]);
      return;
    }
    const std::int64_t step_to = strides[0] / std::int64_t{sizeof(To)};
    const std::int64_t step_a = strides[1] / std::int64_t{sizeof(T)}, step_b = strides[2] / std::int64_t{sizeof(T)};
    for (std::int64_t i = 0; i < count; ++i) to[i * step_to] = one(a[i * step_a], b[i * step_b]);
  });
}

template <typename To, typename T, typename F>
void unary_loop(const Shape& shape, const std::array<WalkOperand, 2>& operands, F f) {
  for_each_row<2>(shape, operands, [f](auto address, std::int64_t count, auto strides) {
    To* const to = reinterpret_cast<To*>(address[0]);
    const T* const a = reinterpret_cast<const T*>(address[1]);
    const std::int64_t step_to = strides[0] / std::int64_t{sizeof(To)}, step_a = strides[1] / std::int64_t{sizeof(T)};
    for (std::int64_t i = 0; i < count; ++i) to[i * step_to] = To(f(static_cast<Compute<T>>(a[i * step_a])));
  });
}

}  // namespace pykc::script
