// Functions and constants as values.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

bool is_known_constant(const Value& value);
bool has_captures(checked::Type type);
Value static_value(FunctionChecker& checker, const Entity& entity, const std::vector<Value>& captures,
                   SourceRange range);
Entity opened(const FunctionChecker& checker, const Entity& entity);
std::vector<Value> captures_of(FunctionChecker& checker, const Entity& named);
Value closure(FunctionChecker& checker, const ast::FunctionDef& def, SourceRange range);
const ast::FunctionDef* own_closure(const FunctionChecker& checker, const Value& value);
Value as_of_now(FunctionChecker& checker, const Value& value, SourceRange range);
std::optional<Value> constant_parameter(const FunctionChecker& checker, checked::Type type);
std::optional<Value> constant_argument(FunctionChecker& checker, const Value& given, std::string_view parameter,
                                       SourceRange range);

}  // namespace pykc::checker
