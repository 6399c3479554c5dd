// One function for certain argument types: its parameters, its body, and what holds at its end.
#include "frontend/check/statements/function.h"

#include <algorithm>
#include <set>

#include "frontend/check/function_checker.h"
#include "frontend/check/statements/assign.h"
#include "frontend/check/statements/statement.h"
#include "frontend/check/types/convert.h"
#include "frontend/check/types/infer.h"

namespace pykc::checker {
namespace {

void bind_parameters(FunctionChecker& checker) {
  for (std::size_t i = 0; i < checker.specialization->arguments.size(); ++i) {
    Local& local = checker.locals[i];
    checker.module.output.variables.push_back({.name = std::string(local.decl->name),
                                               .type = checker.specialization->arguments[i].type,
                                               .is_parameter = true,
                                               .parameter_index = static_cast<int>(i),
                                               .range = local.decl->range});
    checked::Variable* parameter = &checker.module.output.variables.back();
    checker.output->parameters.push_back(parameter);
    mark_defined(checker, static_cast<int>(i));
    if (local.type.type == parameter->type) {
      local.variable = parameter;
      continue;
    }
    // The body assigns a wider type to the name: it goes on in a variable of that type.
    const Expr* given = checker.tree.make(parameter->type, local.decl->range, checked::VariableRef{parameter});
    assign_local(checker, static_cast<int>(i), TreeBuilder::strong(given), local.decl->range);
  }
}

/// Variables that may be read before any path has assigned them begin as 0.
void set_to_zero(FunctionChecker& checker, checked::Suite& prologue) {
  checker.flow.is_reachable = true;
  checker.suite = &prologue;
  for (Local& local : checker.locals) {
    if (local.needs_zero && local.variable)
      append(checker, checked::Assign{local.variable, checker.tree.zero(local.variable->type, local.decl->range)},
             local.decl->range);
  }
  checker.suite = nullptr;
}

/// A kernel whose arrays are all f32 (or integers) and that nowhere says f64.
bool computes_in_single(const FunctionChecker& checker) {
  if (checker.function->kind != FunctionDecl::Kind::Kernel || !checker.module.options.warnings ||
      checker.specialization->mentions_double)
    return false;
  bool has_single = false;
  for (const InferredType& argument : checker.specialization->arguments) {
    const ElementType& element = argument.type.is_array() ? argument.type->array.element : argument.type->scalar;
    if (element.is(ScalarType::F64)) return false;
    has_single |= argument.type.is_array() && element.is(ScalarType::F32);
  }
  return has_single;
}

/// Once for each name, where it is first assigned.
void warn_of_locals(FunctionChecker& checker) {
  std::vector<const LocalDecl*> decls;
  for (const Local& local : checker.locals) decls.push_back(local.decl);
  std::ranges::stable_sort(decls, {}, [](const LocalDecl* decl) { return decl->range.begin; });
  std::set<std::string_view> hiding, unused;
  for (const LocalDecl* decl : decls) {
    const std::string_view name = decl->name;
    if (is_name_of_function(name) && hiding.insert(name).second)
      checker.report(decl->range, DiagnosticId::HidesBuiltin, name);
    const bool is_unused = !decl->is_parameter && (decl->is_plain || decl->closure) && decl->reads == 0;
    if (is_unused && !name.starts_with("_") && unused.insert(name).second)
      checker.report(decl->range, DiagnosticId::UnusedVariable, name);
  }
}

}  // namespace

FunctionChecker::FunctionChecker(ModuleChecker& module, const Scope& scope)
    : module(module),
      scope(scope),
      types(module.output.types),
      tree(types, module.output.exprs),
      is_trial(false),
      rules(&rules_of(Dialect::Native)) {
  flow.is_reachable = true;
}

FunctionChecker::FunctionChecker(ModuleChecker& module, FunctionDecl& function, Specialization& specialization,
                                 bool is_trial)
    : module(module),
      scope(*function.scope),
      types(module.output.types),
      tree(types, is_trial ? module.scratch : module.output.exprs),
      function(&function),
      specialization(&specialization),
      is_trial(is_trial),
      rules(&rules_of(function.dialect)) {}

void emit(FunctionChecker& checker, checked::Function& to) {
  checker.output = &to;
  const int errors = checker.module.diagnostics(false).error_count();
  declare_locals(checker);
  checker.flow = {LocalSet(checker.locals.size()), LocalSet(checker.locals.size()), true};
  checker.warns_of_double = computes_in_single(checker);
  checked::Suite prologue;
  checker.suite = &prologue;
  bind_parameters(checker);
  to.result = checker.specialization->result.type;
  to.body = suite(checker, checker.function->def->body);
  if (checker.flow.is_reachable && !to.result.is_none())
    checker
        .report(checker.function->def->name_range, DiagnosticId::MissingReturn, checker.function->def->name,
                checked::to_string(to.result))
        .note("in Python it would return None there");
  set_to_zero(checker, prologue);
  to.body.insert(to.body.begin(), prologue.begin(), prologue.end());
  const bool is_right = checker.module.diagnostics(false).error_count() == errors;
  if (is_right && checker.module.options.warnings) warn_of_locals(checker);
  warn_of_double(checker);
  checker.output = nullptr;
}

}  // namespace pykc::checker
