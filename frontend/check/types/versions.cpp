// Reaching assignments over the syntax tree. A suite is summed up once, from the inside to the outside: which of its
// assignments reach its end, and whether older ones still do. So a walk from the top knows what reaches a loop's head
// before it has seen the body. Assignments that reach one use are put together; what is too much is harmless, as the
// name then stays one variable.
#include "frontend/check/types/versions.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <utility>

#include "frontend/check/names/scope.h"
#include "frontend/syntax/ast_walk.h"

namespace pykc::checker {
namespace {

using Assignments = std::vector<int>;  // their numbers, in order

Assignments joined(const Assignments& a, const Assignments& b) {
  Assignments both;
  std::ranges::set_union(a, b, std::back_inserter(both));
  return both;
}

/// What a suite does to a name.
struct Effect {
  Assignments reaching;   // its own that reach its end
  bool replaces = false;  // those before it do not
};
using Effects = std::unordered_map<std::string_view, Effect>;

class VersionFinder {
 public:
  explicit VersionFinder(const ast::FunctionDef& function) {
    for (const ast::Parameter& parameter : function.parameters) names_[parameter.name].is_parameter = true;
    walk(function.body);
  }

  std::vector<VersionedName> found() {
    std::ranges::sort(uses_, {}, [](const Use& use) { return use.range.begin; });
    for (const Use& use : uses_) {  // a name that nothing has assigned is its first variable
      Name& name = names_[use.name];
      if (name.is_parameter || !use.assigns || std::exchange(name.has_first, true)) continue;
      put_together(entry_of(use.name), use.assignment);
    }
    std::vector<VersionedName> result;
    for (const Use& use : uses_) {
      Name& name = names_[use.name];
      if (name.is_kept) continue;
      if (name.variables.empty()) name.variables.push_back(variable_of(entry_of(use.name)));
      const int variable = variable_of(use.assignment);
      const auto known = std::ranges::find(name.variables, variable);
      const auto version = static_cast<int>(known - name.variables.begin());
      if (known == name.variables.end()) name.variables.push_back(variable);
      if (version > 0) result.push_back({use.name, use.range, version});
    }
    return result;
  }

 private:
  struct Name {
    bool is_parameter = false;
    bool is_kept = false;  // one variable, whatever is assigned
    bool has_first = false;
    int entry = -1;  // stands for what it holds when the function begins
    std::optional<Assignments> reaching;
    std::vector<int> variables = {};
  };
  struct Use {
    std::string_view name;
    SourceRange range;
    int assignment;  // one of those that reach it, or itself
    bool assigns = false;
  };

  // ---- assignments, put together where they meet ----

  int new_assignment() {
    parents_.push_back(static_cast<int>(parents_.size()));
    return parents_.back();
  }
  int& parent_of(int assignment) { return parents_[static_cast<std::size_t>(assignment)]; }
  int variable_of(int assignment) {
    while (parent_of(assignment) != assignment) assignment = parent_of(assignment) = parent_of(parent_of(assignment));
    return assignment;
  }
  void put_together(int a, int b) { parent_of(variable_of(a)) = variable_of(b); }

  int entry_of(std::string_view name) {
    int& entry = names_[name].entry;
    return entry < 0 ? entry = new_assignment() : entry;
  }
  int assignment_of(const ast::Expr& target) {
    const auto [entry, is_new] = assignments_.try_emplace(target.range.begin);
    if (is_new) entry->second = new_assignment();
    return entry->second;
  }
  Assignments& reaching(std::string_view name) {
    std::optional<Assignments>& now = names_[name].reaching;
    if (!now) now = Assignments{entry_of(name)};
    return *now;
  }

  // ---- sums ----

  /// Calls `visit(const ast::Expr&)` for each name that the statement itself assigns.
  template <typename Visit>
  static void for_each_assigned(const ast::Stmt& stmt, Visit visit) {
    if (const auto* node = stmt.as<ast::Assign>())
      for (const ast::ExprPtr& target : node->targets) assigned_in(*target, visit);
    if (const auto* node = stmt.as<ast::AugmentedAssign>()) assigned_in(*node->target, visit);
    if (const auto* node = stmt.as<ast::For>()) assigned_in(*node->target, visit);
  }
  template <typename Visit>
  static void assigned_in(const ast::Expr& target, Visit visit) {
    if (target.as<ast::Name>()) visit(target);
    if (target.as<ast::Tuple>() || target.as<ast::List>() || target.as<ast::Starred>())
      ast::for_each_child(target, [&](const ast::Expr& element) { assigned_in(element, visit); });
  }

