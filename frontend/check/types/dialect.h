// The rules of types that depend on where a function comes from: which type two numbers have in common, and in which
// type arithmetic on them is done. docs/language.md states them for users (2.4 to 2.7, 12.1, 12.2), a column a dialect.
//
//   Native. Literals take the type of what they meet. Integers narrower than 32 bits, and bools among themselves,
//   compute in i32, as in C. Otherwise NumPy's rules hold: the narrowest type that holds both, so i32 + u32 → i64,
//   u8 + u32 → u32; i64 and u64 have none. An integer that meets a float takes the float's type.
//
//   Numba. What a module that imports `numba` says means there what it means to Numba. Literals are i64 and f64;
//   integers compute in 64 bits, without sign where both are; a float that meets an integer becomes wide enough for all
//   values of the integer's type.
//
//   Ufunc. NumPy's functions (`np.add(x, y)`) in a module that imports `numba`: the types of NumPy's loops.
#pragma once

#include <cstdint>
#include <optional>

#include "pykc/types.h"

namespace pykc::checker {

enum class Dialect : std::uint8_t { Native, Numba, Ufunc };

struct TypingRules {
  using Meet = std::optional<ScalarType> (*)(ScalarType, ScalarType);  // none: an error, that asks for a cast
  using Widen = ScalarType (*)(ScalarType);

  bool has_weak_literals;  // they take the type of what they meet
  Meet join;               // what a variable becomes that is assigned both; also of `a if c else b`, `min`, `max`
  Meet arithmetic;         // of `a + b`, `a - b`, `a * b`, and of a bitwise operator
  Meet remainder;          // of `a // b`, `a % b`
  Meet power;              // of `a ** b`
  Meet shift;              // of `a << b`
  Meet comparison;         // in which `a < b` is decided; none: exactly, as the numbers that they are
  Widen promoted;          // of `-a`, `+a`, `~a`
  Widen negated;           // in which `-a` and `~a` are computed, before they become that
  Widen magnitude;         // of `abs(a)`
  Widen real;              // the float of a function of floats that is given only integers: `math.sin(i)`
  Widen to_int;            // of `int(a)`
  Widen to_float;          // of `float(a)`
};

const TypingRules& rules_of(Dialect dialect);

bool is_narrow(ScalarType type);  // bool and integers below 32 bits
bool is_integer_or_bool(ScalarType type);
/// The type in which the machine computes numbers of this type: i32 for narrow ones.
ScalarType machine_type(ScalarType type);

}  // namespace pykc::checker
