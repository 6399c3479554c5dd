// Makes kernels tell the sanitizer of the CPU device (pykc/sanitize.h) what their threads do.
#pragma once

#include "base/diagnostics.h"
#include "ir/module.h"

namespace pykc::ir {

/// Adds a copy of each function, with an Observe in front of each access to global and shared memory, each fence and
/// each operation of a warp, and describes these places in Module::observed. Where threads of a copy meet,
/// split_at_barriers adds an ObserveMeeting.
///
/// The functions themselves are for launches that were watched before, so they lose the checks whose outcome is
/// settled. `comments` says of which lines what is not to be reported.
void observe(Module& module, Sanitize what, const Diagnostics& comments);

}  // namespace pykc::ir
