#include "script/functions/records.h"

#include <algorithm>

#include "frontend/program/signature.h"
#include "script/arithmetic/array_from.h"
#include "script/arithmetic/promote.h"
#include "script/arithmetic/reductions.h"
#include "script/functions/format.h"
#include "script/functions/indexing.h"
#include "script/values/text.h"

namespace pykc::script {
namespace {

std::vector<std::string_view> names_of(const RecordType& type) {
  std::vector<std::string_view> names;
  for (const RecordField& field : type.fields) names.push_back(field.name);
  return names;
}

/// The numbers of a vector, one by one.
Outcome<std::vector<Value>> components(const std::vector<Value>& given) {
  std::vector<Value> values;
  for (const Value& value : given) {
    const ArrayRef* array = value.as<ArrayRef>();
    if (!array || !(*array)->record || (*array)->rank() > 0) {
      values.push_back(value);
      continue;
    }
    for (const RecordField& field : (*array)->record->fields) {
      ASSIGN_OR_RETURN(const ArrayRef part, field_view(**array, field.name));
      values.push_back(Value(part));
    }
  }
  return values;
}

/// The real or the imaginary part of a number or of an array of them.
Outcome<Value> part(const Value& number, int which) {
  const ArrayRef* array = number.as<ArrayRef>();
  if (array && (*array)->record) return field_of(**array, which == 0 ? "real" : "imag");
  if (which == 0) return number;
  if (array) return make_array((*array)->type, (*array)->shape, Order::RowMajor, Scalar{(*array)->type, 0});
  if (const auto* scalar = number.as<Scalar>()) return Value(Scalar{scalar->type, 0});
  return number.is<double>() ? Value(0.0) : Value(std::int64_t{0});
}

Outcome<ArrayRef> complex_array(const Value& real, const Value& imaginary, const RecordRef& type) {
  ASSIGN_OR_RETURN(const ArrayRef a, to_array(real, ScalarType::F64));
  ASSIGN_OR_RETURN(const ArrayRef b, to_array(imaginary, ScalarType::F64));
  ASSIGN_OR_RETURN(Shape shape, broadcast_shapes(a->shape, b->shape));
  ASSIGN_OR_RETURN(const ArrayRef result, make_array(ElementType(type), std::move(shape)));
  RETURN_IF_FAILED(set_field(*result, "real", Value(a)));
  RETURN_IF_FAILED(set_field(*result, "imag", Value(b)));
  return result;
}

/// Whether each record equals its partner.
Outcome<Value> equal_records(const Array& left, const Array& right) {
  Value all(true);
  for (const RecordField& field : left.record->fields) {
    ASSIGN_OR_RETURN(const Value a, field_of(left, field.name));
    ASSIGN_OR_RETURN(const Value b, field_of(right, field.name));
    ASSIGN_OR_RETURN(Value same, field.type.is_record() ? apply_to_records(BinaryFunction::Equal, a, b)
                                                        : apply(BinaryFunction::Equal, a, b));
    // An array in a record is equal where all its elements are.
    for (std::size_t i = 0; i < field.extents.size(); ++i) {
      ASSIGN_OR_RETURN(const ArrayRef flags, to_array(same, ScalarType::Bool));
      ASSIGN_OR_RETURN(const ArrayRef every,
                       reduce(Reduction::All, "all", flags, Axes(std::vector<std::size_t>{flags->rank() - 1}), false));
      same = Value(every);
    }
    ASSIGN_OR_RETURN(all, apply(BinaryFunction::LogicalAnd, all, same));
  }
  return all;
}

struct ComplexParts {
  Value a, b, c, d;  // (a + bi) and (c + di)
};

/// A quotient by Smith's rule, as kernels divide: no part is squared, which could overflow.
Outcome<std::pair<Value, Value>> quotient(const ComplexParts& p) {
  using enum BinaryFunction;
  ASSIGN_OR_RETURN(const Value c_size, apply(UnaryFunction::Abs, p.c));
  ASSIGN_OR_RETURN(const Value d_size, apply(UnaryFunction::Abs, p.d));
  ASSIGN_OR_RETURN(const Value is_real, apply(GreaterEqual, c_size, d_size));  // rather than imaginary
  ASSIGN_OR_RETURN(const Value large, where(is_real, p.c, p.d));
  ASSIGN_OR_RETURN(const Value small, where(is_real, p.d, p.c));
  ASSIGN_OR_RETURN(const Value ratio, apply(TrueDivide, small, large));
  ASSIGN_OR_RETURN(const Value rest, apply(Multiply, small, ratio));
  ASSIGN_OR_RETURN(const Value divisor, apply(Add, large, rest));
  ASSIGN_OR_RETURN(const Value a_part, apply(Multiply, p.a, ratio));
  ASSIGN_OR_RETURN(const Value b_part, apply(Multiply, p.b, ratio));
  const auto part = [&](BinaryFunction joins, const Value& x, const Value& y, const Value& u,
                        const Value& v) -> Outcome<Value> {
    ASSIGN_OR_RETURN(const Value first, apply(joins, x, y));
    ASSIGN_OR_RETURN(const Value second, apply(joins, u, v));
    ASSIGN_OR_RETURN(const Value chosen, where(is_real, first, second));
    return apply(TrueDivide, chosen, divisor);
  };
  ASSIGN_OR_RETURN(Value real, part(Add, p.a, b_part, a_part, p.b));
  ASSIGN_OR_RETURN(Value imaginary, part(Subtract, p.b, a_part, b_part, p.a));
  return std::pair(std::move(real), std::move(imaginary));
}

/// Sums, products and quotients of parts by the rules of elementwise arithmetic.
Outcome<std::pair<Value, Value>> combine(BinaryFunction function, const ComplexParts& p) {
  const auto both = [](BinaryFunction f, const Value& x, const Value& y) { return apply(f, x, y); };
  using enum BinaryFunction;
  if (function == Add || function == Subtract) {
    ASSIGN_OR_RETURN(Value real, both(function, p.a, p.c));
    ASSIGN_OR_RETURN(Value imaginary, both(function, p.b, p.d));
    return std::pair(std::move(real), std::move(imaginary));
  }
  if (function == TrueDivide) return quotient(p);
  ASSIGN_OR_RETURN(const Value ac, both(Multiply, p.a, p.c));
  ASSIGN_OR_RETURN(const Value bd, both(Multiply, p.b, p.d));
  ASSIGN_OR_RETURN(const Value ad, both(Multiply, p.a, p.d));
  ASSIGN_OR_RETURN(const Value bc, both(Multiply, p.b, p.c));
  ASSIGN_OR_RETURN(Value real, both(Subtract, ac, bd));
  ASSIGN_OR_RETURN(Value imaginary, both(Add, bc, ad));
  return std::pair(std::move(real), std::move(imaginary));
}

Failure no_operator(BinaryFunction function, const Value& left, const Value& right) {
  return fail(DiagnosticId::HostOperandTypes, spelling(function), describe(left), describe(right));
}

bool is_complex_or_number(const Value& value) { return is_complex(value) || operand_type(value).has_value(); }

bool are_of_one_record_type(const Value& left, const Value& right) {
  return has_records(left) && has_records(right) && (*left.as<ArrayRef>())->record == (*right.as<ArrayRef>())->record;
}

/// `base ** exponent` by products alone.
Outcome<Value> whole_power(const Value& base, std::int64_t exponent) {
  using enum BinaryFunction;
  const RecordRef& type = (*base.as<ArrayRef>())->record;
  ASSIGN_OR_RETURN(const ArrayRef one, to_records(Value(1.0), type));
  Value result = Value(one), square = base;
  for (std::uint64_t left = exponent < 0 ? -static_cast<std::uint64_t>(exponent) : exponent; left != 0; left /= 2) {
    if (left % 2 != 0) {
      ASSIGN_OR_RETURN(result, apply_to_records(Multiply, result, square));
    }
    if (left > 1) {
      ASSIGN_OR_RETURN(square, apply_to_records(Multiply, square, square));
    }
  }
  return exponent < 0 ? apply_to_records(TrueDivide, Value(one), result) : result;
}

}  // namespace

bool has_records(const Value& value) {
  const ArrayRef* array = value.as<ArrayRef>();
  return array && (*array)->record;
}

bool is_complex(const Value& value) {
  return has_records(value) && (*value.as<ArrayRef>())->record->kind == RecordType::Kind::Complex;
}

Outcome<Value> complex_of(const Value& real, const Value& imaginary) {
  const std::optional<OperandType> type = operand_type(real);
  const bool is_single = type && type->weakness == OperandType::Weakness::Strong && size_in_bytes(type->type) <= 4;
  return complex_array(real, imaginary, complex_type(is_single ? ScalarType::F32 : ScalarType::F64));
}

Outcome<Value> magnitude(const Value& complex) {
  ASSIGN_OR_RETURN(const Value real, part(complex, 0));
  ASSIGN_OR_RETURN(const Value imaginary, part(complex, 1));
  return apply(BinaryFunction::Hypot, real, imaginary);
}

Outcome<Value> conjugate(const Value& complex) {
  ASSIGN_OR_RETURN(const Value real, part(complex, 0));
  ASSIGN_OR_RETURN(const Value imaginary, part(complex, 1));
  ASSIGN_OR_RETURN(const Value negative, apply(UnaryFunction::Negate, imaginary));
  return complex_array(real, negative, (*complex.as<ArrayRef>())->record);
}

Outcome<Value> negate_records(const Value& value) {
  if (!is_complex(value)) return fail(DiagnosticId::HostOperandType, "-", describe(value));
  ASSIGN_OR_RETURN(const Value real, part(value, 0));
  ASSIGN_OR_RETURN(const Value imaginary, part(value, 1));
  ASSIGN_OR_RETURN(const Value negative_real, apply(UnaryFunction::Negate, real));
  ASSIGN_OR_RETURN(const Value negative_imaginary, apply(UnaryFunction::Negate, imaginary));
  return complex_array(negative_real, negative_imaginary, (*value.as<ArrayRef>())->record);
}

bool can_be_equal(const Value& left, const Value& right) {
  return common_text_type(text_type_of(left), text_type_of(right)) || are_of_one_record_type(left, right) ||
         (is_complex_or_number(left) && is_complex_or_number(right));
}

Outcome<Value> apply_to_records(BinaryFunction function, const Value& left, const Value& right) {
  using enum BinaryFunction;
  const bool compares = function == Equal || function == NotEqual;
  const bool computes = function == Add || function == Subtract || function == Multiply || function == TrueDivide;
  if (const RecordRef type = common_text_type(text_type_of(left), text_type_of(right)); type && compares) {
    ASSIGN_OR_RETURN(const ArrayRef a, to_records(left, type));
    ASSIGN_OR_RETURN(const ArrayRef b, to_records(right, type));
    ASSIGN_OR_RETURN(Value same, equal_records(*a, *b));
    return function == Equal ? same : apply(Equal, same, Value(false));
  }
  if (function == Power && is_complex(left) && as_integer(right)) return whole_power(left, *as_integer(right));
  const bool are_complex = is_complex_or_number(left) && is_complex_or_number(right);
  if (compares && are_of_one_record_type(left, right)) {
    ASSIGN_OR_RETURN(Value same, equal_records(**left.as<ArrayRef>(), **right.as<ArrayRef>()));
    return function == Equal ? same : apply(Equal, same, Value(false));
  }
  if (!are_complex || !(compares || computes)) return no_operator(function, left, right);
  if (function == TrueDivide && !has_records(right)) {
    ASSIGN_OR_RETURN(const Value left_real, part(left, 0));
    ASSIGN_OR_RETURN(const Value left_imaginary, part(left, 1));
    ASSIGN_OR_RETURN(const Value real, apply(TrueDivide, left_real, right));
    ASSIGN_OR_RETURN(const Value imaginary, apply(TrueDivide, left_imaginary, right));
    return complex_of(real, imaginary);
  }
  ComplexParts parts;
  ASSIGN_OR_RETURN(parts.a, part(left, 0));
  ASSIGN_OR_RETURN(parts.b, part(left, 1));
  ASSIGN_OR_RETURN(parts.c, part(right, 0));
  ASSIGN_OR_RETURN(parts.d, part(right, 1));
  if (compares) {
    ASSIGN_OR_RETURN(const Value real, apply(Equal, parts.a, parts.c));
    ASSIGN_OR_RETURN(const Value imaginary, apply(Equal, parts.b, parts.d));
    ASSIGN_OR_RETURN(Value same, apply(LogicalAnd, real, imaginary));
    return function == Equal ? same : apply(Equal, same, Value(false));
  }
  ASSIGN_OR_RETURN(const auto result, combine(function, parts));
  return complex_of(result.first, result.second);
}

Outcome<ArrayRef> field_view(const Array& array, std::string_view name) {
  const RecordField* field = array.record ? array.record->find(name) : nullptr;
  if (!field)
    return fail(DiagnosticId::HostUnknownAttribute, describe(Value(std::make_shared<const Array>(array))), name)
        .suggest(array.record ? nearest(name, names_of(*array.record)) : std::string_view());
  Array view;
  view.type = field->type.scalar;
  view.record = field->type.record;
  view.shape = array.shape;
  // A field lies on a boundary of its own type, so these divide without rest.
  const std::int64_t unit = view.unit_bytes();
  for (const std::int64_t stride : array.strides) view.strides.push_back(stride / unit);
  const Shape inner = dense_strides(field->extents, Order::RowMajor, view.units());
  view.shape.insert(view.shape.end(), field->extents.begin(), field->extents.end());
  view.strides.insert(view.strides.end(), inner.begin(), inner.end());
  view.offset = (array.offset + field->offset) / unit;
  view.storage = array.storage;
  if (view.rank() > kMaxRank) return fail(DiagnosticId::HostBadShape, shape_text(view.shape));
  return std::make_shared<const Array>(std::move(view));
}

Outcome<Value> field_of(const Array& array, std::string_view name) {
  ASSIGN_OR_RETURN(const ArrayRef field, field_view(array, name));
  return number_or_array(field);
}

Status set_field(const Array& array, std::string_view name, const Value& value) {
  ASSIGN_OR_RETURN(const ArrayRef field, field_view(array, name));
  return set_item(Value(field), Value(EllipsisValue{}), value);
}

Outcome<ArrayRef> to_records(const Value& value, const RecordRef& type) {
  const ArrayRef* array = value.as<ArrayRef>();
  if (array && (*array)->record == type) return *array;
  if (array && have_same_layout((*array)->record, type)) {
    Array named = **array;
    named.record = type;
    return std::make_shared<const Array>(std::move(named));
  }
  if (const std::string* text = value.as<std::string>(); text && is_text(type) && character_of(type) == ScalarType::U32)
    return text_array(*text, type);
  if (array && common_text_type((*array)->record, type)) return resized_text(**array, type);
  if (type->kind == RecordType::Kind::Enum && as_integer(value)) return make_record(type, {{value}, {}});
  if (const auto* tuple = value.as<TupleValue>(); tuple && type->kind == RecordType::Kind::Struct)
    return make_record(type, {tuple->sequence->items, {}});
  const bool is_number = type->kind == RecordType::Kind::Complex && (operand_type(value) || has_records(value));
  if (!is_number) return fail(DiagnosticId::HostWrongType, "elements", "of type " + type->name, describe(value));
  ASSIGN_OR_RETURN(const Value real, part(value, 0));
  ASSIGN_OR_RETURN(const Value imaginary, part(value, 1));
  return complex_array(real, imaginary, type);
}

Outcome<ArrayRef> make_record(const RecordRef& type, const CallArguments& arguments) {
  std::vector<Value> values = arguments.positional;
  if (type->kind == RecordType::Kind::Vector) {
    ASSIGN_OR_RETURN(values, components(values));
  }
  if (values.size() > type->fields.size())
    return fail(DiagnosticId::HostTooManyArguments, "`" + type->name + "`", type->fields.size(), values.size());
  ASSIGN_OR_RETURN(const ArrayRef record,
                   make_array(ElementType(type), {}, Order::RowMajor, Scalar{ScalarType::U8, 0}));
  const ArrayRef* whole = values.size() == 1 ? values[0].as<ArrayRef>() : nullptr;
  if (whole && (*whole)->record && (*whole)->record->kind == type->kind) {  // c64(z), Particle(p)
    for (const RecordField& field : (*whole)->record->fields) {
      ASSIGN_OR_RETURN(const ArrayRef part, field_view(**whole, field.name));
      RETURN_IF_FAILED(set_field(*record, field.name, Value(part)));
    }
    return record;
  }
  for (std::size_t i = 0; i < values.size(); ++i) RETURN_IF_FAILED(set_field(*record, type->fields[i].name, values[i]));
  for (const auto& [name, value] : arguments.named) {
    if (!type->find(name))
      return fail(DiagnosticId::HostUnknownKeyword, type->name, name).suggest(nearest(name, names_of(*type)));
    RETURN_IF_FAILED(set_field(*record, name, value));
  }
  return record;
}

namespace {

/// The records in a nest of lists, in order, and its shape. A tuple in place of a record gives its fields.
Status collect(const Value& value, const RecordRef& type, std::size_t depth, Shape& shape, std::vector<Value>& leaves) {
  const auto* tuple = value.as<TupleValue>();
  const std::vector<Value>* items = items_of(value);
  if (!items || (tuple && type->kind == RecordType::Kind::Struct)) {
    if (depth != shape.size()) return fail(DiagnosticId::HostRaggedArray);
    leaves.push_back(value);
    return Done{};
  }
  if (depth > kMaxRank) return fail(DiagnosticId::HostBadShape, "of so many brackets");
  if (depth == shape.size() && leaves.empty()) shape.push_back(static_cast<std::int64_t>(items->size()));
  if (depth >= shape.size() || shape[depth] != static_cast<std::int64_t>(items->size()))
    return fail(DiagnosticId::HostRaggedArray);
  for (const Value& item : *items) RETURN_IF_FAILED(collect(item, type, depth + 1, shape, leaves));
  return Done{};
}

}  // namespace

RecordRef record_in(const Value& nest) {
  if (const RecordRef text = text_type_of(nest)) return text;
  if (has_records(nest)) return (*nest.as<ArrayRef>())->record;
  const std::vector<Value>* items = items_of(nest);
  RecordRef found;
  for (std::size_t i = 0; items && i < items->size(); ++i) {
    const RecordRef record = record_in((*items)[i]);
    if (!record) continue;
    if (!is_text(record)) return record;
    found = found ? common_text_type(found, record) : record;
    if (!found) break;  // bytes beside characters
  }
  return found;
}

Outcome<ArrayRef> records_from(const Value& nest, const RecordRef& type) {
  if (nest.is<ArrayRef>()) return to_records(nest, type);
  Shape shape;
  std::vector<Value> leaves;
  RETURN_IF_FAILED(collect(nest, type, 0, shape, leaves));
  ASSIGN_OR_RETURN(const ArrayRef result,
                   make_array(ElementType(type), shape, Order::RowMajor, Scalar{ScalarType::U8, 0}));
  ASSIGN_OR_RETURN(const ArrayRef flat, reshape_array(result, {-1}));
  for (std::size_t i = 0; i < leaves.size(); ++i)
    RETURN_IF_FAILED(set_item(Value(flat), Value(static_cast<std::int64_t>(i)), leaves[i]));
  return result;
}

namespace {

Outcome<std::string> text_in_quotes(const Array& text) {
  ASSIGN_OR_RETURN(const std::u32string characters, characters_of(text));
  return quoted(characters, character_of(text.record) == ScalarType::U32 ? TextKind::String : TextKind::Bytes);
}

}  // namespace

Outcome<std::string> record_text(const Array& record) {
  if (is_text(record.record)) return text_in_quotes(record);
  std::vector<std::string> parts;
  for (const RecordField& field : record.record->fields) {
    ASSIGN_OR_RETURN(const ArrayRef view, field_view(record, field.name));
    ASSIGN_OR_RETURN(std::string text, to_text(Value(view)));
    parts.push_back(std::move(text));
  }
  if (record.record->kind == RecordType::Kind::Complex) {
    for (std::string& part : parts)  // NumPy writes 1 for 1.0 here
      if (part.ends_with(".0")) part.resize(part.size() - 2);
    if (parts[0] == "0") return parts[1] + "j";
    return "(" + parts[0] + (parts[1].starts_with('-') ? "" : "+") + parts[1] + "j)";
  }
  std::string text = record.record->name + "(";
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i > 0 ? ", " : "") + record.record->fields[i].name + "=" + parts[i];
  return text + ")";
}

}  // namespace pykc::script
