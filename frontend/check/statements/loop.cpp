// What loops need: the arguments of range, and which variables a loop may assign.
#include "frontend/check/statements/loop.h"

#include <array>

#include "frontend/check/expressions/compare.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/expressions/operator.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/names/resolve.h"
#include "frontend/check/statements/statement.h"
#include "frontend/check/types/convert.h"
#include "frontend/syntax/ast_walk.h"

namespace pykc::checker {
namespace {

void mark_assigned(const FunctionChecker& checker, const ast::Expr& target, LocalSet& set) {
  if (const auto* name = target.as<ast::Name>()) {
    if (const std::optional<int> index = local_index(checker, name->id, target.range)) set.insert(*index);
  }
  if (target.as<ast::Tuple>() || target.as<ast::List>() || target.as<ast::Starred>())
    ast::for_each_child(target, [&](const ast::Expr& element) { mark_assigned(checker, element, set); });
}

void mark_assigned(const FunctionChecker& checker, const ast::Stmt& stmt, LocalSet& set) {
  if (const auto* assign = stmt.as<ast::Assign>())
    for (const ast::ExprPtr& target : assign->targets) mark_assigned(checker, *target, set);
  if (const auto* assign = stmt.as<ast::AugmentedAssign>()) mark_assigned(checker, *assign->target, set);
  if (const auto* assign = stmt.as<ast::AnnotatedAssign>(); assign && assign->value)
    mark_assigned(checker, *assign->target, set);
  if (const auto* loop = stmt.as<ast::For>()) mark_assigned(checker, *loop->target, set);
  if (const auto* function = stmt.as<ast::FunctionDef>())
    if (const std::optional<int> index = local_index(checker, function->name, function->name_range)) set.insert(*index);
  ast::for_each_nested(stmt, [&](const ast::Stmt& child) { mark_assigned(checker, child, set); });
}

}  // namespace

/// Start, stop and step of `range(…)`.
std::optional<std::array<Value, 3>> range_arguments(FunctionChecker& checker, const ast::Call& call,
                                                    SourceRange range) {
  if (call.arguments.empty() || call.arguments.size() > 3 || !call.keywords.empty()) {
    checker.report(range, DiagnosticId::ArgumentCount, "`range`", "1 to 3 arguments",
                   std::to_string(call.arguments.size() + call.keywords.size()));
    return std::nullopt;
  }
  std::vector<Value> given;
  bool all_known = true;
  for (const ast::ExprPtr& argument : call.arguments) {
    given.push_back(checker.value(*argument));
    all_known &= given.back().known();
    if (!given.back().known() || (given.back().is_scalar() && is_integer_or_bool(given.back().scalar()))) continue;
    if (!checker.rules->has_weak_literals && given.back().is_scalar() && is_float(given.back().scalar())) {
      given.back() = cast_value(checker, given.back(), ScalarType::I64, argument->range);  // as Numba does
      continue;
    }
    all_known = false;
    auto diagnostic = checker.report(argument->range, DiagnosticId::RangeType, describe(given.back()));
    const std::string text(checker.scope.file().text(argument->range));
    if (given.back().is_scalar()) diagnostic.fix("int(" + text + ")");
    if (given.back().is_tuple()) diagnostic.fix(text + "[0]");
    if (given.back().is_array()) diagnostic.fix("len(" + text + ")");
  }
  if (!all_known) return std::nullopt;
  const Value zero = checker.tree.weak_integer(0, range), one = checker.tree.weak_integer(1, range);
  if (given.size() == 1) return std::array{zero, given[0], one};
  return std::array{given[0], given[1], given.size() == 3 ? given[2] : one};
}

/// `x in range(…)`: between the bounds, and a number of steps from the start.
Value in_range(FunctionChecker& checker, ast::CompareOp op, const Value& item, const ast::Call& call,
               SourceRange range) {
  const std::optional<std::array<Value, 3>> bounds = range_arguments(checker, call, range);
  if (!bounds || !require_scalar(checker, item, "`in`")) return {};
  const auto& [start, stop, step] = *bounds;
  if (!step.is_constant()) {
    checker.report(step.range(), DiagnosticId::NotConstant, "the step of a range that is searched");
    return {};
  }
  if (!is_integer_or_bool(item.scalar())) {
    checker.report(item.range(), DiagnosticId::RangeType, describe(item));
    return {};
  }
  const Int128 stride = integer_of(*step.expr);
  const Expr* found = with_temporary(checker, item.expr, [&](const Expr* kept) -> const Expr* {
    return with_temporary(checker, start.expr, [&](const Expr* first) -> const Expr* {
      const Value x{kept, item.weak, {}}, from{first, start.weak, {}};
      const bool is_up = stride > 0;
      const Value after = compare(checker, is_up ? ast::CompareOp::Ge : ast::CompareOp::Le, x, from, range);
      const Value before = compare(checker, is_up ? ast::CompareOp::Lt : ast::CompareOp::Gt, x, stop, range);
      if (!after.known() || !before.known()) return nullptr;
      const Expr* inside = checker.tree.logical(true, after.expr, before.expr, range);
      if (stride == 1 || stride == -1) return inside;
      const Value steps =
          binary(checker, ast::BinaryOp::Mod, binary(checker, ast::BinaryOp::Sub, x, from, range), step, range);
      const Value meets = compare(checker, ast::CompareOp::Eq, steps, checker.tree.weak_integer(0, range), range);
      return meets.known() ? checker.tree.logical(true, inside, meets.expr, range) : nullptr;
    });
  });
  if (!found) return {};
  if (stride == 0) found = checker.tree.boolean(false, range);
  return TreeBuilder::strong(op == ast::CompareOp::In ? found
                                                      : checker.tree.unary(checked::UnaryOp::Not, found, range));
}

bool runs_at_least_once(const std::array<Value, 3>& range) {
  for (const Value& value : range)
    if (!value.is_constant()) return false;
  const Int128 start = integer_of(*range[0].expr), stop = integer_of(*range[1].expr), step = integer_of(*range[2].expr);
  return step > 0 ? start < stop : step < 0 && start > stop;
}

/// In a loop, what a later part of the body assigns may have been assigned by an earlier turn.
void enter_loop(FunctionChecker& checker, const ast::Suite& body, const ast::Expr* target) {
  mark_assigned(checker, body, checker.flow.possible);
  if (target) mark_assigned(checker, *target, checker.flow.possible);
  checker.loops.emplace_back();
}

/// Goes on after the loop: from its condition, through `else`, or from a break.
void leave_loop(FunctionChecker& checker, FlowState exhausted, const ast::Suite& otherwise,
                checked::Suite& otherwise_suite) {
  LoopFrame frame = std::move(checker.loops.back());
  checker.loops.pop_back();
  checker.flow = std::move(exhausted);
  otherwise_suite = suite(checker, otherwise);
  checker.flow.meet(frame.on_break);
}

void mark_assigned(const FunctionChecker& checker, const ast::Suite& suite, LocalSet& set) {
  for (const ast::StmtPtr& stmt : suite) mark_assigned(checker, *stmt, set);
}

}  // namespace pykc::checker
