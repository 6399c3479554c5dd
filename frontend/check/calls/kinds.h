// Of which type a value is: `isinstance`, `type`, what types can hold, and Python's own names of types.
#pragma once

#include <string_view>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

Entity call_isinstance(FunctionChecker& checker, const ast::Call& call, SourceRange range);
Entity call_type(FunctionChecker& checker, const ast::Call& call, SourceRange range);
Entity call_finfo(FunctionChecker& checker, const ast::Call& call, SourceRange range);
Entity call_iinfo(FunctionChecker& checker, const ast::Call& call, SourceRange range);
std::string_view name_of_python(const FunctionChecker& checker, const ast::Expr& expr);

}  // namespace pykc::checker
