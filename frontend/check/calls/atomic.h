// Builtins that work on an element of an array.
#pragma once

#include "frontend/check/function_checker.h"

namespace pykc::checker {

Value call_on_element(FunctionChecker& checker, BuiltinId id, const Arguments& arguments, SourceRange range);

}  // namespace pykc::checker
