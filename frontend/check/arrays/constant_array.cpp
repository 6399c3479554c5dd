// Arrays of constants, at the top level of a module: operators and functions of NumPy work element by element, each as
// on numbers of the language, in the type that NumPy 2 computes in.
#include "frontend/check/arrays/constant_array.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/budget.h"
#include "base/promotion.h"
#include "base/text.h"
#include "frontend/check/arrays/array_function.h"
#include "frontend/check/arrays/constant_table.h"
#include "frontend/check/arrays/index.h"
#include "frontend/check/arrays/view.h"
#include "frontend/check/calls/call.h"
#include "frontend/check/calls/ufunc.h"
#include "frontend/check/calls/ufuncs.h"
#include "frontend/check/expressions/compare.h"
#include "frontend/check/expressions/complex.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/expressions/operator.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/module_checker.h"
#include "frontend/check/types/convert.h"

namespace pykc::checker {

using checked::Type;

namespace {

/// How an operand enters NumPy's promotion.
struct NumpyType {
  ScalarType part;  // of a complex number, its parts
  bool is_complex;
  bool is_weak;  // a Python number

  ElementType element() const { return is_complex ? ElementType(complex_type(part)) : ElementType(part); }
};

bool is_number(const ElementType& type) { return !type.is_record() || type.record->kind == RecordType::Kind::Complex; }

NumpyType numpy_type(const ElementType& type, bool is_weak) {
  if (!type.is_record()) return {type.scalar, false, is_weak};
  return {type.record->fields.front().type.scalar, true, is_weak};
}

/// Python numbers take the type of an array, but for a float among integers.
ScalarType joined_part(const NumpyType& a, const NumpyType& b) {
  if (a.is_weak == b.is_weak) return promote(a.part, b.part);
  const ScalarType strong = a.is_weak ? b.part : a.part, weak = a.is_weak ? a.part : b.part;
  if (is_float(weak)) return is_float(strong) ? strong : ScalarType::F64;
  return strong == ScalarType::Bool ? promote(strong, weak) : strong;
}

NumpyType joined(const NumpyType& a, const NumpyType& b) {
  const bool is_complex = a.is_complex || b.is_complex;
  const ScalarType part = joined_part(a, b);
  return {is_complex ? promote(part, ScalarType::F32) : part, is_complex, a.is_weak && b.is_weak};
}

/// The type of the results: integers stay as narrow as they came.
ElementType result_type(const Value& first, const ElementType& computed) {
  if (first.is_record()) return first.type()->record;
  const bool widened = is_integer(first.scalar()) && !computed.is_record() && is_integer_or_bool(computed.scalar);
  return widened ? computed : ElementType(first.scalar());
}

bool is_table(const Entity& entity) { return std::holds_alternative<TableRef>(entity); }

/// The number or record that lies there.
Value constant_at(FunctionChecker& checker, const char* bytes, const ElementType& type, SourceRange range) {
  spend_time();
  if (!type.is_record()) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes, static_cast<std::size_t>(size_in_bytes(type)));
    return TreeBuilder::strong(checker.tree.bits(type.scalar, bits, range));
  }
  std::vector<Value> fields;
  for (const RecordField& field : type.record->fields) {
    std::vector<Value> elements;
    for (std::int64_t i = 0; i < field.count(); ++i)
      elements.push_back(constant_at(checker, bytes + field.offset + i * size_in_bytes(field.type), field.type, range));
    fields.push_back(field.extents.empty() ? elements.front() : checker.tree.tuple(std::move(elements), range));
  }
  return checker.tree.record(type.record, std::move(fields), range);
}

/// The elements of a field that is an array; a field that is none, itself.
void flatten(FunctionChecker& checker, const Value& value, const RecordField& field, std::vector<Value>& elements) {
  if (field.extents.empty() || !value.is_tuple()) return elements.push_back(value);
  for (const Value& part : take_apart(checker, value)) flatten(checker, part, field, elements);
}

/// The value as NumPy casts it.
Value numpy_cast(FunctionChecker& checker, const Value& value, const ElementType& type, SourceRange range) {
  if (!value.known() || !type.is_record()) return cast_value(checker, value, type.scalar, range);
  return to_complex(checker, value, type.record->fields.front().type.scalar, range);
}

