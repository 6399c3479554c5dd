// Control flow: branches, loops, and leaving them.
#pragma once

#include "tests/random/writer.h"

namespace pykc::random_test {

// ---- statements ----
void branch(Writer& w);
void loop(Writer& w);
void leave_loop(Writer& w);
void return_early(Writer& w);

}  // namespace pykc::random_test