  const Effects& effects(const ast::Suite& suite) {
    const auto [entry, is_new] = effects_.try_emplace(&suite);
    if (!is_new) return entry->second;
    Effects result;
    for (const ast::StmtPtr& stmt : suite) append(result, effects(*stmt));
    return effects_[&suite] = std::move(result);
  }

  Effects effects(const ast::Stmt& stmt) {
    if (const auto [body, otherwise] = suites_of_loop(stmt); body) {
      Effects result = effects_of_turns(stmt);
      append(result, effects_of_else(*body, *otherwise));
      return result;
    }
    if (const auto* branch = stmt.as<ast::If>()) {
      Effects result = effects(branch->then);
      either(result, effects(branch->otherwise));
      return result;
    }
    if (const auto* with = stmt.as<ast::With>()) return effects(with->body);
    return own_effects(stmt);
  }

  /// What it does itself, without the suites in it.
  Effects own_effects(const ast::Stmt& stmt) {
    Effects result;
    for_each_assigned(stmt, [&](const ast::Expr& target) {
      result[target.as<ast::Name>()->id] = {{assignment_of(target)}, true};
    });
    return result;
  }

  /// The body and the `else` of a loop.
  static std::pair<const ast::Suite*, const ast::Suite*> suites_of_loop(const ast::Stmt& stmt) {
    if (const auto* loop = stmt.as<ast::For>()) return {&loop->body, &loop->otherwise};
    if (const auto* loop = stmt.as<ast::While>()) return {&loop->body, &loop->otherwise};
    return {};
  }

  /// The effects of any number of turns of a loop, none included.
  Effects effects_of_turns(const ast::Stmt& loop) {
    const ast::Suite& body = *suites_of_loop(loop).first;
    Effects result = own_effects(loop);
    append(result, effects(body));
    if (jumps(body)) {
      either(result, own_effects(loop));
      for (const ast::StmtPtr& stmt : body) add_all_of(*stmt, result);
    }
    either(result, {});
    return result;
  }

  /// A `break` leaves it out.
  Effects effects_of_else(const ast::Suite& body, const ast::Suite& otherwise) {
    Effects result = effects(otherwise);
    if (jumps(body)) either(result, {});
    return result;
  }

  /// The one, then the other.
  static void append(Effects& first, const Effects& second) {
    for (const auto& [name, effect] : second) {
      Effect& sum = first[name];
      sum.reaching = effect.replaces ? effect.reaching : joined(sum.reaching, effect.reaching);
      sum.replaces |= effect.replaces;
    }
  }

  /// The one or the other.
  static void either(Effects& one, const Effects& other) {
    for (auto& [name, effect] : one) effect.replaces &= other.contains(name);
    for (const auto& [name, effect] : other) {
      Effect& sum = one[name];
      sum.reaching = joined(sum.reaching, effect.reaching);
      sum.replaces &= effect.replaces;
    }
  }

  /// Whether the suite, a loop's body, has a `break` or `continue`: any of its assignments may be the last then.
  static bool jumps(const ast::Suite& body) {
    return std::ranges::any_of(body, [](const ast::StmtPtr& stmt) {
      if (stmt->as<ast::Break>() || stmt->as<ast::Continue>()) return true;
      if (const auto* branch = stmt->as<ast::If>()) return jumps(branch->then) || jumps(branch->otherwise);
      if (const auto* loop = stmt->as<ast::For>()) return jumps(loop->otherwise);
      if (const auto* loop = stmt->as<ast::While>()) return jumps(loop->otherwise);
      const auto* with = stmt->as<ast::With>();
      return with && jumps(with->body);
    });
  }

  void add_all_of(const ast::Stmt& stmt, Effects& result) {
    for_each_assigned(stmt, [&](const ast::Expr& target) {
      Assignments& reaching = result[target.as<ast::Name>()->id].reaching;
      reaching = joined(reaching, {assignment_of(target)});
    });
    ast::for_each_nested(stmt, [&](const ast::Stmt& child) { add_all_of(child, result); });
  }

  // ---- the walk ----

