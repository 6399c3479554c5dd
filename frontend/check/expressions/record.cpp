// Records: their fields, how they are made, changed and compared. A record in an array is a place, and a field of it is
// one too; everywhere else a record is a value, taken apart as a tuple is.
#include <algorithm>

#include "frontend/check/function_checker.h"
#include "frontend/check/names/advice.h"

namespace pykc::checker {

using checked::Type;

namespace {

Type type_in_memory(const RecordField& field, ir::AddressSpace space) {
  if (field.extents.empty()) return Type::of(field.type);
  return Type::of(ArrayType{field.type, Layout::RowMajor, field.extents}, space);
}

std::vector<std::string_view> names_of(const RecordType& record) {
  std::vector<std::string_view> names;
  for (const RecordField& field : record.fields) names.push_back(field.name);
  return names;
}

}  // namespace

const checked::Expr& root_of(const checked::Expr& place) {
  const auto* field = place.as<checked::Field>();
  return field ? *field->place : place;
}

bool is_place(const checked::Expr& expr) { return expr.as<checked::Element>() || expr.as<checked::Field>(); }

Value TreeBuilder::record(const RecordRef& type, std::vector<Value> fields, SourceRange range) {
  checked::TupleExpr node;
  for (const Value& field : fields) {
    if (!field.known()) return {};
    node.elements.push_back(field.expr);
  }
  return {make(Type::of(type), range, std::move(node)), Weak::No, std::move(fields)};
}

Value Body::field(const Value& record, std::size_t index, SourceRange range) {
  if (!is_place(*record.expr)) return component(record, index, range);
  const RecordField& field = record.type().record->fields[index];
  const Expr& root = root_of(*record.expr);
  const auto* outer = record.expr->as<checked::Field>();
  const std::int64_t offset = (outer ? outer->offset : 0) + field.offset;
  const ir::AddressSpace space = root.as<checked::Element>()->array->type.space;
  return TreeBuilder::strong(tree_.make(type_in_memory(field, space), range, checked::Field{&root, offset}));
}

std::optional<std::size_t> Body::field_index(const Value& record, std::string_view name, SourceRange range) {
  const RecordType& type = *record.type().record;
  if (const RecordField* found = type.find(name)) return static_cast<std::size_t>(found - type.fields.data());
  auto diagnostic = report(range, DiagnosticId::UnknownAttribute, describe(record), name);
  suggest_member(diagnostic, name, names_of(type));
  return std::nullopt;
}

Entity Body::record_attribute(const Value& record, const ast::Attribute& node, SourceRange range) {
  if (record.is_complex() && node.name == "conjugate") return MethodRef{record, Method::Conjugate};
  const std::optional<std::size_t> index = field_index(record, node.name, node.name_range);
  return index ? Entity(field(record, *index, range)) : Entity(Unknown{});
}

/// `a[i]['x']`, `a['x']`: as NumPy and Numba spell a field.
Value Body::index_by_name(const Value& record, const ast::Expr& index, SourceRange range) {
  const auto* name = index.as<ast::StringLiteral>();
  if (name && record.is_array()) return to_value(field_view(record, name->value, index.range, range), range);
  if (!record.is_record()) {
    report(index.range, DiagnosticId::IndexType, "a string");
    return {};
  }
  const bool is_struct = record.type().record->kind == RecordType::Kind::Struct;
  if (is_struct && index.as<ast::IntLiteral>()) {  // NumPy counts fields, too
    const std::uint64_t position = index.as<ast::IntLiteral>()->value;
    const std::size_t count = record.type().record->fields.size();
    if (position < count) return field(record, static_cast<std::size_t>(position), range);
    report(index.range, DiagnosticId::IndexOutOfRange, std::to_string(position), describe(record),
           std::to_string(count));
    return {};
  }
  if (!name) {
    report(index.range, DiagnosticId::NotIndexable, describe(record))
        .note("a field has a name: `." + record.type().record->fields.front().name + "`");
    return {};
  }
  const std::optional<std::size_t> found = field_index(record, name->value, index.range);
  return found ? field(record, *found, range) : Value{};
}

/// `p.x = …`: in an array, a store; in a variable, a new value for all of it.
void Body::assign_field(const ast::Attribute& node, const ast::Expr& target, const Value& value, SourceRange range) {
  const Entity owner = entity(*node.value);
  if (std::holds_alternative<Unknown>(owner)) return;
  if (!std::holds_alternative<Value>(owner)) {
    report(target.range, DiagnosticId::AssignmentTarget)
        .note("assign to a variable, `x = …`, or an element, `a[i] = …`");
    return;
  }
  const Value& record = std::get<Value>(owner);
  if (!record.known() || !value.known()) return;
  if (!record.is_record() || record.is_complex() || record.type().record->kind == RecordType::Kind::Enum) {
    report(target.range, DiagnosticId::AssignmentTarget).note("this is " + describe(record) + ": make a new one");
    return;
  }
  const std::optional<std::size_t> index = field_index(record, node.name, node.name_range);
  if (!index) return;
  if (is_place(*record.expr)) {
    const Value place = field(record, *index, target.range);
    if (place.is_array()) return store_array(place, value, std::nullopt, range);
    if (require_writable(place, target.range)) store(place, value, range);
    return;
  }
  if (!may_change_fields(*node.value)) return;
  std::vector<Value> parts = take_apart(record);
  parts[*index] = convert_to(value, InferredType::of(parts[*index].type()), range);
  assign(*node.value, tree_.record(record.type().record, std::move(parts), range), range);
}

/// Whether this is written as a field of an element: `a[i].x`, `a[i].p.x`.
bool Body::is_place_target(const ast::Attribute& target) {
  const ast::Expr* owner = target.value.get();
  while (const auto* outer = owner->as<ast::Attribute>()) owner = outer->value.get();
  return owner->as<ast::Subscript>() != nullptr;
}

/// In Python a variable that was given `a[i]`, an argument or another variable names the same record, so that a change
/// of a field would be seen there; here it has a copy. Such a change is refused rather than lost.
bool Body::may_change_fields(const ast::Expr& target) {
  const auto* name = target.as<ast::Name>();
  const std::optional<int> index = name ? local_index(name->id, target.range) : std::nullopt;
  if (!index) return true;  // reports itself as it is assigned
  const bool is_copy =
      locals_[static_cast<std::size_t>(*index)].decl->is_parameter || specialization_->copied_records.contains(*index);
  if (!is_copy || settled_type(locals_[static_cast<std::size_t>(*index)].type).record->kind != RecordType::Kind::Struct)
    return true;
  report(target.range, DiagnosticId::RecordIsCopy, name->id)
      .note("to change the array, write to its element: `a[i].x = …`")
      .note("to change a copy, make it of its fields: `q = Point(p.x, p.y)`");
  return false;
}

/// Whether a variable that is given this value shares it, in Python, with something else.
bool shares_record(const checked::Expr& value) {
  if (value.as<checked::VariableRef>() || is_place(value)) return true;
  const auto* component = value.as<checked::TupleElement>();
  return component && shares_record(*component->tuple);
}

/// `a.x`, `a['x']`: that field of all records of an array, as an array.
Entity Body::field_view(const Value& array, std::string_view name, SourceRange name_range, SourceRange range) {
  const ElementType& element = array.type().array.element;
  const RecordField* field = element.is_record() ? element.record->find(name) : nullptr;
  if (!field) {
    report(name_range, DiagnosticId::UnknownAttribute, describe(array), name);
    return Unknown{};
  }
  if (!field->extents.empty() || element.record->bytes % size_in_bytes(field->type) != 0) {
    report(range, DiagnosticId::UnsupportedInKernel, "a view of the field `" + std::string(name) + "`")
        .note("index the array first: `a[i]." + std::string(name) + "`");
    return Unknown{};
  }
  Type type = array.type();
  type.array = {field->type, Layout::Strided,
                std::vector<std::int64_t>(type.array.extents.size(), ArrayType::kDynamic)};
  return TreeBuilder::strong(tree_.make(std::move(type), range, checked::FieldView{array.expr, field->offset}));
}

// ---- making them ----

Entity Body::call_record(const RecordRef& type, const ast::Call& call, SourceRange range) {
  if (type->kind == RecordType::Kind::Complex) return call_complex(type, call, range);
  if (type->kind == RecordType::Kind::Vector) return call_vector(type, call, range);
  report(range, DiagnosticId::NotCallable, type->name);
  return Unknown{};
}

/// `Particle(x, y, z=1.0)`
Entity Body::call_struct(const ClassDecl& decl, const ast::Call& call, SourceRange range) {
  std::optional<std::vector<Value>> fields = field_values(decl, call, range);
  return fields ? Entity(tree_.record(decl.record, *std::move(fields), range)) : Entity(Unknown{});
}

/// Numbers and vectors, whose components follow one another: `f32x4(xy, z, w)`.
Entity Body::call_vector(const RecordRef& type, const ast::Call& call, SourceRange range) {
  if (!has_no_keywords(call, "`" + type->name + "`")) return Unknown{};
  std::vector<Value> given;
  std::size_t count = 0;
  for (const ast::ExprPtr& argument : call.arguments) {
    given.push_back(value(*argument));
    if (!given.back().known() || (!given.back().is_vector() && !require_scalar(given.back(), type->name)))
      return Unknown{};
    count += given.back().is_vector() ? given.back().type().record->fields.size() : 1;
  }
  if (count == type->fields.size()) return TreeBuilder::strong(vector_of(type, given, {}, range));
  report(range, DiagnosticId::ArgumentCount, "`" + type->name + "`", std::to_string(type->fields.size()) + " numbers",
         std::to_string(count));
  return Unknown{};
}

/// The vector of `components` and of what the numbers and vectors in `given` add to them.
const checked::Expr* Body::vector_of(const RecordRef& type, std::span<const Value> given, std::vector<Value> components,
                                     SourceRange range) {
  if (given.empty()) return tree_.record(type, std::move(components), range).expr;
  const auto append = [&](const std::vector<Value>& parts) {
    for (const Value& part : parts)
      components.push_back(cast_value(part, type->fields.front().type.scalar, part.range()));
    return vector_of(type, given.subspan(1), std::move(components), range);
  };
  return given.front().is_vector() ? with_parts(given.front(), append) : append({given.front()});
}

// ---- operators ----

Value Body::record_binary(ast::BinaryOp op, const Value& left, const Value& right, SourceRange range) {
  const bool has_vector = left.is_vector() || right.is_vector();
  const auto is_operand = [&](const Value& value) {
    return value.is_scalar() || (has_vector ? value.is_vector() : value.is_complex());
  };
  if (is_operand(left) && is_operand(right))
    return has_vector ? vector_binary(op, left, right, range) : complex_binary(op, left, right, range);
  report(range, DiagnosticId::OperandTypes, spelling(op), describe(left), describe(right))
      .note("records have no arithmetic: compute with their fields");
  return {};
}

/// Component by component; a scalar stands for a vector of it.
Value Body::vector_binary(ast::BinaryOp op, const Value& left, const Value& right, SourceRange range) {
  const std::size_t count = (left.is_vector() ? left : right).type().record->fields.size();
  if (left.is_vector() && right.is_vector() && right.type().record->fields.size() != count) {
    report(range, DiagnosticId::OperandTypes, spelling(op), describe(left), describe(right))
        .note("the vectors have different lengths");
    return {};
  }
  const Expr* made = with_temporary(left.expr, [&](const Expr* a) {
    return with_temporary(right.expr, [&](const Expr* b) {
      const auto at = [&](const Value& value, const Expr* kept, std::size_t i) {
        return value.is_vector() ? component(TreeBuilder::strong(kept), i, range) : Value{kept, value.weak, {}};
      };
      std::vector<Value> components;
      for (std::size_t i = 0; i < count; ++i) components.push_back(binary(op, at(left, a, i), at(right, b, i), range));
      if (!components.front().known()) return static_cast<const Expr*>(nullptr);
      const RecordRef type = vector_type(components.front().scalar(), static_cast<int>(count));
      return tree_.record(type, std::move(components), range).expr;
    });
  });
  return made ? TreeBuilder::strong(made) : Value{};
}

Value Body::record_unary(ast::UnaryOp op, const Value& operand, SourceRange range) {
  if (operand.is_complex() && op != ast::UnaryOp::Invert) return complex_negate(op, operand, range);
  if (!operand.is_vector()) {
    constexpr std::string_view kNames[] = {"`-`", "`+`", "`~`"};
    report(range, DiagnosticId::OperandType, kNames[static_cast<std::size_t>(op)], describe(operand));
    return {};
  }
  const Expr* made = with_temporary(operand.expr, [&](const Expr* kept) -> const Expr* {
    std::vector<Value> components;
    for (std::size_t i = 0; i < operand.type().record->fields.size(); ++i)
      components.push_back(unary(op, component(TreeBuilder::strong(kept), i, range), range));
    if (!components.front().known()) return nullptr;
    const RecordRef type = vector_type(components.front().scalar(), static_cast<int>(components.size()));
    return tree_.record(type, std::move(components), range).expr;
  });
  return made ? TreeBuilder::strong(made) : Value{};
}

/// Records are equal where all their fields are.
Value Body::compare_records(ast::CompareOp op, const Value& left, const Value& right, SourceRange range) {
  const bool is_equality = op == ast::CompareOp::Eq || op == ast::CompareOp::Ne;
  const bool is_complex = (left.is_complex() || left.is_scalar()) && (right.is_complex() || right.is_scalar());
  if (is_equality && is_complex) return compare_complex(op, left, right, range);
  if (is_equality && left.type() == right.type()) return compare_parts(op, left, right, range);
  auto diagnostic = report(range, DiagnosticId::OperandTypes, spelling(op), describe(left), describe(right));
  if (is_complex)
    diagnostic.note("complex numbers have no order: compare `abs(…)` or a part of them, or by `np.less` and its kin");
  else
    diagnostic.note("records are compared by `==` and `!=`, with records of the same type");
  return {};
}

}  // namespace pykc::checker
