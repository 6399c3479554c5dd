#include "frontend/check/arrays/index.h"

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "frontend/check/arrays/store.h"
#include "frontend/check/arrays/view.h"
#include "frontend/check/expressions/compare.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/module_checker.h"
#include "frontend/check/statements/assign.h"
#include "frontend/check/statements/statement.h"
#include "frontend/check/types/convert.h"

namespace pykc::checker {
namespace {

/// `element`, behind a check of the index in a checked build, and in a function of `debug=True`.
const checked::Expr* in_tuple(FunctionChecker& checker, const Expr* index, std::size_t size, const Expr* element,
                              SourceRange range) {
  const bool is_checked = checker.module.options.bounds_checks,
             raises = checker.function && checker.function->raises_errors;
  if ((!is_checked && !raises) || checker.is_trial) return element;
  const auto compare = [&](checked::CompareOp op, Int128 bound) {
    return checker.tree.compare(op, index, checker.tree.integer(bound, ScalarType::I64, range), range);
  };
  const auto count = static_cast<Int128>(size);
  const Expr* is_inside = checker.tree.logical(true, compare(checked::CompareOp::Ge, -count),
                                               compare(checked::CompareOp::Lt, count), range);
  const SourceFile::LineColumn place = checker.scope.file().line_column(range.begin);
  const std::string message = raises ? "IndexError: tuple index out of range"
                                     : "index {0} is out of bounds for a tuple of " + std::to_string(size);
  const int fault = add_fault(checker.module, {message, checker.scope.file().name(), place.line, place.column});
  return checker.tree.make(element->type, range, checked::Guarded{is_inside, fault, {index}, element});
}

/// Whether its elements are there without evaluating the tuple.
bool is_taken_apart(const Value& tuple) {
  return !tuple.elements.empty() || is_simple(*tuple.expr) || tuple.expr->as<checked::TupleExpr>();
}

Value tuple_slice(FunctionChecker& checker, const Value& tuple, const checked::ViewAxis& slice, SourceRange range) {
  for (const Expr* bound : {slice.start, slice.stop, slice.step})
    if (bound && !bound->as<checked::Constant>()) {
      checker.report(bound->range, DiagnosticId::NotConstant, "a bound of a slice of a tuple")
          .note("how many elements a tuple has is part of its type");
      return {};
    }
  const auto taken = [&](const std::vector<Value>& parts) {
    const Positions positions = positions_of(slice, static_cast<Int128>(parts.size()));
    std::vector<Value> elements;
    for (Int128 i = 0; i < positions.count; ++i)
      elements.push_back(parts[static_cast<std::size_t>(positions.start + i * positions.step)]);
    return checker.tree.tuple(std::move(elements), range);
  };
  if (is_taken_apart(tuple) && !has_effects(*tuple.expr)) return taken(take_apart(checker, tuple));
  return TreeBuilder::strong(
      with_parts(checker, tuple, [&](const std::vector<Value>& parts) { return taken(parts).expr; }));
}

/// "({1}, {2})": the fault reports the extents behind the index.
std::string shape_text(int rank) {
  std::string text = "({1}";
  for (int i = 2; i <= rank; ++i) text += ", {" + std::to_string(i) + "}";
  return text + (rank == 1 ? ",)" : ")");
}

}  // namespace

/// The indices between brackets: one, or those of a tuple.
std::optional<std::vector<Value>> index_list(FunctionChecker& checker, const ast::Expr& index) {
  const Value list = checker.value(index);
  if (!list.known()) return std::nullopt;
  if (!list.is_tuple()) return std::vector<Value>{list};
  return all_elements(checker, list);
}

/// The elements of a tuple that is simple or spelled out, each as a value of its own.
std::vector<Value> take_apart(FunctionChecker& checker, const Value& tuple) {
  if (!tuple.elements.empty()) return tuple.elements;
  std::vector<Value> elements;
  for (std::size_t i = 0; i < checker.types.components(tuple.type()).size(); ++i)
    elements.push_back(component(checker, tuple, i, tuple.range()));
  return elements;
}

/// The elements of any tuple for one who evaluates each once and in order: the first evaluates the tuple.
std::vector<Value> all_elements(FunctionChecker& checker, const Value& tuple) {
  if (is_taken_apart(tuple)) return take_apart(checker, tuple);
  const checked::Variable* variable = temporary(checker, tuple.type(), tuple.range());
  const Expr* kept = checker.tree.make(tuple.type(), tuple.range(), checked::VariableRef{variable});
  std::vector<Value> elements = take_apart(checker, {kept, Weak::No, {}});
  if (!elements.empty()) {
    Value& first = elements.front();
    first.expr = checker.tree.make(first.type(), first.range(), checked::Let{variable, tuple.expr, first.expr});
  }
  return elements;
}

/// The arguments of `f(2, 3)` and of `f((2, 3))`; none where one is unknown.
std::optional<std::vector<Value>> listed_arguments(FunctionChecker& checker, const ast::Call& call) {
  std::vector<Value> given;
  for (const ast::ExprPtr& argument : call.arguments) given.push_back(checker.value(*argument));
  if (given.size() == 1 && given.front().is_tuple()) given = all_elements(checker, given.front());
  return std::ranges::all_of(given, &Value::known) ? std::optional(std::move(given)) : std::nullopt;
}

/// Element `at` of a tuple or a record.
Value component(FunctionChecker& checker, const Value& tuple, std::size_t at, SourceRange range) {
  if (!tuple.elements.empty()) return tuple.elements[at];
  if (const auto* spelled = tuple.expr->as<checked::TupleExpr>()) return TreeBuilder::strong(spelled->elements[at]);
  const checked::Type type = checker.types.components(tuple.type())[at];
  return TreeBuilder::strong(checker.tree.make(type, range, checked::TupleElement{tuple.expr, static_cast<int>(at)}));
}

Value chosen_component(FunctionChecker& checker, const Value& tuple, std::size_t at, SourceRange range) {
  const Value element = component(checker, tuple, at, range);
  if (element.type().is_static() || element.is_array() || !has_effects(*tuple.expr)) return element;
  return TreeBuilder::strong(
      with_parts(checker, tuple, [&](const std::vector<Value>& parts) { return parts[at].expr; }));
}

/// `t[0]`, `t[1:]`, and for elements of one type `t[i]`.
Value index_tuple(FunctionChecker& checker, const Value& tuple, const IndexItem& item, SourceRange range) {
  if (item.kind == IndexItem::Kind::Slice) return tuple_slice(checker, tuple, item.slice, range);
  const Value& index = item.position;
  if (item.kind != IndexItem::Kind::Position || !index.is_scalar() || !is_integer(index.scalar())) {
    checker.report(item.range, DiagnosticId::IndexType,
                   index.known() ? describe(index) : checker.scope.file().text(item.range));
    return {};
  }
  if (!index.is_constant()) return index_by_variable(checker, tuple, index, range);
  const auto size = static_cast<Int128>(tuple.type()->elements.size());
  Int128 position = integer_of(*index.expr);
  if (position < 0) position += size;
  if (position < 0 || position >= size) {
    checker.report(index.range(), DiagnosticId::IndexOutOfRange,
                   std::to_string(static_cast<std::int64_t>(integer_of(*index.expr))), "a tuple",
                   static_cast<std::int64_t>(size));
    return {};
  }
  return chosen_component(checker, tuple, static_cast<std::size_t>(position), range);
}

/// A choice between all elements. In a plain build nothing looks whether the index is in range.
Value index_by_variable(FunctionChecker& checker, const Value& tuple, const Value& index, SourceRange range) {
  const std::vector<checked::Type>& types = tuple.type()->elements;
  InferredType joined;
  const bool has_common_type = !types.empty() && std::all_of(types.begin(), types.end(), [&](checked::Type type) {
    return join_into(joined, InferredType::of(type), *checker.rules, checker.types);
  });
  if (!has_common_type) {
    checker.report(index.range(), DiagnosticId::NotConstant, "the index of a tuple of different types")
        .note("which type an element has must be known while compiling");
    return {};
  }
  const Expr* number = index_number(checker, index);
  const auto choose_from = [&](const std::vector<Value>& parts) {
    return with_temporary(checker, number, [&](const Expr* written) {
      Value result = parts.front();
      for (std::size_t i = 1; i < parts.size() && result.known(); ++i) {
        const auto is = [&](Int128 position) {
          return checker.tree.compare(checked::CompareOp::Eq, written,
                                      checker.tree.integer(position, ScalarType::I64, range), range);
        };
        const auto position = static_cast<Int128>(i), from_end = position - static_cast<Int128>(parts.size());
        result =
            choose(checker, checker.tree.logical(false, is(position), is(from_end), range), parts[i], result, range);
      }
      return result.known() ? in_tuple(checker, written, parts.size(), result.expr, range) : nullptr;
    });
  };
  const Expr* chosen = with_parts(checker, tuple, choose_from, has_effects(*number));
  return chosen ? TreeBuilder::strong(chosen) : Value{};
}

Value index(FunctionChecker& checker, const Value& array, std::vector<Value> indices, SourceRange range) {
  const ArrayType& type = array.type()->array;
  if (static_cast<int>(indices.size()) != type.rank()) {
    report_index_count(checker, array, static_cast<int>(indices.size()), range);
    return {};
  }
  checked::Element element{array.expr, {}, wraps_around(checker, *array.expr), -1};
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const Expr* converted = index_value(checker, array, indices[i], static_cast<int>(i));
    if (!converted) return {};
    element.indices.push_back(converted);
  }
  if (checks_bounds(checker, *array.expr) && type.rank() > 0)
    element.bounds_fault = bounds_fault(checker, *array.expr, range);
  return TreeBuilder::strong(checker.tree.make(checker.types.of(type.element), range, std::move(element)));
}

