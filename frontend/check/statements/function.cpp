// One function for certain argument types: its parameters, its body, and what holds at its end.
#include <algorithm>
#include <set>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

Body::Body(Session& session, const Scope& scope)
    : session_(session),
      scope_(scope),
      tree_(session.module().exprs),
      is_trial_(false),
      rules_(&rules_of(Dialect::Native)) {
  flow_.is_reachable = true;
}

Body::Body(Session& session, FunctionDecl& function, Specialization& specialization, bool is_trial)
    : session_(session),
      scope_(*function.scope),
      tree_(is_trial ? session.scratch() : session.module().exprs),
      function_(&function),
      specialization_(&specialization),
      is_trial_(is_trial),
      rules_(&rules_of(function.dialect)) {}

void Body::emit(checked::Function& to) {
  output_ = &to;
  const int errors = session_.diagnostics(false).error_count();
  declare_locals();
  flow_ = {LocalSet(locals_.size()), LocalSet(locals_.size()), true};
  warns_of_double_ = computes_in_single();
  checked::Suite prologue;
  suite_ = &prologue;
  bind_parameters();
  to.result = settled_type(specialization_->result);
  to.body = suite(function_->def->body);
  if (flow_.is_reachable && to.result.kind != checked::Type::Kind::None)
    report(function_->def->name_range, DiagnosticId::MissingReturn, function_->def->name, checked::to_string(to.result))
        .note("in Python it would return None there");
  set_to_zero(prologue);
  to.body.insert(to.body.begin(), prologue.begin(), prologue.end());
  const bool is_right = session_.diagnostics(false).error_count() == errors;
  if (is_right && session_.options().warnings) warn_of_locals();
  warn_of_double();
  output_ = nullptr;
}

void Body::bind_parameters() {
  for (std::size_t i = 0; i < specialization_->arguments.size(); ++i) {
    Local& local = locals_[i];
    session_.module().variables.push_back({.name = std::string(local.decl->name),
                                           .type = settled_type(specialization_->arguments[i]),
                                           .is_parameter = true,
                                           .parameter_index = static_cast<int>(i),
                                           .range = local.decl->range});
    checked::Variable* parameter = &session_.module().variables.back();
    output_->parameters.push_back(parameter);
    mark_defined(static_cast<int>(i));
    if (settled_type(local.type) == parameter->type) {
      local.variable = parameter;
      continue;
    }
    // The body assigns a wider type to the name: it goes on in a variable of that type.
    const Expr* given = tree_.make(parameter->type, local.decl->range, checked::VariableRef{parameter});
    assign_local(static_cast<int>(i), TreeBuilder::strong(given), local.decl->range);
  }
}

/// Variables that may be read before any path has assigned them begin as 0.
void Body::set_to_zero(checked::Suite& prologue) {
  flow_.is_reachable = true;
  suite_ = &prologue;
  for (Local& local : locals_) {
    if (local.needs_zero && local.variable)
      append(checked::Assign{local.variable, tree_.zero(local.variable->type, local.decl->range)}, local.decl->range);
  }
  suite_ = nullptr;
}

/// A kernel whose arrays are all f32 (or integers) and that nowhere says f64.
bool Body::computes_in_single() const {
  if (function_->kind != FunctionDecl::Kind::Kernel || !session_.options().warnings || specialization_->mentions_double)
    return false;
  bool has_single = false;
  for (const InferredType& argument : specialization_->arguments) {
    const ElementType& element = argument.type.is_array() ? argument.type.array.element : argument.type.scalar;
    if (element.is(ScalarType::F64)) return false;
    has_single |= argument.type.is_array() && element.is(ScalarType::F32);
  }
  return has_single;
}

namespace {

bool hides_function(const NameEntry* hidden) {
  if (!hidden) return false;
  const auto* builtin = std::get_if<BuiltinId>(hidden);
  const auto* special = std::get_if<Special>(hidden);
  return (builtin && !is_property(*builtin)) || (special && *special < Special::Kernel);
}

}  // namespace

/// Once for each name, where it is first assigned.
void Body::warn_of_locals() {
  std::vector<const LocalDecl*> decls;
  for (const Local& local : locals_) decls.push_back(local.decl);
  std::ranges::stable_sort(decls, {}, [](const LocalDecl* decl) { return decl->range.begin; });
  std::set<std::string_view> hiding, unused;
  for (const LocalDecl* decl : decls) {
    const std::string_view name = decl->name;
    if (hides_function(session_.names().find("", name)) && hiding.insert(name).second)
      report(decl->range, DiagnosticId::HidesBuiltin, name);
    const bool is_unused = !decl->is_parameter && (decl->is_plain || decl->closure) && decl->reads == 0;
    if (is_unused && !name.starts_with("_") && unused.insert(name).second)
      report(decl->range, DiagnosticId::UnusedVariable, name);
  }
}

}  // namespace pykc::checker
