// `@extern` declares a function that a library defines, with C's calling convention:
//
//   @extern
//   def bar(a: i32, x: f32[:]) -> i32: ...     # int32_t bar(int32_t a, float* x, int64_t extent)
#include "frontend/check/calls/external.h"

#include <algorithm>

#include "base/text.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/module_checker.h"
#include "frontend/check/symbols.h"
#include "frontend/check/types/annotation.h"

namespace pykc::checker {
namespace {

/// Types that C passes the same way on every device. Narrower ones are extended here so, there otherwise.
bool is_passed_alike(checked::Type type) {
  return type.is_scalar() && type->scalar != ScalarType::Bool && size_in_bytes(type->scalar) >= 4;
}

bool is_empty_body(const ast::FunctionDef& def) {
  for (const ast::StmtPtr& stmt : def.body) {
    const auto* expression = stmt->as<ast::ExprStmt>();
    const bool is_nothing =
        stmt->as<ast::Pass>() ||
        (expression && (expression->value->as<ast::EllipsisLiteral>() || expression->value->as<ast::StringLiteral>()));
    if (!is_nothing) return false;
  }
  return true;
}

}  // namespace

bool check_external(ModuleChecker& module, FunctionDecl& function) {
  if (function.is_declared_right) return true;
  read_types(module, function);
  const ast::FunctionDef& def = *function.def;
  const int errors = module.told.error_count();
  const auto refuse = [&](SourceRange range, std::string_view what) {
    return module.told.report(function.scope->file(), range, DiagnosticId::ExternalFunction, def.name, what);
  };
  if (is_reserved_symbol(def.name)) refuse(def.name_range, "has a name that compiled code uses itself");
  if (!is_empty_body(def)) refuse(def.name_range, "has a body").note("write `...` behind the colon");
  for (std::size_t i = 0; i < def.parameters.size(); ++i) {
    const ast::Parameter& parameter = def.parameters[i];
    const std::optional<checked::Type>& type = function.parameter_types[i];
    if (!parameter.annotation || parameter.is_variadic)
      refuse(parameter.range, "must state the type of " + as_code(parameter.name));
    else if (type && !is_passed_alike(*type) && !type->is_array())
      refuse(parameter.range, "cannot take " + as_code(parameter.name))
          .note("it takes i32, u32, i64, u64, f32 and f64, and arrays, which are passed as to a kernel");
  }
  const std::optional<checked::Type>& result = function.result_type;
  if (result && !result->is_none() && !is_passed_alike(*result))
    refuse(def.returns ? def.returns->range : def.name_range, "cannot return this")
        .note("it returns i32, u32, i64, u64, f32, f64 or nothing");
  const bool has_types =
      std::ranges::all_of(function.parameter_types, [](const auto& type) { return type.has_value(); });
  function.is_declared_right = has_types && module.told.error_count() == errors;
  return function.is_declared_right;
}

/// The arguments have their parameters' types, but for arrays whose layout is better known.
Value call_external(FunctionChecker& checker, FunctionDecl& function, const std::vector<Value>& arguments,
                    SourceRange range) {
  if (!check_external(checker.module, function)) return {};
  checked::CallExternal node{function.def->name, {}};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const checked::Type wanted = *function.parameter_types[i];
    if (wanted.is_array() && arguments[i].type()->array != wanted->array) {
      checker
          .report(arguments[i].range(), DiagnosticId::ArgumentType, function.def->parameters[i].name,
                  checked::to_string(wanted), describe(arguments[i]))
          .note("an external function takes an array of exactly the type that it declares");
      return {};
    }
    node.arguments.push_back(arguments[i].expr);
  }
  return TreeBuilder::strong(
      checker.tree.make(function.result_type.value_or(checked::Type::none()), range, std::move(node)));
}

}  // namespace pykc::checker
