#include <algorithm>

#include "script/evaluate/evaluator.h"
#include "script/functions/format.h"
#include "script/functions/indexing.h"
#include "script/functions/instead.h"
#include "script/functions/operators.h"
#include "script/functions/records.h"
#include "stdlib/builtins.h"

namespace pykc::script {

Failure Evaluator::located(Failure failure, SourceRange range) const {
  if (!failure.file) {
    failure.file = &file();
    failure.range = range;
  }
  return failure;
}

Status Evaluator::check_stack() const {
  constexpr std::ptrdiff_t kMostBytes = 4 << 20;  // of the 8 MiB that a thread has
  const auto* here = static_cast<const char*>(__builtin_frame_address(0));
  const std::ptrdiff_t used = static_cast<const char*>(stack_base_) - here;
  if (used > kMostBytes) return fail(DiagnosticId::HostRecursionTooDeep);
  return Done{};
}

Outcome<Value> Evaluator::evaluate(const ast::Expr& expr) {
  if (Status fits = check_stack(); !fits) return located(std::move(fits.failure()), expr.range);
  Outcome<Value> value = std::visit([this](const auto& node) { return evaluate_node(node); }, expr.node);
  if (!value) return located(std::move(value.failure()), expr.range);
  return value;
}

Outcome<bool> Evaluator::evaluate_truth(const ast::Expr& expr) {
  ASSIGN_OR_RETURN(const Value value, evaluate(expr));
  Outcome<bool> answer = truth(value);
  if (!answer) return located(std::move(answer.failure()), expr.range);
  return answer;
}

Outcome<Value> Evaluator::evaluate_node(const ast::IntLiteral& node) {
  if (node.value > static_cast<std::uint64_t>(INT64_MAX)) return Value(Scalar{ScalarType::U64, node.value});
  return Value(static_cast<std::int64_t>(node.value));
}
Outcome<Value> Evaluator::evaluate_node(const ast::FloatLiteral& node) { return Value(node.value); }
Outcome<Value> Evaluator::evaluate_node(const ast::ImaginaryLiteral& node) {
  return make_record(complex_type(ScalarType::F64), {{Value(0.0), Value(node.value)}, {}});
}
Outcome<Value> Evaluator::evaluate_node(const ast::BoolLiteral& node) { return Value(node.value); }
Outcome<Value> Evaluator::evaluate_node(const ast::StringLiteral& node) { return Value(node.value); }
Outcome<Value> Evaluator::evaluate_node(const ast::NoneLiteral&) { return Value(); }
Outcome<Value> Evaluator::evaluate_node(const ast::EllipsisLiteral&) { return Value(EllipsisValue{}); }

Outcome<Value> Evaluator::evaluate_node(const ast::FormattedString& node) {
  std::string text = node.parts[0];
  for (std::size_t i = 0; i < node.values.size(); ++i) {
    ASSIGN_OR_RETURN(const Value value, evaluate(*node.values[i]));
    Outcome<std::string> piece = format_value(value, node.formats[i]);
    if (!piece) return located(std::move(piece.failure()), node.values[i]->range);
    text += *piece + node.parts[i + 1];
  }
  return Value(std::move(text));
}

Outcome<Value> Evaluator::evaluate_node(const ast::Name& node) {
  for (const Environment* inner = frame_->environment.get(); inner; inner = inner->outer.get()) {
    if (!inner->variables->contains(node.id)) continue;
    const auto local = inner->names.find(node.id);
    if (local == inner->names.end()) return fail(DiagnosticId::HostUnassignedLocal, node.id);
    return local->second;
  }
  if (const auto global = frame_->module->names.find(node.id); global != frame_->module->names.end())
    return global->second;
  for (const Library library : frame_->module->star_imports)
    if (Outcome<Value> member = attribute(Value(LibraryValue{library}), node.id)) return member;
  if (node.id == "__file__") return Value(file().name());
  if (node.id == "__name__") return Value(frame_->module == main_ ? "__main__" : "imported");
  if (std::optional<Value> value = prelude_value(node.id)) return *std::move(value);
  return unknown_name(node.id);
}

Failure Evaluator::unknown_name(std::string_view name) const {
  if (is_kernel_name(name)) return fail(DiagnosticId::HostDeviceOnly, name);
  if (const auto type = frame_->module->unusable.find(name); type != frame_->module->unusable.end())
    return located(wrong_class(*type->second), type->second->name_range);
  const auto absent = frame_->module->absent.find(name);
  const bool is_absent = absent != frame_->module->absent.end();
  if (is_absent && !library_named(absent->second)) return unknown_module(absent->second);
  Failure failure = fail(DiagnosticId::HostUnknownName, name);
  if (is_absent) {
    failure.notes.push_back("it is imported from `" + absent->second + "`, which has no such name here");
    const std::string_view note = instead_of(*library_named(absent->second), name);
    failure.notes.emplace_back(note.empty() ? instead_of_anything() : note);
    return failure;
  }
  if (name == "np") failure.notes.push_back("write `import numpy as np` at the top of the file");
  if (name == "cuda") failure.notes.push_back("write `from numba import cuda` at the top of the file");
  std::vector<std::string_view> known = function_names(Library::Prelude);
  for (const auto& [known_name, value] : frame_->module->names) known.push_back(known_name);
  for (const Environment* inner = frame_->environment.get(); inner; inner = inner->outer.get())
    for (const auto& [known_name, value] : inner->names) known.push_back(known_name);
  failure.fix = nearest(name, known);
  return failure;
}

Outcome<Value> Evaluator::evaluate_node(const ast::Attribute& node) {
  ASSIGN_OR_RETURN(const Value object, evaluate(*node.value));
  if (const auto* module = object.as<ModuleValue>()) {
    if (std::optional<Value> member = member_of(*module, node.name)) return *std::move(member);
    if (program_.find(module->name + "." + node.name)) return import_module(module->name + "." + node.name);
    if (!module->scope && is_importable(module->name)) return located(unknown_module(module->name), node.value->range);
  }
  Outcome<Value> value = attribute(object, node.name);
  if (!value) return located(std::move(value.failure()), node.name_range);
  return value;
}

namespace {

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

}  // namespace

Outcome<Value> Evaluator::evaluate_node(const ast::Subscript& node) {
  ASSIGN_OR_RETURN(const Value object, evaluate(*node.value));
  const auto* function = object.as<FunctionValue>();
  if (function && function->kind == FunctionValue::Kind::Kernel) return evaluate_launch(*function, *node.index);
  if (function) return located(not_a_kernel(*function), node.value->range);
  ASSIGN_OR_RETURN(const Value index, evaluate(*node.index));
  return get_item(object, index);
}

Outcome<Value> Evaluator::evaluate_node(const ast::Slice& node) {
  SliceValue slice;
  const std::pair<const ast::ExprPtr*, std::optional<std::int64_t>*> ends[] = {
      {&node.lower, &slice.lower}, {&node.upper, &slice.upper}, {&node.step, &slice.step}};
  for (const auto& [expr, bound] : ends) {
    if (!*expr) continue;
    ASSIGN_OR_RETURN(const Value value, evaluate(**expr));
    if (value.is<None>()) continue;
    *bound = as_integer(value);
    if (!*bound) return located(fail(DiagnosticId::HostBadIndex, describe(value)), (*expr)->range);
  }
  return Value(slice);
}

Outcome<Value> Evaluator::evaluate_node(const ast::Call& node) {
  ASSIGN_OR_RETURN(const Value callee, evaluate(*node.function));
  ASSIGN_OR_RETURN(CallArguments arguments, evaluate_arguments(node));
  return call_from(node, callee, std::move(arguments));
}

Outcome<CallArguments> Evaluator::evaluate_arguments(const ast::Call& node) {
  CallArguments arguments;
  ASSIGN_OR_RETURN(arguments.positional, evaluate_items(node.arguments));
  for (const ast::Keyword& keyword : node.keywords) {
    ASSIGN_OR_RETURN(Value value, evaluate(*keyword.value));
    arguments.named.emplace_back(keyword.name, std::move(value));
  }
  return arguments;
}

Outcome<Value> Evaluator::evaluate_node(const ast::Starred&) {
  return fail(DiagnosticId::HostUnsupportedFeature, "`*` outside of calls and sequences");
}

Outcome<std::vector<Value>> Evaluator::evaluate_items(const std::vector<ast::ExprPtr>& exprs) {
  std::vector<Value> values;
  for (const ast::ExprPtr& expr : exprs) {
    if (const auto* starred = expr->as<ast::Starred>()) {
      ASSIGN_OR_RETURN(const Value sequence, evaluate(*starred->value));
      Outcome<std::vector<Value>> items = all_items(sequence);
      if (!items) return located(std::move(items.failure()), expr->range);
      values.insert(values.end(), items->begin(), items->end());
    } else {
      ASSIGN_OR_RETURN(Value value, evaluate(*expr));
      values.push_back(std::move(value));
    }
  }
  return values;
}

Outcome<Value> Evaluator::evaluate_node(const ast::Tuple& node) {
  ASSIGN_OR_RETURN(std::vector<Value> items, evaluate_items(node.elements));
  return make_tuple(std::move(items));
}

Outcome<Value> Evaluator::evaluate_node(const ast::List& node) {
  ASSIGN_OR_RETURN(std::vector<Value> items, evaluate_items(node.elements));
  return make_list(std::move(items));
}

Outcome<Value> Evaluator::evaluate_node(const ast::Unary& node) {
  const auto* literal = node.operand->as<ast::IntLiteral>();
  if (literal && node.op == ast::UnaryOp::Negate && literal->value == std::uint64_t{1} << 63) return Value(INT64_MIN);
  ASSIGN_OR_RETURN(const Value operand, evaluate(*node.operand));
  return apply_operator(node.op, operand);
}

Outcome<Value> Evaluator::evaluate_node(const ast::Binary& node) {
  ASSIGN_OR_RETURN(const Value left, evaluate(*node.left));
  ASSIGN_OR_RETURN(const Value right, evaluate(*node.right));
  return apply_operator(node.op, left, right);
}

Outcome<Value> Evaluator::evaluate_node(const ast::Logical& node) {
  const bool deciding = node.op == ast::BoolOp::Or;
  for (const ast::ExprPtr& operand : node.operands) {
    ASSIGN_OR_RETURN(const Value value, evaluate(*operand));
    if (operand == node.operands.back()) return value;
    Outcome<bool> answer = truth(value);
    if (!answer) return located(std::move(answer.failure()), operand->range);
    if (*answer == deciding) return value;
  }
  return Value(!deciding);
}

Outcome<Value> Evaluator::evaluate_node(const ast::Compare& node) {
  ASSIGN_OR_RETURN(Value left, evaluate(*node.first));
  for (std::size_t i = 0; i < node.ops.size(); ++i) {
    ASSIGN_OR_RETURN(Value right, evaluate(*node.rest[i]));
    ASSIGN_OR_RETURN(Value result, compare(node.ops[i], left, right));
    if (i + 1 == node.ops.size()) return result;
    ASSIGN_OR_RETURN(const bool holds, truth(result));
    if (!holds) return result;
    left = std::move(right);
  }
  return left;
}

Outcome<Value> Evaluator::evaluate_node(const ast::Conditional& node) {
  ASSIGN_OR_RETURN(const bool holds, evaluate_truth(*node.condition));
  return evaluate(holds ? *node.then : *node.otherwise);
}

Outcome<Value> Evaluator::evaluate_node(const ast::Lambda& node) {
  ASSIGN_OR_RETURN(FunctionValue function, define(*node.function, FunctionValue::Kind::Host));
  return Value(std::move(function));
}

Outcome<Value> Evaluator::evaluate_node(const ast::Comprehension& node) {
  // The first iterable belongs to what stands around, so `[x for x in x]` means something.
  ASSIGN_OR_RETURN(const Value first, evaluate(*node.clauses.front().iterable));
  std::shared_ptr<Environment> outer = frame_->environment;
  frame_->environment = enter(node, outer);
  std::vector<Value> elements;
  Status done = add_elements(node, 0, first, elements);
  leave(std::exchange(frame_->environment, std::move(outer)));
  if (!done) return std::move(done.failure());
  if (node.is_generator) return Value(GeneratorValue{std::make_shared<Sequence>(std::move(elements))});
  return make_list(std::move(elements));
}

Status Evaluator::add_elements(const ast::Comprehension& node, std::size_t index, const Value& iterable,
                               std::vector<Value>& elements) {
  const ast::Comprehension::Clause& clause = node.clauses[index];
  Outcome<std::vector<Value>> items = all_items(iterable);
  if (!items) return located(std::move(items.failure()), clause.iterable->range);
  for (const Value& item : *items) {
    RETURN_IF_FAILED(assign(*clause.target, item));
    bool is_wanted = true;
    for (std::size_t i = 0; is_wanted && i < clause.conditions.size(); ++i) {
      ASSIGN_OR_RETURN(is_wanted, evaluate_truth(*clause.conditions[i]));
    }
    if (!is_wanted) continue;
    const bool is_last = index + 1 == node.clauses.size();
    ASSIGN_OR_RETURN(Value value, evaluate(is_last ? *node.element : *node.clauses[index + 1].iterable));
    if (!is_last)
      RETURN_IF_FAILED(add_elements(node, index + 1, value, elements));
    else if (elements.size() == static_cast<std::size_t>(kLongestSequence))
      return fail(DiagnosticId::HostSequenceTooLong, elements.size() + 1);
    else
      elements.push_back(std::move(value));
  }
  return Done{};
}

Outcome<Value> Evaluator::evaluate_node(const ast::Unsupported& node) {
  return fail(DiagnosticId::HostUnsupportedFeature, node.what);
}

}  // namespace pykc::script
