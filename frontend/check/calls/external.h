// Calls of functions that `@extern` declares.
#pragma once

#include "frontend/check/function_checker.h"

namespace pykc::checker {

Value call_external(FunctionChecker& checker, FunctionDecl& function, const std::vector<Value>& arguments,
                    SourceRange range);

}  // namespace pykc::checker