/// `apply` on the elements of arrays and on numbers, which are repeated to one shape. `computing` gives the type to
/// compute in of what the operands have in common.
Entity elementwise(FunctionChecker& checker, std::span<const Entity> operands, ScalarType (*computing)(ScalarType),
                   SourceRange range, const std::function<Value(const std::vector<Value>&)>& apply) {
  std::optional<NumpyType> common;
  Extents extents;
  for (const Entity& operand : operands) {
    const auto* table = std::get_if<TableRef>(&operand);
    const auto* value = std::get_if<Value>(&operand);
    if (std::holds_alternative<Unknown>(operand) || (value && !value->known())) return Unknown{};
    const bool is_constant = value && (value->is_constant() || value->is_complex());
    if (table ? !is_number(table->table->type.element) || table->table->host.has_value() : !is_constant) {
      checker.report(range, DiagnosticId::NotATable, describe(operand))
          .note("arithmetic of a module is on constant numbers");
      return Unknown{};
    }
    const ElementType type = table                ? table->table->type.element
                             : value->is_scalar() ? ElementType(value->scalar())
                                                  : ElementType(value->type()->record);
    const NumpyType entering = numpy_type(type, value && value->is_weak());
    common = common ? joined(*common, entering) : entering;
    const std::optional<Extents> both = broadcast(extents, table ? table->table->type.extents : Extents());
    if (!both) {
      const ArrayType first{common->element(), Layout::RowMajor, extents};
      checker.report(range, DiagnosticId::ArrayShapes, to_string(first), to_string(table->table->type))
          .note("arrays of a module are repeated as NumPy repeats them: along dimensions of extent 1");
      return Unknown{};
    }
    if (count_elements(*both) > kMostConstantElements) {
      report_too_many_constants(checker, range);
      return Unknown{};
    }
    extents = *both;
  }
  common->part = computing(common->part);
  const ElementType computed = common->element();
  std::vector<Table> tables;
  std::vector<Value> numbers;
  for (const Entity& operand : operands) {
    const auto* table = std::get_if<TableRef>(&operand);
    tables.push_back(table ? repeated(*table->table, extents) : Table());
    numbers.push_back(table ? Value() : numpy_cast(checker, std::get<Value>(operand), computed, range));
    if (!table && !numbers.back().known()) return Unknown{};
  }
  Table result{.name = "", .type = {computed, Layout::RowMajor, extents}, .bytes = {}};
  for (std::int64_t i = 0; i < count_elements(extents); ++i) {
    const std::size_t mark = checker.tree.mark();
    std::vector<Value> inputs;
    for (std::size_t k = 0; k < operands.size(); ++k)
      inputs.push_back(is_table(operands[k])
                           ? numpy_cast(checker, constant_at(checker, tables[k], i, range), computed, range)
                           : numbers[k]);
    const Value made = apply(inputs);
    if (!made.known()) return Unknown{};
    if (i == 0) result.type.element = result_type(made, computed);
    if (!append_constant(checker, numpy_cast(checker, made, result.type.element, range), result.type.element,
                         result.bytes, range))
      return Unknown{};
    checker.tree.release(mark);
  }
  return TableRef{add_table(checker.module, std::move(result))};
}

ScalarType as_they_are(ScalarType type) { return type; }
ScalarType quotient_type(ScalarType type) { return is_float(type) ? type : ScalarType::F64; }

Entity constant_field(FunctionChecker& checker, const Table& table, std::string_view name, SourceRange range) {
  const ElementType& element = table.type.element;
  if (const RecordField* field = element.is_record() ? element.record->find(name) : nullptr)
    return TableRef{add_table(checker.module, field_of(table, *field))};
  checker.report(range, DiagnosticId::UnknownAttribute, "an array of " + to_string(element), name);
  return Unknown{};
}

Table reversed_axes(const Table& table) {
  Extents extents = table.type.extents, strides = dense_strides(extents);
  std::reverse(extents.begin(), extents.end());
  std::reverse(strides.begin(), strides.end());
  return gathered(table, std::move(extents), strides, 0);
}

