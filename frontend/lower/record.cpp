// Records in memory. An array of records is addressed in units, unsigned integers as wide as the record's alignment
// (8 bytes at most); a field is its scalars, each loaded and stored at its own offset. That an access may be wider
// follows from what is known of the address: the optimiser makes one of several.
#include <algorithm>

#include "frontend/lower/function.h"

namespace pykc::lowering {
namespace {

using checked::Type;

/// Calls `visit(scalar, offset)` for each scalar of the type, in the order of its parts.
template <typename Visit>
void for_each_scalar(const ElementType& type, std::int64_t offset, const Visit& visit) {
  if (!type.is_record()) return visit(type.scalar, offset);
  for (const RecordField& field : type.record->fields)
    for (std::int64_t i = 0; i < field.count(); ++i)
      for_each_scalar(field.type, offset + field.offset + i * size_in_bytes(field.type), visit);
}

ElementType element_of(const Type& type) {
  return type.is_record() ? ElementType(type.record) : ElementType(type.scalar);
}

}  // namespace

ScalarType unit_of(const ElementType& type) {
  if (!type.is_record()) return type.scalar;
  switch (type.record->alignment) {
    case 1:
      return ScalarType::U8;
    case 2:
      return ScalarType::U16;
    case 4:
      return ScalarType::U32;
    default:
      return ScalarType::U64;
  }
}

std::int64_t units_of(const ElementType& type) { return size_in_bytes(type) / size_in_bytes(unit_of(type)); }

Instruction* FunctionLowering::element_pointer(Instruction* base, Instruction* index, const ElementType& type) {
  const std::int64_t units = units_of(type);
  if (units != 1) index = no_wrap(Opcode::Mul, index, b_.constant_i64(units));
  return b_.emit(Opcode::ElementPointer, {base, index});
}

Parts FunctionLowering::load(Instruction* address, const Type& type) {
  Parts parts;
  for_each_scalar(element_of(type), 0, [&](ScalarType scalar, std::int64_t offset) {
    parts.push_back(b_.load(b_.field(address, offset, scalar)));
  });
  return parts;
}

void FunctionLowering::store(Instruction* address, const Type& type, const Parts& values) {
  std::size_t next = 0;
  for_each_scalar(element_of(type), 0, [&](ScalarType scalar, std::int64_t offset) {
    b_.store(b_.field(address, offset, scalar), values[next++]);
  });
}

/// The address of an Element or a Field.
Instruction* FunctionLowering::address(checked::ExprRef place) {
  if (const auto* element = place->as<checked::Element>()) return address(*element);
  const auto& field = *place->as<checked::Field>();
  const Type& type = place->type;
  return b_.field(address(field.place), field.offset, unit_of(type.is_array() ? type.array.element : element_of(type)));
}

/// The checker has seen to it that a whole number of fields makes a record.
Parts FunctionLowering::lower(const checked::FieldView& node, const Type& type) {
  const Type& records = node.array->type;
  const Parts array = lower(node.array);
  const std::int64_t step = size_in_bytes(records.array.element) / size_in_bytes(type.array.element);
  Parts strides;
  for (Instruction* stride : strides_of(records, array)) strides.push_back(times(stride, b_.constant_i64(step)));
  Instruction* first = b_.field(array.front(), node.offset, unit_of(type.array.element));
  return array_parts(type, first, extents_of(records, array), strides);
}

Parts FunctionLowering::lower(const checked::Field& node, const Type& type) {
  const checked::Expr place{type, range_, node};
  Instruction* at = address(&place);
  return type.is_array() ? Parts{at} : load(at, type);
}

}  // namespace pykc::lowering
