// Global arrays of which each thread reads and writes its own elements again: behind guards, in strides of the grid,
// under two names, and by rows of the outputs.
#pragma once

#include "tests/random/writer.h"

namespace pykc::random_test {

void begin_owned_arrays(Writer& w);
void begin_owned_matrix(Writer& w);

// ---- statements ----
void use_own_elements(Writer& w);
void use_own_rows(Writer& w);
/// Puts a value into the thread's own column of the outputs, so that what happened on the way can be seen.
void record(Writer& w);

inline constexpr int kMostRows = 24;

}  // namespace pykc::random_test
