// Calls of functions that `@extern` declares.
#pragma once

#include <vector>

#include "frontend/check/function_checker.h"
#include "frontend/check/module_checker.h"

namespace pykc::checker {

Value call_external(FunctionChecker& checker, FunctionDecl& function, const std::vector<Value>& arguments,
                    SourceRange range);

/// Whether `@extern` declares what can be called; else it is reported, at each call for one.
bool check_external(ModuleChecker& module, FunctionDecl& function);

}  // namespace pykc::checker
