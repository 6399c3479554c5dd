// What expressions of every kind need, and what others ask of one: a value, a number, a constant, a type.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

/// How many numbers and arrays a value of the type is made of, and how many a tuple or a record may be made of.
std::size_t count_numbers(const ElementType& type);
std::size_t count_numbers(checked::Type type);

inline constexpr std::size_t kMostNumbers = 256;

/// The tuple of what a source puts together, where that is not more; of a named tuple, with the names of its elements.
Value small_tuple(FunctionChecker& checker, std::vector<Value> elements, SourceRange range,
                  std::vector<std::string> names = {});
std::optional<checked::Type> small_tuple_type(FunctionChecker& checker, std::vector<checked::Type> elements,
                                              SourceRange range, std::vector<std::string> names = {});

std::optional<Int128> constant_integer(FunctionChecker& checker, const ast::Expr& expr, std::string_view what);
std::optional<bool> constant_bool(FunctionChecker& checker, const ast::Expr& expr, std::string_view what);
std::optional<ScalarType> scalar_type(FunctionChecker& checker, const ast::Expr& expr);
std::optional<ElementType> element_type(FunctionChecker& checker, const ast::Expr& expr);
Entity unsupported(FunctionChecker& checker, SourceRange range, std::string_view what, std::string_view instead);
Value to_value(FunctionChecker& checker, Entity entity, SourceRange range);
/// Whether it is a function or a type, which is called.
bool is_callable(const Entity& entity);
void report_not_a_value(FunctionChecker& checker, const Entity& entity, SourceRange range);
Value scalar(FunctionChecker& checker, const ast::Expr& expr, std::string_view what);
bool require_scalar(FunctionChecker& checker, const Value& value, std::string_view what);
/// Whether it is no float of 8 bits, which are stored and converted alone; `what` is code.
bool require_arithmetic(FunctionChecker& checker, const Value& value, std::string_view what);
bool add_unpacked(FunctionChecker& checker, const ast::Starred& starred, std::vector<Value>& values);

/// Evaluates `value` once for the body to use any number of times.
const Expr* with_temporary(FunctionChecker& checker, const Expr* value,
                           const std::function<const Expr*(const Expr*)>& make_body);
/// The elements of a tuple, each to be used once or, where none has an effect, not at all; the tuple itself is
/// evaluated once. Where one has, or the body has, all are evaluated before, in order.
const Expr* with_parts(FunctionChecker& checker, const Value& tuple,
                       const std::function<const Expr*(std::vector<Value>)>& make_body, bool body_has_effects = false);

}  // namespace pykc::checker
