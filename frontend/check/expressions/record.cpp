// Records: their fields, how they are made, changed and compared. A record in an array is a place, and a field of it is
// one too; everywhere else a record is a value, taken apart as a tuple is.
#include "frontend/check/expressions/record.h"

#include <algorithm>

#include "base/text.h"
#include "frontend/check/arrays/index.h"
#include "frontend/check/arrays/store.h"
#include "frontend/check/calls/call.h"
#include "frontend/check/expressions/compare.h"
#include "frontend/check/expressions/complex.h"
#include "frontend/check/expressions/expression.h"
#include "frontend/check/expressions/operator.h"
#include "frontend/check/expressions/text.h"
#include "frontend/check/function_checker.h"
#include "frontend/check/names/advice.h"
#include "frontend/check/names/class.h"
#include "frontend/check/names/resolve.h"
#include "frontend/check/statements/assign.h"
#include "frontend/check/statements/statement.h"
#include "frontend/check/types/convert.h"
#include "frontend/check/types/generic.h"

namespace pykc::checker {

using checked::Type;

namespace {

constexpr const char* kTextAdvice = "text is compared and assigned as a whole; `a.view(np.uint8)` shows its bytes";

Type type_in_memory(checked::TypePool& types, const RecordField& field, ir::AddressSpace space) {
  if (field.extents.empty()) return types.of(field.type);
  return types.of(ArrayType{field.type, Layout::RowMajor, field.extents}, space);
}

std::vector<std::string_view> names_of(const RecordType& record) {
  std::vector<std::string_view> names;
  for (const RecordField& field : record.fields) names.push_back(field.name);
  return names;
}

Value field(FunctionChecker& checker, const Value& record, std::size_t index, SourceRange range) {
  if (!is_place(*record.expr)) return chosen_component(checker, record, index, range);
  const RecordField& field = record.type()->record->fields[index];
  const Expr& root = root_of(*record.expr);
  const auto* outer = record.expr->as<checked::Field>();
  const std::int64_t offset = (outer ? outer->offset : 0) + field.offset;
  const ir::AddressSpace space = root.as<checked::Element>()->array->type->space;
  return TreeBuilder::strong(
      checker.tree.make(type_in_memory(checker.types, field, space), range, checked::Field{&root, offset}));
}

std::optional<std::size_t> field_index(FunctionChecker& checker, const Value& record, std::string_view name,
                                       SourceRange range) {
  const RecordType& type = *record.type()->record;
  if (const RecordField* found = type.find(name)) return static_cast<std::size_t>(found - type.fields.data());
  auto diagnostic = checker.report(range, DiagnosticId::UnknownAttribute, describe(record), name);
  suggest_member(diagnostic, name, names_of(type));
  return std::nullopt;
}

/// In Python a variable that was given `a[i]`, an argument or another variable names the same record, so that a change
/// of a field would be seen there; here it has a copy. Such a change is refused rather than lost.
bool may_change_fields(FunctionChecker& checker, const ast::Expr& target) {
  const auto* name = target.as<ast::Name>();
  const std::optional<int> index = name ? local_index(checker, name->id, target.range) : std::nullopt;
  if (!index) return true;  // reports itself as it is assigned
  const bool is_copy = checker.locals[static_cast<std::size_t>(*index)].decl->is_parameter ||
                       checker.specialization->copied_records.contains(*index);
  if (!is_copy || checker.locals[static_cast<std::size_t>(*index)].type.type->record->kind != RecordType::Kind::Struct)
    return true;
  checker.report(target.range, DiagnosticId::RecordIsCopy, name->id)
      .note("to change the array, write to its element: `a[i].x = …`")
      .note("to change a copy, make it of its fields: `q = Point(p.x, p.y)`");
  return false;
}

/// The vector of `components` and of what the numbers and vectors in `given` add to them.
const checked::Expr* vector_of(FunctionChecker& checker, const RecordRef& type, std::span<const Value> given,
                               std::vector<Value> components, SourceRange range) {
  if (given.empty()) return checker.tree.record(type, std::move(components), range).expr;
  const auto append = [&](const std::vector<Value>& parts) {
    for (const Value& part : parts)
      components.push_back(cast_value(checker, part, type->fields.front().type.scalar, part.range()));
    return vector_of(checker, type, given.subspan(1), std::move(components), range);
  };
  return given.front().is_vector() ? with_parts(checker, given.front(), append) : append({given.front()});
}

/// Numbers and vectors, whose components follow one another: `f32x4(xy, z, w)`.
Entity call_vector(FunctionChecker& checker, const RecordRef& type, const ast::Call& call, SourceRange range) {
  if (!has_no_keywords(checker, call, as_code(type->name))) return Unknown{};
  std::vector<Value> given;
  std::size_t count = 0;
  for (const ast::ExprPtr& argument : call.arguments) {
    given.push_back(checker.value(*argument));
    if (!given.back().known() || (!given.back().is_vector() && !require_scalar(checker, given.back(), type->name)))
      return Unknown{};
    count += given.back().is_vector() ? given.back().type()->record->fields.size() : 1;
  }
  if (count == type->fields.size()) return TreeBuilder::strong(vector_of(checker, type, given, {}, range));
  checker.report(range, DiagnosticId::ArgumentCount, as_code(type->name),
                 std::to_string(type->fields.size()) + " numbers", std::to_string(count));
  return Unknown{};
}

/// Component by component; a scalar stands for a vector of it.
Value vector_binary(FunctionChecker& checker, ast::BinaryOp op, const Value& left, const Value& right,
                    SourceRange range) {
  const std::size_t count = (left.is_vector() ? left : right).type()->record->fields.size();
  if (left.is_vector() && right.is_vector() && right.type()->record->fields.size() != count) {
    checker.report(range, DiagnosticId::OperandTypes, spelling(op), describe(left), describe(right))
        .note("the vectors have different lengths");
    return {};
  }
  const Expr* made = with_temporary(checker, left.expr, [&](const Expr* a) {
    return with_temporary(checker, right.expr, [&](const Expr* b) {
      const auto at = [&](const Value& value, const Expr* kept, std::size_t i) {
        return value.is_vector() ? component(checker, TreeBuilder::strong(kept), i, range)
                                 : Value{kept, value.weak, {}};
      };
      std::vector<Value> components;
      for (std::size_t i = 0; i < count; ++i)
        components.push_back(binary(checker, op, at(left, a, i), at(right, b, i), range));
      if (!components.front().known()) return static_cast<const Expr*>(nullptr);
      const RecordRef type = vector_type(components.front().scalar(), static_cast<int>(count));
      return checker.tree.record(type, std::move(components), range).expr;
    });
  });
  return made ? TreeBuilder::strong(made) : Value{};
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
  return {make(types_.of(type), range, std::move(node)), Weak::No, std::move(fields)};
}

Entity record_attribute(FunctionChecker& checker, const Value& record, const ast::Attribute& node, SourceRange range) {
  if (record.is_complex() && node.name == "conjugate") return MethodRef{record, Method::Conjugate};
  if (record.is_text()) {
    checker.report(node.name_range, DiagnosticId::UnknownAttribute, describe(record), node.name).note(kTextAdvice);
    return Unknown{};
  }
  const std::optional<std::size_t> index = field_index(checker, record, node.name, node.name_range);
  return index ? Entity(field(checker, record, *index, range)) : Entity(Unknown{});
}

/// `a[i]['x']`, `a['x']`: as NumPy and Numba spell a field.
Value field_of_element(FunctionChecker& checker, const Value& record, std::string_view name, SourceRange name_range,
                       SourceRange range) {
  const std::optional<std::size_t> index = field_index(checker, record, name, name_range);
  return index ? field(checker, record, *index, range) : Value{};
}

Value index_by_name(FunctionChecker& checker, const Value& record, const ast::Expr& index, SourceRange range) {
  const std::optional<std::string> name = constant_text(checker, index);
  if (name && record.is_array())
    return to_value(checker, field_view(checker, record, *name, index.range, range), range);
  if (!record.is_record()) {
    checker.report(index.range, DiagnosticId::IndexType, "a string");
    return {};
  }
  if (record.is_text()) {
    checker.report(index.range, DiagnosticId::NotIndexable, describe(record)).note(kTextAdvice);
    return {};
  }
  const bool is_struct = record.type()->record->kind == RecordType::Kind::Struct;
  if (is_struct && !name) {  // NumPy counts fields, too
    const Value position = checker.value(index);
    if (!position.known()) return {};
    if (position.is_scalar() && position.is_constant() && is_integer(position.scalar())) {
      const Int128 at = integer_of(*position.expr);
      const auto count = static_cast<Int128>(record.type()->record->fields.size());
      if (at < count && at >= -count)
        return field(checker, record, static_cast<std::size_t>(at < 0 ? at + count : at), range);
      checker.report(index.range, DiagnosticId::IndexOutOfRange, std::string(checker.scope.file().text(index.range)),
                     describe(record), static_cast<std::int64_t>(count));
      return {};
    }
  }
  if (!name) {
    checker.report(index.range, DiagnosticId::NotIndexable, describe(record))
        .note("a field has a name: " + as_code("." + record.type()->record->fields.front().name));
    return {};
  }
  return field_of_element(checker, record, *name, index.range, range);
}

/// `p.x = …`: in an array, a store; in a variable, a new value for all of it.
void assign_field(FunctionChecker& checker, const ast::Attribute& node, const ast::Expr& target, const Value& value,
                  SourceRange range) {
  const Entity owner = checker.entity(*node.value);
  if (std::holds_alternative<Unknown>(owner)) return;
  if (!std::holds_alternative<Value>(owner)) {
    checker.report(target.range, DiagnosticId::AssignmentTarget)
        .note("assign to a variable, `x = …`, or an element, `a[i] = …`");
    return;
  }
  const Value& record = std::get<Value>(owner);
  if (!record.known() || !value.known()) return;
  if (!record.is_record() || record.is_complex() || record.type()->record->kind == RecordType::Kind::Enum) {
    checker.report(target.range, DiagnosticId::AssignmentTarget)
        .note("this is " + describe(record) + ": make a new one");
    return;
  }
  const std::optional<std::size_t> index = field_index(checker, record, node.name, node.name_range);
  if (!index) return;
  if (is_place(*record.expr)) {
    const Value place = field(checker, record, *index, target.range);
    if (place.is_array()) return store_array(checker, place, value, std::nullopt, range);
    if (require_writable(checker, place, target.range)) store(checker, place, value, range);
    return;
  }
  if (!may_change_fields(checker, *node.value)) return;
  std::vector<Value> parts = take_apart(checker, record);
  parts[*index] = convert_to(checker, value, InferredType::of(parts[*index].type()), range);
  assign(checker, *node.value, checker.tree.record(record.type()->record, std::move(parts), range), range);
}

/// Whether this is written as a field of an element: `a[i].x`, `a[i].p.x`.
bool is_place_target(const ast::Attribute& target) {
  const ast::Expr* owner = target.value.get();
  while (const auto* outer = owner->as<ast::Attribute>()) owner = outer->value.get();
  return owner->as<ast::Subscript>() != nullptr;
}

bool shares_record(const checked::Expr& value) {
  if (value.as<checked::VariableRef>() || is_place(value)) return true;
  if (const auto* choice = value.as<checked::Conditional>())
    return shares_record(*choice->then) || shares_record(*choice->otherwise);
  if (const auto* let = value.as<checked::Let>()) return shares_record(*let->body);
  if (const auto* call = value.as<checked::CallFunction>()) return call->gives_shared_record;
  const auto* component = value.as<checked::TupleElement>();
  return component && shares_record(*component->tuple);
}

bool is_record_of_array(const Value& value) {
  return value.known() && is_struct(value.type()) && root_of(*value.expr).as<checked::Element>();
}

Value reference_to(FunctionChecker& checker, const Value& record, SourceRange range) {
  if (const auto* field = record.expr->as<checked::Field>()) {
    const Value outer = reference_to(checker, TreeBuilder::strong(field->place), range);
    const Type type = reference_type(checker.types, record.type()->record, outer.type()->space);
    return TreeBuilder::strong(checker.tree.make(type, range, checked::FieldView{outer.expr, field->offset}));
  }
  const auto* element = record.expr->as<checked::Element>();
  if (element->indices.empty()) return TreeBuilder::strong(element->array);
  checked::View view{element->array, {}, element->wraparound, element->bounds_fault};
  for (const Expr* index : element->indices)
    view.axes.push_back({.kind = checked::ViewAxis::Kind::Index, .start = index});
  return TreeBuilder::strong(checker.tree.make(
      reference_type(checker.types, record.type()->record, element->array->type->space), range, std::move(view)));
}

Value referenced(FunctionChecker& checker, const Value& reference, SourceRange range) {
  return index(checker, reference, {}, range);
}

bool may_refer_to_record(FunctionChecker& checker, int local, const RecordRef& record) {
  const auto is_changed = [&](const LocalDecl& decl) {
    return changes_fields(checker.module, *checker.function, decl.name);
  };
  const LocalDecl& decl = *checker.locals[static_cast<std::size_t>(local)].decl;
  if (decl.is_parameter || decl.annotation) return false;
  if (is_changed(decl)) return true;
  return !checker.rules->has_weak_literals && std::ranges::any_of(checker.locals, [&](const Local& other) {
    const bool is_array_of_these =
        other.type.known && other.type.type.is_array() && other.type.type->array.element == ElementType(record);
    return is_array_of_these && is_changed(*other.decl);
  });
}

/// Whether that field of all records of an array is no array, though each of these has it: what `field_view` refuses.
bool has_field_of_elements(const Value& array, std::string_view name) {
  if (!array.is_array() || !array.type()->array.element.is_record()) return false;
  const RecordType& record = *array.type()->array.element.record;
  const RecordField* field = record.find(name);
  return field && (!field->extents.empty() || record.bytes % size_in_bytes(field->type) != 0);
}

/// `a.x`, `a['x']`: that field of all records of an array, as an array.
Entity field_view(FunctionChecker& checker, const Value& array, std::string_view name, SourceRange name_range,
                  SourceRange range) {
  const ElementType& element = array.type()->array.element;
  const RecordField* field = element.is_record() ? element.record->find(name) : nullptr;
  if (!field) {
    checker.report(name_range, DiagnosticId::UnknownAttribute, describe(array), name);
    return Unknown{};
  }
  if (has_field_of_elements(array, name)) {
    checker.report(range, DiagnosticId::UnsupportedInKernel, "a view of the field " + as_code(name))
        .note("index the array first: " + as_code("a[i]." + std::string(name)));
    return Unknown{};
  }
  std::vector<std::int64_t> extents(array.type()->array.extents.size(), ArrayType::kDynamic);
  ArrayType view{field->type, Layout::Strided, std::move(extents)};
  const ir::AddressSpace space = array.type()->space;
  const Type type = array.type()->is_pointer ? checker.types.pointer(std::move(view), space)
                                             : checker.types.of(std::move(view), space);
  return TreeBuilder::strong(checker.tree.make(type, range, checked::FieldView{array.expr, field->offset}));
}

// ---- making them ----
Entity call_record(FunctionChecker& checker, const RecordRef& type, const ast::Call& call, SourceRange range) {
  if (type->kind == RecordType::Kind::Complex) return call_complex(checker, type, call, range);
  if (type->kind == RecordType::Kind::Vector) return call_vector(checker, type, call, range);
  checker.report(range, DiagnosticId::NotCallable, type->name);
  return Unknown{};
}

/// `Particle(x, y, z=1.0)`
Entity call_struct(FunctionChecker& checker, const ClassDecl& decl, const ast::Call& call, SourceRange range) {
  return made_of_fields(checker, decl, call, range, [&](std::vector<Value> fields) {
    return checker.tree.record(decl.record, std::move(fields), range);
  });
}

// ---- operators ----
Value record_binary(FunctionChecker& checker, ast::BinaryOp op, const Value& left, const Value& right,
                    SourceRange range) {
  const bool has_vector = left.is_vector() || right.is_vector();
  const auto is_operand = [&](const Value& value) {
    return value.is_scalar() || (has_vector ? value.is_vector() : value.is_complex());
  };
  if (is_operand(left) && is_operand(right))
    return has_vector ? vector_binary(checker, op, left, right, range)
                      : complex_binary(checker, op, left, right, range);
  checker.report(range, DiagnosticId::OperandTypes, spelling(op), describe(left), describe(right))
      .note(left.is_text() || right.is_text() ? "kernels print text, `print(\"x =\", x[i])`, but do not compute with it"
                                              : "records have no arithmetic: compute with their fields");
  return {};
}

Value record_unary(FunctionChecker& checker, ast::UnaryOp op, const Value& operand, SourceRange range) {
  if (operand.is_complex() && op != ast::UnaryOp::Invert) return complex_negate(checker, op, operand, range);
  if (!operand.is_vector()) {
    constexpr std::string_view kNames[] = {"`-`", "`+`", "`~`"};
    checker.report(range, DiagnosticId::OperandType, kNames[static_cast<std::size_t>(op)], describe(operand));
    return {};
  }
  const Expr* made = with_temporary(checker, operand.expr, [&](const Expr* kept) -> const Expr* {
    std::vector<Value> components;
    for (std::size_t i = 0; i < operand.type()->record->fields.size(); ++i)
      components.push_back(unary(checker, op, component(checker, TreeBuilder::strong(kept), i, range), range));
    if (!components.front().known()) return nullptr;
    const RecordRef type = vector_type(components.front().scalar(), static_cast<int>(components.size()));
    return checker.tree.record(type, std::move(components), range).expr;
  });
  return made ? TreeBuilder::strong(made) : Value{};
}

/// Records are equal where all their fields are.
Value compare_records(FunctionChecker& checker, ast::CompareOp op, const Value& left, const Value& right,
                      SourceRange range) {
  const bool is_equality = op == ast::CompareOp::Eq || op == ast::CompareOp::Ne;
  if (is_text_like(left.type(), right.type())) return compare_text(checker, op, left, right, range);
  const bool is_complex = (left.is_complex() || left.is_scalar()) && (right.is_complex() || right.is_scalar());
  if (is_equality && is_complex) return compare_complex(checker, op, left, right, range);
  if (is_equality && left.type() == right.type()) return compare_parts(checker, op, left, right, range);
  auto diagnostic = checker.report(range, DiagnosticId::OperandTypes, spelling(op), describe(left), describe(right));
  if (is_complex)
    diagnostic.note("complex numbers have no order: compare `abs(…)` or a part of them, or by `np.less` and its kin");
  else if (left.is_text() && right.is_text())
    diagnostic.note("`b\"…\"` is text of bytes, as in `S4`, and `\"…\"` of characters, as in `U4`");
  else
    diagnostic.note("records are compared by `==` and `!=`, with records of the same type");
  return {};
}

}  // namespace pykc::checker
