// Device functions of all kinds, and calls of them.
#pragma once

#include "tests/random/writer.h"

namespace pykc::random_test {

void declare_functions(Writer& w);
/// A scalar that a function of the program gives.
Expression function_call(Writer& w, int depth);
/// A call that gives `type`, a composed one; empty where no function does.
std::string call_for(Writer& w, const ValueType& type, int depth);

// ---- statements ----
/// A function inside the kernel, or a lambda, and a call of it.
void use_closure(Writer& w);
/// `for g in (lambda …, abs, lambda …): t = g(t)`.
void loop_through_functions(Writer& w);

}  // namespace pykc::random_test
