// Calls of pure functions of numbers, drawn from the table of builtins itself: a new row is covered as it is written.
#pragma once

#include "tests/random/writer.h"

namespace pykc::random_test {

Expression builtin_call(Writer& w, int depth);

}  // namespace pykc::random_test
