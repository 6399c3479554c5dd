// Where an element lies. Extents are below 2^48, so for indices in bounds no step of the arithmetic overflows: it is
// no_wrap throughout, since an index out of bounds is undefined in a plain build and stopped before in a checked one.
// Only the test for a negative index, and what it selects, must be defined for every value.
#include "frontend/lower/array.h"

#include <algorithm>

#include "frontend/lower/expr.h"
#include "frontend/lower/function.h"
#include "frontend/lower/record.h"
#include "ir/analysis/value_range.h"

namespace pykc::lowering {
namespace {

/// The extents are expressions over the launch (0 where those come out negative), or what the launch's own bytes hold.
Parts owned_array(FunctionLowering& lowering, const DynamicArray& array, int index) {
  const checked::SharedArray& declaration = array.declaration();
  Parts parts = {lowering.build.shared_array(index)};
  if (declaration.takes_launch_bytes) {
    Instruction* bytes = lowering.build.emit_typed(Opcode::LaunchSharedBytes, ir::Type::of(ScalarType::I64), {});
    parts.push_back(lowering.build.emit(Opcode::FloorDiv,
                                        {bytes, lowering.build.constant_i64(size_in_bytes(declaration.type.element))}));
  }
  for (const checked::ExprRef expr : declaration.extents) {
    Instruction* extent = scalar(lowering, expr);
    const bool is_sure = ir::range_of(extent, lowering.target).is_non_negative();
    parts.push_back(
        is_sure ? extent
                : lowering.build.builtin(BuiltinId::Max, extent->type, {extent, lowering.build.constant_i64(0)}));
  }
  return parts;
}

Instruction* wrap(FunctionLowering& lowering, Instruction* index, Instruction* extent) {
  const ir::ValueRange range = ir::range_of(index, lowering.target);
  if (range.is_non_negative()) return index;
  Instruction* from_end = lowering.build.emit(Opcode::Add, {index, extent});
  if (range.maximum < 0) return from_end;
  return lowering.build.select(lowering.build.emit(Opcode::Lt, {index, lowering.build.constant_i64(0)}), from_end,
                               index);
}

/// The fault reports the index as written, and the shape.
void check_bounds(FunctionLowering& lowering, Instruction* written, Instruction* index, checked::Type array,
                  const Parts& parts, int dimension, int fault) {
  Instruction* is_outside = lowering.build.emit(Opcode::Ge, {index, extent(lowering, array, parts, dimension)});
  if (!ir::range_of(index, lowering.target).is_non_negative())
    is_outside = lowering.build.emit(
        Opcode::Or, {lowering.build.emit(Opcode::Lt, {index, lowering.build.constant_i64(0)}), is_outside});
  lowering.build.enter(lowering.build.if_(is_outside)->blocks[0]);
  Parts values = {written};
  for (int i = 0; i < array->array.rank(); ++i) values.push_back(extent(lowering, array, parts, i));
  lowering.build.fault(fault, std::move(values));
  lowering.build.leave();
}

/// The last of several elements, which follow the first along the fastest dimension. The first is inside, so no sum
/// overflows.
void check_run(FunctionLowering& lowering, const checked::Element& first, Run run, const Parts& parts,
               const Parts& indices) {
  const checked::Type array = first.array->type;
  const int dimension = array->array.layout == Layout::ColumnMajor ? 0 : array->array.rank() - 1;
  Instruction* last = no_wrap(lowering, Opcode::Add, indices[static_cast<std::size_t>(dimension)],
                              lowering.build.constant_i64(run.count - 1));
  check_bounds(lowering, last, last, array, parts, dimension, first.bounds_fault + dimension);
  if (!has_strides(array->array)) return;
  Instruction* apart = stride(lowering, array, parts, dimension);
  Instruction* is_apart = lowering.build.emit(Opcode::Ne, {apart, lowering.build.constant_i64(1)});
  lowering.build.enter(lowering.build.if_(is_apart)->blocks[0]);
  lowering.build.fault(run.stride_fault, {apart});
  lowering.build.leave();
}

/// Horner's scheme over the dimensions, the slowest first.
Instruction* linear(FunctionLowering& lowering, checked::Type array, const Parts& parts, const Parts& indices) {
  const int rank = array->array.rank();
  const bool is_column_major = array->array.layout == Layout::ColumnMajor;
  Instruction* sum = nullptr;
  for (int i = 0; i < rank; ++i) {
    const int dimension = is_column_major ? rank - 1 - i : i;
    Instruction* index = indices[static_cast<std::size_t>(dimension)];
    if (sum != nullptr)
      sum = no_wrap(lowering, Opcode::Add,
                    no_wrap(lowering, Opcode::Mul, sum, extent(lowering, array, parts, dimension)), index);
    else
      sum = index;
  }
  return sum;
}

Instruction* strided(FunctionLowering& lowering, checked::Type array, const Parts& parts, const Parts& indices) {
  Instruction* sum = nullptr;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    Instruction* term = no_wrap(lowering, Opcode::Mul, indices[i], stride(lowering, array, parts, static_cast<int>(i)));
    sum = sum == nullptr ? term : no_wrap(lowering, Opcode::Add, sum, term);
  }
  return sum;
}

Instruction* offset(FunctionLowering& lowering, checked::Type array, const Parts& parts, const Parts& indices) {
  return has_strides(array->array) ? strided(lowering, array, parts, indices) : linear(lowering, array, parts, indices);
}

}  // namespace

Parts lower(FunctionLowering& lowering, const checked::Element& node, checked::Type type) {
  return load(lowering, address(lowering, node), type);
}

