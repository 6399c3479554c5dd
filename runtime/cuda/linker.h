// The driver's linker: PTX and cubins that define functions which others only declare become one cubin.
#pragma once

#include <string>
#include <vector>

#include "pykc/artifact.h"
#include "runtime/cuda/driver.h"

namespace pykc::cuda {

/// Neither damaged nor anything but PTX or a cubin.
bool is_code(const std::string& bytes);

/// The artifact's code with its libraries, in the current context. An error has the linker's log.
Result<std::string> link(const Driver& driver, const Artifact& artifact);

}  // namespace pykc::cuda
