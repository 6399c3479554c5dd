// What a benchmark must know of a kernel beside its description.
#pragma once

#include "driver/driver.h"
#include "ir/module.h"

namespace pykc::driver {

/// The artifact of a module whose kernels count, with what the module tells of them.
CountingKernel describe_counting(const ir::Module& module, Artifact artifact);

}  // namespace pykc::driver
