// Statements of a function's body, chosen by weight among those that the program and the place allow.
#pragma once

#include "tests/random/writer.h"

namespace pykc::random_test {

void block(Writer& w, int statements);
void statement(Writer& w);
/// A line that opens a block, and its body. `uniform`: all threads that are here run the body, or none.
void nested(Writer& w, const std::string& header, bool uniform);

}  // namespace pykc::random_test
