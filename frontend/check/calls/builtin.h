// Calls of rows of the builtin table.
#pragma once

#include <string_view>
#include <vector>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

Value call_builtin(FunctionChecker& checker, const BuiltinRef& builtin, const ast::Call& call, SourceRange range);
Value apply_builtin(FunctionChecker& checker, const BuiltinRef& builtin, std::vector<Value> given, SourceRange range);
Value builtin_result(FunctionChecker& checker, BuiltinId id, std::vector<const Expr*> arguments, ScalarType type,
                     SourceRange range);
void report_argument_type(FunctionChecker& checker, BuiltinId id, const Value& given, std::string_view wanted);
Value property(FunctionChecker& checker, BuiltinId id, SourceRange range);

}  // namespace pykc::checker
