// Comparisons.
#pragma once

#include <string_view>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

std::string_view spelling(ast::CompareOp op);

Value compare(FunctionChecker& checker, ast::CompareOp op, const Value& left, const Value& right, SourceRange range);
Value compare_parts(FunctionChecker& checker, ast::CompareOp op, const Value& left, const Value& right,
                    SourceRange range);
Entity compare_types(FunctionChecker& checker, const TypeRef& left, const ast::Compare& node, SourceRange range);
Entity compare_with_none(FunctionChecker& checker, const ast::Compare& node, SourceRange range);
Value chain(FunctionChecker& checker, const ast::Compare& node, std::size_t from, Value left, SourceRange range);
Value choose(FunctionChecker& checker, const Expr* condition, const Value& then, const Value& otherwise,
             SourceRange range);

}  // namespace pykc::checker