Entity reshaped_constants(FunctionChecker& checker, const Table& table, const std::vector<Value>& given,
                          SourceRange range) {
  const std::int64_t size = count_elements(table.type.extents);
  Extents extents;
  std::int64_t known = 1;
  std::optional<std::size_t> open;
  for (const Value& extent : given) {
    const bool is_right = extent.is_constant() && is_integer(extent.scalar());
    const std::int64_t count = is_right ? static_cast<std::int64_t>(integer_of(*extent.expr)) : -2;
    if (count == -1 && !open)
      open = extents.size();
    else if (count < 0 || count > kMostConstantElements || (known *= count) > kMostConstantElements)
      known = -1;
    extents.push_back(count);
    if (known < 0) break;
  }
  const bool fits = known > 0 ? (open ? size % known == 0 : size == known) : known == 0 && !open && size == 0;
  if (!fits || extents.size() > static_cast<std::size_t>(kMaximumRank)) {
    checker.report(range, DiagnosticId::ReshapeSize, to_string(table.type))
        .note("the product of the extents is the number of elements; one of them may be -1, for what is left");
    return Unknown{};
  }
  if (open) extents[*open] = size / known;
  return TableRef{add_table(checker.module, with_extents(table, std::move(extents)))};
}

}  // namespace

bool has_table(const FunctionChecker& checker, std::span<const Entity> operands) {
  return !checker.function && std::any_of(operands.begin(), operands.end(), is_table);
}

Value constant_at(FunctionChecker& checker, const Table& table, std::int64_t index, SourceRange range) {
  const ElementType& type = table.type.element;
  return constant_at(checker, table.bytes.data() + index * size_in_bytes(type), type, range);
}

/// Puts the value, converted, behind the bytes. False, and a report, for what is no constant of that type.
bool append_constant(FunctionChecker& checker, const Value& value, const ElementType& type, std::string& bytes,
                     SourceRange range) {
  if (!value.known()) return false;
  if (!type.is_record()) {
    const Expr* converted = require_scalar(checker, value, "an element")
                                ? convert_for_assignment(checker, value, type.scalar, range)
                                : nullptr;
    const auto* constant = converted ? converted->as<checked::Constant>() : nullptr;
    if (converted && !constant) checker.report(range, DiagnosticId::NotConstant, "an element of an array of a module");
    if (!constant) return false;
    bytes.append(reinterpret_cast<const char*>(&constant->bits), static_cast<std::size_t>(size_in_bytes(type)));
    return true;
  }
  const RecordType& record = *type.record;
  const bool is_complex = record.kind == RecordType::Kind::Complex;
  if (is_complex && !value.is_complex() && !require_scalar(checker, value, "an element")) return false;
  const Value whole = is_complex        ? to_complex(checker, value, record.fields.front().type.scalar, range)
                      : value.is_text() ? convert_to(checker, value, InferredType::of(checker.types.of(type)), range)
                                        : value;
  if (!whole.known()) return false;
  const std::vector<Value> parts =
      whole.is_tuple() || whole.is_record() ? take_apart(checker, whole) : std::vector<Value>();
  if (parts.size() != record.fields.size()) {
    checker.report(range, DiagnosticId::TypeMismatch, to_string(type), describe(value))
        .note("a record is a tuple of " + std::to_string(record.fields.size()) + " values");
    return false;
  }
  const std::size_t start = bytes.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const RecordField& field = record.fields[i];
    bytes.resize(start + static_cast<std::size_t>(field.offset), '\0');
    std::vector<Value> elements;
    flatten(checker, parts[i], field, elements);
    if (static_cast<std::int64_t>(elements.size()) != field.count()) {
      checker.report(range, DiagnosticId::TypeMismatch, to_string(type), describe(value))
          .note("the field " + as_code(field.name) + " has " + std::to_string(field.count()) + " elements");
      return false;
    }
    for (const Value& element : elements)
      if (!append_constant(checker, element, field.type, bytes, range)) return false;
  }
  bytes.resize(start + static_cast<std::size_t>(record.bytes), '\0');
  return true;
}

