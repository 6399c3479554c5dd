// The rules of types: which type two values have in common, in which type arithmetic is done, what a literal fits.
// docs/language.md states them for users; they are pure functions here so that a test can go through them by table.
//
//   Integers narrower than 32 bits, and bools among themselves, compute in i32, as in C. Otherwise NumPy's rules hold:
//   the narrowest type that holds both, so i32 + u32 → i64, u8 + u32 → u32; i64 and u64 have none. An integer that
//   meets a float takes the float's type. A bool is the narrowest integer: 0 or 1.
#pragma once

#include <optional>
#include <vector>

#include "frontend/checked.h"
#include "pykc/types.h"

namespace pykc::checker {

__extension__ using Int128 = __int128;

/// The narrowest type that holds the values of both: what a variable becomes that is assigned both.
std::optional<ScalarType> common_type(ScalarType a, ScalarType b);
/// The type in which `a + b` is computed.
std::optional<ScalarType> arithmetic_type(ScalarType a, ScalarType b);
/// The type in which `-a` is computed.
ScalarType promoted(ScalarType type);

bool is_narrow(ScalarType type);  // bool and integers below 32 bits
bool is_integer_or_bool(ScalarType type);
bool is_wide_enough(Int128 value, ScalarType integer_type);  // does the type hold this value?
ScalarType type_of_literal(Int128 value);                    // i64, or u64 above its largest value

/// What is known of the type of a variable, an argument or a result while types are worked out. It only ever grows:
/// unknown → weak float → a type → a wider type.
struct InferredType {
  bool known = false;
  bool weak = false;  // a float that no more than literals have decided: f64 unless it meets another float
  checked::Type type;
  std::vector<InferredType> elements;  // of a tuple

  static InferredType of(checked::Type type);
  static InferredType weak_float();
  friend bool operator==(const InferredType&, const InferredType&) = default;
};

/// Widens `into` by `other`. False, and no change, where the two have no type in common.
bool join_into(InferredType& into, const InferredType& other);
/// Makes what is weak an f64.
void settle(InferredType& type);
/// The type, with the types of tuple elements put together; none for what is not known.
checked::Type settled_type(const InferredType& type);
/// A key for memo tables: equal exactly for equal types.
std::string to_key(const InferredType& type);

}  // namespace pykc::checker
