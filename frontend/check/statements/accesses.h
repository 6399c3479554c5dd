// Warnings about the way in which the threads of a launch go through the arrays of a kernel.
#pragma once

#include "base/diagnostics.h"
#include "frontend/checked/tree.h"

namespace pykc::checker {

/// Warns of an index that may lie behind the end of its array because nothing compares it with anything, and of
/// accesses that cannot coalesce. Silent where it cannot tell.
void warn_of_accesses(const checked::Function& kernel, const SourceFile& file, Diagnostics& diagnostics);

}  // namespace pykc::checker
