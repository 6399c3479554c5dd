// Calls of `ptx(…)`.
#pragma once

#include "frontend/check/function_checker.h"

namespace pykc::checker {

Entity call_ptx(FunctionChecker& checker, const ast::Call& call, SourceRange range);  // calls/ptx.cpp

}  // namespace pykc::checker
