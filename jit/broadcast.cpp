#include "jit/broadcast.h"

#include <algorithm>
#include <cstdlib>

#include "base/errors.h"
#include "base/text.h"

namespace pykc::jit {
namespace {

/// One axis of all arrays.
struct Axis {
  std::int64_t extent = 1;
  std::vector<std::int64_t> strides;
};

Axis axis_of(std::span<const Argument> arrays, int axis) {
  Axis result{.extent = arrays.front().extents[axis], .strides = {}};
  for (const Argument& array : arrays) result.strides.push_back(array.strides[axis]);
  return result;
}

void set_axis(std::span<Argument> arrays, int axis, const Axis& value) {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    arrays[i].extents[axis] = value.extent;
    arrays[i].strides[axis] = value.strides[i];
  }
}

/// Longer strides first, the first array deciding before the second.
bool is_outside(const Axis& a, const Axis& b) {
  return std::ranges::lexicographical_compare(
      b.strides, a.strides, {}, [](std::int64_t stride) { return std::abs(stride); },
      [](std::int64_t stride) { return std::abs(stride); });
}

bool can_join(const Axis& outer, const Axis& inner) {
  for (std::size_t i = 0; i < outer.strides.size(); ++i)
    if (outer.strides[i] != inner.strides[i] * inner.extent) return false;
  return true;
}

}  // namespace

Shape shape_of(const Argument& array) { return {array.extents, array.extents + array.rank}; }

std::int64_t size_of(std::span<const std::int64_t> shape) {
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size *= extent;
  return size;
}

Result<void> check_types(std::span<const Argument> arguments) {
  for (const Argument& argument : arguments)
    if (!argument.record && !is_valid(argument.type))
      return invalid_argument("an argument has " + std::string(to_string(argument.type)) + " (" +
                              std::to_string(static_cast<int>(argument.type)) + ")");
  return {};
}

Result<Shape> broadcast_shape(std::span<const Argument> arguments) {
  Shape shape;
  RETURN_IF_FAILED(check_types(arguments));
  for (const Argument& argument : arguments) {
    if (!argument.is_array) continue;
    if (argument.rank < 0 || argument.rank > Argument::kMaxRank)
      return invalid_argument("an array of rank " + std::to_string(argument.rank) +
                              " is given; at most 8 are possible");
    const Shape own = shape_of(argument);
    if (own.size() > shape.size()) shape.insert(shape.begin(), own.size() - shape.size(), 1);
    for (std::size_t i = 0; i < own.size(); ++i) {
      std::int64_t& extent = shape[shape.size() - 1 - i];
      const std::int64_t other = own[own.size() - 1 - i];
      if (extent != other && extent != 1 && other != 1)
        return invalid_argument(
            "arrays of the shapes " + shape_text(shape) + " and " + shape_text(own) +
            " do not broadcast: extents are equal, or one of them is 1, counted from the last axis");
      if (extent == 1) extent = other;
    }
  }
  return shape;
}

Argument broadcast(const Argument& array, std::span<const std::int64_t> shape) {
  Argument result = array;
  result.rank = static_cast<int>(shape.size());
  const int added = result.rank - array.rank;
  for (int i = 0; i < result.rank; ++i) {
    const bool is_repeated = i < added || array.extents[i - added] == 1;
    result.extents[i] = shape[static_cast<std::size_t>(i)];
    result.strides[i] = is_repeated ? 0 : array.strides[i - added];
  }
  return result;
}

void transpose(std::span<Argument> arrays, std::span<const int> axes) {
  std::vector<Axis> ordered;
  for (const int axis : axes) ordered.push_back(axis_of(arrays, axis));
  for (std::size_t i = 0; i < ordered.size(); ++i) set_axis(arrays, static_cast<int>(i), ordered[i]);
}

int collapse(std::span<Argument> arrays, int first, int last) {
  std::vector<Axis> axes, kept, joined;
  const int rank = arrays.front().rank;
  for (int i = first; i < last; ++i)
    if (Axis axis = axis_of(arrays, i); axis.extent != 1) axes.push_back(std::move(axis));
  for (int i = last; i < rank; ++i) kept.push_back(axis_of(arrays, i));
  std::ranges::stable_sort(axes, is_outside);
  for (const Axis& axis : axes) {
    if (joined.empty() || !can_join(joined.back(), axis)) {
      joined.push_back(axis);
      continue;
    }
    joined.back().extent *= axis.extent;
    joined.back().strides = axis.strides;
  }
  int next = first;
  for (const std::vector<Axis>* group : {&joined, &kept})
    for (const Axis& axis : *group) set_axis(arrays, next++, axis);
  for (Argument& array : arrays) array.rank = next;
  return static_cast<int>(joined.size());
}

void add_first_axis(std::span<Argument> arrays) {
  for (Argument& array : arrays) array.rank = 1, array.extents[0] = array.strides[0] = 1;
}

}  // namespace pykc::jit
