// The driver's assembler at a level of optimisation that is chosen: is a wrong result its doing?
#pragma once

#include <string>

#include "pykc/error.h"

namespace pykc::random_test {

/// PTX as a cubin for the GPU whose context is current. `level`: 0 (nothing) to 4 (what the driver does by itself).
Result<std::string> assemble(const std::string& ptx, int level);

}  // namespace pykc::random_test
