// Assignment: to variables, to elements, to several targets at once.
#include "frontend/check_body.h"

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
  if (const auto* name = target.as<ast::Name>()) {
    if (const std::optional<int> index = local_index(name->id)) assign_local(*index, value, target.range, range);
    return;
  }
  if (target.as<ast::Subscript>()) {
    const Value element = element_target(target, false);
    if (element.known() && value.known() && require_scalar(value, "an element")) store(element, value, range);
    return;
  }
  if (const auto* tuple = target.as<ast::Tuple>()) return assign_tuple(tuple->elements, target, value, range);
  if (const auto* list = target.as<ast::List>()) return assign_tuple(list->elements, target, value, range);
  report(target.range, DiagnosticId::AssignmentTarget).note("assign to a variable, `x = …`, or an element, `a[i] = …`");
}

void Body::assign_local(int index, const Value& value, SourceRange target, SourceRange range) {
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
  if (value.is_array()) return assign_array(local, index, value, target, range);
  InferredType joined = local.type;
  const bool fits =
      local.is_fixed || (join_into(joined, inferred_type(value)) && settled_type(joined) == settled_type(local.type));
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
    const checked::Variable* variable = variable_of(local);
    assign_variable(variable, converted.expr, range);
    if (local.decl->assignments == 1 && !local.decl->is_parameter) local.only_value = converted.expr;
  }
  mark_defined(index);
}

/// A name for an array stands for that array from then on: it is bound once, while compiling.
void Body::assign_array(Local& local, int index, const Value& value, SourceRange target, SourceRange range) {
  if (local.decl->is_parameter || local.decl->assignments > 1 || local.is_fixed) {
    report(target, DiagnosticId::ArrayRebound, local.decl->name)
        .label(scope_.file(), local.decl->range, "first bound here")
        .note("copy elements in a loop, or use another name");
    return mark_defined(index);
  }
  if (const auto* ref = value.expr->as<checked::SharedArrayRef>()) {
    std::string& name = output_->shared_arrays[static_cast<std::size_t>(ref->index)].name;
    if (name.empty()) name = local.decl->name;
  } else if (const auto* ref = value.expr->as<checked::LocalArrayRef>()) {
    std::string& name = output_->local_arrays[static_cast<std::size_t>(ref->index)].name;
    if (name.empty()) name = local.decl->name;
  }
  if (is_simple(*value.expr))
    local.alias = value.expr;
  else
    assign_variable(variable_of(local), value.expr, range);
  mark_defined(index);
}

bool Body::require_writable(const Value& element, SourceRange range) {
  const Expr& array = *element.expr->as<checked::Element>()->array;
  if (array.type.space != ir::AddressSpace::Constant) return true;
  report(range, DiagnosticId::ReadOnlyArray, name_of_array(array))
      .note("copy it to a `local.array` or `shared.array` to change it");
  return false;
}

/// The element that an assignment changes. For `a[f(i)] += x` the indices go to variables first, to be evaluated once.
Value Body::element_target(const ast::Expr& target, bool evaluate_indices_first) {
  const Value element = value(target);
  if (!element.known()) return {};
  const auto* node = element.expr->as<checked::Element>();
  if (!node) {
    report(target.range, DiagnosticId::AssignmentTarget)
        .note("the elements of a tuple cannot be changed: make a new tuple");
    return {};
  }
  if (!require_writable(element, target.range)) return {};
  if (!evaluate_indices_first) return element;
  checked::Element stable = *node;
  for (const Expr*& index : stable.indices) index = stored_once(TreeBuilder::strong(index), index->range).expr;
  return TreeBuilder::strong(tree_.scalar(element.scalar(), target.range, std::move(stable)));
}

/// Assigns the value to a variable of its own.
Value Body::stored(const Value& value, SourceRange range) {
  const checked::Variable* variable = temporary(value.type(), value.range());
  assign_variable(variable, value.expr, range);
  const Expr* ref = tree_.make(value.type(), value.range(), checked::VariableRef{variable});
  return {ref, value.weak == Weak::Float ? Weak::Float : Weak::No, {}};
}

/// A value that may be used several times: what is not simple is stored first.
Value Body::stored_once(const Value& value, SourceRange range) {
  if (!value.known() || value.is_array() || is_simple(*value.expr)) return value;
  if (!value.is_tuple() || value.elements.empty()) return stored(value, range);
  std::vector<Value> elements;
  for (const Value& element : value.elements) elements.push_back(stored_once(element, range));
  return tree_.tuple(std::move(elements), value.range());
}

/// `a, b = b, a`: every value is there before the first target changes.
void Body::assign_tuple(const std::vector<ast::ExprPtr>& targets, const ast::Expr& target, const Value& value,
                        SourceRange range) {
  const bool fits = value.known() && value.is_tuple() && value.type().elements.size() == targets.size();
  if (value.known() && !fits)
    report(target.range, DiagnosticId::UnpackCount, std::to_string(targets.size()), describe(value))
        .label(scope_.file(), value.range(), "this is " + describe(value));
  if (!fits) {
    for (const ast::ExprPtr& part : targets) assign(*part, {}, range);
    return;
  }
  std::vector<Value> parts;
  const Value once = value.elements.empty() ? stored_once(value, range) : value;
  for (const Value& part : take_apart(once)) {
    const bool changes = part.expr->as<checked::VariableRef>() && !part.is_array();
    const bool needs_store = !part.is_array() && targets.size() > 1 && (changes || !is_simple(*part.expr));
    parts.push_back(needs_store ? stored(part, range) : part);
  }
  for (std::size_t i = 0; i < targets.size(); ++i) assign(*targets[i], parts[i], range);
}

}  // namespace pykc::checker
