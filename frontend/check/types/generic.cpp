// A kernel without types cannot be checked until somebody asks for it with types. What can be said before: whether the
// names that it uses exist, and whether it uses syntax that kernels have not.
#include "frontend/check/types/generic.h"

#include <algorithm>

#include "frontend/check/expressions/nodes.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/names/resolve.h"
#include "frontend/check/statements/statement.h"
#include "frontend/syntax/ast_walk.h"

namespace pykc::checker {
namespace {

void check_names(FunctionChecker& checker, const ast::Expr& expr);

/// What a dotted name stands for, where that depends on no variable; Unknown otherwise.
Entity static_entity(FunctionChecker& checker, const ast::Expr& expr) {
  if (const auto* name = expr.as<ast::Name>())
    return local_index(checker, name->id, expr.range) ? Entity(Unknown{}) : resolve(checker, name->id, expr.range);
  const auto* attribute = expr.as<ast::Attribute>();
  if (!attribute) {
    check_names(checker, expr);
    return Unknown{};
  }
  const Entity base = static_entity(checker, *attribute->value);
  const auto* space = std::get_if<NamespaceRef>(&base);
  return space ? member(checker, *space, *attribute) : Entity(Unknown{});
}

void check_names(FunctionChecker& checker, const ast::Expr& expr) {
  if (expr.as<ast::Lambda>()) return;  // its names are those of a function of its own
  if (expr.as<ast::Unsupported>() || expr.as<ast::Comprehension>()) {
    check_node(checker, expr);
  } else if (expr.as<ast::Name>() || expr.as<ast::Attribute>()) {
    static_entity(checker, expr);
  } else {
    ast::for_each_child(expr, [&](const ast::Expr& child) { check_names(checker, child); });
  }
}

void check_names(FunctionChecker& checker, const ast::Stmt& stmt) {
  if (const auto* unsupported = stmt.as<ast::UnsupportedStmt>()) check(checker, *unsupported, stmt);
  if (const auto* with = stmt.as<ast::With>()) check(checker, *with, stmt);
  if (const auto* type = stmt.as<ast::ClassDef>()) check(checker, *type, stmt);
  ast::for_each_expression(stmt, [&](const ast::Expr& expr) { check_names(checker, expr); });
  ast::for_each_nested(stmt, [&](const ast::Stmt& child) { check_names(checker, child); });
}

std::string_view last_word(const ast::Expr& expr) {
  const auto* name = expr.as<ast::Name>();
  const auto* dotted = expr.as<ast::Attribute>();
  return name ? std::string_view(name->id) : dotted ? std::string_view(dotted->name) : std::string_view();
}

/// `cuda.shared.array(…)`, `local.array(…)`
bool declares_array(const ast::Call& call) {
  const auto* dotted = call.function->as<ast::Attribute>();
  if (!dotted || dotted->name != "array") return false;
  const std::string_view memory = last_word(*dotted->value);
  return memory == "shared" || memory == "local";
}

template <typename Visit>
void for_each_call(const ast::Expr& expr, const Visit& visit) {
  if (const auto* call = expr.as<ast::Call>()) visit(*call);
  ast::for_each_child(expr, [&](const ast::Expr& child) { for_each_call(child, visit); });
}

template <typename Visit>
void for_each_call(const ast::Stmt& stmt, const Visit& visit) {
  ast::for_each_expression(stmt, [&](const ast::Expr& expr) { for_each_call(expr, visit); });
  ast::for_each_nested(stmt, [&](const ast::Stmt& child) { for_each_call(child, visit); });
}

void add_names(const ast::Expr& expr, std::set<std::string_view>& names) {
  if (const auto* name = expr.as<ast::Name>()) names.insert(name->id);
  ast::for_each_child(expr, [&](const ast::Expr& child) { add_names(child, names); });
}

/// `r` of `r.x`, `r["x"]` and `r.h[0]`; empty for a name alone.
std::string_view owner_of(const ast::Expr& target) {
  const ast::Expr* owner = &target;
  while (!owner->as<ast::Name>()) {
    if (const auto* attribute = owner->as<ast::Attribute>())
      owner = attribute->value.get();
    else if (const auto* subscript = owner->as<ast::Subscript>())
      owner = subscript->value.get();
    else
      return {};
  }
  return owner == &target ? std::string_view() : std::string_view(owner->as<ast::Name>()->id);
}

/// What a function assigns: names, and owners of fields or elements.
struct Assigned {
  std::set<std::string_view> names, owners;
  std::vector<std::pair<std::string_view, std::string_view>> given;  // `q` and `r` of `q = r.inner` and `q = r`

