// Assignment to a part of an array: element by element, in order.
//
// NumPy reads all of the right side before it writes. A loop does the same where no element is written before it is
// read: where both sides are different memory, or the same part, or parts that differ in their indices alone and so are
// equal or apart. What may overlap otherwise is refused.
#include "frontend/check/arrays/store.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "frontend/check/arrays/index.h"
#include "frontend/check/expressions/compare.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/expressions/operator.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/names/resolve.h"
#include "frontend/check/statements/assign.h"
#include "frontend/check/statements/statement.h"

namespace pykc::checker {

using checked::ViewAxis;

namespace {

bool is_same_value(const checked::Expr* a, const checked::Expr* b) {
  if (!a || !b) return a == b;
  const auto *left = a->as<checked::Constant>(), *right = b->as<checked::Constant>();
  if (left && right) return left->bits == right->bits && a->type == b->type;
  const auto *first = a->as<checked::VariableRef>(), *second = b->as<checked::VariableRef>();
  return first && second && first->variable == second->variable;
}

/// Whether the axes are alike but for the values of their indices.
bool is_parallel(const ViewAxis& a, const ViewAxis& b) {
  if (a.kind != b.kind || a.kind == ViewAxis::Kind::Index) return a.kind == b.kind;
  return is_same_value(a.start, b.start) && is_same_value(a.stop, b.stop) && is_same_value(a.step, b.step);
}

bool is_same_array(const checked::Expr& a, const checked::Expr& b) {
  if (const auto* left = a.as<checked::SharedArrayRef>())
    return b.as<checked::SharedArrayRef>() && left->index == b.as<checked::SharedArrayRef>()->index;
  if (const auto* left = a.as<checked::LocalArrayRef>())
    return b.as<checked::LocalArrayRef>() && left->index == b.as<checked::LocalArrayRef>()->index;
  return is_same_value(&a, &b);
}

/// Whether each element of one is an element of the other at the same place, or of neither.
bool are_parallel(const checked::Expr& a, const checked::Expr& b) {
  if (is_same_array(a, b)) return true;
  // One field of two records of an array: the same, or apart.
  const auto *field = a.as<checked::Field>(), *other = b.as<checked::Field>();
  if (field && other && field->offset == other->offset)
    return is_same_array(*field->place->as<checked::Element>()->array, *other->place->as<checked::Element>()->array);
  const auto *left = a.as<checked::View>(), *right = b.as<checked::View>();
  if (!left || !right || !is_same_array(*left->array, *right->array)) return false;
  return std::equal(left->axes.begin(), left->axes.end(), right->axes.begin(), right->axes.end(), is_parallel);
}

bool have_one_shape(const Value& target, const Value& source) {
  const ArrayType &a = target.type()->array, &b = source.type()->array;
  return a.rank() == b.rank() && (!a.has_static_shape() || !b.has_static_shape() || a.extents == b.extents);
}

void store_elements(FunctionChecker& checker, const Value& target, const Value& source, std::optional<ast::BinaryOp> op,
                    SourceRange range) {
  over_elements(checker, target, range, [&](const std::vector<const Expr*>& indices) {
    const Value element = element_in_bounds(checker, target, indices, range);
    Value value = source.is_array() ? element_in_bounds(checker, source, indices, range) : source;
    if (op) value = binary(checker, *op, element, value, range);
    if (value.known()) store(checker, element, value, range);
  });
}

std::string name_in_message(const FunctionChecker& checker, const Value& array) {
  const std::string name = name_of_array(checker, *array.expr);
  return name.empty() ? std::string("an array") : as_code(name);
}

/// A fault where as many elements as a source has along a dimension do not fit those of the target.
void check_extent(FunctionChecker& checker, const Value& given, const Value& wanted, const Value& fits,
                  const std::string& place, const Value& target, SourceRange range) {
  if (fits.is_constant() && integer_of(*fits.expr) != 0) return;
  append_check(checker, fits.expr,
               "{0} elements along " + place + " do not fit the {1} of " + name_in_message(checker, target),
               {given.expr, wanted.expr}, range);
}

/// How many elements a tuple of tuples has along each dimension; none where its parts differ in that.
std::optional<std::vector<std::int64_t>> shape_of(checked::Type type) {
  if (!type.is_tuple()) return std::vector<std::int64_t>();
  std::optional<std::vector<std::int64_t>> shape;
  for (const checked::Type part : type->elements) {
    const auto inner = shape_of(part);
    if (!inner || (shape && shape != inner)) return std::nullopt;
    shape = inner;
  }
  if (!shape) shape.emplace();
  shape->insert(shape->begin(), static_cast<std::int64_t>(type->elements.size()));
  return shape;
}

/// `target[…] = (a, b)`, or a tuple of tuples as the dimensions are. Where an extent is not known while compiling, a
/// checked build tells whether it is right.
void store_tuple(FunctionChecker& checker, const Value& target, const Value& source, SourceRange range) {
  const std::vector<std::int64_t>& extents = target.type()->array.extents;
  const auto shape = shape_of(source.type());
  const auto may_fit = [](std::int64_t wanted, std::int64_t given) {
    return wanted == ArrayType::kDynamic || wanted == given;
  };
  if (!shape || !std::equal(extents.begin(), extents.end(), shape->begin(), shape->end(), may_fit)) {
    checker.report(range, DiagnosticId::ArrayShapes, checked::to_string(target.type()), describe(source));
    return;
  }
  const Value to = stored_once(checker, target, range), from = stored_once(checker, source, range);
  const bool is_checked = checker.module.options.bounds_checks && !checker.is_trial;
  for (std::size_t i = 0; is_checked && i < extents.size(); ++i) {
    const Value given = checker.tree.weak_integer((*shape)[i], range);
    const Value wanted = extent(checker, to, static_cast<int>(i), range);
    check_extent(checker, given, wanted, compare(checker, ast::CompareOp::Eq, given, wanted, range),
                 "dimension " + std::to_string(i) + " of the tuple", to, range);
  }
  std::vector<const Expr*> indices;
  const std::function<void(const Value&)> store_part = [&](const Value& part) {
    if (!part.is_tuple()) return store(checker, element_in_bounds(checker, to, indices, range), part, range);
    const std::vector<Value> parts = take_apart(checker, part);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      indices.push_back(checker.tree.integer(static_cast<Int128>(i), ScalarType::I64, range));
      store_part(parts[i]);
      indices.pop_back();
    }
  };
  store_part(from);
}

}  // namespace

