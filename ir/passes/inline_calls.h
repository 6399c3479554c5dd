// What inline_calls must copy, and what it cannot.
#pragma once

#include <unordered_set>

#include "ir/module.h"

namespace pykc::ir {

/// The functions that must stand in the kernel that calls them: they, or functions that they call, wait for other
/// threads or have shared memory.
std::unordered_set<const Function*> functions_that_meet(const Module& module);

/// The functions that may stop their thread, themselves or through others.
std::unordered_set<const Function*> functions_that_fault(const Module& module);

/// The first call in the body that leads back to the function itself, at once or through others; null for none.
const Instruction* recursive_call(const Function& function);

}  // namespace pykc::ir
