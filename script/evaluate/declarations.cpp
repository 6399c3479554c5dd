#include "script/evaluate/declarations.h"

namespace pykc::script {
namespace {

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
    case FunctionKind::Plain:
    case FunctionKind::Test:
      return FunctionValue::Kind::Host;
    case FunctionKind::Device:
      return FunctionValue::Kind::Device;
    case FunctionKind::Kernel:
      return FunctionValue::Kind::Kernel;
    case FunctionKind::Vectorized:
      return FunctionValue::Kind::Vectorized;
    case FunctionKind::Generalized:
      return FunctionValue::Kind::Generalized;
    case FunctionKind::Reduction:
      return FunctionValue::Kind::Reduction;
    case FunctionKind::Compiled:
      return FunctionValue::Kind::Compiled;
  }
  return FunctionValue::Kind::Host;
}

std::vector<const ast::Expr*> prototypes_of(const ast::Expr& argument) {
  const auto* list = argument.as<ast::List>();
  if (!list) return {&argument};
  std::vector<const ast::Expr*> prototypes;
  for (const ast::ExprPtr& element : list->elements) prototypes.push_back(element.get());
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