void report_too_many_constants(FunctionChecker& checker, SourceRange range) {
  checker.report(range, DiagnosticId::ArrayShape, "a constant array",
                 "small enough: it has at most " + std::to_string(kMostConstantElements) + " elements");
}

Entity constant_binary(FunctionChecker& checker, ast::BinaryOp op, const Entity& left, const Entity& right,
                       SourceRange range) {
  return elementwise(checker, std::array{left, right}, op == ast::BinaryOp::Div ? quotient_type : as_they_are, range,
                     [&](const std::vector<Value>& x) { return binary(checker, op, x[0], x[1], range); });
}

Entity constant_unary(FunctionChecker& checker, ast::UnaryOp op, const Entity& operand, SourceRange range) {
  return elementwise(checker, std::array{operand}, as_they_are, range,
                     [&](const std::vector<Value>& x) { return unary(checker, op, x[0], range); });
}

Entity constant_compare(FunctionChecker& checker, ast::CompareOp op, const Entity& left, const Entity& right,
                        SourceRange range) {
  return elementwise(checker, std::array{left, right}, as_they_are, range,
                     [&](const std::vector<Value>& x) { return compare(checker, op, x[0], x[1], range); });
}

Entity constant_ufunc(FunctionChecker& checker, const Ufunc& ufunc, std::span<const Entity> operands,
                      SourceRange range) {
  const auto* builtin = std::get_if<BuiltinId>(&ufunc.function);
  const auto* op = std::get_if<ast::BinaryOp>(&ufunc.function);
  const bool is_of_floats = builtin && checker.module.signature(*builtin).parameters.front().type.letter == 'F';
  const bool divides = op && *op == ast::BinaryOp::Div;
  return elementwise(checker, operands,
                     is_of_floats ? float_type_for
                     : divides    ? quotient_type
                                  : as_they_are,
                     range, [&](const std::vector<Value>& x) { return apply(checker, ufunc, x, range); });
}

// ---- parts, attributes, methods ----

/// `A[1:, 0]`, `A['x']`
Entity index_constants(FunctionChecker& checker, const Table& table, const ast::Expr& index, SourceRange range) {
  using Kind = IndexItem::Kind;
  if (const auto* name = index.as<ast::StringLiteral>())
    return constant_field(checker, table, name->value, index.range);
  const std::optional<std::vector<IndexItem>> items = index_items(checker, index);
  if (!items) return Unknown{};
  const Extents &given = table.type.extents, dense = dense_strides(given);
  const auto is_taking = [](const IndexItem& item) { return item.kind == Kind::Position || item.kind == Kind::Slice; };
  const auto taken = static_cast<std::size_t>(std::count_if(items->begin(), items->end(), is_taking));
  if (taken > given.size()) {
    checker.report(range, DiagnosticId::IndexCount, "the array", given.size(), taken);
    return Unknown{};
  }
  Extents extents, strides;
  std::int64_t offset = 0;
  std::size_t dimension = 0;
  const auto take_whole = [&](std::size_t count) {
    for (; count > 0; --count, ++dimension) {
      extents.push_back(given[dimension]);
      strides.push_back(dense[dimension]);
    }
  };
  bool has_ellipsis = false;
  for (const IndexItem& item : *items) {
    if (item.kind == Kind::Ellipsis) take_whole(std::exchange(has_ellipsis, true) ? 0 : given.size() - taken);
    if (item.kind == Kind::NewAxis) extents.push_back(1), strides.push_back(0);
    if (item.kind == Kind::Slice) {
      const Positions positions = positions_of(item.slice, given[dimension]);
      offset += static_cast<std::int64_t>(positions.start) * dense[dimension];
      extents.push_back(static_cast<std::int64_t>(positions.count));
      strides.push_back(static_cast<std::int64_t>(positions.step) * dense[dimension++]);
    }
    if (item.kind != Kind::Position) continue;
    if (!item.position.is_constant() || !is_integer(item.position.scalar())) {
      checker.report(item.range, DiagnosticId::IndexType, describe(item.position));
      return Unknown{};
    }
    const Int128 written = integer_of(*item.position.expr), extent = given[dimension];
    if (written >= extent || written < -extent) {
      checker.report(item.range, DiagnosticId::IndexOutOfRange, checker.scope.file().text(item.range), "the array",
                     given[dimension]);
      return Unknown{};
    }
    offset += static_cast<std::int64_t>(written < 0 ? written + extent : written) * dense[dimension++];
  }
  take_whole(given.size() - dimension);
  Table part = gathered(table, std::move(extents), strides, offset);
  if (part.type.extents.empty()) return constant_at(checker, part, 0, range);
  return TableRef{add_table(checker.module, std::move(part))};
}

