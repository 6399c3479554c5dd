#include "script/functions/operators.h"

#include <algorithm>
#include <cmath>

#include "script/arithmetic/array_from.h"
#include "script/arithmetic/elementwise.h"
#include "script/arithmetic/promote.h"
#include "script/arithmetic/reductions.h"
#include "script/functions/element_types.h"
#include "script/functions/format.h"
#include "script/functions/functions.h"
#include "script/functions/indexing.h"
#include "script/functions/records.h"
#include "script/values/array.h"
#include "script/values/device_operations.h"

namespace pykc::script {
namespace {

constexpr int kDeepestComparison = 100;

BinaryFunction function_of(ast::BinaryOp op) {
  switch (op) {
    case ast::BinaryOp::Add:
      return BinaryFunction::Add;
    case ast::BinaryOp::Sub:
      return BinaryFunction::Subtract;
    case ast::BinaryOp::Mul:
      return BinaryFunction::Multiply;
    case ast::BinaryOp::Div:
      return BinaryFunction::TrueDivide;
    case ast::BinaryOp::FloorDiv:
      return BinaryFunction::FloorDivide;
    case ast::BinaryOp::Mod:
      return BinaryFunction::Modulo;
    case ast::BinaryOp::And:
      return BinaryFunction::BitAnd;
    case ast::BinaryOp::Or:
      return BinaryFunction::BitOr;
    case ast::BinaryOp::Xor:
      return BinaryFunction::BitXor;
    case ast::BinaryOp::LeftShift:
      return BinaryFunction::LeftShift;
    case ast::BinaryOp::RightShift:
      return BinaryFunction::RightShift;
    case ast::BinaryOp::Pow:
    case ast::BinaryOp::MatMul:
      break;
  }
  return BinaryFunction::Power;
}

BinaryFunction function_of(ast::CompareOp op) {
  switch (op) {
    case ast::CompareOp::Ne:
      return BinaryFunction::NotEqual;
    case ast::CompareOp::Lt:
      return BinaryFunction::Less;
    case ast::CompareOp::Le:
      return BinaryFunction::LessEqual;
    case ast::CompareOp::Gt:
      return BinaryFunction::Greater;
    case ast::CompareOp::Ge:
      return BinaryFunction::GreaterEqual;
    default:
      return BinaryFunction::Equal;
  }
}

Value same_kind(const Value& model, std::vector<Value> items) {
  return model.is<TupleValue>() ? make_tuple(std::move(items)) : make_list(std::move(items));
}

Outcome<Value> join(const Value& left, const Value& right) {
  ASSIGN_OR_RETURN(const std::int64_t first, item_count(left));
  ASSIGN_OR_RETURN(const std::int64_t second, item_count(right));
  if (first + second > kLongestSequence) return fail(DiagnosticId::HostSequenceTooLong, first + second);
  if (const std::string* text = left.as<std::string>()) return *text + *right.as<std::string>();
  std::vector<Value> items = *items_of(left);
  items.insert(items.end(), items_of(right)->begin(), items_of(right)->end());
  return same_kind(left, std::move(items));
}

Outcome<Value> repeat(const Value& object, std::int64_t count) {
  ASSIGN_OR_RETURN(const std::int64_t length, item_count(object));
  if (length > 0 && count > kLongestSequence / length) return fail(DiagnosticId::HostSequenceTooLong, count);
  const auto times = static_cast<std::size_t>(length > 0 ? std::max<std::int64_t>(count, 0) : 0);
  if (const std::string* text = object.as<std::string>()) {
    std::string result;
    for (std::size_t i = 0; i < times; ++i) result += *text;
    return Value(std::move(result));
  }
  std::vector<Value> items;
  for (std::size_t i = 0; i < times; ++i) items.insert(items.end(), items_of(object)->begin(), items_of(object)->end());
  return same_kind(object, std::move(items));
}

/// Beside an array a list of numbers is an array too.
Outcome<Value> apply_to_numbers(BinaryFunction function, const Value& left, const Value& right) {
  const Value* const list = left.is<ArrayRef>() ? &right : right.is<ArrayRef>() ? &left : nullptr;
  if (!list || !items_of(*list)) return apply(function, left, right);
  ASSIGN_OR_RETURN(ArrayRef array, array_from(*list, std::nullopt));
  return list == &left ? apply(function, Value(std::move(array)), right)
                       : apply(function, left, Value(std::move(array)));
}

bool is_sequence(const Value& value) { return value.is<std::string>() || items_of(value); }

Outcome<bool> equal(const Value& left, const Value& right, int depth);

Outcome<bool> equal_items(const std::vector<Value>& left, const std::vector<Value>& right, int depth) {
  if (depth > kDeepestComparison) return fail(DiagnosticId::HostRecursionTooDeep);
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    ASSIGN_OR_RETURN(const bool same, equal(left[i], right[i], depth + 1));
    if (!same) return false;
  }
  return true;
}

/// `a.dtype == "float32"`
bool is_type_named(const Value& type, const Value& name) {
  return type.is<TypeValue>() && name.is<std::string>() && element_type_of(type) == element_type_of(name);
}

/// Equality of anything but numbers, arrays and records.
Outcome<bool> equal_objects(const Value& left, const Value& right, int depth) {
  if (is_type_named(left, right) || is_type_named(right, left)) return true;
  if (left.data.index() != right.data.index()) return false;
  if (const std::vector<Value>* items = items_of(left)) return equal_items(*items, *items_of(right), depth);
  if (const std::string* text = left.as<std::string>()) return *text == *right.as<std::string>();
  if (const auto* type = left.as<TypeValue>()) {
    const auto* other = right.as<TypeValue>();
    const bool is_text = type->kind == TypeValue::Kind::Str, other_is_text = other->kind == TypeValue::Kind::Str;
    const bool is_record = type->record || other->record;
    if (is_record) return have_same_layout(type->record, other->record);
    return is_text == other_is_text && (is_text || type->type == other->type);
  }
  if (const auto* object = left.as<InstanceValue>()) return object->instance == right.as<InstanceValue>()->instance;
  if (const auto* stream = left.as<StreamValue>()) return stream->stream == right.as<StreamValue>()->stream;
  if (const auto* type = left.as<ClassValue>()) return type->type == right.as<ClassValue>()->type;
  if (const auto* library = left.as<LibraryValue>()) return library->library == right.as<LibraryValue>()->library;
  if (const auto* function = left.as<FunctionValue>())
    return function->definition == right.as<FunctionValue>()->definition;
  if (const auto* range = left.as<RangeValue>()) {
    const auto* other = right.as<RangeValue>();
    return range->start == other->start && range->stop == other->stop && range->step == other->step;
  }
  return left.is<None>() || left.is<EllipsisValue>();
}

Outcome<bool> equal(const Value& left, const Value& right, int depth) {
  if (has_records(left) || has_records(right)) {
    if (!can_be_equal(left, right)) return false;
    ASSIGN_OR_RETURN(const Value result, apply_to_records(BinaryFunction::Equal, left, right));
    return truth(result);
  }
  if (!operand_type(left) || !operand_type(right)) return equal_objects(left, right, depth);
  ASSIGN_OR_RETURN(const Value result, apply(BinaryFunction::Equal, left, right));
  return truth(result);
}

/// `left is right`: one object, or equal values of a kind that has no identity.
Outcome<bool> identical(const Value& left, const Value& right) {
  if (left.data.index() != right.data.index()) return false;
  if (const ArrayRef* array = left.as<ArrayRef>()) return *array == *right.as<ArrayRef>();
  if (const auto* list = left.as<ListValue>()) return list->sequence == right.as<ListValue>()->sequence;
  return equal(left, right, 0);
}

/// Tuples beside tuples and lists beside lists are ordered by their first items that differ, else by their lengths.
Outcome<Value> order_items(ast::CompareOp op, const std::vector<Value>& left, const std::vector<Value>& right) {
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    ASSIGN_OR_RETURN(const bool same, equal(left[i], right[i], 0));
    if (!same) return compare(op, left[i], right[i]);
  }
  return apply(function_of(op), Value(static_cast<std::int64_t>(left.size())),
               Value(static_cast<std::int64_t>(right.size())));
}

