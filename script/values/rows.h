// Walking several arrays of one shape in step, a row at a time: the loop under every elementwise operation.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "script/values/array.h"

namespace pykc::script {

/// One array of a walk: where its first element is, and its strides in bytes.
struct WalkOperand {
  std::byte* address;
  std::array<std::int64_t, kMaxRank> strides;
  WalkOperand(std::byte* first, const Array& array) : address(first), strides{} {
    for (std::size_t i = 0; i < array.rank(); ++i) strides[i] = array.strides[i] * array.unit_bytes();
  }
};

namespace detail {

/// The axes of a walk, outermost first, those that all operands pass without a jump taken together.
template <std::size_t N>
struct WalkPlan {
  std::size_t rank = 0;
  std::array<std::int64_t, kMaxRank> extents{};
  std::array<std::array<std::int64_t, kMaxRank>, N> strides{};

  WalkPlan(const Shape& shape, const std::array<WalkOperand, N>& operands) {
    const std::size_t axes = shape.size();
    // Memory order of the first operand, the one that is written: its short strides go innermost.
    const bool reverse = axes > 1 && std::abs(operands[0].strides[0]) < std::abs(operands[0].strides[axes - 1]);
    for (std::size_t i = 0; i < axes; ++i) {
      const std::size_t axis = reverse ? axes - 1 - i : i;
      if (shape[axis] == 1) continue;
      if (rank > 0 && continues(operands, axis, shape[axis]))
        extents[rank - 1] *= shape[axis];
      else
        extents[rank++] = shape[axis];
      for (std::size_t k = 0; k < N; ++k) strides[k][rank - 1] = operands[k].strides[axis];
    }
    if (rank == 0) extents[rank++] = 1;
  }

 private:
  bool continues(const std::array<WalkOperand, N>& operands, std::size_t axis, std::int64_t extent) const {
    for (std::size_t k = 0; k < N; ++k)
      if (strides[k][rank - 1] != operands[k].strides[axis] * extent) return false;
    return true;
  }
};

}  // namespace detail

/// Calls `row(addresses, count, strides)` for each innermost run; strides in bytes. Nothing for an empty shape.
template <std::size_t N, typename Row>
void for_each_row(const Shape& shape, const std::array<WalkOperand, N>& operands, Row row) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return;
  const detail::WalkPlan<N> plan(shape, operands);
  const std::size_t inner = plan.rank - 1;
  std::array<std::byte*, N> address;
  std::array<std::int64_t, N> inner_strides;
  for (std::size_t k = 0; k < N; ++k) {
    address[k] = operands[k].address;
    inner_strides[k] = plan.strides[k][inner];
  }
  std::array<std::int64_t, kMaxRank> index{};
  while (true) {
    row(address, plan.extents[inner], inner_strides);
    std::size_t axis = inner;
    while (axis > 0) {
      --axis;
      for (std::size_t k = 0; k < N; ++k) address[k] += plan.strides[k][axis];
      if (++index[axis] < plan.extents[axis]) break;
      for (std::size_t k = 0; k < N; ++k) address[k] -= plan.strides[k][axis] * plan.extents[axis];
      index[axis] = 0;
      if (axis == 0) return;
    }
    if (inner == 0) return;
  }
}

}  // namespace pykc::script