Entity constant_attribute(FunctionChecker& checker, const Table& table, const ast::Attribute& node, SourceRange range) {
  const std::string_view name = node.name;
  const Extents& extents = table.type.extents;
  const std::int64_t size = count_elements(extents), item = size_in_bytes(table.type.element);
  if (name == "ndim") return checker.tree.weak_integer(table.type.rank(), range);
  if (name == "size") return checker.tree.weak_integer(size, range);
  if (name == "itemsize") return checker.tree.weak_integer(item, range);
  if (name == "nbytes") return checker.tree.weak_integer(size * item, range);
  if (name == "dtype") return TypeRef{table.type.element};
  if (name == "T") return TableRef{add_table(checker.module, reversed_axes(table))};
  if (name == "real" && !table.type.element.is_record()) return TableRef{add_table(checker.module, table)};
  if (name == "shape") {
    std::vector<Value> numbers;
    for (const std::int64_t extent : extents) numbers.push_back(checker.tree.weak_integer(extent, range));
    return checker.tree.tuple(std::move(numbers), range);
  }
  return constant_field(checker, table, name, node.name_range);
}

Entity converted_constants(FunctionChecker& checker, const Table& table, const ElementType& type, SourceRange range) {
  Table result{.name = "", .type = {type, Layout::RowMajor, table.type.extents}, .bytes = {}};
  for (std::int64_t i = 0; i < count_elements(table.type.extents); ++i) {
    const std::size_t mark = checker.tree.mark();
    const Value element = constant_at(checker, table, i, range);
    const bool is_cast = is_number(type) && (type.is_record() || element.is_scalar());
    if (!append_constant(checker, is_cast ? numpy_cast(checker, element, type, range) : element, type, result.bytes,
                         range))
      return Unknown{};
    checker.tree.release(mark);
  }
  return TableRef{add_table(checker.module, std::move(result))};
}

/// `A.astype(np.float32)`, `A.reshape(3, -1)`, `A.T` and their kin.
Entity call_constant_method(FunctionChecker& checker, const Table& table, const ast::Call& call, SourceRange range) {
  const auto& method = *call.function->as<ast::Attribute>();
  const std::string_view name = method.name;
  if (name == "astype") {
    constexpr std::string_view kParameters[] = {"dtype"};
    const auto arguments = bind_arguments(checker, call, range, name, kParameters, 1, "(dtype)");
    const std::optional<ElementType> type = arguments ? dtype(checker, *(*arguments)[0]) : std::nullopt;
    return type ? converted_constants(checker, table, *type, range) : Entity(Unknown{});
  }
  if (!has_no_keywords(checker, call, as_code(name))) return Unknown{};
  std::optional<std::vector<Value>> listed = listed_arguments(checker, call);
  if (!listed) return Unknown{};
  std::vector<Value>& given = *listed;
  if (name == "reshape" && !given.empty()) return reshaped_constants(checker, table, given, range);
  if (given.empty()) {
    const Table flat = with_extents(table, {count_elements(table.type.extents)});
    if (name == "ravel" || name == "flatten") return TableRef{add_table(checker.module, flat)};
    if (name == "copy" || name == "tolist")
      return TableRef{add_table(checker.module, with_extents(table, table.type.extents))};
    if (name == "transpose") return TableRef{add_table(checker.module, reversed_axes(table))};
  }
  checker.report(method.name_range, DiagnosticId::UnknownAttribute, "a constant array", name)
      .note("it has astype, reshape, ravel, flatten, transpose, copy and tolist; the rest is for host functions");
  return Unknown{};
}

}  // namespace pykc::checker