/// Without a look at each: a range may have 2^63 numbers.
bool contains(const RangeValue& range, std::int64_t number) {
  const bool is_within =
      range.step > 0 ? range.start <= number && number < range.stop : range.stop < number && number <= range.start;
  const auto from = static_cast<std::uint64_t>(range.start), to = static_cast<std::uint64_t>(number),
             step = static_cast<std::uint64_t>(range.step);
  return is_within && (range.step > 0 ? (to - from) % step : (from - to) % (0 - step)) == 0;
}

Outcome<bool> contains(const Value& container, const Value& item) {
  if (const RangeValue* range = container.as<RangeValue>()) {
    if (const std::optional<std::int64_t> number = as_integer(item)) return contains(*range, *number);
    if (const double* number = item.as<double>()) {
      constexpr double kFirstBeyond = 0x1p63;
      const bool is_integer = *number >= -kFirstBeyond && *number < kFirstBeyond && std::floor(*number) == *number;
      return is_integer && contains(*range, static_cast<std::int64_t>(*number));
    }
  }
  if (container.is<GeneratorValue>()) {
    ASSIGN_OR_RETURN(std::vector<Value> items, all_items(container));
    return contains(make_list(std::move(items)), item);
  }
  if (const std::string* text = container.as<std::string>()) {
    const std::string* part = item.as<std::string>();
    if (!part) return fail(DiagnosticId::HostOperandTypes, "in", describe(item), describe(container));
    return text->find(*part) != std::string::npos;
  }
  ASSIGN_OR_RETURN(const std::int64_t count, item_count(container));
  for (std::int64_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(const Value candidate, item_at(container, i));
    ASSIGN_OR_RETURN(const bool same, equal(candidate, item, 0));
    if (same) return true;
  }
  return false;
}

Outcome<Value> negated(Outcome<bool> outcome, bool negate) {
  ASSIGN_OR_RETURN(const bool answer, std::move(outcome));
  return Value(answer != negate);
}

}  // namespace

