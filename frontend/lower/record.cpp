// Records in memory. An array of records is addressed in units, unsigned integers as wide as the record's alignment
// (8 bytes at most); a field is its scalars, each loaded and stored at its own offset. That an access may be wider
// follows from what is known of the address: the optimiser makes one of several.
#include "frontend/lower/record.h"

#include <algorithm>

#include "frontend/lower/array.h"
#include "frontend/lower/expr.h"
#include "frontend/lower/function.h"
#include "frontend/lower/view.h"

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

ElementType element_of(Type type) { return type.is_record() ? ElementType(type->record) : ElementType(type->scalar); }

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

Instruction* element_pointer(FunctionLowering& lowering, Instruction* base, Instruction* index,
                             const ElementType& type) {
  const std::int64_t units = units_of(type);
  if (units != 1) index = no_wrap(lowering, Opcode::Mul, index, lowering.build.constant_i64(units));
  return lowering.build.emit(Opcode::ElementPointer, {base, index});
}

Parts load(FunctionLowering& lowering, Instruction* address, Type type) {
  Parts parts;
  for_each_scalar(element_of(type), 0, [&](ScalarType scalar, std::int64_t offset) {
    parts.push_back(lowering.build.load(lowering.build.field(address, offset, scalar)));
  });
  return parts;
}

void store(FunctionLowering& lowering, Instruction* address, Type type, const Parts& values) {
  std::size_t next = 0;
  for_each_scalar(element_of(type), 0, [&](ScalarType scalar, std::int64_t offset) {
    lowering.build.store(lowering.build.field(address, offset, scalar), values[next++]);
  });
}

/// The address of an Element or a Field.
Instruction* address(FunctionLowering& lowering, checked::ExprRef place) {
  if (const auto* element = place->as<checked::Element>()) return address(lowering, *element);
  const auto& field = *place->as<checked::Field>();
  const Type type = place->type;
  return lowering.build.field(address(lowering, field.place), field.offset,
                              unit_of(type.is_array() ? type->array.element : element_of(type)));
}

/// The checker has seen to it that a whole number of fields makes a record.
Parts lower(FunctionLowering& lowering, const checked::FieldView& node, Type type) {
  const Type records = node.array->type;
  const Parts array = lower(lowering, node.array);
  const std::int64_t step = size_in_bytes(records->array.element) / size_in_bytes(type->array.element);
  Parts strides;
  for (Instruction* stride : strides_of(lowering, records, array))
    strides.push_back(times(lowering, stride, lowering.build.constant_i64(step)));
  Instruction* first = lowering.build.field(array.front(), node.offset, unit_of(type->array.element));
  return array_parts(type, first, extents_of(lowering, records, array), strides);
}

Parts lower(FunctionLowering& lowering, const checked::Field& node, Type type) {
  const checked::Expr place{type, lowering.range, node};
  Instruction* at = address(lowering, &place);
  return type.is_array() ? Parts{at} : load(lowering, at, type);
}

}  // namespace pykc::lowering
