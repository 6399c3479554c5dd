// Which kernels are checked: those that somebody asks for, with the types that they give, or all that have types.
#pragma once

#include "frontend/check/module_checker.h"

namespace pykc::checker {

/// Every kernel of the main module that states its types; of the others, what can be said without.
void check_all_kernels(ModuleChecker& module);
void check_request(ModuleChecker& module, const KernelRequest& asked);

}  // namespace pykc::checker
