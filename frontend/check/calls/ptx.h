// Calls of `ptx(…)`, and of what only PTX can use.
#pragma once

#include "frontend/check/function_checker.h"

namespace pykc::checker {

Entity call_ptx(FunctionChecker& checker, const ast::Call& call, SourceRange range);         // calls/ptx.cpp
Entity call_tensor_map(FunctionChecker& checker, const ast::Call& call, SourceRange range);  // calls/tensor_map.cpp

}  // namespace pykc::checker
