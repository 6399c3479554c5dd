// Makes kernels tell the CPU device what a GPU's warps would do (pykc/costs.h).
#pragma once

#include "ir/module.h"

namespace pykc::ir {

/// Adds a copy of each function that tells, by Observe, which way each thread takes and what it accesses, and describes
/// these places in Module::observed; each kernel's copy has in KernelInfo::watched.code what stands on its lines.
/// `fast_math`: of all kernels, not of those alone that say so.
void count_costs(Module& module, bool fast_math);

}  // namespace pykc::ir
