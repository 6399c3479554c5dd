// Arithmetic and bitwise operators.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

/// "`+`", "`==`"
std::string spelling(ast::BinaryOp op);

Value binary(FunctionChecker& checker, ast::BinaryOp op, const Value& left, const Value& right, SourceRange range);
Value arithmetic(FunctionChecker& checker, checked::BinaryOp op, const Value& left, const Value& right,
                 SourceRange range);
std::optional<Int128> fold(ast::BinaryOp op, Int128 a, Int128 b);
Value whole_number(FunctionChecker& checker, Int128 value, SourceRange range);
Value unary(FunctionChecker& checker, ast::UnaryOp op, const Value& operand, SourceRange range);
bool require_numbers(FunctionChecker& checker, std::string_view what, const Value& left, const Value& right,
                     SourceRange range);

}  // namespace pykc::checker
