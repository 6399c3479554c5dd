// Calls that are more than a row of the builtin table.
#pragma once

#include <optional>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

Entity call_language_function(FunctionChecker& checker, LanguageFunction id, const ast::Call& call, SourceRange range);
std::optional<Entity> call_group_sync(FunctionChecker& checker, const ast::Call& call, const ast::Expr& group,
                                      SourceRange range);
Entity call_bit_count(FunctionChecker& checker, const ast::Call& call, const ast::Expr& number, SourceRange range);
Value absolute(FunctionChecker& checker, const Value& number, SourceRange range);
void static_assert_(FunctionChecker& checker, const ast::Call& call, SourceRange range);

}  // namespace pykc::checker
