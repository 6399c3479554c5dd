// Views: the address, extents and strides of a part of an array, of its dimensions in another order or shape. Where a
// view is contiguous its type says so, and it has no strides to work out.
//
// A slice is clipped to its dimension as NumPy's is. Extents are below 2^48, and bounds are clipped before anything is
// added to them, so that the arithmetic cannot overflow.
#include "frontend/lower/view.h"

#include <algorithm>
#include <limits>

#include "frontend/lower/array.h"
#include "frontend/lower/expr.h"
#include "frontend/lower/function.h"
#include "frontend/lower/record.h"
#include "ir/analysis/value_range.h"

namespace pykc::lowering {
namespace {

struct SliceBounds {
  Instruction *start, *step, *count;  // step: null for 1
};

constexpr std::int64_t kLongestStep = std::int64_t{1} << 48;  // no dimension is longer

const std::int64_t* constant_of(const Instruction* value) {
  return value->opcode == Opcode::Constant ? reinterpret_cast<const std::int64_t*>(&value->constant) : nullptr;
}

/// A bound as written, counted from the end where it is negative, and clipped.
Instruction* slice_bound(FunctionLowering& lowering, Instruction* written, Instruction* otherwise, Instruction* extent,
                         Instruction* low, Instruction* high) {
  if (written == nullptr) return otherwise;
  const ir::ValueRange range = ir::range_of(written, lowering.target);
  const auto from_start = [&] {
    const bool is_inside = range.maximum <= ir::range_of(high, lowering.target).minimum;
    return is_inside ? written : lowering.build.builtin(BuiltinId::Min, written->type, {written, high});
  };
  const auto from_end = [&] {
    return lowering.build.builtin(BuiltinId::Max, written->type,
                                  {lowering.build.emit(Opcode::Add, {written, extent}), low});
  };
  if (range.is_non_negative()) return from_start();
  if (range.maximum < 0) return from_end();
  Instruction* const is_negative = lowering.build.emit(Opcode::Lt, {written, lowering.build.constant_i64(0)});
  Instruction* const clipped = from_start();
  return lowering.build.select(is_negative, from_end(), clipped);
}

/// Python's slice: with a positive step the bounds are clipped to 0 … extent, with a negative one to -1 … extent - 1.
SliceBounds slice_bounds(FunctionLowering& lowering, const checked::ViewAxis& axis, Instruction* extent) {
  if (axis.start == nullptr && axis.stop == nullptr && axis.step == nullptr) return {nullptr, nullptr, extent};
  const auto evaluated = [&](checked::ExprRef bound) { return bound == nullptr ? nullptr : scalar(lowering, bound); };
  Instruction* const first = evaluated(axis.start);
  Instruction* const end = evaluated(axis.stop);
  Instruction* const zero = lowering.build.constant_i64(0);
  Instruction* const one = lowering.build.constant_i64(1);
  Instruction* const minus_one = lowering.build.constant_i64(-1);
  Instruction* step = axis.step == nullptr ? one : evaluated(axis.step);
  const ir::ValueRange steps = ir::range_of(step, lowering.target);
  const bool is_up = steps.minimum > 0, is_down = steps.maximum < 0;
  const auto by_direction = [&](Instruction* up, auto make_down, Instruction* is_negative) {
    if (is_up) return up;
    Instruction* down = make_down();
    return is_down ? down : lowering.build.select(is_negative, down, up);
  };
  Instruction* const is_negative = is_up || is_down ? nullptr : lowering.build.emit(Opcode::Lt, {step, zero});
  const auto last = [&] { return no_wrap(lowering, Opcode::Sub, extent, one); };
  Instruction* const low = by_direction(
      zero, [&] { return minus_one; }, is_negative);
  Instruction* const high = by_direction(extent, last, is_negative);
  Instruction* const from = by_direction(zero, last, is_negative);
  Instruction* const to = by_direction(
      extent, [&] { return minus_one; }, is_negative);
  Instruction* const start = slice_bound(lowering, first, from, extent, low, high);
  Instruction* const stop = slice_bound(lowering, end, to, extent, low, high);

  const auto difference = [&](Instruction* a, Instruction* b) { return no_wrap(lowering, Opcode::Sub, a, b); };
  Instruction* span = by_direction(
      is_down ? nullptr : difference(stop, start), [&] { return difference(start, stop); }, is_negative);
  span = lowering.build.builtin(BuiltinId::Max, span->type, {span, zero});
  if (const std::int64_t* constant = constant_of(step); constant != nullptr && (*constant == 1 || *constant == -1))
    return {start, *constant == 1 ? nullptr : step, span};

  // Longer steps than the longest dimension are alike. One of 0 takes nothing, since division by 0 gives 0.
  step = lowering.build.builtin(BuiltinId::Min, step->type, {step, lowering.build.constant_i64(kLongestStep)});
  step = lowering.build.builtin(BuiltinId::Max, step->type, {step, lowering.build.constant_i64(-kLongestStep)});
  Instruction* const length = by_direction(
      step, [&] { return lowering.build.emit(Opcode::Neg, {step}); }, is_negative);
  Instruction* const padded = no_wrap(lowering, Opcode::Sub, no_wrap(lowering, Opcode::Add, span, length), one);
  return {start, step, lowering.build.emit(Opcode::FloorDiv, {padded, length})};
}

}  // namespace

Parts extents_of(FunctionLowering& lowering, checked::Type array, const Parts& parts) {
  Parts extents;
  for (int i = 0; i < array->array.rank(); ++i) extents.push_back(extent(lowering, array, parts, i));
  return extents;
}

Parts strides_of(FunctionLowering& lowering, checked::Type array, const Parts& parts) {
  Parts strides;
  for (int i = 0; i < array->array.rank(); ++i) strides.push_back(stride(lowering, array, parts, i));
  return strides;
}

/// The parts that an array of this type has, of all that is known of it.
Parts array_parts(checked::Type type, Instruction* address, const Parts& extents, const Parts& strides) {
  Parts parts = {address};
  if (type->array.has_static_shape()) return parts;
  parts.insert(parts.end(), extents.begin(), extents.end());
  if (has_strides(type->array)) parts.insert(parts.end(), strides.begin(), strides.end());
  return parts;
}

/// An array, taken apart as a type says that knows less of it: fewer static extents, or any strides.
Parts relaid(FunctionLowering& lowering, checked::Type from, const Parts& parts, checked::Type to) {
  return array_parts(to, parts.front(), extents_of(lowering, from, parts),
                     has_strides(to->array) ? strides_of(lowering, from, parts) : Parts{});
}

Parts lower(FunctionLowering& lowering, const checked::Stride& node, checked::Type) {
  return {stride(lowering, node.array->type, lower(lowering, node.array), node.dimension)};
}

Parts lower(FunctionLowering& lowering, const checked::View& node, checked::Type type) {
  const checked::Type array = node.array->type;
  const Parts parts = lower(lowering, node.array);
  Instruction* offset = nullptr;
  Parts extents, strides;
  int dimension = 0;
  const auto move_by = [&](Instruction* index, Instruction* stride) {
    Instruction* term = times(lowering, index, stride);
    offset = offset == nullptr ? term : no_wrap(lowering, Opcode::Add, offset, term);
  };
  for (const checked::ViewAxis& axis : node.axes) {
    if (axis.kind == checked::ViewAxis::Kind::New) {
      extents.push_back(lowering.build.constant_i64(1));
      strides.push_back(lowering.build.constant_i64(0));
      continue;
    }
    Instruction* const length = extent(lowering, array, parts, dimension);
    Instruction* step = stride(lowering, array, parts, dimension);
    if (axis.kind == checked::ViewAxis::Kind::Index) {
      move_by(
          position(lowering, scalar(lowering, axis.start), array, parts, dimension, node.wraparound, node.bounds_fault),
          step);
    } else {
      const SliceBounds bounds = slice_bounds(lowering, axis, length);
      if (bounds.start != nullptr) move_by(bounds.start, step);
      if (bounds.step != nullptr) step = lowering.build.emit(Opcode::Mul, {step, bounds.step});
      extents.push_back(bounds.count);
      strides.push_back(step);
    }
    ++dimension;
  }
  Instruction* const address =
      offset == nullptr ? parts.front() : element_pointer(lowering, parts.front(), offset, type->array.element);
  return array_parts(type, address, extents, strides);
}

Parts lower(FunctionLowering& lowering, const checked::Transpose& node, checked::Type type) {
  const checked::Type array = node.array->type;
  const Parts parts = lower(lowering, node.array);
  Parts extents, strides;
  for (const int dimension : node.order) {
    extents.push_back(extent(lowering, array, parts, dimension));
    if (has_strides(type->array)) strides.push_back(stride(lowering, array, parts, dimension));
  }
  return array_parts(type, parts.front(), extents, strides);
}

namespace {

/// The extents as a program wrote them; the first that is negative becomes what the others leave of the elements.
Parts reshaped_extents(FunctionLowering& lowering, const checked::Reshape& node, Instruction* size) {
  Parts extents;
  for (const checked::ExprRef extent : node.extents) extents.push_back(scalar(lowering, extent));
  const auto may_be_negative = [&](Instruction* extent) {
    return !ir::range_of(extent, lowering.target).is_non_negative();
  };
  if (std::ranges::none_of(extents, may_be_negative)) return extents;

  Instruction* const zero = lowering.build.constant_i64(0);
  const auto is_negative = [&](Instruction* extent) { return lowering.build.emit(Opcode::Lt, {extent, zero}); };
  // One division after the other, because a product of extents could wrap.
  Instruction* rest = size;
  for (Instruction* extent : extents) {
    Instruction* const divisor =
        may_be_negative(extent) ? lowering.build.select(is_negative(extent), lowering.build.constant_i64(1), extent)
                                : extent;
    rest = lowering.build.emit(Opcode::FloorDiv, {rest, divisor});
  }
  Instruction* unknown = rest;
  for (Instruction*& extent : extents) {
    if (!may_be_negative(extent)) continue;
    Instruction* const stands_for_rest = is_negative(extent);
    extent = lowering.build.select(stands_for_rest, unknown, extent);
    unknown = lowering.build.select(stands_for_rest, lowering.build.constant_i64(-1), unknown);
  }
  return extents;
}

/// Stops the kernel unless the product of the extents is `size`. One that does not fit 64 bits counts as the largest.
void check_reshape(FunctionLowering& lowering, int fault, Instruction* size, const Parts& extents) {
  Instruction* const largest = lowering.build.constant_i64(std::numeric_limits<std::int64_t>::max());
  Instruction* total = lowering.build.constant_i64(1);
  for (Instruction* extent : extents) {
    Instruction* const upper_half = lowering.build.builtin(BuiltinId::Mulhi, extent->type, {total, extent});
    Instruction* const is_too_large = lowering.build.emit(Opcode::Ne, {upper_half, lowering.build.constant_i64(0)});
    total = lowering.build.select(is_too_large, largest, lowering.build.emit(Opcode::Mul, {total, extent}));
  }
  lowering.build.enter(lowering.build.if_(lowering.build.emit(Opcode::Ne, {total, size}))->blocks[0]);
  lowering.build.fault(fault, {size, total});
  lowering.build.leave();
}

}  // namespace

Parts lower(FunctionLowering& lowering, const checked::Reshape& node, checked::Type type) {
  const checked::Type array = node.array->type;
  const Parts parts = lower(lowering, node.array);
  Instruction* size = lowering.build.constant_i64(1);
  for (Instruction* extent : extents_of(lowering, array, parts)) size = times(lowering, size, extent);
  const Parts extents = reshaped_extents(lowering, node, size);
  if (node.fault >= 0) check_reshape(lowering, node.fault, size, extents);
  return array_parts(type, parts.front(), extents, {});
}

Parts lower(FunctionLowering& lowering, const checked::Reinterpret& node, checked::Type type) {
  const checked::Type array = node.array->type;
  const Parts parts = lower(lowering, node.array);
  Instruction* address = lowering.build.reinterpret(parts.front(), unit_of(type->array.element));
  Parts extents = extents_of(lowering, array, parts);
  const std::int64_t from = size_in_bytes(array->array.element), to = size_in_bytes(type->array.element);
  if (from != to) {
    Instruction* bytes = times(lowering, extents.back(), lowering.build.constant_i64(from));
    extents.back() = lowering.build.emit(Opcode::FloorDiv, {bytes, lowering.build.constant_i64(to)});
  }
  return array_parts(type, address, extents, has_strides(type->array) ? strides_of(lowering, array, parts) : Parts{});
}

}  // namespace pykc::lowering
