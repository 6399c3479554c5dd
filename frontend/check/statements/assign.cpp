// Assignment: to variables, to elements, to several targets at once.
#include "frontend/check/statements/assign.h"

#include <algorithm>

#include "base/text.h"
#include "frontend/check/arrays/index.h"
#include "frontend/check/arrays/store.h"
#include "frontend/check/arrays/view.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/expressions/record.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/names/resolve.h"
#include "frontend/check/statements/statement.h"
#include "frontend/check/types/closure.h"
#include "frontend/check/types/convert.h"

namespace pykc::checker {
namespace {

/// Whether the name stands for this array, or elements of it, wherever it has a meaning: then it needs no variable.
bool is_of_fixed_array(const FunctionChecker& checker, const Local& local, const Expr& array) {
  if (local.decl->assignments != 1 || local.decl->is_parameter) return false;
  return array.as<checked::VariableRef>() ? is_unchanged_parameter(checker, array) : is_simple(array);
}

/// An array that the function declares is called after the first variable that it is assigned to.
void name_array(FunctionChecker& checker, const Local& local, const Expr& array) {
  std::string* name = nullptr;
  if (const auto* ref = array.as<checked::SharedArrayRef>())
    name = &checker.output->shared_arrays[static_cast<std::size_t>(ref->index)].name;
  if (const auto* ref = array.as<checked::LocalArrayRef>())
    name = &checker.output->local_arrays[static_cast<std::size_t>(ref->index)].name;
  if (const auto* ref = array.as<checked::ConstantArrayRef>())
    name = &checker.module.output.constant_arrays[static_cast<std::size_t>(ref->index)].name;
  if (name && (name->empty() || *name == kUnnamedTable)) *name = local.decl->name;
}

/// Assigns the value to a variable of its own.
Value stored(FunctionChecker& checker, const Value& value, SourceRange range) {
  const checked::Variable* variable = temporary(checker, value.type(), value.range());
  append(checker, checked::Assign{variable, value.expr}, range);
  const Expr* ref = checker.tree.make(value.type(), value.range(), checked::VariableRef{variable});
  return {ref, value.weak == Weak::Int ? Weak::No : value.weak, {}};
}

/// The element with its indices in variables of their own.
const Expr* with_kept_indices(FunctionChecker& checker, const Expr& element, SourceRange range) {
  if (const auto* field = element.as<checked::Field>()) {
    const Expr* outer = with_kept_indices(checker, *field->place, range);
    return checker.tree.make(element.type, element.range, checked::Field{outer, field->offset});
  }
  checked::Element kept = *element.as<checked::Element>();
  for (const Expr*& index : kept.indices) index = stored(checker, TreeBuilder::strong(index), range).expr;
  return checker.tree.make(element.type, element.range, std::move(kept));
}

/// What to write where a variable cannot hold the value, too.
std::string other_name(const Local& local, const Value& value) {
  const std::string name(local.decl->name);
  const checked::Type type = local.type.type;
  if (type.is_array() && !value.is_array())
    return "an assignment to an array's name changes no element: write " + as_code(name + "[i] = …");
  if (type.is_static() && !type->names.empty())
    return "what is not passed stays None: use another name, " +
           as_code("value = … if " + name + " is None else " + name);
  if (!type.is_scalar() || !value.is_scalar()) return "a variable has one type: use another name";
  return "a variable has one type: use another name, convert the value, or annotate the variable: " +
         as_code(name + ": i64 = …");
}

/// Whether an assignment may change what a simple expression is.
bool may_change(const FunctionChecker& checker, const Expr& simple) {
  if (const auto* element = simple.as<checked::TupleElement>()) return may_change(checker, *element->tuple);
  if (const auto* view = simple.as<checked::FieldView>()) return may_change(checker, *view->array);
  if (const auto* cast = simple.as<checked::Cast>()) return may_change(checker, *cast->operand);
  if (const auto* extent = simple.as<checked::Extent>()) return may_change(checker, *extent->array);
  if (const auto* stride = simple.as<checked::Stride>()) return may_change(checker, *stride->array);
  const auto* ref = simple.as<checked::VariableRef>();
  return ref && ref->variable && std::any_of(checker.locals.begin(), checker.locals.end(), [&](const Local& local) {
           return local.variable == ref->variable && local.decl->assignments > (local.decl->is_parameter ? 0 : 1);
         });
}

/// The value with those parts stored for which it must be.
template <typename MustBe>
Value stored_where(FunctionChecker& checker, const Value& value, SourceRange range, MustBe must_be) {
  if (!value.known() || !must_be(*value.expr) || own_closure(checker, value)) return value;
  if (!value.is_tuple() || value.elements.empty()) return stored(checker, value, range);
  std::vector<Value> elements;
  for (const Value& element : value.elements) elements.push_back(stored_where(checker, element, range, must_be));
  return checker.tree.tuple(std::move(elements), value.range(), value.type()->names);
}

/// As an index out of bounds, an array of another length is told by checked builds.
void check_length(FunctionChecker& checker, const Value& array, std::size_t count, SourceRange range) {
  if (!checker.module.options.bounds_checks || checker.is_trial) return;
  const Expr* length = checker.tree.convert(extent(checker, array, 0, range), ScalarType::I64);
  const Expr* wanted = checker.tree.integer(static_cast<std::int64_t>(count), ScalarType::I64, range);
  append_check(checker, checker.tree.compare(checked::CompareOp::Eq, length, wanted, range),
               std::to_string(count) + " targets, but the array has {0} elements", {length}, range);
}

/// The first elements of an array, or rows of a matrix; none where its type has another number of them.
std::optional<std::vector<Value>> first_elements(FunctionChecker& checker, const Value& array, std::size_t count) {
  const ArrayType& type = array.type()->array;
  const bool has_other_length = type.rank() == 0 || (type.extents[0] != ArrayType::kDynamic &&
                                                     type.extents[0] != static_cast<std::int64_t>(count));
  if (has_other_length) return std::nullopt;
  std::vector<Value> elements;
  for (std::size_t i = 0; i < count; ++i) {
    const Value position = checker.tree.weak_integer(static_cast<Int128>(i), array.range());
    elements.push_back(
        type.rank() == 1
            ? index(checker, array, {position}, array.range())
            : select(checker, array, {{IndexItem::Kind::Position, position, {}, array.range()}}, array.range()));
  }
  return elements;
}

/// `a, b = b, a`: every value is there before the first target changes.
void assign_tuple(FunctionChecker& checker, const std::vector<ast::ExprPtr>& targets, const ast::Expr& target,
                  const Value& value, SourceRange range) {
  const bool has_parts = value.known() && (value.is_array() || (value.is_tuple() && value.elements.empty()));
  const Value once = has_parts ? stored_once(checker, value, range) : value;
  std::optional<std::vector<Value>> given;
  if (once.known() && (once.is_tuple() || once.is_array())) given = parts_for(checker, targets, once);
  if (once.known() && !given) {
    auto diagnostic = checker.report(target.range, DiagnosticId::UnpackCount, targets.size(), describe(value));
    diagnostic.label(checker.scope.file(), value.range(), "this is " + describe(value));
    if (once.is_array()) diagnostic.note("the rest of an array is a part of it: `first, rest = a[0], a[1:]`");
  }
  if (!given) {
    for (const ast::ExprPtr& part : targets) assign(checker, *part, {}, range);
    return;
  }
  if (once.is_array()) check_length(checker, once, targets.size(), range);
  std::vector<Value> parts;
  for (std::size_t i = 0; i < targets.size(); ++i)
    parts.push_back(targets.size() > 1 ? kept_for(checker, {targets.begin() + i, 1}, (*given)[i], range) : (*given)[i]);
  for (std::size_t i = 0; i < targets.size(); ++i) assign(checker, *targets[i], parts[i], range);
}

}  // namespace

const checked::Variable* temporary(FunctionChecker& checker, checked::Type type, SourceRange range) {
  if (checker.is_trial || !checker.function) return nullptr;
  checker.module.output.variables.push_back({.name = "", .type = type, .range = range});
  return &checker.module.output.variables.back();
}

const checked::Variable* variable_of(FunctionChecker& checker, Local& local) {
  if (!local.variable) {
    checker.module.output.variables.push_back(
        {.name = std::string(local.decl->name), .type = local.type.type, .range = local.decl->range});
    local.variable = &checker.module.output.variables.back();
  }
  return local.variable;
}

void note_numbers(FunctionChecker& checker, const ast::Expr& target, const Value& value) {
  const auto* name = target.as<ast::Name>();
  const std::optional<int> index = name ? local_index(checker, name->id, target.range) : std::nullopt;
  if (!index || !value.known() || checker.unrolled_bodies > 1) return;
  Local& local = checker.locals[static_cast<std::size_t>(*index)];
  const bool is_small = !value.is_tuple() || value.type()->elements.size() <= kMaximumRank;
  if (local.decl->assignments != 1 || local.decl->is_parameter || !is_small) return;
  std::vector<Int128> numbers;
  for (const Value& part : value.is_tuple() ? take_apart(checker, value) : std::vector<Value>{value}) {
    if (!part.is_scalar() || !part.is_constant() || !is_integer(part.scalar())) return;
    numbers.push_back(integer_of(*part.expr));
  }
  local.only_numbers = std::move(numbers);
}

void mark_defined(FunctionChecker& checker, int index) {
  checker.flow.definite.insert(index);
  checker.flow.possible.insert(index);
}

void assign(FunctionChecker& checker, const ast::Expr& target, const Value& value, SourceRange range) {
  if (const auto* starred = target.as<ast::Starred>()) return assign(checker, *starred->value, value, range);
  if (const auto* name = target.as<ast::Name>()) {
    if (const std::optional<int> index = local_index(checker, name->id, target.range))
      assign_local(checker, *index, value, range);
    return;
  }
  if (target.as<ast::Subscript>()) {
    const Value to = place(checker, target);
    if (to.is_array()) return store_array(checker, to, value, std::nullopt, range);
    const bool takes_scalar = to.is_scalar() && !value.is_record();
    if (to.known() && value.known() && (!takes_scalar || require_scalar(checker, value, "an element")))
      store(checker, to, value, range);
    return;
  }
  if (const auto* attribute = target.as<ast::Attribute>())
    return assign_field(checker, *attribute, target, value, range);
  if (const auto* tuple = target.as<ast::Tuple>()) return assign_tuple(checker, tuple->elements, target, value, range);
  if (const auto* list = target.as<ast::List>()) return assign_tuple(checker, list->elements, target, value, range);
  checker.report(target.range, DiagnosticId::AssignmentTarget)
      .note("assign to a variable, `x = …`, or an element, `a[i] = …`");
}

void assign_local(FunctionChecker& checker, int index, const Value& given, SourceRange range) {
  Local& local = checker.locals[static_cast<std::size_t>(index)];
  if (!given.known()) {
    mark_defined(checker, index);
    return;
  }
  const bool is_element = checker.specialization->record_references.contains(index) && is_record_of_array(given);
  if (is_element && is_of_fixed_array(checker, local, *root_of(*given.expr).as<checked::Element>()->array)) {
    local.alias = with_kept_indices(checker, *given.expr, range);
    return mark_defined(checker, index);
  }
  const Value value = is_element ? reference_to(checker, given, range) : given;
  if (value.type().is_none()) {
    checker.report(value.range(), DiagnosticId::NotAValue, checker.scope.file().text(value.range()), "None")
        .note("the function returns nothing");
    return mark_defined(checker, index);
  }
  if (local.bound && local.decl->is_parameter) {
    checker.report(range, DiagnosticId::ConstantParameter, local.decl->name);
    return;
  }
  if (has_captures(value.type())) {
    const bool is_once = local.decl->assignments == 1 && !local.decl->is_parameter;
    const bool is_name = is_once && (is_simple(*value.expr) || own_closure(checker, value));
    if (is_name) local.alias = value.expr;
    if (!is_name) checker.report(value.range(), DiagnosticId::ClosureKept);
    return mark_defined(checker, index);
  }
  if (value.is_array()) name_array(checker, local, *value.expr);
  if (value.is_array() && local.type.type == value.type() && is_of_fixed_array(checker, local, *value.expr)) {
    local.alias = value.expr;
    return mark_defined(checker, index);
  }
  // Behind a condition or in a loop that is wrong itself, and has been reported, no type was inferred.
  if (!local.is_fixed && !local.type.known && checker.module.diagnostics(checker.is_trial).has_errors())
    return mark_defined(checker, index);
  InferredType joined = local.type;
  const bool fits = local.is_fixed || (join_into(joined, inferred_type(value), *checker.rules, checker.types) &&
                                       joined.type == local.type.type);
  if (!fits) {
    checker
        .report(range, DiagnosticId::VariableTypes, local.decl->name, checked::to_string(local.type.type),
                describe(value))
        .label(checker.scope.file(), local.decl->range, "first assigned here")
        .note(other_name(local, value));
    return mark_defined(checker, index);
  }
  const Value converted = convert_to(checker, value, local.type, range);
  if (converted.known()) {
    append(checker, checked::Assign{variable_of(checker, local), converted.expr}, range);
    if (local.decl->assignments == 1 && !local.decl->is_parameter) local.only_value = converted.expr;
  }
  mark_defined(checker, index);
}

bool require_writable(FunctionChecker& checker, const Value& place, SourceRange range) {
  const auto* element = root_of(*place.expr).as<checked::Element>();
  const Expr& array = element ? *element->array : *place.expr;
  if (array.type->space != ir::AddressSpace::Constant) return true;
  checker.report(range, DiagnosticId::ReadOnlyArray, name_of_array(checker, origin(checker, array)))
      .note("copy it to a `local.array` or `shared.array` to change it");
  return false;
}

/// What an assignment to `a[…]` changes: an element, or a part of an array.
Value place(FunctionChecker& checker, const ast::Expr& target) {
  const Value found = checker.value(target);
  if (!found.known() || found.is_array()) return found;
  if (!is_place(*found.expr)) {
    checker.report(target.range, DiagnosticId::AssignmentTarget)
        .note("the elements of a tuple cannot be changed: make a new tuple");
    return {};
  }
  return require_writable(checker, found, target.range) ? found : Value{};
}

/// For `a[f(i)] += x`: array and indices go to variables, to be evaluated once.
Value stable_element(FunctionChecker& checker, const Value& element) {
  const Expr& root = root_of(*element.expr);
  checked::Element stable = *root.as<checked::Element>();
  stable.array = stored_once(checker, TreeBuilder::strong(stable.array), element.range()).expr;
  for (const Expr*& index : stable.indices) index = stored_once(checker, TreeBuilder::strong(index), index->range).expr;
  const Expr* place = checker.tree.make(root.type, element.range(), std::move(stable));
  if (const auto* field = element.expr->as<checked::Field>())
    place = checker.tree.make(element.type(), element.range(), checked::Field{place, field->offset});
  return TreeBuilder::strong(place);
}

/// For `a[f():g()] += x`: the bounds go to variables, to be evaluated before `x`. It stays the view that it is, by
/// which `store_array` knows what overlaps.
Value stable_part(FunctionChecker& checker, const Value& array) {
  const auto* view = array.expr->as<checked::View>();
  if (!view) return has_effects(*array.expr) ? stored_once(checker, array, array.range()) : array;
  checked::View stable = *view;
  stable.array = stable_part(checker, TreeBuilder::strong(stable.array)).expr;
  for (checked::ViewAxis& axis : stable.axes)
    for (const Expr** bound : {&axis.start, &axis.stop, &axis.step})
      if (*bound) *bound = stored_once(checker, TreeBuilder::strong(*bound), (*bound)->range).expr;
  return TreeBuilder::strong(checker.tree.make(array.type(), array.range(), std::move(stable)));
}

/// A value that may be used several times: what is not simple is stored first.
Value stored_once(FunctionChecker& checker, const Value& value, SourceRange range) {
  return stored_where(checker, value, range, [](const Expr& expr) { return !is_simple(expr); });
}

Value kept_apart(FunctionChecker& checker, const Value& value, SourceRange range) {
  return stored_where(checker, value, range,
                      [&](const Expr& expr) { return !is_simple(expr) || may_change(checker, expr); });
}

Value kept_for(FunctionChecker& checker, std::span<const ast::ExprPtr> targets, const Value& value, SourceRange range) {
  const bool is_referred_to =
      is_record_of_array(value) && std::ranges::any_of(targets, [&](const ast::ExprPtr& target) {
        const auto* name = target->as<ast::Name>();
        const std::optional<int> index = name ? local_index(checker, name->id, target->range) : std::nullopt;
        return index && checker.specialization->record_references.contains(*index);
      });
  if (!is_referred_to) return kept_apart(checker, value, range);
  return referenced(checker, kept_apart(checker, reference_to(checker, value, range), range), range);
}

/// The values for as many targets, of which one of a tuple may be `*rest`; none where the numbers do not fit.
std::optional<std::vector<Value>> parts_for(FunctionChecker& checker, const std::vector<ast::ExprPtr>& targets,
                                            const Value& value) {
  const auto star =
      std::find_if(targets.begin(), targets.end(), [](const auto& t) { return t->template as<ast::Starred>(); });
  if (value.is_array()) return star == targets.end() ? first_elements(checker, value, targets.size()) : std::nullopt;
  std::vector<Value> elements = take_apart(checker, value);
  if (star == targets.end())
    return elements.size() == targets.size() ? std::optional(std::move(elements)) : std::nullopt;
  if (elements.size() + 1 < targets.size()) return std::nullopt;
  const auto first = elements.begin() + (star - targets.begin());
  const auto end = first + static_cast<std::ptrdiff_t>(elements.size() + 1 - targets.size());
  const Value rest = checker.tree.tuple({first, end}, value.range());
  elements.insert(elements.erase(first, end), rest);
  return elements;
}

}  // namespace pykc::checker
