// Where an element lies. Extents are below 2^48, so for indices in bounds no step of the arithmetic overflows: it is
// no_wrap throughout, since an index out of bounds is undefined in a plain build and stopped before in a checked one.
// Only the test for a negative index, and what it selects, must be defined for every value.
#include "frontend/lower_function.h"
#include "ir/value_range.h"

namespace pykc::lowering {

Parts FunctionLowering::lower(const checked::Element& node, const checked::Type&) { return {b_.load(address(node))}; }

Parts FunctionLowering::lower(const checked::Extent& node, const checked::Type&) {
  return {extent(node.array->type, lower(node.array), node.dimension)};
}

/// A dynamic shared array says its extents itself: expressions over the launch, or what the launch's own bytes hold.
Parts FunctionLowering::lower(const checked::SharedArrayRef& node, const checked::Type& type) {
  const checked::SharedArray& array = source_.shared_arrays[static_cast<std::size_t>(node.index)];
  Parts parts = {b_.shared_array(node.index)};
  if (array.takes_launch_bytes) {
    Instruction* bytes = b_.emit_typed(Opcode::LaunchSharedBytes, ir::Type::of(ScalarType::I64), {});
    parts.push_back(b_.emit(Opcode::FloorDiv, {bytes, b_.constant_i64(size_in_bytes(type.array.element))}));
  } else if (!type.array.has_static_shape()) {
    for (const checked::ExprRef expr : array.extents) parts.push_back(scalar(expr));
  }
  return parts;
}

Parts FunctionLowering::lower(const checked::LocalArrayRef& node, const checked::Type&) {
  return {b_.local_array(node.index)};
}

Parts FunctionLowering::lower(const checked::ConstantArrayRef& node, const checked::Type& type) {
  return {b_.constant_array(node.index, type.array.element)};
}

Instruction* FunctionLowering::extent(const checked::Type& array, const Parts& parts, int dimension) {
  const auto index = static_cast<std::size_t>(dimension);
  return array.array.has_static_shape() ? b_.constant_i64(array.array.extents[index]) : parts[1 + index];
}

Instruction* FunctionLowering::stride(const checked::Type& array, const Parts& parts, int dimension) {
  return parts[static_cast<std::size_t>(1 + array.array.rank() + dimension)];
}

Instruction* FunctionLowering::no_wrap(Opcode opcode, Instruction* a, Instruction* b) {
  Instruction* result = b_.emit(opcode, {a, b});
  result->no_wrap = true;
  return result;
}

Instruction* FunctionLowering::address(const checked::Element& element) {
  const checked::Type& array = element.array->type;
  const Parts parts = lower(element.array);
  Parts indices;
  for (const checked::ExprRef index : element.indices) indices.push_back(scalar(index));
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const int dimension = static_cast<int>(i);
    Instruction* written = indices[i];
    if (element.wraparound) indices[i] = wrap(written, extent(array, parts, dimension));
    if (element.bounds_fault >= 0)
      check_bounds(written, indices[i], extent(array, parts, dimension), dimension, element.bounds_fault);
  }
  if (indices.empty()) return parts.front();
  return b_.emit(Opcode::ElementPointer, {parts.front(), offset(array, parts, indices)});
}

Instruction* FunctionLowering::wrap(Instruction* index, Instruction* extent) {
  const ir::ValueRange range = ir::range_of(index, target_);
  if (range.is_non_negative()) return index;
  Instruction* from_end = b_.emit(Opcode::Add, {index, extent});
  if (range.maximum < 0) return from_end;
  return b_.select(b_.emit(Opcode::Lt, {index, b_.constant_i64(0)}), from_end, index);
}

/// The fault reports the index as written, the extent, and the number of the dimension.
void FunctionLowering::check_bounds(Instruction* written, Instruction* index, Instruction* extent, int dimension,
                                    int fault) {
  Instruction* is_outside = b_.emit(Opcode::Ge, {index, extent});
  if (!ir::range_of(index, target_).is_non_negative())
    is_outside = b_.emit(Opcode::Or, {b_.emit(Opcode::Lt, {index, b_.constant_i64(0)}), is_outside});
  b_.enter(b_.if_(is_outside)->blocks[0]);
  b_.fault(fault, {written, extent, b_.constant_i64(dimension)});
  b_.leave();
}

Instruction* FunctionLowering::offset(const checked::Type& array, const Parts& parts, const Parts& indices) {
  const bool has_strides = array.array.layout == Layout::Strided && !array.array.has_static_shape();
  return has_strides ? strided(array, parts, indices) : linear(array, parts, indices);
}

/// Horner's scheme over the dimensions, the slowest first.
Instruction* FunctionLowering::linear(const checked::Type& array, const Parts& parts, const Parts& indices) {
  const int rank = array.array.rank();
  const bool is_column_major = array.array.layout == Layout::ColumnMajor;
  Instruction* sum = nullptr;
  for (int i = 0; i < rank; ++i) {
    const int dimension = is_column_major ? rank - 1 - i : i;
    Instruction* index = indices[static_cast<std::size_t>(dimension)];
    if (sum != nullptr)
      sum = no_wrap(Opcode::Add, no_wrap(Opcode::Mul, sum, extent(array, parts, dimension)), index);
    else
      sum = index;
  }
  return sum;
}

Instruction* FunctionLowering::strided(const checked::Type& array, const Parts& parts, const Parts& indices) {
  Instruction* sum = nullptr;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    Instruction* term = no_wrap(Opcode::Mul, indices[i], stride(array, parts, static_cast<int>(i)));
    sum = sum == nullptr ? term : no_wrap(Opcode::Add, sum, term);
  }
  return sum;
}

}  // namespace pykc::lowering
