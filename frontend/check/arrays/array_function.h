// NumPy's functions that make arrays of constants.
#pragma once

#include <optional>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

Entity call_array_function(FunctionChecker& checker, LanguageFunction id, const ast::Call& call, SourceRange range);
std::optional<ElementType> dtype(FunctionChecker& checker, const ast::Expr& expr);
Entity table(FunctionChecker& checker, const ast::Expr& expr, const ElementType* dtype);
Entity table_of(FunctionChecker& checker, const Value& nested, const ElementType* dtype, SourceRange range);

}  // namespace pykc::checker
