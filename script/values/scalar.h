// Single elements: C++ types for every ScalarType, conversions between them, and the NumPy-like Scalar value.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/float_bits.h"
#include "pykc/types.h"

namespace pykc::script {

/// Floats of 16 and 8 bits: stored as bits, computed as float.
template <ScalarType kType>
struct SmallFloat {
  using Bits = std::conditional_t<size_in_bytes(kType) == 2, std::uint16_t, std::uint8_t>;
  Bits bits = 0;
  SmallFloat() = default;
  explicit SmallFloat(float value) : bits(static_cast<Bits>(float_to_bits(kType, value))) {}
  explicit SmallFloat(double value) : bits(static_cast<Bits>(float_to_bits(kType, value))) {}
  operator float() const { return static_cast<float>(float_from_bits(kType, bits)); }
};
using F16 = SmallFloat<ScalarType::F16>;
using BF16 = SmallFloat<ScalarType::BF16>;
using F8E4M3 = SmallFloat<ScalarType::F8E4M3>;
using F8E5M2 = SmallFloat<ScalarType::F8E5M2>;

template <typename T>
inline constexpr bool kIsSmallFloat = false;
template <ScalarType kType>
inline constexpr bool kIsSmallFloat<SmallFloat<kType>> = true;
template <typename T>
inline constexpr bool kIsFloat = std::is_floating_point_v<T> || kIsSmallFloat<T>;
/// What an element type computes in.
template <typename T>
using Compute = std::conditional_t<kIsSmallFloat<T>, float, T>;

/// Calls `f(std::type_identity<T>{})` with the C++ type of the elements.
template <typename F>
decltype(auto) with_type(ScalarType type, F&& f) {
  switch (type) {
    case ScalarType::Bool:
      return f(std::type_identity<bool>{});
    case ScalarType::I8:
      return f(std::type_identity<std::int8_t>{});
    case ScalarType::I16:
      return f(std::type_identity<std::int16_t>{});
    case ScalarType::I32:
      return f(std::type_identity<std::int32_t>{});
    case ScalarType::I64:
      return f(std::type_identity<std::int64_t>{});
    case ScalarType::U8:
      return f(std::type_identity<std::uint8_t>{});
    case ScalarType::U16:
      return f(std::type_identity<std::uint16_t>{});
    case ScalarType::U32:
      return f(std::type_identity<std::uint32_t>{});
    case ScalarType::U64:
      return f(std::type_identity<std::uint64_t>{});
    case ScalarType::F16:
      return f(std::type_identity<F16>{});
    case ScalarType::BF16:
      return f(std::type_identity<BF16>{});
    case ScalarType::F8E4M3:
      return f(std::type_identity<F8E4M3>{});
    case ScalarType::F8E5M2:
      return f(std::type_identity<F8E5M2>{});
    case ScalarType::F32:
      return f(std::type_identity<float>{});
    case ScalarType::F64:
      break;
  }
  return f(std::type_identity<double>{});
}

/// Element conversion as the language has it: integers wrap, floats become integers by truncation and saturate, NaN
/// gives 0, anything but zero is true.
template <typename To, typename From>
To convert_element(From from) {
  if constexpr (std::is_same_v<To, From>) {
    return from;
  } else if constexpr (std::is_same_v<To, bool>) {
    return static_cast<Compute<From>>(from) != 0;
  } else if constexpr (kIsFloat<To>) {
    if constexpr (kIsSmallFloat<To>)
      return To(static_cast<double>(static_cast<Compute<From>>(from)));
    else
      return static_cast<To>(static_cast<Compute<From>>(from));
  } else if constexpr (kIsFloat<From>) {
    const auto value = static_cast<double>(static_cast<Compute<From>>(from));
    if (std::isnan(value)) return 0;
    // The bounds as doubles: the upper one may round up, to a power of two that is itself out of range.
    constexpr auto lowest = static_cast<double>(std::numeric_limits<To>::min());
    constexpr auto highest = static_cast<double>(std::numeric_limits<To>::max());
    if (value <= lowest) return std::numeric_limits<To>::min();
    if (value >= highest) return std::numeric_limits<To>::max();
    return static_cast<To>(value);
  } else {
    return static_cast<To>(from);
  }
}

/// A number with a fixed type, as NumPy's scalars: what `a[i]` and `f32(x)` give.
struct Scalar {
  ScalarType type = ScalarType::F64;
  std::uint64_t bits = 0;  // the element's bytes, zero-extended

  template <typename T>
  T as() const {
    return with_type(type, [&]<typename From>(std::type_identity<From>) {
      From from;
      std::memcpy(static_cast<void*>(&from), &bits, sizeof(From));
      return convert_element<T>(from);
    });
  }
  template <typename T>
  static Scalar of(T value, ScalarType type) {
    Scalar scalar{type, 0};
    with_type(type, [&]<typename To>(std::type_identity<To>) {
      const To to = convert_element<To>(value);
      std::memcpy(&scalar.bits, static_cast<const void*>(&to), sizeof(To));
    });
    return scalar;
  }
  static Scalar load(ScalarType type, const void* element) {
    Scalar scalar{type, 0};
    std::memcpy(&scalar.bits, element, static_cast<std::size_t>(size_in_bytes(type)));
    return scalar;
  }
  void store(void* element) const { std::memcpy(element, &bits, static_cast<std::size_t>(size_in_bytes(type))); }
};

}  // namespace pykc::script