/// The array that a view is a part of, as far as it can be followed.
const checked::Expr& origin(const FunctionChecker& checker, const Expr& array) {
  if (const auto* node = array.as<checked::View>()) return origin(checker, *node->array);
  if (const auto* node = array.as<checked::Transpose>()) return origin(checker, *node->array);
  if (const auto* node = array.as<checked::Reshape>()) return origin(checker, *node->array);
  if (const auto* node = array.as<checked::Reinterpret>()) return origin(checker, *node->array);
  if (const auto* node = array.as<checked::FieldView>()) return origin(checker, *node->array);
  if (const auto* node = array.as<checked::Field>())
    return origin(checker, *node->place->as<checked::Element>()->array);
  if (const auto* node = array.as<checked::Cast>()) return origin(checker, *node->operand);
  if (const auto* ref = array.as<checked::VariableRef>())
    for (const Local& local : checker.locals)
      if (local.variable == ref->variable && ref->variable && local.only_value)
        return origin(checker, *local.only_value);
  return array;
}

bool is_unchanged_parameter(const FunctionChecker& checker, const Expr& array) {
  const auto* ref = array.as<checked::VariableRef>();
  return ref && ref->variable && std::any_of(checker.locals.begin(), checker.locals.end(), [&](const Local& local) {
           return local.variable == ref->variable && local.decl->is_parameter && local.decl->assignments == 0;
         });
}

/// Whether it is an array with a memory of its own. Two parameters count as different arrays.
bool is_own_memory(const FunctionChecker& checker, const Expr& array) {
  if (const auto* ref = array.as<checked::SharedArrayRef>())
    return checker.output && !checker.output->shared_arrays[static_cast<std::size_t>(ref->index)].takes_launch_bytes;
  return array.as<checked::LocalArrayRef>() || array.as<checked::ConstantArrayRef>() ||
         is_unchanged_parameter(checker, array);
}

