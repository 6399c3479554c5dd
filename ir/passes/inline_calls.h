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

/// The functions with such an instruction, themselves or in others that they call.
std::unordered_set<const Function*> functions_with(const Module& module, Opcode opcode);

/// Copies the bodies of `callees` into their callers, and drops them; but those that call themselves.
void inline_calls(Module& module, std::unordered_set<const Function*> callees);

/// The first call in the body that leads back to the function itself, at once or through others; null for none.
const Instruction* recursive_call(const Function& function);

}  // namespace pykc::ir
