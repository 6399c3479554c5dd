// Expressions: a function for each kind of node, and what expressions of every kind need.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "frontend/check/arrays/index.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/statements/assign.h"

namespace pykc::checker {

/// How many numbers and arrays a value of the type is made of, and how many a tuple or a record may be made of.
std::size_t count_numbers(const ElementType& type);
std::size_t count_numbers(checked::Type type);

inline constexpr std::size_t kMostNumbers = 256;

std::optional<Int128> constant_integer(FunctionChecker& checker, const ast::Expr& expr, std::string_view what);
std::optional<bool> constant_bool(FunctionChecker& checker, const ast::Expr& expr, std::string_view what);
std::optional<ScalarType> scalar_type(FunctionChecker& checker, const ast::Expr& expr);
std::optional<ElementType> element_type(FunctionChecker& checker, const ast::Expr& expr);
Entity check(FunctionChecker& checker, const ast::Comprehension& node, const ast::Expr& expr);
Entity check(FunctionChecker& checker, const ast::Unsupported& node, const ast::Expr& expr);
Entity unsupported(FunctionChecker& checker, SourceRange range, std::string_view what, std::string_view instead);
Value to_value(FunctionChecker& checker, Entity entity, SourceRange range);
void report_not_a_value(FunctionChecker& checker, const Entity& entity, SourceRange range);
Value scalar(FunctionChecker& checker, const ast::Expr& expr, std::string_view what);
bool require_scalar(FunctionChecker& checker, const Value& value, std::string_view what);
bool add_unpacked(FunctionChecker& checker, const ast::Starred& starred, std::vector<Value>& values);
/// Evaluates `value` once for `body` to use any number of times.
template <typename Make>
const Expr* with_temporary(FunctionChecker& checker, const Expr* value, Make make_body) {
  if (is_simple(*value)) return make_body(value);
  const checked::Variable* variable = temporary(checker, value->type, value->range);
  const Expr* body = make_body(checker.tree.make(value->type, value->range, checked::VariableRef{variable}));
  return body ? checker.tree.make(body->type, value->range, checked::Let{variable, value, body}) : nullptr;
}

/// The elements of a tuple, each to be used once; the tuple itself is evaluated once.
template <typename Make>
const Expr* with_parts(FunctionChecker& checker, const Value& tuple, Make make_body) {
  if (!tuple.elements.empty() || tuple.expr->as<checked::TupleExpr>()) return make_body(take_apart(checker, tuple));
  return with_temporary(checker, tuple.expr, [&](const Expr* kept) {
    return make_body(take_apart(checker, {kept, Weak::No, {}}));
  });
}

}  // namespace pykc::checker
