// Brackets behind a value, one behind the other: `a[i][j]["field"]`.
#pragma once

#include "frontend/check/function_checker.h"

namespace pykc::checker {

Entity subscript(FunctionChecker& checker, const ast::Subscript& node, SourceRange range);

}  // namespace pykc::checker
