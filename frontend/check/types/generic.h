// What can be said of a kernel without types.
#pragma once

#include "frontend/check/function_checker.h"

namespace pykc::checker {

/// Only whether the names that the function uses exist: types/generic.cpp.
void check_names(FunctionChecker& checker, const FunctionDecl& function);

}  // namespace pykc::checker
