// Scalar expressions, by the type rules of the reference.
#pragma once

#include "tests/random/writer.h"

namespace pykc::random_test {

/// An expression of exactly this type; `depth`: how many operations may lie above one another.
Expression expression(Writer& w, ScalarType type, int depth);
/// An operation of any kind, as it comes: its type is what the language says.
Expression operation(Writer& w, int depth);
inline Expression any(Writer& w, int depth) { return expression(w, w.any_type(), depth); }
std::string condition(Writer& w, int depth);
/// " += x": an operator that leaves a variable of this type what it is, and what it is given.
std::string in_place(Writer& w, ScalarType type);

/// The same in all threads of the block.
std::string uniform_integer(Writer& w);
std::string uniform_condition(Writer& w);

/// An index into `size` elements: from the front, or from the end.
std::string index(Writer& w, int size, int depth);

}  // namespace pykc::random_test
