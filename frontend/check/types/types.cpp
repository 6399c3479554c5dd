#include "frontend/check/types/types.h"

#include <algorithm>
#include <functional>

namespace pykc::checker {
namespace {

bool join_tuples(InferredType& into, const InferredType& other, const TypingRules& rules, checked::TypePool& types) {
  if (into.elements.size() != other.elements.size() || into.type->names != other.type->names) return false;
  std::vector<InferredType> joined = into.elements;
  std::vector<checked::Type> joined_types;
  for (std::size_t i = 0; i < joined.size(); ++i) {
    if (!join_into(joined[i], other.elements[i], rules, types)) return false;
    joined_types.push_back(joined[i].type);
  }
  into.elements = std::move(joined);
  into.type = types.with_elements(into.type, std::move(joined_types));
  return true;
}

/// Arrays in one memory, of one element and rank. What they differ in, layout or extents, the join leaves open.
bool join_arrays(checked::Type& into, checked::Type other, checked::TypePool& types) {
  ArrayType array = into->array;
  if (into->space != other->space || array.element != other->array.element || array.rank() != other->array.rank())
    return false;
  if (array.layout != other->array.layout) array.layout = Layout::Strided;
  std::fill(array.extents.begin(), array.extents.end(), ArrayType::kDynamic);
  const bool is_pointer = into->is_pointer || other->is_pointer;
  into = is_pointer ? types.pointer(std::move(array), into->space) : types.of(std::move(array), into->space);
  return true;
}

bool is_complex(const InferredType& type) {
  return type.type.is_record() && type.type->record->kind == RecordType::Kind::Complex;
}

/// The type of the number, or of its parts.
ScalarType part_of(const InferredType& number) {
  return is_complex(number) ? number.type->record->fields.front().type.scalar : number.type->scalar;
}

/// One of them is complex: it becomes one whose parts hold both. What is weak leaves the parts to the other.
bool join_complex(InferredType& into, const InferredType& other, const TypingRules& rules, checked::TypePool& types) {
  const auto is_number = [](const InferredType& type) { return type.type.is_scalar() || is_complex(type); };
  if (!is_number(into) || !is_number(other)) return false;
  const auto decides = [](const InferredType& type) { return !type.weak && is_float(part_of(type)); };
  const bool is_weak = !decides(into) && !decides(other);
  const ScalarType part = decides(into) && decides(other) ? *rules.join(part_of(into), part_of(other))
                          : decides(into)                 ? part_of(into)
                          : decides(other)                ? part_of(other)
                                                          : ScalarType::F64;
  into = InferredType::of(types.of(complex_type(size_in_bytes(part) > 4 ? ScalarType::F64 : ScalarType::F32)));
  into.weak = is_weak;
  return true;
}

bool join_weak(InferredType& into, const InferredType& other) {
  const InferredType& strong = into.weak ? other : into;
  if (strong.weak) return true;
  if (!strong.type.is_scalar()) return false;
  into = is_float(strong.type->scalar) ? InferredType(strong) : InferredType::weak_float();
  return true;
}

}  // namespace

bool is_wide_enough(Int128 value, ScalarType type) {
  if (type == ScalarType::Bool) return value == 0 || value == 1;
  const int bits = size_in_bits(type);
  if (is_unsigned_integer(type)) return value >= 0 && value < (Int128{1} << bits);
  return value >= -(Int128{1} << (bits - 1)) && value < (Int128{1} << (bits - 1));
}

ScalarType type_of_literal(Int128 value) {
  return is_wide_enough(value, ScalarType::I64) ? ScalarType::I64 : ScalarType::U64;
}

bool is_text_like(checked::Type a, checked::Type b) {
  return a.is_record() && b.is_record() && is_text(a->record) && is_text(b->record) &&
         character_of(a->record) == character_of(b->record);
}

InferredType InferredType::of(checked::Type type) {
  InferredType inferred{.known = true, .type = type};
  for (const checked::Type element : type->elements) inferred.elements.push_back(of(element));
  return inferred;
}

InferredType InferredType::weak_float() {
  InferredType inferred = of(checked::Type::of(ScalarType::F64));
  inferred.weak = true;
  return inferred;
}

bool join_into(InferredType& into, const InferredType& other, const TypingRules& rules, checked::TypePool& types) {
  if (!other.known) return true;
  if (!into.known) {
    into = other;
    return true;
  }
  if (into == other) return true;
  if (is_text_like(into.type, other.type)) {
    if (width_of(other.type->record) > width_of(into.type->record)) into = other;
    return true;
  }
  if (is_complex(into) || is_complex(other)) return join_complex(into, other, rules, types);
  if (into.weak || other.weak) return join_weak(into, other);
  const bool are_one_function =
      into.type.is_static() && other.type.is_static() && into.type->entity == other.type->entity;
  if (are_one_function || (into.type.is_tuple() && other.type.is_tuple()))
    return join_tuples(into, other, rules, types);
  if (into.type.is_array() && other.type.is_array()) return join_arrays(into.type, other.type, types);
  if (!into.type.is_scalar() || !other.type.is_scalar()) return false;
  if (is_float8(into.type->scalar) || is_float8(other.type->scalar)) return false;  // equal ones are joined
  const std::optional<ScalarType> common = rules.join(into.type->scalar, other.type->scalar);
  if (!common) return false;
  into.type = checked::Type::of(*common);
  return true;
}

void settle(InferredType& type) {
  type.weak = false;
  for (InferredType& element : type.elements) settle(element);
}

std::size_t HashOfTypes::operator()(const std::vector<InferredType>& types) const {
  std::size_t hash = 0;
  for (const InferredType& type : types) hash = hash * 31 + std::hash<checked::Type>()(type.type) + type.weak;
  return hash;
}

}  // namespace pykc::checker
