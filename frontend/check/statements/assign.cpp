// Assignment: to variables, to elements, to several targets at once.
#include <algorithm>

#include "frontend/check/function_checker.h"

namespace pykc::checker {

const checked::Variable* Body::temporary(const checked::Type& type, SourceRange range) {
  if (is_trial_ || !function_) return nullptr;
  session_.module().variables.push_back({.name = "", .type = type, .range = range});
  return &session_.module().variables.back();
}

const checked::Variable* Body::variable_of(Local& local) {
  if (!local.variable) {
    session_.module().variables.push_back(
        {.name = std::string(local.decl->name), .type = settled_type(local.type), .range = local.decl->range});
    local.variable = &session_.module().variables.back();
  }
  return local.variable;
}

void Body::mark_defined(int index) {
  flow_.definite.insert(index);
  flow_.possible.insert(index);
}

void Body::assign(const ast::Expr& target, const Value& value, SourceRange range) {
  if (const auto* starred = target.as<ast::Starred>()) return assign(*starred->value, value, range);
  if (const auto* name = target.as<ast::Name>()) {
    if (const std::optional<int> index = local_index(name->id, target.range)) assign_local(*index, value, range);
    return;
  }
  if (target.as<ast::Subscript>()) {
    const Value to = place(target);
    if (to.is_array()) return store_array(to, value, std::nullopt, range);
    const bool takes_scalar = to.is_scalar() && !value.is_record();
    if (to.known() && value.known() && (!takes_scalar || require_scalar(value, "an element"))) store(to, value, range);
    return;
  }
  if (const auto* attribute = target.as<ast::Attribute>()) return assign_field(*attribute, target, value, range);
  if (const auto* tuple = target.as<ast::Tuple>()) return assign_tuple(tuple->elements, target, value, range);
  if (const auto* list = target.as<ast::List>()) return assign_tuple(list->elements, target, value, range);
  report(target.range, DiagnosticId::AssignmentTarget).note("assign to a variable, `x = …`, or an element, `a[i] = …`");
}

void Body::assign_local(int index, const Value& value, SourceRange range) {
  Local& local = locals_[static_cast<std::size_t>(index)];
  if (!value.known()) {
    mark_defined(index);
    return;
  }
  if (value.type().kind == checked::Type::Kind::None) {
    report(value.range(), DiagnosticId::NotAValue, scope_.file().text(value.range()), "None")
        .note("the function returns nothing");
    return mark_defined(index);
  }
  if (local.bound && local.decl->is_parameter) {
    report(range, DiagnosticId::ConstantParameter, local.decl->name);
    return;
  }
  if (has_captures(value.type())) {
    const bool is_once = local.decl->assignments == 1 && !local.decl->is_parameter;
    const bool is_name = is_once && (is_simple(*value.expr) || own_closure(value));
    if (is_name) local.alias = value.expr;
    if (!is_name) report(value.range(), DiagnosticId::ClosureKept);
    return mark_defined(index);
  }
  if (value.is_array()) name_array(local, *value.expr);
  if (value.is_array() && is_fixed_array(local, *value.expr)) {
    local.alias = value.expr;
    return mark_defined(index);
  }
  // Behind a condition or in a loop that is wrong itself, and has been reported, no type was inferred.
  if (!local.is_fixed && !local.type.known && session_.diagnostics(is_trial_).has_errors()) return mark_defined(index);
  InferredType joined = local.type;
  const bool fits = local.is_fixed || (join_into(joined, inferred_type(value), *rules_) &&
                                       settled_type(joined) == settled_type(local.type));
  if (!fits) {
    report(range, DiagnosticId::VariableTypes, local.decl->name, checked::to_string(settled_type(local.type)),
           describe(value))
        .label(scope_.file(), local.decl->range, "first assigned here")
        .note("a variable has one type: use another name, convert the value, or annotate the variable: `" +
              std::string(local.decl->name) + ": i64 = …`");
    return mark_defined(index);
  }
  const Value converted = convert_to(value, local.type, range);
  if (converted.known()) {
    append(checked::Assign{variable_of(local), converted.expr}, range);
    if (local.decl->assignments == 1 && !local.decl->is_parameter) local.only_value = converted.expr;
  }
  mark_defined(index);
}

/// Whether the name stands for this array wherever it has a meaning: then it needs no variable.
bool Body::is_fixed_array(const Local& local, const Expr& array) const {
  if (local.decl->assignments != 1 || local.decl->is_parameter) return false;
  if (settled_type(local.type) != array.type) return false;
  return array.as<checked::VariableRef>() ? is_unchanged_parameter(array) : is_simple(array);
}

/// An array that the function declares is called after the first variable that it is assigned to.
void Body::name_array(const Local& local, const Expr& array) {
  std::string* name = nullptr;
  if (const auto* ref = array.as<checked::SharedArrayRef>())
    name = &output_->shared_arrays[static_cast<std::size_t>(ref->index)].name;
  if (const auto* ref = array.as<checked::LocalArrayRef>())
    name = &output_->local_arrays[static_cast<std::size_t>(ref->index)].name;
  if (const auto* ref = array.as<checked::ConstantArrayRef>())
    name = &session_.module().constant_arrays[static_cast<std::size_t>(ref->index)].name;
  if (name && (name->empty() || *name == kUnnamedTable)) *name = local.decl->name;
}

bool Body::require_writable(const Value& place, SourceRange range) {
  const auto* element = root_of(*place.expr).as<checked::Element>();
  const Expr& array = element ? *element->array : *place.expr;
  if (array.type.space != ir::AddressSpace::Constant) return true;
  report(range, DiagnosticId::ReadOnlyArray, name_of_array(origin(array)))
      .note("copy it to a `local.array` or `shared.array` to change it");
  return false;
}

/// What an assignment to `a[…]` changes: an element, or a part of an array.
Value Body::place(const ast::Expr& target) {
  const Value found = value(target);
  if (!found.known() || found.is_array()) return found;
  if (!is_place(*found.expr)) {
    report(target.range, DiagnosticId::AssignmentTarget)
        .note("the elements of a tuple cannot be changed: make a new tuple");
    return {};
  }
  return require_writable(found, target.range) ? found : Value{};
}

/// For `a[f(i)] += x`: array and indices go to variables, to be evaluated once.
Value Body::stable_element(const Value& element) {
  const Expr& root = root_of(*element.expr);
  checked::Element stable = *root.as<checked::Element>();
  stable.array = stored_once(TreeBuilder::strong(stable.array), element.range()).expr;
  for (const Expr*& index : stable.indices) index = stored_once(TreeBuilder::strong(index), index->range).expr;
  const Expr* place = tree_.make(root.type, element.range(), std::move(stable));
  if (const auto* field = element.expr->as<checked::Field>())
    place = tree_.make(element.type(), element.range(), checked::Field{place, field->offset});
  return TreeBuilder::strong(place);
}

/// Assigns the value to a variable of its own.
Value Body::stored(const Value& value, SourceRange range) {
  const checked::Variable* variable = temporary(value.type(), value.range());
  append(checked::Assign{variable, value.expr}, range);
  const Expr* ref = tree_.make(value.type(), value.range(), checked::VariableRef{variable});
  return {ref, value.weak == Weak::Int ? Weak::No : value.weak, {}};
}

/// A value that may be used several times: what is not simple is stored first.
Value Body::stored_once(const Value& value, SourceRange range) {
  if (!value.known() || is_simple(*value.expr) || own_closure(value)) return value;
  if (!value.is_tuple() || value.elements.empty()) return stored(value, range);
  std::vector<Value> elements;
  for (const Value& element : value.elements) elements.push_back(stored_once(element, range));
  return tree_.tuple(std::move(elements), value.range());
}

/// The values for as many targets, of which one may be `*rest`; none where the numbers do not fit.
std::optional<std::vector<Value>> Body::parts_for(const std::vector<ast::ExprPtr>& targets, const Value& tuple) {
  std::vector<Value> elements = take_apart(tuple);
  const auto star =
      std::find_if(targets.begin(), targets.end(), [](const auto& t) { return t->template as<ast::Starred>(); });
  if (star == targets.end())
    return elements.size() == targets.size() ? std::optional(std::move(elements)) : std::nullopt;
  if (elements.size() + 1 < targets.size()) return std::nullopt;
  const auto first = elements.begin() + (star - targets.begin());
  const auto end = first + static_cast<std::ptrdiff_t>(elements.size() + 1 - targets.size());
  const Value rest = tree_.tuple({first, end}, tuple.range());
  elements.insert(elements.erase(first, end), rest);
  return elements;
}

/// The value as it is now, whatever is assigned next.
Value Body::kept_apart(const Value& value, SourceRange range) {
  if (value.is_tuple() && !value.elements.empty()) {
    std::vector<Value> elements;
    for (const Value& element : value.elements) elements.push_back(kept_apart(element, range));
    return tree_.tuple(std::move(elements), value.range());
  }
  const bool changes = value.expr->as<checked::VariableRef>() || !is_simple(*value.expr);
  return changes ? stored(value, range) : value;
}

/// `a, b = b, a`: every value is there before the first target changes.
void Body::assign_tuple(const std::vector<ast::ExprPtr>& targets, const ast::Expr& target, const Value& value,
                        SourceRange range) {
  const Value once = value.known() && value.is_tuple() && value.elements.empty() ? stored_once(value, range) : value;
  std::optional<std::vector<Value>> given;
  if (once.known() && once.is_tuple()) given = parts_for(targets, once);
  if (once.known() && !given)
    report(target.range, DiagnosticId::UnpackCount, std::to_string(targets.size()), describe(value))
        .label(scope_.file(), value.range(), "this is " + describe(value));
  if (!given) {
    for (const ast::ExprPtr& part : targets) assign(*part, {}, range);
    return;
  }
  std::vector<Value> parts;
  for (const Value& part : *given) parts.push_back(targets.size() > 1 ? kept_apart(part, range) : part);
  for (std::size_t i = 0; i < targets.size(); ++i) assign(*targets[i], parts[i], range);
}

}  // namespace pykc::checker
