// Many elements to one: sums, extremes, means, along all axes or some. Floats are summed in f64, pairwise, so that a
// reference is better than what it judges.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "script/values/array.h"

namespace pykc::script {

enum class Reduction : std::uint8_t {
  Sum,
  Product,
  Minimum,
  Maximum,
  Mean,
  Variance,
  StandardDeviation,
  Any,
  All,
  ArgMinimum,
  ArgMaximum,
  Norm,
  CountNonzero,
};

/// Axes counted from 0, each once; nothing means all.
using Axes = std::optional<std::vector<std::size_t>>;

/// `keep` leaves the reduced axes in, with extent 1. `degrees` is NumPy's ddof.
Outcome<ArrayRef> reduce(Reduction reduction, std::string_view name, const ArrayRef& array, const Axes& axes,
                         bool keep = false, std::int64_t degrees = 0);
/// Running sums along one axis.
Outcome<ArrayRef> cumulative_sum(const ArrayRef& array, std::size_t axis);
/// The elements of each row along the last axis in ascending order, NaN last.
Outcome<ArrayRef> sorted_array(const ArrayRef& array);
/// How often 0, 1, 2 … occur in an array of integers.
Outcome<ArrayRef> count_occurrences(const ArrayRef& array, std::int64_t least_length);
/// `a @ b` for arrays of rank 1 and 2.
Outcome<ArrayRef> matrix_product(const ArrayRef& a, const ArrayRef& b);

}  // namespace pykc::script