void report_index_count(FunctionChecker& checker, const Value& array, int given, SourceRange range) {
  const std::string name = name_of_array(checker, *array.expr);
  checker
      .report(range, DiagnosticId::IndexCount, name.empty() ? "the array" : as_code(name), array.type()->array.rank(),
              given)
      .note("its type is " + checked::to_string(array.type()));
}

const checked::Expr* index_value(FunctionChecker& checker, const Value& array, const Value& index, int dimension) {
  const Expr* converted = index_number(checker, index, checker.module.options.bounds_checks);
  if (!converted) return nullptr;
  const std::int64_t extent = array.type()->array.extents[static_cast<std::size_t>(dimension)];
  if (index.is_constant() && extent != ArrayType::kDynamic) {
    const Int128 position = integer_of(*index.expr);
    if (position >= extent || position < -extent) {
      checker.report(index.range(), DiagnosticId::IndexOutOfRange, checker.scope.file().text(index.range()),
                     "dimension " + std::to_string(dimension) + " of " + checked::to_string(array.type()), extent);
      return nullptr;
    }
  }
  return converted;
}

/// An integer as an index or a bound: an i64. What no i64 holds lies behind each array, as the largest does, if that is
/// looked at.
const checked::Expr* index_number(FunctionChecker& checker, const Value& index, bool is_looked_at) {
  if (!index.known()) return nullptr;
  if (!index.is_scalar() || !is_integer(index.scalar())) {
    auto diagnostic = checker.report(index.range(), DiagnosticId::IndexType, describe(index));
    if (index.is_scalar()) diagnostic.fix("int(" + std::string(checker.scope.file().text(index.range())) + ")");
    return nullptr;
  }
  warn_of_late_widening(checker, index, ScalarType::I64);
  if (index.scalar() != ScalarType::U64 || index.is_constant() || !is_looked_at)
    return checker.tree.convert(index, ScalarType::I64);
  const Expr* most = checker.tree.integer(std::numeric_limits<std::int64_t>::max(), ScalarType::U64, index.range());
  return checker.tree.cast(checker.tree.builtin(BuiltinId::Min, ScalarType::U64, {index.expr, most}, index.range()),
                           ScalarType::I64);
}

