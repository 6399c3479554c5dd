// Atomics whose order does not show: in what they leave, or in what is made of what they return.
#pragma once

#include "tests/random/writer.h"

namespace pykc::random_test {

// ---- statements ----
void change_atomically(Writer& w);
void use_atomic_result(Writer& w);

}  // namespace pykc::random_test
