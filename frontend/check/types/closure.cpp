// Functions and constants as values. The type of such a value says which function or constant it is, so that it can be
// assigned, passed and returned, and is known where it is called: each specialisation has its own.
//
// A function inside another one is a function of its own, which takes the variables that it uses of the one around it
// behind its arguments. They are read where it is named: what it sees is what they are when it is called, as in Python.
#include "frontend/check/types/closure.h"

#include <algorithm>

#include "base/text.h"
#include "frontend/check/arrays/index.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/module_checker.h"
#include "frontend/check/names/resolve.h"
#include "frontend/check/specialize.h"
#include "frontend/check/statements/assign.h"

namespace pykc::checker {

using checked::Type;

/// Whether a function is in it that uses variables of the function around it.
bool has_captures(Type type) {
  if (type.is_static()) return !type->elements.empty();
  return std::any_of(type->elements.begin(), type->elements.end(), has_captures);
}

bool is_known_constant(const Value& value) {
  if (!value.is_tuple()) return value.is_constant();
  return value.elements.size() == value.type()->elements.size() &&
         std::all_of(value.elements.begin(), value.elements.end(), is_known_constant);
}

Value static_value(FunctionChecker& checker, const Entity& entity, const std::vector<Value>& captures,
                   SourceRange range) {
  std::vector<Type> variables;
  checked::TupleExpr node;
  for (const Value& capture : captures) {
    variables.push_back(capture.type());
    node.elements.push_back(capture.expr);
  }
  std::vector<std::string> names;
  if (std::holds_alternative<NoneRef>(entity)) names = {"None"};
  const Type type = checker.types.of_static(intern(checker.module, entity), std::move(variables), std::move(names));
  return {checker.tree.make(type, range, std::move(node)), Weak::No, captures};
}

/// What a value of a function type stands for.
Entity opened(const FunctionChecker& checker, const Entity& entity) {
  const auto* value = std::get_if<Value>(&entity);
  if (!value || !value->known() || !value->type().is_static()) return entity;
  return checker.module.static_entity(value->type()->entity);
}

/// The variables that a function brings along.
std::vector<Value> captures_of(FunctionChecker& checker, const Entity& named) {
  const auto* value = std::get_if<Value>(&named);
  if (!value || !value->known() || value->type()->elements.empty()) return {};
  return value->elements.empty() ? take_apart(checker, stored_once(checker, *value, value->range())) : value->elements;
}

Value closure(FunctionChecker& checker, const ast::FunctionDef& def, SourceRange range) {
  FunctionDecl& function = nested_function(checker.module, def, *checker.function);
  if (!checker.open_closures.insert(&def).second) {
    checker.report(range, DiagnosticId::RecursiveClosure, def.name);
    return {};
  }
  std::vector<Value> captures;
  bool all_known = true;
  for (const std::string_view name : function.captures) {
    const Value captured = to_value(checker, read_local(checker, *local_index(checker, name, range), range), range);
    all_known &= captured.known();
    if (captured.known())
      captures.push_back(is_known_constant(captured) ? static_value(checker, captured, {}, range) : captured);
  }
  checker.open_closures.erase(&def);
  return all_known ? static_value(checker, FunctionRef{&function}, captures, range) : Value{};
}

/// The function inside this one that the value stands for. One that came as an argument keeps what it was passed with.
const ast::FunctionDef* own_closure(const FunctionChecker& checker, const Value& value) {
  const bool is_spelled = value.known() && value.type().is_static() && value.expr->as<checked::TupleExpr>();
  if (!is_spelled || value.type()->elements.empty()) return nullptr;
  const auto* function = std::get_if<FunctionRef>(&checker.module.static_entity(value.type()->entity));
  return function && function->function->enclosing == checker.function ? function->function->def : nullptr;
}

/// The value with the variables of the functions in it read now: Python binds them when a function is called.
Value as_of_now(FunctionChecker& checker, const Value& value, SourceRange range) {
  if (const ast::FunctionDef* def = own_closure(checker, value)) return closure(checker, *def, range);
  if (!value.known() || !value.is_tuple() || !has_captures(value.type())) return value;
  std::vector<Value> elements;
  for (const Value& element : take_apart(checker, value)) elements.push_back(as_of_now(checker, element, range));
  const bool all_known = std::all_of(elements.begin(), elements.end(), [](const Value& v) { return v.known(); });
  return all_known ? checker.tree.tuple(std::move(elements), range) : Value{};
}

/// The constant that a parameter of this type always is.
std::optional<Value> constant_parameter(const FunctionChecker& checker, Type type) {
  if (!type.is_static()) return std::nullopt;
  const auto* value = std::get_if<Value>(&checker.module.static_entity(type->entity));
  return value ? std::optional(*value) : std::nullopt;
}

/// The argument of a `constexpr` parameter: a constant, or a function.
std::optional<Value> constant_argument(FunctionChecker& checker, const Value& given, std::string_view parameter,
                                       SourceRange range) {
  if (given.type().is_static()) return given;
  if (is_known_constant(given)) return static_value(checker, given, {}, range);
  checker.report(range, DiagnosticId::NotConstant, "the argument " + as_code(parameter) + ", a `constexpr`,")
      .note("pass a literal, a module constant, or the variable of an `unroll`");
  return std::nullopt;
}

}  // namespace pykc::checker
