// Kernels that are watched while they run are copies; the kernels themselves are for launches that are not.
#pragma once

#include <optional>

#include "ir/module.h"

namespace pykc::ir {

/// Copies of all functions, kernels with Function::plain, to be changed and then put into the module; but not of kernels
/// whose warps run apart: what is told of a block's threads is not told of warps that alternate.
Module copy_to_watch(const Module& module);
/// Puts the copies behind the module's own functions.
void add_copies(Module& module, Module copies);

/// What an access does with its first operand, the address; nothing of all else.
std::optional<ObservedSite::Kind> access_of(const Instruction& instruction);
/// The same for global and shared memory alone.
std::optional<ObservedSite::Kind> access_to_watch(const Instruction& instruction);

}  // namespace pykc::ir
