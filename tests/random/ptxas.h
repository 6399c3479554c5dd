// PTX as a cubin: by the driver's assembler at a level of optimisation that is chosen (is a wrong result its doing?),
// or by a program of CUDA's, of which many run side by side, while the driver assembles one module of a process at a
// time.
#pragma once

#include <string>

#include "pykc/error.h"

namespace pykc::random_test {

/// PTX as a cubin for the GPU whose context is current. `level`: 0 (nothing) to 4 (what the driver does by itself).
Result<std::string> assemble(const std::string& ptx, int level);

/// PTX as a cubin for `chip` ("sm_90") by `program`, a path of ptxas. `level`: 0 to 3; higher ones count as 3.
Result<std::string> assemble_by(const std::string& program, const std::string& ptx, const std::string& chip, int level);

}  // namespace pykc::random_test
