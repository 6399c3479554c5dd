#include "frontend/check/types/versions.h"

#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/check/names/scope.h"
#include "frontend/syntax/ast_walk.h"

namespace pykc::checker {
namespace {

class VersionFinder {
 public:
  explicit VersionFinder(const ast::FunctionDef& function) {
    for (const ast::Parameter& parameter : function.parameters) names_[parameter.name] = {.is_parameter = true};
    enter(function.body);
  }

  std::set<const ast::Stmt*> found() const {
    std::set<const ast::Stmt*> result;
    for (const auto& [name, uses] : names_) {
      if (uses.is_kept) continue;
      bool has_value = uses.is_parameter && uses.suite == kBody;
      if (!has_value && !uses.begins_with_assignment) continue;
      for (const Assignment& assignment : uses.assignments) {
        if (assignment.suite != uses.suite) continue;
        if (has_value) result.insert(assignment.stmt);
        has_value = true;
      }
    }
    return result;
  }

 private:
  static constexpr int kBody = 0;

  struct Assignment {
    const ast::Stmt* stmt;
    int suite;
  };
  struct Uses {
    bool is_parameter = false;
    bool is_kept = false;                 // one variable, whatever is assigned
    bool begins_with_assignment = false;  // `x = …`, in the suite that has all uses
    int suite = -1;                       // the innermost one that has all uses
    int first_suite = -1;
    std::vector<Assignment> assignments;  // `x = …`
  };

  void enter(const ast::Suite& suite) {
    if (suite.empty()) return;
    const int outer = suite_;
    suite_ = static_cast<int>(parents_.size());
    parents_.push_back(outer);
    for (const ast::StmtPtr& child : suite) statement(*child);
    suite_ = outer;
  }

  void statement(const ast::Stmt& stmt) {
    const auto* assign = stmt.as<ast::Assign>();
    const auto* name = assign && assign->targets.size() == 1 ? assign->targets.front()->as<ast::Name>() : nullptr;
    if (name) {
      expression(*assign->value);
      Uses& uses = names_[name->id];
      if (uses.suite < 0) uses.begins_with_assignment = true, uses.first_suite = suite_;
      use(name->id);
      uses.assignments.push_back({&stmt, suite_});
      return;
    }
    if (const auto* annotated = stmt.as<ast::AnnotatedAssign>())
      if (const auto* target = annotated->target->as<ast::Name>()) names_[target->id].is_kept = true;
    if (const auto* function = stmt.as<ast::FunctionDef>()) {
      names_[function->name].is_kept = true;
      keep(*function);
    }
    ast::for_each_expression(stmt, [&](const ast::Expr& expr) { expression(expr); });
    if (const auto* branch = stmt.as<ast::If>()) enter(branch->then), enter(branch->otherwise);
    if (const auto* loop = stmt.as<ast::For>()) enter(loop->body), enter(loop->otherwise);
    if (const auto* loop = stmt.as<ast::While>()) enter(loop->body), enter(loop->otherwise);
    if (const auto* with = stmt.as<ast::With>()) enter(with->body);
  }

  void expression(const ast::Expr& expr) {
    if (const auto* name = expr.as<ast::Name>()) use(name->id);
    if (const auto* lambda = expr.as<ast::Lambda>()) return keep(*lambda->function);
    ast::for_each_child(expr, [&](const ast::Expr& child) { expression(child); });
  }

  void keep(const ast::FunctionDef& function) {
    for (const std::string_view name : free_names(function)) names_[name].is_kept = true;
  }

  void use(std::string_view name) {
    Uses& uses = names_[name];
    uses.suite = uses.suite < 0 ? suite_ : common(uses.suite, suite_);
    uses.begins_with_assignment &= uses.suite == uses.first_suite;
  }

  /// The innermost suite around both. Suites have higher numbers than those around them.
  int common(int a, int b) const {
    while (a != b) {
      int& inner = a > b ? a : b;
      inner = parents_[static_cast<std::size_t>(inner)];
    }
    return a;
  }

  std::unordered_map<std::string_view, Uses> names_;
  std::vector<int> parents_;
  int suite_ = -1;
};

}  // namespace

std::set<const ast::Stmt*> statements_of_new_versions(const ast::FunctionDef& function) {
  return VersionFinder(function).found();
}

}  // namespace pykc::checker
