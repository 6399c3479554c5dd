// The body of one function for certain types of arguments.
#pragma once

#include "frontend/check/function_checker.h"

namespace pykc::checker {

void emit(FunctionChecker& checker, checked::Function& to);  // statements/function.cpp

}  // namespace pykc::checker
