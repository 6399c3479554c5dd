// `assert`: as any condition, but when it fails the values that it compared are told.
#include <algorithm>

#include "script/arithmetic/reductions.h"
#include "script/evaluate/evaluator.h"
#include "script/functions/format.h"
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

/// All that is told of a failure.
std::string text_of(const Failure& failure, const SourceFile& file) {
  std::string text;
  for (const Diagnostic& diagnostic : to_diagnostics(failure, file)) {
    text += diagnostic.message + '\n';
    for (const std::string& note : diagnostic.notes) text += note + '\n';
  }
  return text;
}

Outcome<bool> all_true(const Value& value) {
  const ArrayRef* array = value.as<ArrayRef>();
  if (!array) return truth(value);
  ASSIGN_OR_RETURN(const ArrayRef all, reduce(Reduction::All, "all", *array, std::nullopt));
  return truth(Value(all));
}

}  // namespace

/// `with raises("index 5 is out of bounds"):`
const ast::Call* Evaluator::call_of_raises(const ast::With& node) {
  const auto* call = node.target ? nullptr : node.context->as<ast::Call>();
  const auto* name = call ? call->function->as<ast::Name>() : nullptr;
  return name && name->id == "raises" ? call : nullptr;
}

Outcome<Evaluator::Flow> Evaluator::run_raises(const ast::Call& call, const ast::Suite& body) {
  ASSIGN_OR_RETURN(const CallArguments arguments, evaluate_arguments(call));
  const std::string* expected =
      arguments.positional.size() == 1 && arguments.named.empty() ? arguments.positional[0].as<std::string>() : nullptr;
  if (!expected) return located(fail(DiagnosticId::HostRaisesArgument), call.function->range);
  Outcome<Flow> flow = run(body);
  if (flow) return located(fail(DiagnosticId::HostNothingRaised, *expected), call.function->range);
  if (flow.failure().id == DiagnosticId::HostTestSkipped) return flow;
  if (text_of(flow.failure(), file()).find(*expected) != std::string::npos) return Flow::Next;
  return std::move(flow.failure()).note("`raises` expected an error with the text \"" + *expected + "\"");
}

Outcome<bool> Evaluator::evaluate_assertion(const ast::Expr& condition, std::vector<std::string>& notes) {
  if (const auto* compare = condition.as<ast::Compare>(); compare && compare->ops.size() == 1) {
    ASSIGN_OR_RETURN(const Value result, assert_comparison(*compare, condition.range, notes));
    Outcome<bool> holds = truth(result);
    if (!holds) return located(std::move(holds.failure()), condition.range);
    return holds;
  }
  if (const ast::Compare* compare = compared_elements(condition); compare && compare->ops.size() == 1) {
    ASSIGN_OR_RETURN(const Value result, assert_comparison(*compare, condition.range, notes));
    return all_true(result);
  }
  if (const auto* call = condition.as<ast::Call>()) return assert_call(condition, *call, notes);
  return evaluate_truth(condition);
}

Outcome<Value> Evaluator::assert_comparison(const ast::Compare& node, SourceRange range,
                                            std::vector<std::string>& notes) {
  ASSIGN_OR_RETURN(const Value left, evaluate(*node.first));
  ASSIGN_OR_RETURN(const Value right, evaluate(*node.rest[0]));
  Outcome<Value> result = compare(node.ops[0], left, right);
  if (!result) return located(std::move(result.failure()), range);
  if (!is_ordering(node.ops[0])) return result;
  if (left.is<ArrayRef>() || right.is<ArrayRef>()) notes = describe_difference(left, right);
  if (notes.empty()) notes = {"the left side is " + short_text(left), "the right side is " + short_text(right)};
  return result;
}

Outcome<bool> Evaluator::assert_call(const ast::Expr& condition, const ast::Call& node,
                                     std::vector<std::string>& notes) {
  ASSIGN_OR_RETURN(const Value callee, evaluate(*node.function));
  ASSIGN_OR_RETURN(const CallArguments arguments, evaluate_arguments(node));
  Outcome<Value> result = call_from(node, callee, arguments);
  if (!result) return located(std::move(result.failure()), condition.range);
  Outcome<bool> holds = truth(*result);
  if (!holds) return located(std::move(holds.failure()), condition.range);
  const auto* builtin = callee.as<BuiltinValue>();
  const bool compares = builtin && (builtin->function->name == "allclose" || builtin->function->name == "array_equal");
  if (!*holds && compares && arguments.positional.size() >= 2)
    notes = describe_difference(arguments.positional[0], arguments.positional[1]);
  return holds;
}

}  // namespace pykc::script
