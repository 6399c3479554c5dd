// Text of a fixed width, NumPy's `S12` and `U12`: a record of characters, with zeros behind the last.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

inline constexpr std::string_view kPrintAdvice =
    "kernels print text, `print(\"x =\", x[i])`, but do not compute with it";

/// `"ABC"`, as wide as it is long.
Value text_literal(FunctionChecker& checker, std::string_view text, SourceRange range);
/// `b"ABC"`
Value bytes_literal(FunctionChecker& checker, std::string_view bytes, SourceRange range);
/// The text that an expression is, spelled out or by the name of a constant or of an item of `unroll`; none for any
/// other.
std::optional<std::string> constant_text(FunctionChecker& checker, const ast::Expr& expr);
/// What is longer than the type is wide is cut off, as NumPy does.
Value to_text(FunctionChecker& checker, const Value& text, const RecordRef& type, SourceRange range);
/// Character by character; none for two kinds of text.
Value compare_text(FunctionChecker& checker, ast::CompareOp op, const Value& left, const Value& right,
                   SourceRange range);
/// The characters before the zeros at the end.
Value text_length(FunctionChecker& checker, const Value& text, SourceRange range);
/// The number of the character of a text that is one wide.
Value number_of_character(FunctionChecker& checker, const Value& text);

}  // namespace pykc::checker