Parts lower(FunctionLowering& lowering, const checked::Extent& node, checked::Type) {
  return {extent(lowering, node.array->type, lower(lowering, node.array), node.dimension)};
}

Parts lower(FunctionLowering& lowering, const checked::SharedArrayRef& node, checked::Type) {
  const auto first = lowering.source.shared_arrays.begin();
  if (is_dynamic(first[node.index])) return dynamic_array(lowering, {&lowering.source, node.index});
  // A device function's own list has only the static ones.
  const auto dynamic_before = lowering.source.is_kernel ? 0 : std::count_if(first, first + node.index, is_dynamic);
  return {lowering.build.shared_array(node.index - static_cast<int>(dynamic_before))};
}

/// A kernel has its own arrays first, then those of its callees.
Parts dynamic_array(FunctionLowering& lowering, const DynamicArray& array) {
  if (array.owner == &lowering.source && lowering.source.is_kernel) return owned_array(lowering, array, array.index);
  const std::vector<DynamicArray>& handed = lowering.context.dynamic_arrays.handed_to(&lowering.source);
  const auto position = std::ranges::find(handed, array) - handed.begin();
  if (!lowering.source.is_kernel) return lowering.handed_arrays[static_cast<std::size_t>(position)];
  return owned_array(lowering, array,
                     static_cast<int>(lowering.source.shared_arrays.size()) + static_cast<int>(position));
}

Parts lower(FunctionLowering& lowering, const checked::ClusterArray& node, checked::Type) {
  Parts parts = lower(lowering, node.array);
  const ir::Type type = ir::Type::pointer(parts.front()->type.scalar, ir::AddressSpace::Cluster);
  parts.front() = lowering.build.emit_typed(Opcode::ClusterPointer, type, {parts.front(), scalar(lowering, node.rank)});
  return parts;
}

Parts lower(FunctionLowering& lowering, const checked::LocalArrayRef& node, checked::Type) {
  return {lowering.build.local_array(node.index)};
}

Parts lower(FunctionLowering& lowering, const checked::ConstantArrayRef& node, checked::Type type) {
  return {lowering.build.constant_array(node.index, unit_of(type->array.element))};
}

Instruction* extent(FunctionLowering& lowering, checked::Type array, const Parts& parts, int dimension) {
  const auto index = static_cast<std::size_t>(dimension);
  return array->array.has_static_shape() ? lowering.build.constant_i64(array->array.extents[index]) : parts[1 + index];
}

/// In elements. Of a contiguous array, the product of the extents of the faster dimensions.
Instruction* stride(FunctionLowering& lowering, checked::Type array, const Parts& parts, int dimension) {
  const int rank = array->array.rank();
  if (has_strides(array->array)) return parts[static_cast<std::size_t>(1 + rank + dimension)];
  const bool is_column_major = array->array.layout == Layout::ColumnMajor;
  const int first = is_column_major ? 0 : dimension + 1, end = is_column_major ? dimension : rank;
  Instruction* product = lowering.build.constant_i64(1);
  for (int i = first; i < end; ++i) product = times(lowering, product, extent(lowering, array, parts, i));
  return product;
}

/// A product that indexes: it cannot overflow.
Instruction* times(FunctionLowering& lowering, Instruction* a, Instruction* b) {
  const auto is_one = [](const Instruction* i) { return i->opcode == Opcode::Constant && i->constant == 1; };
  if (is_one(a)) return b;
  if (is_one(b)) return a;
  return no_wrap(lowering, Opcode::Mul, a, b);
}

Instruction* no_wrap(FunctionLowering& lowering, Opcode opcode, Instruction* a, Instruction* b) {
  Instruction* result = lowering.build.emit(opcode, {a, b});
  result->no_wrap = true;
  return result;
}

Instruction* address(FunctionLowering& lowering, const checked::Element& element) {
  return address(lowering, element, Run{});
}

Instruction* address(FunctionLowering& lowering, const checked::Element& first, Run run) {
  const checked::Type array = first.array->type;
  const Parts parts = lower(lowering, first.array);
  Parts indices;
  for (const checked::ExprRef index : first.indices) indices.push_back(scalar(lowering, index));
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const int dimension = static_cast<int>(i);
    indices[i] = position(lowering, indices[i], array, parts, dimension, first.wraparound, first.bounds_fault);
  }
  if (indices.empty()) return parts.front();
  if (run.count > 1 && first.bounds_fault >= 0) check_run(lowering, first, run, parts, indices);
  return element_pointer(lowering, parts.front(), offset(lowering, array, parts, indices), array->array.element);
}

/// The index, counted from the start and tested, as far as is asked for. `fault` is the site of dimension 0.
Instruction* position(FunctionLowering& lowering, Instruction* written, checked::Type array, const Parts& parts,
                      int dimension, bool wraparound, int fault) {
  Instruction* index = wraparound ? wrap(lowering, written, extent(lowering, array, parts, dimension)) : written;
  if (fault >= 0) check_bounds(lowering, written, index, array, parts, dimension, fault + dimension);
  return index;
}

/// In a checked build a thread that waits in a loop, or that begins late, stops when another one has faulted.
void stop_after_fault(FunctionLowering& lowering) {
  if (lowering.context.stop_fault < 0) return;
  lowering.build.enter(lowering.build.if_(lowering.build.emit(Opcode::AnyFault, {}))->blocks[0]);
  lowering.build.fault(lowering.context.stop_fault, {});
  lowering.build.leave();
}

}  // namespace pykc::lowering
