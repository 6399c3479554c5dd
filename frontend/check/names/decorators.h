// Decorators: what kind of function this is, the kernel's options, its signature.
#pragma once

#include "frontend/check/module_checker.h"

namespace pykc::checker {

void read_decorators(ModuleChecker& module, const Scope& scope, FunctionDecl& function);

}  // namespace pykc::checker
