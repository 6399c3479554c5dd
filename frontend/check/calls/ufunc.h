// Calls of NumPy's ufuncs.
#pragma once

#include <vector>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

Entity call_ufunc(FunctionChecker& checker, const Ufunc& ufunc, const ast::Call& call, SourceRange range);
bool store_ufunc(FunctionChecker& checker, const Ufunc& ufunc, const ast::Call& call, SourceRange range);
Value apply(FunctionChecker& checker, const Ufunc& ufunc, const std::vector<Value>& inputs, SourceRange range);

}  // namespace pykc::checker
