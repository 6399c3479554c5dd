// What loops need: the arguments of range, and which variables a loop may assign.
#include <array>

#include "frontend/check/function_checker.h"
#include "frontend/syntax/ast_walk.h"

namespace pykc::checker {

/// Start, stop and step of `range(…)`.
std::optional<std::array<Value, 3>> Body::range_arguments(const ast::Call& call, SourceRange range) {
  if (call.arguments.empty() || call.arguments.size() > 3 || !call.keywords.empty()) {
    report(range, DiagnosticId::ArgumentCount, "`range`", "1 to 3 arguments",
           std::to_string(call.arguments.size() + call.keywords.size()));
    return std::nullopt;
  }
  std::vector<Value> given;
  bool all_known = true;
  for (const ast::ExprPtr& argument : call.arguments) {
    given.push_back(value(*argument));
    all_known &= given.back().known();
    if (!given.back().known() || (given.back().is_scalar() && is_integer_or_bool(given.back().scalar()))) continue;
    all_known = false;
    auto diagnostic = report(argument->range, DiagnosticId::RangeType, describe(given.back()));
    const std::string text(scope_.file().text(argument->range));
    if (given.back().is_scalar()) diagnostic.fix("int(" + text + ")");
    if (given.back().is_tuple()) diagnostic.fix(text + "[0]");
    if (given.back().is_array()) diagnostic.fix("len(" + text + ")");
  }
  if (!all_known) return std::nullopt;
  const Value zero = tree_.weak_integer(0, range), one = tree_.weak_integer(1, range);
  if (given.size() == 1) return std::array{zero, given[0], one};
  return std::array{given[0], given[1], given.size() == 3 ? given[2] : one};
}

/// `x in range(…)`: between the bounds, and a number of steps from the start.
Value Body::in_range(ast::CompareOp op, const Value& item, const ast::Call& call, SourceRange range) {
  const std::optional<std::array<Value, 3>> bounds = range_arguments(call, range);
  if (!bounds || !require_scalar(item, "`in`")) return {};
  const auto& [start, stop, step] = *bounds;
  if (!step.is_constant()) {
    report(step.range(), DiagnosticId::NotConstant, "the step of a range that is searched");
    return {};
  }
  if (!is_integer_or_bool(item.scalar())) {
    report(item.range(), DiagnosticId::RangeType, describe(item));
    return {};
  }
  const Int128 stride = integer_of(*step.expr);
  const Expr* found = with_temporary(item.expr, [&](const Expr* kept) -> const Expr* {
    return with_temporary(start.expr, [&](const Expr* first) -> const Expr* {
      const Value x{kept, item.weak, {}}, from{first, start.weak, {}};
      const bool is_up = stride > 0;
      const Value after = compare(is_up ? ast::CompareOp::Ge : ast::CompareOp::Le, x, from, range);
      const Value before = compare(is_up ? ast::CompareOp::Lt : ast::CompareOp::Gt, x, stop, range);
      if (!after.known() || !before.known()) return nullptr;
      const Expr* inside = tree_.logical(true, after.expr, before.expr, range);
      if (stride == 1 || stride == -1) return inside;
      const Value steps = binary(ast::BinaryOp::Mod, binary(ast::BinaryOp::Sub, x, from, range), step, range);
      const Value meets = compare(ast::CompareOp::Eq, steps, tree_.weak_integer(0, range), range);
      return meets.known() ? tree_.logical(true, inside, meets.expr, range) : nullptr;
    });
  });
  if (!found) return {};
  if (stride == 0) found = tree_.boolean(false, range);
  return TreeBuilder::strong(op == ast::CompareOp::In ? found : tree_.unary(checked::UnaryOp::Not, found, range));
}

bool Body::runs_at_least_once(const std::array<Value, 3>& range) {
  for (const Value& value : range)
    if (!value.is_constant()) return false;
  const Int128 start = integer_of(*range[0].expr), stop = integer_of(*range[1].expr), step = integer_of(*range[2].expr);
  return step > 0 ? start < stop : step < 0 && start > stop;
}

/// In a loop, what a later part of the body assigns may have been assigned by an earlier turn.
void Body::enter_loop(const ast::Suite& body, const ast::Expr* target) {
  mark_assigned(body, flow_.possible);
  if (target) mark_assigned(*target, flow_.possible);
  loops_.emplace_back();
}

/// Goes on after the loop: from its condition, through `else`, or from a break.
void Body::leave_loop(FlowState exhausted, const ast::Suite& otherwise, checked::Suite& otherwise_suite) {
  LoopFrame frame = std::move(loops_.back());
  loops_.pop_back();
  flow_ = std::move(exhausted);
  otherwise_suite = suite(otherwise);
  flow_.meet(frame.on_break);
}

void Body::mark_assigned(const ast::Expr& target, LocalSet& set) const {
  if (const auto* name = target.as<ast::Name>()) {
    if (const std::optional<int> index = local_index(name->id, target.range)) set.insert(*index);
  }
  if (target.as<ast::Tuple>() || target.as<ast::List>() || target.as<ast::Starred>())
    ast::for_each_child(target, [&](const ast::Expr& element) { mark_assigned(element, set); });
}

void Body::mark_assigned(const ast::Stmt& stmt, LocalSet& set) const {
  if (const auto* assign = stmt.as<ast::Assign>())
    for (const ast::ExprPtr& target : assign->targets) mark_assigned(*target, set);
  if (const auto* assign = stmt.as<ast::AugmentedAssign>()) mark_assigned(*assign->target, set);
  if (const auto* assign = stmt.as<ast::AnnotatedAssign>(); assign && assign->value)
    mark_assigned(*assign->target, set);
  if (const auto* loop = stmt.as<ast::For>()) mark_assigned(*loop->target, set);
  if (const auto* function = stmt.as<ast::FunctionDef>())
    if (const std::optional<int> index = local_index(function->name, function->name_range)) set.insert(*index);
  ast::for_each_nested(stmt, [&](const ast::Stmt& child) { mark_assigned(child, set); });
}

void Body::mark_assigned(const ast::Suite& suite, LocalSet& set) const {
  for (const ast::StmtPtr& stmt : suite) mark_assigned(*stmt, set);
}

}  // namespace pykc::checker
