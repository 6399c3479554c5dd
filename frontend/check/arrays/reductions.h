// NumPy's functions of a whole array that give one number: `np.sum(a)`, `a.max()`. The library has their loops.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace pykc::checker {

struct Reduction {
  /// What the library's function takes behind the array.
  enum class Takes : std::uint8_t {
    Nothing,
    Zero,          // of the type in which is added
    One,           // of the type in which is multiplied
    ZeroAndCount,  // and the number of elements, of the type of a mean
  };
  std::string_view name;  // of the library's function, too
  Takes takes;
  bool is_method;
  bool is_for_complex;
};

/// The table; its rows stay where they are.
std::span<const Reduction> all_reductions();

/// The module of the library that holds their functions.
inline constexpr std::string_view kReductionsModule = "pykc.reductions";

}  // namespace pykc::checker