bool may_overlap(const FunctionChecker& checker, const Value& target, const Value& source) {
  if (target.type()->space != source.type()->space) return false;
  const Expr &a = origin(checker, *target.expr), &b = origin(checker, *source.expr);
  if (is_own_memory(checker, a) && is_own_memory(checker, b) && !is_same_array(a, b)) return false;
  return !are_parallel(*target.expr, *source.expr);
}

/// `target[…] = source`, or with an operator `target[…] += source`; the source is a number or an array of that shape.
void store_array(FunctionChecker& checker, const Value& target, const Value& source, std::optional<ast::BinaryOp> op,
                 SourceRange range) {
  if (!target.known() || !source.known() || !require_writable(checker, target, target.range())) return;
  if (!require_length(checker, target, range)) return;
  if (source.is_tuple() && !op) return store_tuple(checker, target, source, range);
  if (!source.is_array()) {
    const bool takes_scalar = !target.type()->array.element.is_record() && !source.is_record();
    if (!takes_scalar || require_scalar(checker, source, "an element"))
      store_elements(checker, stored_once(checker, target, range), stored_once(checker, source, range), op, range);
    return;
  }
  if (!have_one_shape(target, source)) {
    checker.report(range, DiagnosticId::ArrayShapes, checked::to_string(target.type()),
                   checked::to_string(source.type()));
    return;
  }
  if (may_overlap(checker, target, source)) {
    checker.report(range, DiagnosticId::OverlappingCopy)
        .label(checker.scope.file(), source.range(), "this may be the same memory")
        .note("copy element by element in a loop, in the order that is right, or by way of a `local.array`");
    return;
  }
  const Value to = stored_once(checker, target, range), from = stored_once(checker, source, range);
  check_shapes(checker, to, from, false, range);
  store_elements(checker, to, from, op, range);
}

/// In a checked build, a fault where the extents of the source are not those of the target, or 1 where it may repeat.
void check_shapes(FunctionChecker& checker, const Value& target, const Value& source, bool may_repeat,
                  SourceRange range) {
  if (!checker.module.options.bounds_checks || checker.is_trial) return;
  const int rank = source.type()->array.rank(), before = target.type()->array.rank() - rank;
  for (int i = 0; i < rank; ++i) {
    const Value wanted = extent(checker, target, before + i, range), given = extent(checker, source, i, range);
    Value fits = compare(checker, ast::CompareOp::Eq, given, wanted, range);
    if (may_repeat) {
      const Value repeats = compare(checker, ast::CompareOp::Eq, given, checker.tree.weak_integer(1, range), range);
      fits = TreeBuilder::strong(checker.tree.logical(false, fits.expr, repeats.expr, range));
    }
    check_extent(checker, given, wanted, fits,
                 "dimension " + std::to_string(i) + " of " + name_in_message(checker, source), target, range);
  }
}

/// Loops over all elements, the last dimension fastest, and has `body` append what is done for each.
void over_elements(FunctionChecker& checker, const Value& array, SourceRange range,
                   const std::function<void(const std::vector<const Expr*>&)>& body) {
  std::vector<const Expr*> indices;
  const std::function<void()> over_dimension = [&] {
    const int dimension = static_cast<int>(indices.size());
    if (dimension == array.type()->array.rank()) return body(indices);
    checked::ForRange loop = counted_loop(checker, extent(checker, array, dimension, range), range);
    checked::Suite* const outer = std::exchange(checker.suite, &loop.body);
    indices.push_back(checker.tree.scalar(ScalarType::I64, range, checked::VariableRef{loop.variable}));
    over_dimension();
    indices.pop_back();
    checker.suite = outer;
    append(checker, std::move(loop), range);
  };
  over_dimension();
}

/// The element at a place that is in bounds: the arrays have the shapes that they should, or a check has stopped.
Value element_in_bounds(FunctionChecker& checker, const Value& array, const std::vector<const Expr*>& indices,
                        SourceRange range) {
  return TreeBuilder::strong(checker.tree.make(checker.types.of(array.type()->array.element), range,
                                               checked::Element{array.expr, indices, false, -1}));
}

}  // namespace pykc::checker
