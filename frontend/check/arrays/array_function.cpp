// NumPy's functions that make arrays, at the top level of a module: what they make are constants.
#include "frontend/check/arrays/array_function.h"

#include <cmath>

#include "base/text.h"
#include "frontend/check/arrays/constant_array.h"
#include "frontend/check/arrays/constant_table.h"
#include "frontend/check/arrays/index.h"
#include "frontend/check/calls/call.h"
#include "frontend/check/expressions/complex.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/module_checker.h"
#include "frontend/check/types/convert.h"

namespace pykc::checker {
namespace {

constexpr std::string_view kObject[] = {"object", "dtype", "order"};
constexpr std::string_view kShape[] = {"shape", "dtype", "order"};
constexpr std::string_view kShapeAndValue[] = {"shape", "fill_value", "dtype", "order"};
constexpr std::string_view kModel[] = {"a", "dtype"};
constexpr std::string_view kModelAndValue[] = {"a", "fill_value", "dtype"};
constexpr std::string_view kRange[] = {"start", "stop", "step", "dtype"};
constexpr std::string_view kDistances[] = {"start", "stop", "num", "endpoint", "dtype"};
constexpr std::string_view kSides[] = {"N", "M", "dtype"};
constexpr std::string_view kRecord[] = {"dtype", "align", "copy"};

/// An extent, or a tuple of them.
std::optional<Extents> constant_extents(FunctionChecker& checker, const ast::Expr& expr) {
  const Value given = checker.value(expr);
  if (!given.known()) return std::nullopt;
  Extents extents;
  std::int64_t size = 1;
  for (const Value& extent : given.is_tuple() ? take_apart(checker, given) : std::vector<Value>{given}) {
    const bool is_integer_constant = extent.is_scalar() && extent.is_constant() && is_integer(extent.scalar());
    const Int128 count = is_integer_constant ? integer_of(*extent.expr) : -1;
    const bool fits = count >= 0 && count <= kMostConstantElements && size * count <= kMostConstantElements;
    if (!fits || extents.size() == static_cast<std::size_t>(kMaximumRank)) {
      checker.report(expr.range, DiagnosticId::ArrayShape, "a constant array",
                     "a constant from 0 on; it has at most " + std::to_string(kMostConstantElements) + " elements");
      return std::nullopt;
    }
    extents.push_back(static_cast<std::int64_t>(count));
    size *= extents.back();
  }
  return extents;
}

/// `("x", np.float32)`, `("w", np.int16, 3)`, `("w", (np.int16, 3))`; none, where it is something else.
std::optional<RecordField> field_of_dtype(FunctionChecker& checker, const ast::Expr& expr) {
  const auto* row = expr.as<ast::Tuple>();
  const auto* name = row && row->elements.size() >= 2 ? row->elements[0]->as<ast::StringLiteral>() : nullptr;
  if (!name || row->elements.size() > 3) return std::nullopt;
  const ast::Expr* type = row->elements[1].get();
  const ast::Expr* shape = row->elements.size() == 3 ? row->elements[2].get() : nullptr;
  if (const auto* both = type->as<ast::Tuple>(); both && both->elements.size() == 2 && !shape) {
    type = both->elements[0].get();
    shape = both->elements[1].get();
  }
  const std::optional<ElementType> element = dtype(checker, *type);
  const std::optional<Extents> extents = shape ? constant_extents(checker, *shape) : Extents();
  if (!element || !extents) return std::nullopt;
  return RecordField{name->value, *element, *extents};
}

/// The record with its fields one behind the other, at any address.
RecordRef packed(RecordType record) {
  record.bytes = 0;
  for (RecordField& field : record.fields) {
    field.offset = record.bytes;
    record.bytes += field.count() * size_in_bytes(field.type);
  }
  record.alignment = 1;
  return RecordRef(std::move(record));
}

Entity call_dtype(FunctionChecker& checker, const Arguments& arguments, SourceRange) {
  const std::optional<ElementType> type = dtype(checker, *arguments[0]);
  const std::optional<bool> align = arguments[1] ? constant_bool(checker, *arguments[1], "`align`") : true;
  if (!type || !align) return Unknown{};
  const bool is_packed = !*align && arguments[0]->as<ast::List>();
  return TypeRef{is_packed ? ElementType(packed(*type->record)) : *type};
}

/// The type that an array of the value has.
ElementType type_as_element(const Value& value) {
  if (value.is_record()) return value.type()->record;
  return value.weak == Weak::Int ? type_of_literal(integer_of(*value.expr)) : value.scalar();
}

// ---- arrays of one value ----
Entity array_of_one(FunctionChecker& checker, const Extents& extents, const ElementType& type, const Value& fill,
                    SourceRange range) {
  Table table{.name = "", .type = {type, Layout::RowMajor, extents}, .bytes = {}};
  std::string element;
  const bool is_zero_record = type.is_record() && fill.is_weak_integer() && integer_of(*fill.expr) == 0;
  if (is_zero_record)
    element.assign(static_cast<std::size_t>(size_in_bytes(type)), '\0');
  else if (!append_constant(checker, fill, type, element, range))
    return Unknown{};
  const std::int64_t count = count_elements(extents);
  if (count * static_cast<std::int64_t>(element.size()) > kMostTableBytes) {
    checker.report(range, DiagnosticId::ArrayShape, "a constant array",
                   "small enough: it has at most " + std::to_string(kMostTableBytes) + " bytes");
    return Unknown{};
  }
  for (std::int64_t i = 0; i < count; ++i) table.bytes += element;
  return TableRef{add_table(checker.module, std::move(table))};
}

Entity array_of_number(FunctionChecker& checker, const Arguments& arguments, int number, SourceRange range) {
  const std::optional<Extents> extents = constant_extents(checker, *arguments[0]);
  const std::optional<ElementType> type = arguments[1] ? dtype(checker, *arguments[1]) : ElementType(ScalarType::F64);
  return extents && type ? array_of_one(checker, *extents, *type, checker.tree.weak_integer(number, range), range)
                         : Entity(Unknown{});
}

Entity constant_zeros(FunctionChecker& checker, const Arguments& a, SourceRange range) {
  return array_of_number(checker, a, 0, range);
}
Entity constant_ones(FunctionChecker& checker, const Arguments& a, SourceRange range) {
  return array_of_number(checker, a, 1, range);
}

Entity constant_full(FunctionChecker& checker, const Arguments& arguments, SourceRange range) {
  const std::optional<Extents> extents = constant_extents(checker, *arguments[0]);
  const Value fill = checker.value(*arguments[1]);
  if (!extents || !fill.known()) return Unknown{};
  if (!fill.is_scalar() && !fill.is_complex() && !require_scalar(checker, fill, "`fill_value`")) return Unknown{};
  const std::optional<ElementType> type = arguments[2] ? dtype(checker, *arguments[2]) : type_as_element(fill);
  return type ? array_of_one(checker, *extents, *type, fill, range) : Entity(Unknown{});
}

/// In the shape, and without `dtype` the type, of another array.
Entity array_like(FunctionChecker& checker, const ast::Expr& model, const ast::Expr* dtype_given, const Value& fill,
                  SourceRange range) {
  const Entity found = checker.entity(model);
  const auto* table = std::get_if<TableRef>(&found);
  if (!table) {
    if (!std::holds_alternative<Unknown>(found)) checker.report(model.range, DiagnosticId::NotATable, describe(found));
    return Unknown{};
  }
  const std::optional<ElementType> type = dtype_given ? dtype(checker, *dtype_given) : table->table->type.element;
  return type && fill.known() ? array_of_one(checker, table->table->type.extents, *type, fill, range)
                              : Entity(Unknown{});
}

Entity constant_zeros_like(FunctionChecker& checker, const Arguments& a, SourceRange range) {
  return array_like(checker, *a[0], a[1], checker.tree.weak_integer(0, range), range);
}
Entity constant_ones_like(FunctionChecker& checker, const Arguments& a, SourceRange range) {
  return array_like(checker, *a[0], a[1], checker.tree.weak_integer(1, range), range);
}
Entity constant_full_like(FunctionChecker& checker, const Arguments& a, SourceRange range) {
  return array_like(checker, *a[0], a[2], checker.value(*a[1]), range);
}

// ---- sequences ----

/// A constant real number; none, and a report, for anything else.
std::optional<Value> constant_number(FunctionChecker& checker, const ast::Expr& expr, std::string_view what) {
  const Value given = checker.value(expr);
  if (!given.known()) return std::nullopt;
  if (given.is_scalar() && given.is_constant()) return given;
  checker.report(expr.range, DiagnosticId::NotConstant, what);
  return std::nullopt;
}

/// An array of `count` numbers, which `number` gives.
Entity sequence(FunctionChecker& checker, std::int64_t count, const ElementType& type, SourceRange range,
                const std::function<Value(std::int64_t)>& number) {
  Table table{.name = "", .type = {type, Layout::RowMajor, {count}}, .bytes = {}};
  for (std::int64_t i = 0; i < count; ++i) {
    const std::size_t mark = checker.tree.mark();
    const Value element = number(i);
    const bool truncates = is_float(element.scalar()) && !type.is_record() && is_integer(type.scalar);
    if (!append_constant(checker, truncates ? cast_value(checker, element, type.scalar, range) : element, type,
                         table.bytes, range))
      return Unknown{};
    checker.tree.release(mark);
  }
  return TableRef{add_table(checker.module, std::move(table))};
}

Entity constant_arange(FunctionChecker& checker, const Arguments& arguments, SourceRange range) {
  const bool has_stop = arguments[1] != nullptr;
  const Value one = checker.tree.weak_integer(1, range), zero = checker.tree.weak_integer(0, range);
  const std::optional<Value> first = constant_number(checker, *arguments[0], "a bound of `arange`");
  const std::optional<Value> second = has_stop ? constant_number(checker, *arguments[1], "a bound of `arange`") : zero;
  const std::optional<Value> step =
      arguments[2] ? constant_number(checker, *arguments[2], "the step of `arange`") : one;
  if (!first || !second || !step) return Unknown{};
  const Value &start = has_stop ? *first : zero, &stop = has_stop ? *second : *first;
  const bool is_whole =
      is_integer_or_bool(start.scalar()) && is_integer_or_bool(stop.scalar()) && is_integer_or_bool(step->scalar());
  const double from = real_of(*start.expr), by = real_of(*step->expr);
  const double count = std::ceil((real_of(*stop.expr) - from) / by);
  if (by == 0 || !(count <= static_cast<double>(kMostConstantElements))) {
    checker.report(range, DiagnosticId::ArrayShape, "a constant array",
                   "at most " + std::to_string(kMostConstantElements) + " elements, by a step that is not 0");
    return Unknown{};
  }
  std::optional<ElementType> type = is_whole ? ScalarType::I64 : ScalarType::F64;
  if (arguments[3]) type = dtype(checker, *arguments[3]);
  if (!type) return Unknown{};
  const auto elements = std::max(static_cast<std::int64_t>(count), std::int64_t{0});
  return sequence(checker, elements, *type, range, [&](std::int64_t i) {
    if (is_whole) return checker.tree.weak_integer(integer_of(*start.expr) + i * integer_of(*step->expr), range);
    return checker.tree.weak_real(from + static_cast<double>(i) * by, range);
  });
}

Entity constant_linspace(FunctionChecker& checker, const Arguments& arguments, SourceRange range) {
  const std::optional<Value> first = constant_number(checker, *arguments[0], "a bound of `linspace`");
  const std::optional<Value> last = constant_number(checker, *arguments[1], "a bound of `linspace`");
  const std::optional<Extents> count = arguments[2] ? constant_extents(checker, *arguments[2]) : Extents{50};
  const std::optional<bool> endpoint = arguments[3] ? constant_bool(checker, *arguments[3], "`endpoint`") : true;
  const std::optional<ElementType> type = arguments[4] ? dtype(checker, *arguments[4]) : ElementType(ScalarType::F64);
  if (!first || !last || !count || !endpoint || !type) return Unknown{};
  const std::int64_t elements = count_elements(*count);
  const double from = real_of(*first->expr), to = real_of(*last->expr);
  const double step = (to - from) / static_cast<double>(std::max<std::int64_t>(*endpoint ? elements - 1 : elements, 1));
  return sequence(checker, elements, *type, range, [&](std::int64_t i) {
    const bool is_end = *endpoint && i > 0 && i == elements - 1;
    return checker.tree.weak_real(is_end ? to : from + static_cast<double>(i) * step, range);
  });
}

Entity constant_eye(FunctionChecker& checker, const Arguments& arguments, SourceRange range) {
  const std::optional<Extents> rows = constant_extents(checker, *arguments[0]);
  const std::optional<Extents> columns = arguments[1] ? constant_extents(checker, *arguments[1]) : rows;
  const std::optional<ElementType> type = arguments[2] ? dtype(checker, *arguments[2]) : ElementType(ScalarType::F64);
  if (!rows || !columns || !type) return Unknown{};
  const std::int64_t height = count_elements(*rows), width = count_elements(*columns);
  if (height * width > kMostConstantElements) {
    report_too_many_constants(checker, range);
    return Unknown{};
  }
  const Entity made = sequence(checker, height * width, *type, range, [&](std::int64_t i) {
    return checker.tree.weak_integer(i / width == i % width ? 1 : 0, range);
  });
  const auto* table = std::get_if<TableRef>(&made);
  return table ? Entity(TableRef{add_table(checker.module, with_extents(*table->table, {height, width}))}) : made;
}

// ---- arrays of what is listed ----

/// An array as nested tuples.
Value rows_of(FunctionChecker& checker, const Table& table, SourceRange range) {
  std::int64_t next = 0;
  const std::function<Value(std::size_t)> row = [&](std::size_t dimension) {
    if (dimension == table.type.extents.size()) return constant_at(checker, table, next++, range);
    std::vector<Value> rows;
    for (std::int64_t i = 0; i < table.type.extents[dimension]; ++i) rows.push_back(row(dimension + 1));
    return checker.tree.tuple(std::move(rows), range);
  };
  return row(0);
}

bool flatten_table(FunctionChecker& checker, const Value& value, std::size_t depth, Extents& extents,
                   std::vector<Value>& numbers) {
  if (!value.is_tuple()) {
    numbers.push_back(value);
    return (value.is_constant() || value.is_complex()) && depth == extents.size();
  }
  const std::vector<Value> elements = take_apart(checker, value);
  const auto count = static_cast<std::int64_t>(elements.size());
  if (depth == extents.size()) {
    if (!numbers.empty() || depth == static_cast<std::size_t>(kMaximumRank))
      return false;  // a row where a number stood
    extents.push_back(count);
  }
  if (extents[depth] != count) return false;
  return std::all_of(elements.begin(), elements.end(), [&](const Value& element) {
    return flatten_table(checker, element, depth + 1, extents, numbers);
  });
}

/// The elements of nested lists, of numbers also of tuples; false where rows differ in length.
bool list_elements(FunctionChecker& checker, const ast::Expr& expr, bool tuples_are_rows, std::size_t depth,
                   Extents& extents, std::vector<Value>& elements) {
  const auto* list = expr.as<ast::List>();
  const auto* tuple = tuples_are_rows ? expr.as<ast::Tuple>() : nullptr;
  if (!list && !tuple) {
    const Entity found = checker.entity(expr);
    const auto* rows = std::get_if<TableRef>(&found);
    const Value element = rows ? rows_of(checker, *rows->table, expr.range) : to_value(checker, found, expr.range);
    if (tuples_are_rows && element.is_tuple()) return flatten_table(checker, element, depth, extents, elements);
    elements.push_back(element);
    return element.known() && depth == extents.size();
  }
  const std::vector<ast::ExprPtr>& rows = list ? list->elements : tuple->elements;
  const auto count = static_cast<std::int64_t>(rows.size());
  if (depth == extents.size()) {
    if (!elements.empty() || depth == static_cast<std::size_t>(kMaximumRank)) return false;
    extents.push_back(count);
  }
  if (extents[depth] != count) return false;
  return std::all_of(rows.begin(), rows.end(), [&](const ast::ExprPtr& row) {
    return list_elements(checker, *row, tuples_are_rows, depth + 1, extents, elements);
  });
}

std::optional<ElementType> common_element_type(FunctionChecker& checker, const std::vector<Value>& elements,
                                               SourceRange range) {
  if (elements.empty()) return ElementType(ScalarType::F64);
  if (elements.front().is_record() && !elements.front().is_complex())
    return ElementType(elements.front().type()->record);
  bool is_complex = false;
  std::vector<Value> parts;
  for (const Value& element : elements) {
    is_complex |= element.is_complex();
    if (!element.is_complex() && !require_scalar(checker, element, "an element")) return std::nullopt;
    parts.push_back(part_of(checker, element));
  }
  const std::optional<Unified> unified = unify_all(checker, parts, checker.rules->join, range);
  if (!unified) return std::nullopt;
  if (!is_complex) return ElementType(unified->type);
  return ElementType(complex_type(unified->type == ScalarType::F32 ? ScalarType::F32 : ScalarType::F64));
}

/// Without `dtype`, of the type that all have in common.
Entity table_of_elements(FunctionChecker& checker, Extents extents, const std::vector<Value>& elements,
                         const ElementType* dtype, SourceRange range) {
  const std::optional<ElementType> type = dtype ? *dtype : common_element_type(checker, elements, range);
  if (!type) return Unknown{};
  Table table{.name = "", .type = {*type, Layout::RowMajor, std::move(extents)}, .bytes = {}};
  for (const Value& element : elements)
    if (!append_constant(checker, element, *type, table.bytes, element.range())) return Unknown{};
  return TableRef{add_table(checker.module, std::move(table))};
}

Entity array_of_object(FunctionChecker& checker, const Arguments& arguments, SourceRange range) {
  const std::optional<ElementType> type = arguments[1] ? dtype(checker, *arguments[1]) : std::nullopt;
  if (arguments[1] && !type) return Unknown{};
  const ast::Expr& object = *arguments[0];
  if (object.as<ast::List>() || object.as<ast::Tuple>()) return table(checker, object, type ? &*type : nullptr);
  const Entity found = checker.entity(object);
  if (const auto* given = std::get_if<TableRef>(&found))
    return type ? converted_constants(checker, *given->table, *type, range) : found;
  const auto* value = std::get_if<Value>(&found);
  if (value && value->is_tuple()) return table_of(checker, *value, type ? &*type : nullptr, object.range);
  if (value && (value->is_scalar() || value->is_complex()))
    return table_of_elements(checker, {}, {*value}, type ? &*type : nullptr, object.range);
  if (!std::holds_alternative<Unknown>(found))
    checker.report(object.range, DiagnosticId::NotATable, describe(found))
        .note("give it a list, or an array of the module");
  return Unknown{};
}

}  // namespace

Entity call_array_function(FunctionChecker& checker, LanguageFunction id, const ast::Call& call, SourceRange range) {
  const struct {
    LanguageFunction id;
    std::span<const std::string_view> parameters;
    std::size_t required;
    Entity (*make)(FunctionChecker&, const Arguments&, SourceRange);
  } kFunctions[] = {
      {LanguageFunction::NumpyArray, kObject, 1, &array_of_object},
      {LanguageFunction::NumpyZeros, kShape, 1, &constant_zeros},
      {LanguageFunction::NumpyOnes, kShape, 1, &constant_ones},
      {LanguageFunction::NumpyFull, kShapeAndValue, 2, &constant_full},
      {LanguageFunction::NumpyZerosLike, kModel, 1, &constant_zeros_like},
      {LanguageFunction::NumpyOnesLike, kModel, 1, &constant_ones_like},
      {LanguageFunction::NumpyFullLike, kModelAndValue, 2, &constant_full_like},
      {LanguageFunction::NumpyArange, kRange, 1, &constant_arange},
      {LanguageFunction::NumpyLinspace, kDistances, 2, &constant_linspace},
      {LanguageFunction::NumpyEye, kSides, 1, &constant_eye},
      {LanguageFunction::NumpyDtype, kRecord, 1, &call_dtype},
  };
  const std::string name(checker.scope.file().text(call.function->range));
  if (checker.function && info(id).kind == LanguageFunctionKind::ModuleFunction) {
    checker.report(range, DiagnosticId::UnsupportedInKernel, as_code(name) + ", which makes an array,")
        .note("use `local.array` or `shared.array`, or make a constant array at the top level of the module");
    return Unknown{};
  }
  for (const auto& row : kFunctions) {
    if (row.id != id) continue;
    const auto arguments = bind_arguments(checker, call, range, name, row.parameters, row.required, info(id).signature);
    return arguments ? row.make(checker, *arguments, range) : Entity(Unknown{});
  }
  return Unknown{};
}

// ---- their types ----

/// `np.float32`, or fields: `[("x", np.float32), ("w", np.int16, (3,))]`
std::optional<ElementType> dtype(FunctionChecker& checker, const ast::Expr& expr) {
  const auto* list = expr.as<ast::List>();
  if (!list) return element_type(checker, expr);
  RecordType record{"record", RecordType::Kind::Struct};
  std::int64_t numbers = 0;
  for (const ast::ExprPtr& row : list->elements) {
    std::optional<RecordField> field = field_of_dtype(checker, *row);
    const bool is_new = field && !record.find(field->name);
    if (field && is_new) numbers += field->count();
    if (!is_new || numbers > static_cast<std::int64_t>(kMostNumbers)) {
      checker
          .report(row->range, DiagnosticId::ArgumentValue, "np.dtype",
                  "a list of fields: different names, with types and perhaps shapes")
          .note("write `[(\"x\", np.float32), (\"w\", np.int16, (3,))]`; a record has at most " +
                std::to_string(kMostNumbers) + " numbers");
      return std::nullopt;
    }
    record.fields.push_back(*std::move(field));
  }
  return ElementType(lay_out(std::move(record)));
}

Entity table(FunctionChecker& checker, const ast::Expr& expr, const ElementType* dtype) {
  const bool is_of_records = dtype && dtype->is_record() && dtype->record->kind == RecordType::Kind::Struct;
  Extents extents;
  std::vector<Value> elements;
  if (list_elements(checker, expr, !is_of_records, 0, extents, elements))
    return table_of_elements(checker, std::move(extents), elements, dtype, expr.range);
  if (std::all_of(elements.begin(), elements.end(), [](const Value& element) { return element.known(); }))
    checker.report(expr.range, DiagnosticId::NotATable, "rows of different lengths")
        .note("rows of equal length, of constant numbers, make a table");
  return Unknown{};
}

Entity table_of(FunctionChecker& checker, const Value& nested, const ElementType* dtype, SourceRange range) {
  Extents extents;
  std::vector<Value> numbers;
  if (nested.is_tuple() && flatten_table(checker, nested, 0, extents, numbers))
    return table_of_elements(checker, std::move(extents), numbers, dtype, range);
  checker.report(range, DiagnosticId::NotATable, describe(nested))
      .note("rows of equal length, of constant numbers, make a table");
  return Unknown{};
}

}  // namespace pykc::checker
