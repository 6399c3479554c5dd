#include "frontend/check/calls/kinds.h"

#include <array>
#include <optional>

#include "frontend/check/calls/call.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/names/resolve.h"

namespace pykc::checker {
namespace {

/// Python's types stand for all of their kind, whatever the width; a bool is an `int`, as in Python.
std::optional<bool> is_instance(FunctionChecker& checker, const Value& value, const ast::Expr& type) {
  const std::string_view name = name_of_python(checker, type);
  if (name == "int") return value.is_scalar() && is_integer_or_bool(value.scalar());
  if (name == "float") return value.is_scalar() && is_float(value.scalar());
  if (name == "complex") return value.is_complex();
  if (name == "tuple") return value.is_tuple();
  const std::optional<ElementType> wanted = element_type(checker, type);
  if (!wanted) return std::nullopt;
  const bool has_type = value.is_scalar() || value.is_record();
  return has_type && !value.is_weak() && value.type() == checker.types.of(*wanted);
}

}  // namespace

/// `isinstance(x, int)`, or a tuple of types: known while compiling.
Entity call_isinstance(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"object", "type"};
  const std::optional<Arguments> arguments =
      bind_arguments(checker, call, range, "isinstance", kParameters, 2, info(LanguageFunction::IsInstance).signature);
  if (!arguments) return Unknown{};
  const Value given = argument_value(checker, checker.entity(*(*arguments)[0]), (*arguments)[0]->range);
  if (!given.known()) return Unknown{};
  const ast::Expr& types = *(*arguments)[1];
  const auto* several = types.as<ast::Tuple>();
  bool is_any = false;
  for (std::size_t i = 0; i < (several ? several->elements.size() : 1); ++i) {
    const std::optional<bool> is = is_instance(checker, given, several ? *several->elements[i] : types);
    if (!is) return Unknown{};
    is_any |= *is;
  }
  return TreeBuilder::strong(checker.tree.boolean(is_any, range));
}

/// `type(x)`, which makes numbers of the type of `x`.
Entity call_type(FunctionChecker& checker, const ast::Call& call, SourceRange range) {
  constexpr std::string_view kParameters[] = {"object"};
  const std::optional<Arguments> arguments =
      bind_arguments(checker, call, range, "type", kParameters, 1, info(LanguageFunction::PythonType).signature);
  if (!arguments) return Unknown{};
  const Value given = checker.value(*(*arguments)[0]);
  if (given.known() && given.is_scalar()) return TypeRef{given.scalar()};
  if (given.known() && given.is_record()) return TypeRef{given.type()->record};
  if (given.known())
    checker.report((*arguments)[0]->range, DiagnosticId::OperandType, "`type`", describe(given))
        .note("`x.dtype` is the type of an array's elements");
  return Unknown{};
}

/// A name that stands for what it is in Python; empty for anything else.
std::string_view name_of_python(const FunctionChecker& checker, const ast::Expr& expr) {
  const auto* name = expr.as<ast::Name>();
  return name && !local_index(checker, name->id, expr.range) && !checker.scope.find(name->id)
             ? std::string_view(name->id)
             : std::string_view();
}

}  // namespace pykc::checker
