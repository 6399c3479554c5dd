#include "script/evaluate/expression.h"

#include <utility>
#include <variant>

#include "script/evaluate/assign.h"
#include "script/evaluate/call.h"
#include "script/evaluate/function.h"
#include "script/evaluate/launch.h"
#include "script/evaluate/module.h"
#include "script/evaluate/variables.h"
#include "script/functions/format.h"
#include "script/functions/functions.h"
#include "script/functions/indexing.h"
#include "script/functions/operators.h"
#include "script/functions/records.h"
#include "script/values/text.h"

namespace pykc::script {
namespace {

Outcome<Value> evaluate_node(Evaluator&, const ast::IntLiteral& node) {
  if (node.value > static_cast<std::uint64_t>(INT64_MAX)) return Value(Scalar{ScalarType::U64, node.value});
  return Value(static_cast<std::int64_t>(node.value));
}

Outcome<Value> evaluate_node(Evaluator&, const ast::FloatLiteral& node) { return Value(node.value); }

Outcome<Value> evaluate_node(Evaluator&, const ast::ImaginaryLiteral& node) {
  return make_record(complex_type(ScalarType::F64), {{Value(0.0), Value(node.value)}, {}});
}

Outcome<Value> evaluate_node(Evaluator&, const ast::BoolLiteral& node) { return Value(node.value); }

Outcome<Value> evaluate_node(Evaluator&, const ast::StringLiteral& node) { return Value(node.value); }

Outcome<Value> evaluate_node(Evaluator&, const ast::BytesLiteral& node) { return bytes_array(node.value); }

Outcome<Value> evaluate_node(Evaluator&, const ast::NoneLiteral&) { return Value(); }

Outcome<Value> evaluate_node(Evaluator&, const ast::EllipsisLiteral&) { return Value(EllipsisValue{}); }

Outcome<Value> evaluate_node(Evaluator& evaluator, const ast::FormattedString& node) {
  std::string text = node.parts[0];
  for (std::size_t i = 0; i < node.values.size(); ++i) {
    ASSIGN_OR_RETURN(Value value, evaluator.evaluate(*node.values[i]));
    const SourceRange range = node.values[i]->range;
    if (node.conversions[i] != ' ') {
      ASSIGN_OR_RETURN(value, evaluator.located(converted(value, node.conversions[i]), range));
    }
    Value format = std::string();
    if (node.formats[i]) {
      ASSIGN_OR_RETURN(format, evaluator.evaluate(*node.formats[i]));
    }
    ASSIGN_OR_RETURN(const std::string piece, evaluator.located(format_value(value, *format.as<std::string>()), range));
    text += piece + node.parts[i + 1];
  }
  return Value(std::move(text));
}

Outcome<Value> evaluate_node(Evaluator& evaluator, const ast::Name& node) { return look_up(evaluator, node.id); }

Outcome<Value> evaluate_node(Evaluator& evaluator, const ast::Attribute& node) {
  ASSIGN_OR_RETURN(const Value object, evaluator.evaluate(*node.value));
  if (const auto* module = object.as<ModuleValue>()) {
    if (std::optional<Value> member = member_of(*module, node.name)) return *std::move(member);
    if (evaluator.program.find(module->name + "." + node.name))
      return import_module(evaluator, module->name + "." + node.name);
    if (!module->scope && is_importable(module->name))
      return evaluator.located(unknown_module(module->name), node.value->range);
  }
  return evaluator.located(attribute(object, node.name), node.name_range);
}

/// For brackets behind a function.
Failure not_a_kernel(const FunctionValue& function) {
  const std::string& name = function.definition->name;
  if (function.kind == FunctionValue::Kind::Host)
    return fail(DiagnosticId::HostNotAKernel, name, "a host function")
        .note("put `@kernel` on the line above `def " + name + "`");
  if (function.kind == FunctionValue::Kind::Compiled)
    return fail(DiagnosticId::HostNotAKernel, name, "made by Numba's `@jit`, which is for the CPU")
        .note("put `@cuda.jit` on the line above `def " + name + "`");
  const bool is_device = function.kind == FunctionValue::Kind::Device;
  return fail(DiagnosticId::HostNotAKernel, name, is_device ? "a device function" : "made by `@vectorize`")
      .note(is_device ? "mark it `@kernel` instead, or call it in a kernel" : "call it with arrays: `" + name + "(x)`");
}

Outcome<Value> evaluate_node(Evaluator& evaluator, const ast::Subscript& node) {
  ASSIGN_OR_RETURN(const Value object, evaluator.evaluate(*node.value));
  const auto* function = object.as<FunctionValue>();
  if (function && function->kind == FunctionValue::Kind::Kernel)
    return evaluate_launch(evaluator, *function, *node.index);
  if (function) return evaluator.located(not_a_kernel(*function), node.value->range);
  ASSIGN_OR_RETURN(const Value index, evaluator.evaluate(*node.index));
  return get_item(object, index);
}

Outcome<Value> evaluate_node(Evaluator& evaluator, const ast::Slice& node) {
  SliceValue slice;
  const std::pair<const ast::ExprPtr*, std::optional<std::int64_t>*> ends[] = {
      {&node.lower, &slice.lower}, {&node.upper, &slice.upper}, {&node.step, &slice.step}};
  for (const auto& [expr, bound] : ends) {
    if (!*expr) continue;
    ASSIGN_OR_RETURN(const Value value, evaluator.evaluate(**expr));
    if (value.is<None>()) continue;
    *bound = as_integer(value);
    if (!*bound) return evaluator.located(fail(DiagnosticId::HostBadIndex, describe(value)), (*expr)->range);
  }
  return Value(slice);
}

Outcome<Value> evaluate_node(Evaluator& evaluator, const ast::Call& node) {
  ASSIGN_OR_RETURN(const Value callee, evaluator.evaluate(*node.function));
  ASSIGN_OR_RETURN(CallArguments arguments, evaluate_arguments(evaluator, node));
  return call_from(evaluator, node, callee, std::move(arguments));
}

Outcome<Value> evaluate_node(Evaluator&, const ast::Starred&) {
  return fail(DiagnosticId::HostUnsupportedFeature, "`*` outside of calls and sequences");
}

Outcome<Value> evaluate_node(Evaluator& evaluator, const ast::Tuple& node) {
  ASSIGN_OR_RETURN(std::vector<Value> items, evaluate_items(evaluator, node.elements));
  return make_tuple(std::move(items));
}

Outcome<Value> evaluate_node(Evaluator& evaluator, const ast::List& node) {
  ASSIGN_OR_RETURN(std::vector<Value> items, evaluate_items(evaluator, node.elements));
  return make_list(std::move(items));
}

Outcome<Value> evaluate_node(Evaluator& evaluator, const ast::Unary& node) {
  const auto* literal = node.operand->as<ast::IntLiteral>();
  if (literal && node.op == ast::UnaryOp::Negate && literal->value == std::uint64_t{1} << 63) return Value(INT64_MIN);
  ASSIGN_OR_RETURN(const Value operand, evaluator.evaluate(*node.operand));
  return apply_operator(node.op, operand);
}

Outcome<Value> evaluate_node(Evaluator& evaluator, const ast::Binary& node) {
  ASSIGN_OR_RETURN(const Value left, evaluator.evaluate(*node.left));
  ASSIGN_OR_RETURN(const Value right, evaluator.evaluate(*node.right));
  return apply_operator(node.op, left, right);
}

Outcome<Value> evaluate_node(Evaluator& evaluator, const ast::Logical& node) {
  const bool deciding = node.op == ast::BoolOp::Or;
  for (const ast::ExprPtr& operand : node.operands) {
    ASSIGN_OR_RETURN(const Value value, evaluator.evaluate(*operand));
    if (operand == node.operands.back()) return value;
    ASSIGN_OR_RETURN(const bool answer, evaluator.located(truth(value), operand->range));
    if (answer == deciding) return value;
  }
  return Value(!deciding);
}

Outcome<Value> evaluate_node(Evaluator& evaluator, const ast::Compare& node) {
  ASSIGN_OR_RETURN(Value left, evaluator.evaluate(*node.first));
  for (std::size_t i = 0; i < node.ops.size(); ++i) {
    ASSIGN_OR_RETURN(Value right, evaluator.evaluate(*node.rest[i]));
    ASSIGN_OR_RETURN(Value result, compare(node.ops[i], left, right));
    if (i + 1 == node.ops.size()) return result;
    ASSIGN_OR_RETURN(const bool holds, truth(result));
    if (!holds) return result;
    left = std::move(right);
  }
  return left;
}

Outcome<Value> evaluate_node(Evaluator& evaluator, const ast::Conditional& node) {
  ASSIGN_OR_RETURN(const bool holds, evaluate_truth(evaluator, *node.condition));
  return evaluator.evaluate(holds ? *node.then : *node.otherwise);
}

Outcome<Value> evaluate_node(Evaluator& evaluator, const ast::Lambda& node) {
  ASSIGN_OR_RETURN(FunctionValue function, define(evaluator, *node.function, FunctionValue::Kind::Host));
  return Value(std::move(function));
}

/// For each item of `iterable`, which clause `index` goes over.
Status add_elements(Evaluator& evaluator, const ast::Comprehension& node, std::size_t index, const Value& iterable,
                    std::vector<Value>& elements) {
  const ast::Comprehension::Clause& clause = node.clauses[index];
  ASSIGN_OR_RETURN(const std::vector<Value> items, evaluator.located(all_items(iterable), clause.iterable->range));
  for (const Value& item : items) {
    RETURN_IF_FAILED(assign(evaluator, *clause.target, item));
    bool is_wanted = true;
    for (std::size_t i = 0; is_wanted && i < clause.conditions.size(); ++i) {
      ASSIGN_OR_RETURN(is_wanted, evaluate_truth(evaluator, *clause.conditions[i]));
    }
    if (!is_wanted) continue;
    const bool is_last = index + 1 == node.clauses.size();
    ASSIGN_OR_RETURN(Value value, evaluator.evaluate(is_last ? *node.element : *node.clauses[index + 1].iterable));
    if (!is_last)
      RETURN_IF_FAILED(add_elements(evaluator, node, index + 1, value, elements));
    else if (elements.size() == static_cast<std::size_t>(kLongestSequence))
      return fail(DiagnosticId::HostSequenceTooLong, elements.size() + 1);
    else
      elements.push_back(std::move(value));
  }
  return Done{};
}

Outcome<Value> evaluate_node(Evaluator& evaluator, const ast::Comprehension& node) {
  // The first iterable belongs to what stands around, so `[x for x in x]` means something.
  ASSIGN_OR_RETURN(const Value first, evaluator.evaluate(*node.clauses.front().iterable));
  std::shared_ptr<Environment> outer = evaluator.frame->environment;
  evaluator.frame->environment = enter(evaluator, node, outer);
  std::vector<Value> elements;
  Status done = add_elements(evaluator, node, 0, first, elements);
  leave(evaluator, std::exchange(evaluator.frame->environment, std::move(outer)));
  RETURN_IF_FAILED(std::move(done));
  if (node.is_generator) return Value(GeneratorValue{std::make_shared<Sequence>(std::move(elements))});
  return make_list(std::move(elements));
}

Outcome<Value> evaluate_node(Evaluator&, const ast::Unsupported& node) {
  return fail(DiagnosticId::HostUnsupportedFeature, node.what);
}

}  // namespace

Outcome<Value> Evaluator::evaluate(const ast::Expr& expr) {
  // Most of the time of host code is spent here: what did not fail is not moved about.
  if (is_too_deep()) return located(fail(DiagnosticId::HostRecursionTooDeep), expr.range);
  run.time.note_place(file(), expr.range);
  if (run.time.is_over()) return located(run.time.failure(), expr.range);
  Outcome<Value> value = std::visit([this](const auto& node) { return evaluate_node(*this, node); }, expr.node);
  if (!value) return located(std::move(value.failure()), expr.range);
  return value;
}

Outcome<bool> evaluate_truth(Evaluator& evaluator, const ast::Expr& expr) {
  ASSIGN_OR_RETURN(const Value value, evaluator.evaluate(expr));
  return evaluator.located(truth(value), expr.range);
}

Outcome<std::vector<Value>> evaluate_items(Evaluator& evaluator, const std::vector<ast::ExprPtr>& exprs) {
  std::vector<Value> values;
  values.reserve(exprs.size());
  for (const ast::ExprPtr& expr : exprs) {
    if (const auto* starred = expr->as<ast::Starred>()) {
      ASSIGN_OR_RETURN(const Value sequence, evaluator.evaluate(*starred->value));
      ASSIGN_OR_RETURN(const std::vector<Value> items, evaluator.located(all_items(sequence), expr->range));
      values.insert(values.end(), items.begin(), items.end());
    } else {
      ASSIGN_OR_RETURN(Value value, evaluator.evaluate(*expr));
      values.push_back(std::move(value));
    }
  }
  return values;
}

Outcome<CallArguments> evaluate_arguments(Evaluator& evaluator, const ast::Call& node) {
  CallArguments arguments;
  ASSIGN_OR_RETURN(arguments.positional, evaluate_items(evaluator, node.arguments));
  for (const ast::Keyword& keyword : node.keywords) {
    ASSIGN_OR_RETURN(Value value, evaluator.evaluate(*keyword.value));
    arguments.named.emplace_back(keyword.name, std::move(value));
  }
  return arguments;
}

}  // namespace pykc::script
