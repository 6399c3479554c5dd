// What a kernel may take of a device: shared and local memory, parameters.
#pragma once

#include "frontend/check/module_checker.h"

namespace pykc::checker {

/// What a kernel takes of the machine, with the functions that it calls.
void check_limits(ModuleChecker& module, const FunctionDecl& decl, const Specialization& kernel);

}  // namespace pykc::checker
