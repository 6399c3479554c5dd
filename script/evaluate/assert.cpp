// `assert`: as any condition, but when it fails the values that it compared are told.
#include "script/evaluate/assert.h"

#include <algorithm>
#include <utility>

#include "script/arithmetic/reductions.h"
#include "script/evaluate/call.h"
#include "script/evaluate/expression.h"
#include "script/functions/format.h"
#include "script/functions/functions.h"
#include "script/functions/operators.h"

namespace pykc::script {
namespace {

constexpr std::size_t kLongestValue = 200;

std::string short_text(const Value& value) {
  Outcome<std::string> text = to_repr(value);
  if (!text) return describe(value);
  std::replace(text->begin(), text->end(), '\n', ' ');
  if (text->size() > kLongestValue) return describe(value);
  return *std::move(text);
}

bool is_ordering(ast::CompareOp op) { return op <= ast::CompareOp::Ge; }

/// A call of `.all()` on a comparison: `(a == b).all()`.
const ast::Compare* compared_elements(const ast::Expr& expr) {
  const auto* call = expr.as<ast::Call>();
  const auto* method = call && call->arguments.empty() ? call->function->as<ast::Attribute>() : nullptr;
  return method && method->name == "all" ? method->value->as<ast::Compare>() : nullptr;
}

Outcome<bool> all_true(const Value& value) {
  const ArrayRef* array = value.as<ArrayRef>();
  if (!array) return truth(value);
  ASSIGN_OR_RETURN(const ArrayRef all, reduce(Reduction::All, "all", *array, std::nullopt));
  return truth(Value(all));
}

Outcome<Value> assert_comparison(Evaluator& evaluator, const ast::Compare& node, SourceRange range,
                                 std::vector<std::string>& notes) {
  ASSIGN_OR_RETURN(const Value left, evaluator.evaluate(*node.first));
  ASSIGN_OR_RETURN(const Value right, evaluator.evaluate(*node.rest[0]));
  ASSIGN_OR_RETURN(Value result, evaluator.located(compare(node.ops[0], left, right), range));
  if (!is_ordering(node.ops[0])) return result;
  if (left.is<ArrayRef>() || right.is<ArrayRef>()) notes = describe_difference(left, right);
  if (notes.empty()) notes = {"the left side is " + short_text(left), "the right side is " + short_text(right)};
  return result;
}

Outcome<bool> assert_call(Evaluator& evaluator, const ast::Expr& condition, const ast::Call& node,
                          std::vector<std::string>& notes) {
  ASSIGN_OR_RETURN(const Value callee, evaluator.evaluate(*node.function));
  ASSIGN_OR_RETURN(const CallArguments arguments, evaluate_arguments(evaluator, node));
  ASSIGN_OR_RETURN(const Value result,
                   evaluator.located(call_from(evaluator, node, callee, arguments), condition.range));
  ASSIGN_OR_RETURN(const bool holds, evaluator.located(truth(result), condition.range));
  const auto* builtin = callee.as<BuiltinValue>();
  const bool compares = builtin && (builtin->function->name == "allclose" || builtin->function->name == "array_equal");
  if (!holds && compares && arguments.positional.size() >= 2)
    notes = describe_difference(arguments.positional[0], arguments.positional[1]);
  return holds;
}

/// Evaluates the condition; where it fails, `notes` tell the values that it compared.
Outcome<bool> evaluate_assertion(Evaluator& evaluator, const ast::Expr& condition, std::vector<std::string>& notes) {
  if (const auto* compare = condition.as<ast::Compare>(); compare && compare->ops.size() == 1) {
    ASSIGN_OR_RETURN(const Value result, assert_comparison(evaluator, *compare, condition.range, notes));
    return evaluator.located(truth(result), condition.range);
  }
  if (const ast::Compare* compare = compared_elements(condition); compare && compare->ops.size() == 1) {
    ASSIGN_OR_RETURN(const Value result, assert_comparison(evaluator, *compare, condition.range, notes));
    return all_true(result);
  }
  if (const auto* call = condition.as<ast::Call>()) return assert_call(evaluator, condition, *call, notes);
  return evaluate_truth(evaluator, condition);
}

}  // namespace

Outcome<Flow> run(Evaluator& evaluator, const ast::Assert& node) {
  std::vector<std::string> notes;
  ASSIGN_OR_RETURN(const bool holds, evaluate_assertion(evaluator, *node.condition, notes));
  if (holds) {
    evaluator.held.insert(&node);
    return Flow::Next;
  }
  std::string message;
  if (node.message) {
    ASSIGN_OR_RETURN(const Value value, evaluator.evaluate(*node.message));
    ASSIGN_OR_RETURN(const std::string text, to_text(value));
    message = ": " + text;
  }
  Failure failure = fail(DiagnosticId::HostAssertFailed, message);
  failure.notes = std::move(notes);
  return evaluator.located(std::move(failure), node.condition->range);
}

}  // namespace pykc::script
