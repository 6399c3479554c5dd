// Views: the address, extents and strides of a part of an array, of its dimensions in another order or shape. Where a
// view is contiguous its type says so, and it has no strides to work out.
//
// A slice is clipped to its dimension as NumPy's is. Extents are below 2^48, and bounds are clipped before anything is
// added to them, so that the arithmetic cannot overflow.
#include "frontend/lower/function.h"
#include "ir/analysis/value_range.h"

namespace pykc::lowering {
namespace {

constexpr std::int64_t kLongestStep = std::int64_t{1} << 48;  // no dimension is longer

const std::int64_t* constant_of(const Instruction* value) {
  return value->opcode == Opcode::Constant ? reinterpret_cast<const std::int64_t*>(&value->constant) : nullptr;
}

}  // namespace

Parts FunctionLowering::extents_of(const checked::Type& array, const Parts& parts) {
  Parts extents;
  for (int i = 0; i < array.array.rank(); ++i) extents.push_back(extent(array, parts, i));
  return extents;
}

Parts FunctionLowering::strides_of(const checked::Type& array, const Parts& parts) {
  Parts strides;
  for (int i = 0; i < array.array.rank(); ++i) strides.push_back(stride(array, parts, i));
  return strides;
}

/// The parts that an array of this type has, of all that is known of it.
Parts FunctionLowering::array_parts(const checked::Type& type, Instruction* address, const Parts& extents,
                                    const Parts& strides) {
  Parts parts = {address};
  if (type.array.has_static_shape()) return parts;
  parts.insert(parts.end(), extents.begin(), extents.end());
  if (has_strides(type)) parts.insert(parts.end(), strides.begin(), strides.end());
  return parts;
}

/// The same array as a type that says less of it.
Parts FunctionLowering::relaid(const checked::Type& from, const Parts& parts, const checked::Type& to) {
  return array_parts(to, parts.front(), extents_of(from, parts), has_strides(to) ? strides_of(from, parts) : Parts{});
}

Parts FunctionLowering::lower(const checked::Stride& node, const checked::Type&) {
  return {stride(node.array->type, lower(node.array), node.dimension)};
}

Parts FunctionLowering::lower(const checked::View& node, const checked::Type& type) {
  const checked::Type& array = node.array->type;
  const Parts parts = lower(node.array);
  Instruction* offset = nullptr;
  Parts extents, strides;
  int dimension = 0;
  const auto move_by = [&](Instruction* index, Instruction* stride) {
    Instruction* term = times(index, stride);
    offset = offset == nullptr ? term : no_wrap(Opcode::Add, offset, term);
  };
  for (const checked::ViewAxis& axis : node.axes) {
    if (axis.kind == checked::ViewAxis::Kind::New) {
      extents.push_back(b_.constant_i64(1));
      strides.push_back(b_.constant_i64(0));
      continue;
    }
    Instruction* const length = extent(array, parts, dimension);
    Instruction* step = stride(array, parts, dimension);
    if (axis.kind == checked::ViewAxis::Kind::Index) {
      move_by(position(scalar(axis.start), array, parts, dimension, node.wraparound, node.bounds_fault), step);
    } else {
      const SliceBounds bounds = slice_bounds(axis, length);
      if (bounds.start != nullptr) move_by(bounds.start, step);
      if (bounds.step != nullptr) step = b_.emit(Opcode::Mul, {step, bounds.step});
      extents.push_back(bounds.count);
      strides.push_back(step);
    }
    ++dimension;
  }
  Instruction* const address =
      offset == nullptr ? parts.front() : element_pointer(parts.front(), offset, type.array.element);
  return array_parts(type, address, extents, strides);
}

/// Python's slice: with a positive step the bounds are clipped to 0 … extent, with a negative one to -1 … extent - 1.
FunctionLowering::SliceBounds FunctionLowering::slice_bounds(const checked::ViewAxis& axis, Instruction* extent) {
  if (axis.start == nullptr && axis.stop == nullptr && axis.step == nullptr) return {nullptr, nullptr, extent};
  Instruction* const zero = b_.constant_i64(0);
  Instruction* const one = b_.constant_i64(1);
  Instruction* const minus_one = b_.constant_i64(-1);
  Instruction* step = axis.step == nullptr ? one : scalar(axis.step);
  const ir::ValueRange steps = ir::range_of(step, target_);
  const bool is_up = steps.minimum > 0, is_down = steps.maximum < 0;
  const auto by_direction = [&](Instruction* up, auto make_down, Instruction* is_negative) {
    if (is_up) return up;
    Instruction* down = make_down();
    return is_down ? down : b_.select(is_negative, down, up);
  };
  Instruction* const is_negative = is_up || is_down ? nullptr : b_.emit(Opcode::Lt, {step, zero});
  const auto last = [&] { return no_wrap(Opcode::Sub, extent, one); };
  Instruction* const low = by_direction(
      zero, [&] { return minus_one; }, is_negative);
  Instruction* const high = by_direction(extent, last, is_negative);
  Instruction* const from = by_direction(zero, last, is_negative);
  Instruction* const to = by_direction(
      extent, [&] { return minus_one; }, is_negative);
  Instruction* const start = slice_bound(axis.start, from, extent, low, high);
  Instruction* const stop = slice_bound(axis.stop, to, extent, low, high);

  const auto difference = [&](Instruction* a, Instruction* b) { return no_wrap(Opcode::Sub, a, b); };
  Instruction* span = by_direction(
      is_down ? nullptr : difference(stop, start), [&] { return difference(start, stop); }, is_negative);
  span = b_.builtin(BuiltinId::Max, span->type, {span, zero});
  if (const std::int64_t* constant = constant_of(step); constant != nullptr && (*constant == 1 || *constant == -1))
    return {start, *constant == 1 ? nullptr : step, span};

  // Longer steps than the longest dimension are alike. One of 0 takes nothing, since division by 0 gives 0.
  step = b_.builtin(BuiltinId::Min, step->type, {step, b_.constant_i64(kLongestStep)});
  step = b_.builtin(BuiltinId::Max, step->type, {step, b_.constant_i64(-kLongestStep)});
  Instruction* const length = by_direction(
      step, [&] { return b_.emit(Opcode::Neg, {step}); }, is_negative);
  Instruction* const padded = no_wrap(Opcode::Sub, no_wrap(Opcode::Add, span, length), one);
  return {start, step, b_.emit(Opcode::FloorDiv, {padded, length})};
}

/// A bound as written, counted from the end where it is negative, and clipped.
Instruction* FunctionLowering::slice_bound(checked::ExprRef bound, Instruction* otherwise, Instruction* extent,
                                           Instruction* low, Instruction* high) {
  if (bound == nullptr) return otherwise;
  Instruction* written = scalar(bound);
  const ir::ValueRange range = ir::range_of(written, target_);
  const auto from_start = [&] {
    const bool is_inside = range.maximum <= ir::range_of(high, target_).minimum;
    return is_inside ? written : b_.builtin(BuiltinId::Min, written->type, {written, high});
  };
  const auto from_end = [&] {
    return b_.builtin(BuiltinId::Max, written->type, {b_.emit(Opcode::Add, {written, extent}), low});
  };
  if (range.is_non_negative()) return from_start();
  if (range.maximum < 0) return from_end();
  Instruction* const is_negative = b_.emit(Opcode::Lt, {written, b_.constant_i64(0)});
  Instruction* const clipped = from_start();
  return b_.select(is_negative, from_end(), clipped);
}

Parts FunctionLowering::lower(const checked::Transpose& node, const checked::Type& type) {
  const checked::Type& array = node.array->type;
  const Parts parts = lower(node.array);
  Parts extents, strides;
  for (const int dimension : node.order) {
    extents.push_back(extent(array, parts, dimension));
    if (has_strides(type)) strides.push_back(stride(array, parts, dimension));
  }
  return array_parts(type, parts.front(), extents, strides);
}

/// A negative extent stands for what the others leave of the elements.
Parts FunctionLowering::lower(const checked::Reshape& node, const checked::Type& type) {
  const checked::Type& array = node.array->type;
  const Parts parts = lower(node.array);
  Instruction* size = b_.constant_i64(1);
  for (Instruction* extent : extents_of(array, parts)) size = times(size, extent);
  Parts written;
  for (const checked::ExprRef extent : node.extents) written.push_back(scalar(extent));
  const auto positive = [&](Instruction* extent) -> Instruction* {
    if (ir::range_of(extent, target_).is_non_negative()) return extent;
    return b_.select(b_.emit(Opcode::Lt, {extent, b_.constant_i64(0)}), b_.constant_i64(1), extent);
  };
  Instruction* others = b_.constant_i64(1);
  for (Instruction* extent : written) others = times(others, positive(extent));
  Parts extents;
  Instruction* total = b_.constant_i64(1);
  for (Instruction* extent : written) {
    Instruction* chosen = extent;
    if (!ir::range_of(extent, target_).is_non_negative()) {
      Instruction* rest = b_.emit(Opcode::FloorDiv, {size, others});
      chosen = b_.select(b_.emit(Opcode::Lt, {extent, b_.constant_i64(0)}), rest, extent);
    }
    extents.push_back(chosen);
    total = times(total, chosen);
  }
  if (node.fault >= 0) {
    b_.enter(b_.if_(b_.emit(Opcode::Ne, {total, size}))->blocks[0]);
    b_.fault(node.fault, {size, total});
    b_.leave();
  }
  return array_parts(type, parts.front(), extents, {});
}

Parts FunctionLowering::lower(const checked::Reinterpret& node, const checked::Type& type) {
  const checked::Type& array = node.array->type;
  const Parts parts = lower(node.array);
  Instruction* address = b_.field(parts.front(), 0, unit_of(type.array.element));
  Parts extents = extents_of(array, parts);
  const std::int64_t from = size_in_bytes(array.array.element), to = size_in_bytes(type.array.element);
  if (from != to) {
    Instruction* bytes = times(extents.back(), b_.constant_i64(from));
    extents.back() = b_.emit(Opcode::FloorDiv, {bytes, b_.constant_i64(to)});
  }
  return array_parts(type, address, extents, has_strides(type) ? strides_of(array, parts) : Parts{});
}

}  // namespace pykc::lowering
