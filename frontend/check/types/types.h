// What is known of the types of variables, arguments and results while they are worked out, and what a literal fits.
#pragma once

#include <cstddef>
#include <vector>

#include "frontend/check/types/dialect.h"
#include "frontend/checked/tree.h"
#include "pykc/types.h"

namespace pykc::checker {

__extension__ using Int128 = __int128;

bool is_wide_enough(Int128 value, ScalarType integer_type);  // does the type hold this value?
ScalarType type_of_literal(Int128 value);                    // i64, or u64 above its largest value

/// What is known of the type of a variable, an argument or a result while types are worked out. It only ever grows:
/// unknown → weak float → a type → a wider type.
struct InferredType {
  bool known = false;
  bool weak = false;   // a float that no more than literals have decided: f64 unless it meets another float
  checked::Type type;  // what it is once no more is found out: None where it is not known, f64 where it is weak
  std::vector<InferredType> elements;  // of a tuple or a function

  static InferredType of(checked::Type type);
  static InferredType weak_float();
  friend bool operator==(const InferredType&, const InferredType&) = default;
};

/// Whether both are text of one kind of characters, of whatever width.
bool is_text_like(checked::Type a, checked::Type b);
/// Widens `into` by `other`. False, and no change, where the two have no type in common.
bool join_into(InferredType& into, const InferredType& other, const TypingRules& rules, checked::TypePool& types);
/// Makes what is weak an f64.
void settle(InferredType& type);

/// What specialisations are found by.
struct HashOfTypes {
  std::size_t operator()(const std::vector<InferredType>& types) const;
};

}  // namespace pykc::checker
