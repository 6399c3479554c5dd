// Values that are made of several: complex numbers, vectors, records, members of enums, named tuples.
#pragma once

#include "tests/random/writer.h"

namespace pykc::random_test {

/// Chooses what the program composes, and writes the classes that it needs.
void declare_types(Writer& w);

/// A value of any type, as text.
std::string value(Writer& w, const ValueType& type, int depth);
/// A type whose values an array may hold; mostly a scalar.
ValueType storable_type(Writer& w);

/// One of the numbers of a composed value.
Expression part_of_value(Writer& w, int depth);
/// One of the numbers of the value `text`.
Expression part(Writer& w, const ValueType& type, const std::string& text);
std::string equality_of_values(Writer& w, int depth);

// ---- statements ----
void assign_value(Writer& w);
void assign_field(Writer& w);

}  // namespace pykc::random_test
