#include "script/declarations.h"

#include <algorithm>

namespace pykc::script {
namespace {

/// `@jit`, `@njit`: those of a plain function are numba's own.
bool compiles_for_host(const ast::Module& module, const ast::Expr& decorator) {
  const auto* call = decorator.as<ast::Call>();
  const ast::Expr& callee = call ? *call->function : decorator;
  const auto* dotted = callee.as<ast::Attribute>();
  const auto* name = callee.as<ast::Name>();
  const std::string_view last = dotted ? dotted->name : name ? name->id : std::string_view();
  return (last.ends_with("jit")) && is_known_decorator(module, decorator);
}

void collect_target(const ast::Expr& target, std::set<std::string, std::less<>>& names) {
  if (const auto* name = target.as<ast::Name>()) names.insert(name->id);
  if (const auto* tuple = target.as<ast::Tuple>())
    for (const ast::ExprPtr& element : tuple->elements) collect_target(*element, names);
  if (const auto* list = target.as<ast::List>())
    for (const ast::ExprPtr& element : list->elements) collect_target(*element, names);
  if (const auto* starred = target.as<ast::Starred>()) collect_target(*starred->value, names);
}

void collect_suite(const ast::Suite& suite, std::set<std::string, std::less<>>& names);

/// Adds what one statement assigns.
struct TargetCollector {
  std::set<std::string, std::less<>>& names;

  void operator()(const ast::Assign& node) const {
    for (const ast::ExprPtr& target : node.targets) collect_target(*target, names);
  }
  void operator()(const ast::AnnotatedAssign& node) const { collect_target(*node.target, names); }
  void operator()(const ast::AugmentedAssign& node) const { collect_target(*node.target, names); }
  void operator()(const ast::For& node) const {
    collect_target(*node.target, names);
    collect_suite(node.body, names);
    collect_suite(node.otherwise, names);
  }
  void operator()(const ast::If& node) const {
    collect_suite(node.then, names);
    collect_suite(node.otherwise, names);
  }
  void operator()(const ast::While& node) const {
    collect_suite(node.body, names);
    collect_suite(node.otherwise, names);
  }
  void operator()(const ast::With& node) const {
    if (node.target) collect_target(*node.target, names);
    collect_suite(node.body, names);
  }
  void operator()(const ast::FunctionDef& node) const { names.insert(node.name); }
  void operator()(const ast::ClassDef& node) const { names.insert(node.name); }
  void operator()(const ast::Import& node) const {
    for (const ast::ImportAlias& alias : node.names) names.insert(alias.as);
  }
  template <typename Other>
  void operator()(const Other&) const {}
};

void collect_suite(const ast::Suite& suite, std::set<std::string, std::less<>>& names) {
  for (const ast::StmtPtr& stmt : suite) std::visit(TargetCollector{names}, stmt->node);
}

}  // namespace

FunctionValue::Kind value_kind(const ast::Module& module, const ast::FunctionDef& function) {
  switch (kind_of(module, function)) {
    case FunctionKind::Device:
      return FunctionValue::Kind::Device;
    case FunctionKind::Kernel:
      return FunctionValue::Kind::Kernel;
    case FunctionKind::Vectorized:
      return FunctionValue::Kind::Vectorized;
    case FunctionKind::Plain:
      if (std::ranges::any_of(function.decorators, [&](const auto& d) { return compiles_for_host(module, *d); }))
        return FunctionValue::Kind::Compiled;
      break;
    case FunctionKind::Test:
      break;
  }
  return FunctionValue::Kind::Host;
}

std::vector<std::string> prototypes_of(const ast::Module& module, const ast::FunctionDef& function) {
  std::vector<std::string> prototypes;
  const auto add = [&](const ast::Expr& expr) {
    const auto* text = expr.as<ast::StringLiteral>();
    prototypes.push_back(text ? text->value : std::string(module.file->text(expr.range)));
  };
  for (const ast::ExprPtr& decorator : function.decorators) {
    const auto* call = decorator->as<ast::Call>();
    if (!call || call->arguments.empty()) continue;
    const auto* list = call->arguments.front()->as<ast::List>();
    if (!list) add(*call->arguments.front());
    for (std::size_t i = 0; list && i < list->elements.size(); ++i) add(*list->elements[i]);
  }
  return prototypes;
}

std::set<std::string, std::less<>> variables_of(const ast::FunctionDef& function) {
  std::set<std::string, std::less<>> names;
  for (const ast::Parameter& parameter : function.parameters) names.insert(parameter.name);
  collect_suite(function.body, names);
  return names;
}

std::set<std::string, std::less<>> variables_of(const ast::Comprehension& comprehension) {
  std::set<std::string, std::less<>> names;
  for (const ast::Comprehension::Clause& clause : comprehension.clauses) collect_target(*clause.target, names);
  return names;
}

std::set<std::string, std::less<>> variables_of(const ast::ClassDef& definition) {
  std::set<std::string, std::less<>> names;
  collect_suite(definition.body, names);
  return names;
}

}  // namespace pykc::script
