// Finds the kernel parameters that nothing writes through, and says so in Parameter::read_only.
#pragma once

#include "ir/module.h"

namespace pykc::lowering {

/// A parameter counts as written where a store or an atomic may reach memory through it: directly, by way of a variable
/// or a choice of addresses, or in a function that it is passed to.
void mark_read_only_parameters(ir::Module& module);

}  // namespace pykc::lowering