  void walk(const ast::Suite& suite) {
    for (const ast::StmtPtr& stmt : suite) walk(*stmt);
  }

  void walk(const ast::Stmt& stmt) {
    if (const auto* annotated = stmt.as<ast::AnnotatedAssign>())
      if (const auto* target = annotated->target->as<ast::Name>()) names_[target->id].is_kept = true;
    if (const auto* function = stmt.as<ast::FunctionDef>()) {
      names_[function->name].is_kept = true;
      keep(*function);
    }
    if (const auto [body, otherwise] = suites_of_loop(stmt); body) {
      const auto* counting = stmt.as<ast::For>();
      if (counting) use_in(*counting->iterable);
      const Effects turns = effects_of_turns(stmt);
      apply(turns);  // what reaches its head: so much reaches the body and what follows, too
      if (!counting) use_in(*stmt.as<ast::While>()->condition);
      aside(turns, [&] {
        if (counting) assign_to(*counting->target);
        walk(*body);
      });
      aside(effects(*otherwise), [&] { walk(*otherwise); });
      apply(effects_of_else(*body, *otherwise));
    } else if (const auto* branch = stmt.as<ast::If>()) {
      use_in(*branch->condition);
      aside(effects(branch->then), [&] { walk(branch->then); });
      aside(effects(branch->otherwise), [&] { walk(branch->otherwise); });
      apply(effects(stmt));
    } else if (const auto* assign = stmt.as<ast::Assign>()) {
      use_in(*assign->value);
      for (const ast::ExprPtr& target : assign->targets) assign_to(*target);
    } else {
      ast::for_each_expression(stmt, [&](const ast::Expr& expr) { use_in(expr); });
      for_each_assigned(stmt, [&](const ast::Expr& target) {  // `x += 1` reads and assigns one variable
        Assignments& before = reaching(target.as<ast::Name>()->id);
        put_together(assignment_of(target), before.front());
        before = {assignment_of(target)};
      });
      ast::for_each_nested(stmt, [&](const ast::Stmt& child) { walk(child); });
    }
  }

  /// Walks a suite that may be left out; what it does is applied when all such suites have been walked.
  template <typename Walk>
  void aside(const Effects& sum, Walk walk_suite) {
    std::vector<std::pair<std::string_view, Assignments>> before;
    for (const auto& [name, effect] : sum) before.emplace_back(name, reaching(name));
    walk_suite();
    for (auto& [name, assignments] : before) names_[name].reaching = std::move(assignments);
  }

  void apply(const Effects& sum) {
    for (const auto& [name, effect] : sum) {
      Assignments& now = reaching(name);
      now = effect.replaces ? effect.reaching : joined(now, effect.reaching);
    }
  }

  void assign_to(const ast::Expr& target) {
    if (const auto* name = target.as<ast::Name>()) {
      reaching(name->id) = {assignment_of(target)};
      uses_.push_back({name->id, target.range, assignment_of(target), true});
    } else if (target.as<ast::Tuple>() || target.as<ast::List>() || target.as<ast::Starred>()) {
      ast::for_each_child(target, [&](const ast::Expr& element) { assign_to(element); });
    } else {
      use_in(target);
    }
  }

  void use_in(const ast::Expr& expr) {
    if (const auto* lambda = expr.as<ast::Lambda>()) return keep(*lambda->function);
    if (const auto* name = expr.as<ast::Name>()) {
      Assignments& now = reaching(name->id);
      for (const int assignment : now) put_together(assignment, now.front());
      now.resize(1);
      uses_.push_back({name->id, expr.range, now.front()});
    }
    ast::for_each_child(expr, [&](const ast::Expr& child) { use_in(child); });
  }

  void keep(const ast::FunctionDef& function) {
    for (const std::string_view name : free_names(function)) names_[name].is_kept = true;
  }

  std::unordered_map<std::string_view, Name> names_;
  std::vector<Use> uses_;
  std::vector<int> parents_;                            // of assignments: one that is of the same variable
  std::unordered_map<std::uint32_t, int> assignments_;  // by where their targets begin
  std::unordered_map<const ast::Suite*, Effects> effects_;
};

}  // namespace

std::vector<VersionedName> versions_of_names(const ast::FunctionDef& function) {
  return VersionFinder(function).found();
}

}  // namespace pykc::checker