  void add(const ast::Expr& target) {
    if (const std::string_view owner = owner_of(target); !owner.empty()) owners.insert(owner);
    if (const auto* name = target.as<ast::Name>()) names.insert(name->id);
    if (target.as<ast::Tuple>() || target.as<ast::List>())
      ast::for_each_child(target, [&](const ast::Expr& part) { add(part); });
  }
  void add(const ast::Stmt& stmt) {
    if (const auto* assign = stmt.as<ast::Assign>())
      for (const ast::ExprPtr& target : assign->targets) {
        add(*target);
        const auto *name = target->as<ast::Name>(), *whole = assign->value->as<ast::Name>();
        const std::string_view source = whole ? std::string_view(whole->id) : owner_of(*assign->value);
        if (name && !source.empty()) given.emplace_back(name->id, source);
      }
    if (const auto* augmented = stmt.as<ast::AugmentedAssign>()) add(*augmented->target);
    if (const auto* annotated = stmt.as<ast::AnnotatedAssign>()) add(*annotated->target);
    if (const auto* loop = stmt.as<ast::For>()) add(*loop->target);
    ast::for_each_nested(stmt, [&](const ast::Stmt& child) { add(child); });
  }
};

}  // namespace

void check_names(FunctionChecker& checker, const FunctionDecl& function) {
  for (const ast::StmtPtr& stmt : function.def->body) check_names(checker, *stmt);
}

bool changes_fields(ModuleChecker& module, FunctionDecl& function, std::string_view name) {
  if (!function.changed_owners) {
    Assigned assigned;
    for (const ast::StmtPtr& stmt : function.def->body) assigned.add(*stmt);
    function.assigned_names = std::move(assigned.names);
    function.changed_owners = std::move(assigned.owners);  // of a recursive one: so far
    const auto add_passed_on = [&](const ast::Call& call) {
      const auto* callee = call.function->as<ast::Name>();
      const Binding* binding = callee ? function.scope->find(callee->id) : nullptr;
      const auto* called = binding ? std::get_if<FunctionDecl*>(binding) : nullptr;
      for (std::size_t i = 0; called && i < call.arguments.size(); ++i)
        if (const auto* name = call.arguments[i]->as<ast::Name>(); name && changes_parameter(module, **called, i))
          function.changed_owners->insert(name->id);
    };
    for (const ast::StmtPtr& stmt : function.def->body) for_each_call(*stmt, add_passed_on);
    for (std::size_t before = 0; before != function.changed_owners->size();) {  // who is changed through another name
      before = function.changed_owners->size();
      for (const auto& [target, source] : assigned.given)
        if (function.changed_owners->contains(target)) function.changed_owners->insert(source);
    }
  }
  return function.changed_owners->contains(name);
}

bool changes_parameter(ModuleChecker& module, FunctionDecl& function, std::size_t index) {
  const std::vector<ast::Parameter>& parameters = function.def->parameters;
  return index < parameters.size() && changes_fields(module, function, parameters[index].name) &&
         !function.assigned_names.contains(parameters[index].name);
}

bool is_shape_parameter(ModuleChecker& module, FunctionDecl& function, std::size_t index) {
  const std::vector<ast::Parameter>& parameters = function.def->parameters;
  if (!function.shape_parameters) {
    function.shape_parameters.emplace();  // of a function that calls itself: what is known so far
    std::set<std::string_view> names;
    const auto add_arguments = [&](const ast::Call& call) {
      const auto* callee = call.function->as<ast::Name>();
      const Binding* binding = callee ? function.scope->find(callee->id) : nullptr;
      const auto* called = binding ? std::get_if<FunctionDecl*>(binding) : nullptr;
      const auto makes_shape = [&](std::size_t position, std::string_view name) {
        if (declares_array(call)) return position == 0 || name == "shape";
        if (!called) return false;
        const std::vector<ast::Parameter>& others = (*called)->def->parameters;
        if (!name.empty())
          position = static_cast<std::size_t>(std::ranges::find(others, name, &ast::Parameter::name) - others.begin());
        return position < others.size() && is_shape_parameter(module, **called, position);
      };
      for (std::size_t i = 0; i < call.arguments.size(); ++i)
        if (makes_shape(i, {})) add_names(*call.arguments[i], names);
      for (const ast::Keyword& keyword : call.keywords)
        if (makes_shape(parameters.size() + 1, keyword.name)) add_names(*keyword.value, names);
    };
    for (const ast::StmtPtr& stmt : function.def->body) for_each_call(*stmt, add_arguments);
    function.shape_parameters = std::move(names);
  }
  return index < parameters.size() && function.shape_parameters->contains(parameters[index].name);
}

}  // namespace pykc::checker
