// Calls of NumPy's reductions.
#pragma once

#include "frontend/check/function_checker.h"

namespace pykc::checker {

/// Whether the file is one that the library's reductions are loaded for.
bool has_reductions(const FunctionChecker& checker);
/// Python's `min` and `max` of one array.
Value extremum_of_array(FunctionChecker& checker, std::string_view name, const Value& array, SourceRange range);
Entity call_reduction(FunctionChecker& checker, const ReductionRef& reduction, const ast::Call& call,
                      SourceRange range);

}  // namespace pykc::checker
