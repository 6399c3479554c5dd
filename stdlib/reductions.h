// NumPy's functions of a whole array that give one number: `np.sum(a)`, `a.max()`. The library has their loops.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "stdlib/builtins.h"

namespace pykc {

struct Reduction {
  /// What the library's function takes behind the array.
  enum class Takes : std::uint8_t {
    Nothing,
    Zero,          // of the type in which is added
    One,           // of the type in which is multiplied
    ZeroAndCount,  // and the number of elements, of the type of a mean
  };
  enum class Form : std::uint8_t { FunctionOnly, Method };
  enum class Numbers : std::uint8_t { RealOnly, AlsoComplex };
  std::string_view name;  // of the library's function, too
  Takes takes;
  Form form;
  Numbers numbers;
  std::string_view doc;
  Reach reach;

  bool is_method() const { return form == Form::Method; }
  bool is_for_complex() const { return numbers == Numbers::AlsoComplex; }
};

/// The rows of reductions.def; they stay where they are.
std::span<const Reduction> all_reductions();

/// The module of the library that holds their functions.
inline constexpr std::string_view kReductionsModule = "pykc.reductions";

}  // namespace pykc
