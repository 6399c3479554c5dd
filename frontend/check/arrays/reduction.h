// Calls of NumPy's reductions.
#pragma once

#include "frontend/check/function_checker.h"

namespace pykc::checker {

Entity call_reduction(FunctionChecker& checker, const ReductionRef& reduction, const ast::Call& call,
                      SourceRange range);

}  // namespace pykc::checker
