// Assignment: to variables, elements, fields, and several targets at once.
#include "script/evaluate/assign.h"

#include <algorithm>

#include "script/evaluate/variables.h"
#include "script/functions/functions.h"
#include "script/functions/indexing.h"
#include "script/functions/operators.h"
#include "script/functions/records.h"

namespace pykc::script {
namespace {

Status set_attribute(const Value& object, std::string_view name, const Value& value) {
  if (has_records(object)) return set_field(**object.as<ArrayRef>(), name, value);
  const auto* instance = object.as<InstanceValue>();
  if (!instance) return fail(DiagnosticId::HostUnsupportedFeature, "assignments to attributes of " + describe(object));
  instance->instance->fields.insert_or_assign(std::string(name), value);
  return Done{};
}

Status assign_sequence(Evaluator& evaluator, const std::vector<ast::ExprPtr>& targets, const Value& value) {
  ASSIGN_OR_RETURN(const std::vector<Value> items, all_items(value));
  const auto is_starred = [](const ast::ExprPtr& target) { return target->as<ast::Starred>() != nullptr; };
  const auto starred = std::ranges::find_if(targets, is_starred);
  const bool fits = starred == targets.end() ? items.size() == targets.size() : items.size() + 1 >= targets.size();
  if (!fits) return fail(DiagnosticId::HostUnpackCount, items.size(), targets.size() - (starred != targets.end()));
  auto item = items.begin();
  for (const ast::ExprPtr& target : targets) {
    const auto* rest = target->as<ast::Starred>();
    if (!rest) {
      RETURN_IF_FAILED(assign(evaluator, *target, *item++));
      continue;
    }
    const auto end = item + static_cast<std::ptrdiff_t>(items.size() + 1 - targets.size());
    RETURN_IF_FAILED(assign(evaluator, *rest->value, make_list({item, end})));
    item = end;
  }
  return Done{};
}

}  // namespace

Status assign(Evaluator& evaluator, const ast::Expr& target, const Value& value) {
  if (const auto* name = target.as<ast::Name>()) {
    set_variable(evaluator, name->id, value);
    return Done{};
  }
  if (const auto* tuple = target.as<ast::Tuple>()) return assign_sequence(evaluator, tuple->elements, value);
  if (const auto* list = target.as<ast::List>()) return assign_sequence(evaluator, list->elements, value);
  if (const auto* attribute = target.as<ast::Attribute>()) {
    ASSIGN_OR_RETURN(const Value object, evaluator.evaluate(*attribute->value));
    return evaluator.located(set_attribute(object, attribute->name, value), target.range);
  }
  const auto* subscript = target.as<ast::Subscript>();
  if (!subscript)
    return evaluator.located(fail(DiagnosticId::HostUnsupportedFeature, "this kind of assignment"), target.range);
  ASSIGN_OR_RETURN(const Value object, evaluator.evaluate(*subscript->value));
  ASSIGN_OR_RETURN(const Value index, evaluator.evaluate(*subscript->index));
  return evaluator.located(set_item(object, index, value), target.range);
}

Outcome<Flow> run(Evaluator& evaluator, const ast::Assign& node) {
  ASSIGN_OR_RETURN(const Value value, evaluator.evaluate(*node.value));
  for (const ast::ExprPtr& target : node.targets) RETURN_IF_FAILED(assign(evaluator, *target, value));
  return Flow::Next;
}

Outcome<Flow> run(Evaluator& evaluator, const ast::AnnotatedAssign& node) {
  if (!node.value) return Flow::Next;
  ASSIGN_OR_RETURN(const Value value, evaluator.evaluate(*node.value));
  RETURN_IF_FAILED(assign(evaluator, *node.target, value));
  return Flow::Next;
}

Outcome<Flow> run(Evaluator& evaluator, const ast::AugmentedAssign& node) {
  const auto* subscript = node.target->as<ast::Subscript>();
  if (const auto* target = node.target->as<ast::Attribute>()) {
    ASSIGN_OR_RETURN(const Value object, evaluator.evaluate(*target->value));
    ASSIGN_OR_RETURN(const Value old, evaluator.located(attribute(object, target->name), target->name_range));
    ASSIGN_OR_RETURN(const Value value, evaluator.evaluate(*node.value));
    ASSIGN_OR_RETURN(const Value result, apply_in_place(node.op, old, value));
    RETURN_IF_FAILED(set_attribute(object, target->name, result));
    return Flow::Next;
  }
  if (!subscript) {
    ASSIGN_OR_RETURN(const Value old, evaluator.evaluate(*node.target));
    ASSIGN_OR_RETURN(const Value value, evaluator.evaluate(*node.value));
    ASSIGN_OR_RETURN(const Value result, apply_in_place(node.op, old, value));
    RETURN_IF_FAILED(assign(evaluator, *node.target, result));
    return Flow::Next;
  }
  // The object and the index are evaluated once.
  ASSIGN_OR_RETURN(const Value object, evaluator.evaluate(*subscript->value));
  ASSIGN_OR_RETURN(const Value index, evaluator.evaluate(*subscript->index));
  ASSIGN_OR_RETURN(const Value old, evaluator.located(get_item(object, index), node.target->range));
  ASSIGN_OR_RETURN(const Value value, evaluator.evaluate(*node.value));
  ASSIGN_OR_RETURN(const Value result, apply_in_place(node.op, old, value));
  RETURN_IF_FAILED(set_item(object, index, result));
  return Flow::Next;
}

}  // namespace pykc::script
