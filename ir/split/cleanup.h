// The last step of the split at barriers: what has no use any more goes.
#pragma once

#include "ir/analysis/liveness.h"
#include "ir/module.h"

namespace pykc::ir::split {

/// Drops what has no use: values, stores to locals that nobody reads, empty regions.
void drop_unused(Function& kernel, const LocalEffects& effects);
/// Drops the locals that are not used any more.
void drop_unused_locals(Function& kernel);
/// Marks the local arrays that outlive a ThreadLoop.
void mark_arrays(Function& kernel);

}  // namespace pykc::ir::split
