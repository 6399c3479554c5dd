// Where an element lies. Extents are below 2^48, so for indices in bounds no step of the arithmetic overflows: it is
// no_wrap throughout, since an index out of bounds is undefined in a plain build and stopped before in a checked one.
// Only the test for a negative index, and what it selects, must be defined for every value.
#include <algorithm>

#include "frontend/lower/function.h"
#include "ir/analysis/value_range.h"

namespace pykc::lowering {

Parts FunctionLowering::lower(const checked::Element& node, const checked::Type& type) {
  return load(address(node), type);
}

Parts FunctionLowering::lower(const checked::Extent& node, const checked::Type&) {
  return {extent(node.array->type, lower(node.array), node.dimension)};
}

Parts FunctionLowering::lower(const checked::SharedArrayRef& node, const checked::Type&) {
  const auto first = source_.shared_arrays.begin();
  if (is_dynamic(first[node.index])) return dynamic_array({&source_, node.index});
  // A device function's own list has only the static ones.
  const auto dynamic_before = source_.is_kernel ? 0 : std::count_if(first, first + node.index, is_dynamic);
  return {b_.shared_array(node.index - static_cast<int>(dynamic_before))};
}

/// A kernel has its own arrays first, then those of its callees.
Parts FunctionLowering::dynamic_array(const DynamicArray& array) {
  if (array.owner == &source_ && source_.is_kernel) return owned_array(array, array.index);
  const std::vector<DynamicArray>& handed = context_.dynamic_arrays.handed_to(&source_);
  const auto position = std::ranges::find(handed, array) - handed.begin();
  if (!source_.is_kernel) return handed_arrays_[static_cast<std::size_t>(position)];
  return owned_array(array, static_cast<int>(source_.shared_arrays.size()) + static_cast<int>(position));
}

/// The extents are expressions over the launch (0 where those come out negative), or what the launch's own bytes hold.
Parts FunctionLowering::owned_array(const DynamicArray& array, int index) {
  const checked::SharedArray& declaration = array.declaration();
  Parts parts = {b_.shared_array(index)};
  if (declaration.takes_launch_bytes) {
    Instruction* bytes = b_.emit_typed(Opcode::LaunchSharedBytes, ir::Type::of(ScalarType::I64), {});
    parts.push_back(b_.emit(Opcode::FloorDiv, {bytes, b_.constant_i64(size_in_bytes(declaration.type.element))}));
  }
  for (const checked::ExprRef expr : declaration.extents) {
    Instruction* extent = scalar(expr);
    const bool is_sure = ir::range_of(extent, target_).is_non_negative();
    parts.push_back(is_sure ? extent : b_.builtin(BuiltinId::Max, extent->type, {extent, b_.constant_i64(0)}));
  }
  return parts;
}

Parts FunctionLowering::lower(const checked::LocalArrayRef& node, const checked::Type&) {
  return {b_.local_array(node.index)};
}

Parts FunctionLowering::lower(const checked::ConstantArrayRef& node, const checked::Type& type) {
  return {b_.constant_array(node.index, unit_of(type.array.element))};
}

Instruction* FunctionLowering::extent(const checked::Type& array, const Parts& parts, int dimension) {
  const auto index = static_cast<std::size_t>(dimension);
  return array.array.has_static_shape() ? b_.constant_i64(array.array.extents[index]) : parts[1 + index];
}

/// In elements. Of a contiguous array, the product of the extents of the faster dimensions.
Instruction* FunctionLowering::stride(const checked::Type& array, const Parts& parts, int dimension) {
  const int rank = array.array.rank();
  if (has_strides(array)) return parts[static_cast<std::size_t>(1 + rank + dimension)];
  const bool is_column_major = array.array.layout == Layout::ColumnMajor;
  const int first = is_column_major ? 0 : dimension + 1, end = is_column_major ? dimension : rank;
  Instruction* product = b_.constant_i64(1);
  for (int i = first; i < end; ++i) product = times(product, extent(array, parts, i));
  return product;
}

/// A product that indexes: it cannot overflow.
Instruction* FunctionLowering::times(Instruction* a, Instruction* b) {
  const auto is_one = [](const Instruction* i) { return i->opcode == Opcode::Constant && i->constant == 1; };
  if (is_one(a)) return b;
  if (is_one(b)) return a;
  return no_wrap(Opcode::Mul, a, b);
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
    indices[i] = position(indices[i], array, parts, dimension, element.wraparound, element.bounds_fault);
  }
  if (indices.empty()) return parts.front();
  return element_pointer(parts.front(), offset(array, parts, indices), array.array.element);
}

/// The index, counted from the start and tested, as far as is asked for. `fault` is the site of dimension 0.
Instruction* FunctionLowering::position(Instruction* written, const checked::Type& array, const Parts& parts,
                                        int dimension, bool wraparound, int fault) {
  Instruction* index = wraparound ? wrap(written, extent(array, parts, dimension)) : written;
  if (fault >= 0) check_bounds(written, index, array, parts, dimension, fault + dimension);
  return index;
}

Instruction* FunctionLowering::wrap(Instruction* index, Instruction* extent) {
  const ir::ValueRange range = ir::range_of(index, target_);
  if (range.is_non_negative()) return index;
  Instruction* from_end = b_.emit(Opcode::Add, {index, extent});
  if (range.maximum < 0) return from_end;
  return b_.select(b_.emit(Opcode::Lt, {index, b_.constant_i64(0)}), from_end, index);
}

/// The fault reports the index as written, and the shape.
void FunctionLowering::check_bounds(Instruction* written, Instruction* index, const checked::Type& array,
                                    const Parts& parts, int dimension, int fault) {
  Instruction* is_outside = b_.emit(Opcode::Ge, {index, extent(array, parts, dimension)});
  if (!ir::range_of(index, target_).is_non_negative())
    is_outside = b_.emit(Opcode::Or, {b_.emit(Opcode::Lt, {index, b_.constant_i64(0)}), is_outside});
  b_.enter(b_.if_(is_outside)->blocks[0]);
  Parts values = {written};
  for (int i = 0; i < array.array.rank(); ++i) values.push_back(extent(array, parts, i));
  b_.fault(fault, std::move(values));
  b_.leave();
}

/// In a checked build a thread that waits in a loop, or that begins late, stops when another one has faulted.
void FunctionLowering::stop_after_fault() {
  if (context_.stop_fault < 0) return;
  b_.enter(b_.if_(b_.emit(Opcode::AnyFault, {}))->blocks[0]);
  b_.fault(context_.stop_fault, {});
  b_.leave();
}

Instruction* FunctionLowering::offset(const checked::Type& array, const Parts& parts, const Parts& indices) {
  return has_strides(array) ? strided(array, parts, indices) : linear(array, parts, indices);
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
