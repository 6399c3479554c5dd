// Arrays: inputs of the kernel, views of them, memory of a thread, constants.
#pragma once

#include "tests/random/writer.h"

namespace pykc::random_test {

/// A scalar of an array that may be read here.
Expression element(Writer& w, ScalarType type, int depth);
/// An element of such an array that holds `type`; empty where there is none.
std::string composed_element(Writer& w, const ValueType& type);
/// The same for all threads: of an input, at a constant index.
std::string uniform_element(Writer& w);
/// A view of an input of scalars, of 4, 8 or 16 elements.
std::string view(Writer& w, ScalarType type, int size);

/// The module's constants.
void declare_constants(Writer& w);
/// The name of a new parameter of the kernel.
std::string add_parameter(Writer& w, const char* prefix, const std::string& annotation, const std::string& run);
/// "random" or "edges".
const char* filling(Writer& w);

void begin_constants(Writer& w);
void begin_inputs(Writer& w);
void begin_local_arrays(Writer& w);

// ---- statements ----
void use_local_array(Writer& w);
void assign_array(Writer& w);
void go_through_slice(Writer& w);

}  // namespace pykc::random_test
