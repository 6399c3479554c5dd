// What each module of a program declares.
#pragma once

#include "frontend/check/module_checker.h"

namespace pykc::checker {

void declare_modules(ModuleChecker& module, const Program& program);

}  // namespace pykc::checker