Outcome<Value> apply_operator(ast::BinaryOp op, const Value& left, const Value& right) {
  if (op == ast::BinaryOp::Add && is_sequence(left) && left.data.index() == right.data.index())
    return join(left, right);
  if (op == ast::BinaryOp::Mul && is_sequence(left) && as_integer(right)) return repeat(left, *as_integer(right));
  if (op == ast::BinaryOp::Mul && as_integer(left) && is_sequence(right)) return repeat(right, *as_integer(left));
  if (op == ast::BinaryOp::Mod && left.is<std::string>()) return format_percent(*left.as<std::string>(), right);
  if (op != ast::BinaryOp::MatMul && (has_records(left) || has_records(right)))
    return apply_to_records(function_of(op), left, right);
  if (op != ast::BinaryOp::MatMul) return apply_to_numbers(function_of(op), left, right);
  const ArrayRef* a = left.as<ArrayRef>();
  const ArrayRef* b = right.as<ArrayRef>();
  if (!a || !b) return fail(DiagnosticId::HostOperandTypes, "@", describe(left), describe(right));
  if (has_records(left) || has_records(right))
    return fail(DiagnosticId::HostOperandTypes, "@", describe(left), describe(right))
        .note("`pykc.matmul` multiplies matrices of complex numbers: `from pykc.matmul import matmul`");
  ASSIGN_OR_RETURN(const ArrayRef product, matrix_product(*a, *b));
  share_home(*product, {a->get(), b->get()});
  return number_or_array(product);
}

Outcome<Value> apply_operator(ast::UnaryOp op, const Value& operand) {
  if (op == ast::UnaryOp::Not) return negated(truth(operand), true);
  if (op == ast::UnaryOp::Invert) {
    if (!operand.is<bool>() && !operand.is<std::int64_t>()) return apply(UnaryFunction::Invert, operand);
    return Value(~*as_integer(operand));
  }
  const bool is_number = operand.is<bool>() || operand.is<std::int64_t>();
  if (op == ast::UnaryOp::Plus) {
    if (!operand_type(operand)) return fail(DiagnosticId::HostOperandType, "+", describe(operand));
    return is_number ? Value(*as_integer(operand)) : operand;
  }
  if (has_records(operand)) return negate_records(operand);
  if (const double* number = operand.as<double>()) return Value(-*number);
  if (is_number) return apply(BinaryFunction::Subtract, Value(std::int64_t{0}), operand);
  return apply(UnaryFunction::Negate, operand);
}

Outcome<Value> compare(ast::CompareOp op, const Value& left, const Value& right) {
  switch (op) {
    case ast::CompareOp::Is:
      return negated(identical(left, right), false);
    case ast::CompareOp::IsNot:
      return negated(identical(left, right), true);
    case ast::CompareOp::In:
      return negated(contains(right, left), false);
    case ast::CompareOp::NotIn:
      return negated(contains(right, left), true);
    default:
      break;
  }
  if (has_records(left) || has_records(right)) return apply_to_records(function_of(op), left, right);
  const bool is_array = left.is<ArrayRef>() || right.is<ArrayRef>();
  const bool are_numbers = operand_type(left) && operand_type(right);
  if (are_numbers || (is_array && (items_of(left) || items_of(right))))
    return apply_to_numbers(function_of(op), left, right);
  if (op == ast::CompareOp::Eq) return negated(equal(left, right, 0), false);
  if (op == ast::CompareOp::Ne) return negated(equal(left, right, 0), true);
  if (items_of(left) && items_of(right) && left.is<ListValue>() == right.is<ListValue>())
    return order_items(op, *items_of(left), *items_of(right));
  const std::string* a = left.as<std::string>();
  const std::string* b = right.as<std::string>();
  if (!a || !b) return fail(DiagnosticId::HostOperandTypes, spelling(function_of(op)), describe(left), describe(right));
  const int order = a->compare(*b);
  return apply(function_of(op), Value(std::int64_t{order}), Value(std::int64_t{0}));
}

Outcome<Value> apply_in_place(ast::BinaryOp op, const Value& left, const Value& right) {
  ASSIGN_OR_RETURN(const Value result, apply_operator(op, left, right));
  if (const auto* list = left.as<ListValue>(); list && result.is<ListValue>()) {
    for (const Value& item : *items_of(result))
      if (holds(item, *list->sequence)) return fail(DiagnosticId::HostListInItself);
    list->sequence->items = *items_of(result);
    return left;
  }
  const ArrayRef* array = left.as<ArrayRef>();
  if (!array || ((*array)->record && (*array)->rank() == 0)) return result;
  if ((*array)->record) {
    RETURN_IF_FAILED(set_item(left, Value(EllipsisValue{}), result));
    return left;
  }
  ASSIGN_OR_RETURN(const ArrayRef values, to_array(result, (*array)->type));
  if (is_float(values->type) && !is_float((*array)->type))
    return fail(DiagnosticId::HostOperandTypes, "op=", describe(left), describe(right))
        .note("the result has floats, which the array cannot hold: write `a = a op b` for a new array");
  RETURN_IF_FAILED(assign_array(**array, values));
  return left;
}

}  // namespace pykc::script