std::string name_of_array(const FunctionChecker& checker, const Expr& array) {
  if (checker.is_trial) return {};  // nobody reads the message, and arrays have no numbers yet
  if (const auto* ref = array.as<checked::VariableRef>()) return ref->variable->name;
  if (const auto* ref = array.as<checked::ConstantArrayRef>())
    return checker.module.output.constant_arrays[static_cast<std::size_t>(ref->index)].name;
  if (!checker.output) return {};
  if (const auto* ref = array.as<checked::SharedArrayRef>())
    return checker.output->shared_arrays[static_cast<std::size_t>(ref->index)].name;
  if (const auto* ref = array.as<checked::LocalArrayRef>())
    return checker.output->local_arrays[static_cast<std::size_t>(ref->index)].name;
  return {};
}

/// Whether it is known how many elements there are; behind a pointer it is not.
bool require_length(FunctionChecker& checker, const Value& array, SourceRange range) {
  if (!array.type()->is_pointer) return true;
  const std::string name = name_of_array(checker, origin(checker, *array.expr));
  checker.report(range, DiagnosticId::PointerLength,
                 name.empty() ? std::string(checker.scope.file().text(array.range())) : name);
  return false;
}

/// Whether a negative index counts from the end. Behind a pointer there is none that anybody knows.
bool wraps_around(const FunctionChecker& checker, const Expr& array) {
  return (!checker.function || checker.function->options.wraparound) && !array.type->is_pointer;
}

/// Whether a checked build looks at indices. Behind a pointer it has nothing to compare them with.
bool checks_bounds(const FunctionChecker& checker, const Expr& array) {
  return checker.module.options.bounds_checks && !checker.is_trial && !array.type->is_pointer;
}

/// One site for each dimension; gives the first.
int bounds_fault(FunctionChecker& checker, const Expr& array, SourceRange range) {
  const std::string name = name_of_array(checker, array);
  const int rank = array.type->array.rank();
  int last = -1;
  for (int i = 0; i < rank; ++i) {
    const std::string dimension = rank == 1 ? "" : "dimension " + std::to_string(i) + " of ";
    last = add_fault(checker,
                     "index {0} is out of bounds for " + dimension +
                         (name.empty() ? std::string("an array") : as_code(name)) + " of shape " + shape_text(rank),
                     range);
  }
  return last - rank + 1;
}

}  // namespace pykc::checker
