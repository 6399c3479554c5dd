// What inline_calls copies, and what it cannot.
#pragma once

#include <unordered_set>

#include "ir/module.h"

namespace pykc::ir {

/// The functions that must stand in the kernel that calls them: they, or functions that they call, wait for other
/// threads, stop a thread, ask where it stands or have shared memory.
std::unordered_set<const Function*> functions_to_inline(const Module& module);

/// The first call in the body that leads back to the function itself, at once or through others; null for none.
const Instruction* recursive_call(const Function& function);

}  // namespace pykc::ir
