#include "frontend/lower/variables.h"

#include <algorithm>

#include "frontend/checked/walk.h"

namespace pykc::lowering {
namespace {

bool assigns(const checked::Suite& suite, const checked::Variable* variable);

bool assigns(const checked::Stmt& stmt, const checked::Variable* variable) {
  if (const auto* assign = stmt.as<checked::Assign>()) return assign->variable == variable;
  if (const auto* loop = stmt.as<checked::ForRange>(); loop != nullptr && loop->variable == variable) return true;
  bool found = false;
  checked::for_each_part(
      stmt, [](checked::ExprRef) {}, [&](const checked::Suite& suite) { found = found || assigns(suite, variable); });
  return found;
}

bool assigns(const checked::Suite& suite, const checked::Variable* variable) {
  return std::ranges::any_of(suite, [&](const checked::Stmt* stmt) { return assigns(*stmt, variable); });
}

}  // namespace

VariableUses::VariableUses(const checked::Function& function) {
  open_scopes_.insert(scope_);
  for (const checked::Variable* parameter : function.parameters) assign(parameter);
  for (const checked::Stmt* stmt : function.body) visit(*stmt);
}

bool VariableUses::needs_local(const checked::Variable* variable) const {
  const auto found = uses_.find(variable);
  if (found == uses_.end()) return false;
  const Uses& uses = found->second;
  return uses.assignments > 1 || uses.escapes || (uses.is_used && uses.counter_loops > 0);
}

void VariableUses::visit_suite(const checked::Suite& suite) {
  const int outer = scope_;
  scope_ = ++scope_count_;
  open_scopes_.insert(scope_);
  for (const checked::Stmt* stmt : suite) visit(*stmt);
  open_scopes_.erase(scope_);
  scope_ = outer;
}

void VariableUses::visit(const checked::Stmt& stmt) {
  if (const auto* loop = stmt.as<checked::ForRange>()) return visit_loop(*loop);
  checked::for_each_part(
      stmt, [this](checked::ExprRef expr) { visit(expr); },
      [this](const checked::Suite& suite) { visit_suite(suite); });
  if (const auto* assignment = stmt.as<checked::Assign>()) assign(assignment->variable);
}

void VariableUses::visit_loop(const checked::ForRange& loop) {
  visit(loop.start);
  visit(loop.stop);
  visit(loop.step);
  if (assigns(loop.body, loop.variable)) {
    assign(loop.variable);
    uses_[loop.variable].escapes = true;  // what follows the loop reads what its body left
    visit_suite(loop.body);
  } else {
    counter_loops_.insert(&loop);
    ++uses_[loop.variable].counter_loops;
    ++uses_[loop.variable].open_counter_loops;
    visit_suite(loop.body);
    --uses_[loop.variable].open_counter_loops;
  }
  visit_suite(loop.otherwise);
}

void VariableUses::visit(checked::ExprRef expr) {
  if (const auto* reference = expr->as<checked::VariableRef>()) return use(reference->variable);
  if (const auto* let = expr->as<checked::Let>()) {
    visit(let->value);
    assign(let->variable);
    return visit(let->body);
  }
  checked::for_each_operand(*expr, [this](checked::ExprRef operand) { visit(operand); });
}

void VariableUses::assign(const checked::Variable* variable) {
  Uses& uses = uses_[variable];
  if (++uses.assignments == 1) uses.scope = scope_;
}

void VariableUses::use(const checked::Variable* variable) {
  Uses& uses = uses_[variable];
  if (uses.open_counter_loops > 0) return;
  uses.is_used = true;
  if (uses.assignments == 0 || !open_scopes_.contains(uses.scope)) uses.escapes = true;
}

}  // namespace pykc::lowering
