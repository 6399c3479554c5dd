// Arguments of a launch made from the kernel's parameters alone: arrays of a size, filled with reproducible random
// numbers, and scalars that the user sets.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pykc/runtime.h"

namespace pykc::measure {

/// What the user says of a kernel's parameters, by their names.
struct ArgumentSettings {
  std::map<std::string, std::string> values = {};                // "2.5"; "size"; "1,2" of a record
  std::map<std::string, std::vector<std::int64_t>> shapes = {};  // of arrays
};

/// The parameters that need a value and have none.
std::vector<ParameterInfo> missing_values(const KernelInfo& kernel, const ArgumentSettings& settings);

/// Fails where a setting names no parameter that it can set, or one that needs a value has none.
Result<void> check_settings(const KernelInfo& kernel, const ArgumentSettings& settings);

class LaunchArguments {
 public:
  /// An array has `size` elements, one with several axes about as many in a square or cube, if its type and the
  /// settings say nothing else. An integer called n, size, length or count that is not set takes the first extent of
  /// the first array: `size`, or the side of the square. In a setting, `size` and `side` stand for the two.
  static Result<LaunchArguments> create(const Device& device, const KernelInfo& kernel, std::int64_t size,
                                        const ArgumentSettings& settings);

  /// Gives the arrays of these parameters their random numbers anew: floats from 0 to below 1; integers from 0 to below
  /// the smallest extent of any array, so that they are indices into each; members of enums are cleared. Always the
  /// same ones, which create() has filled all arrays with.
  Result<void> refill(std::span<const std::string> names) const;

  std::span<const Argument> list() const { return list_; }
  std::int64_t size() const { return size_; }
  /// The extents of the first array; without an array, `size` along one axis.
  std::span<const std::int64_t> first_shape() const { return first_shape_; }

 private:
  struct ArrayMemory {
    std::string name;
    Buffer buffer;
    ElementType element;
    std::int64_t count = 0;
  };
  Result<void> add_array(const Device& device, const ParameterInfo& parameter, const std::vector<std::int64_t>& shape);
  Result<void> fill(std::size_t index) const;
  Result<void> add_value(const ParameterInfo& parameter, const ArgumentSettings& settings);

  std::int64_t size_ = 0;
  std::vector<Argument> list_;
  std::vector<ArrayMemory> arrays_;
  std::vector<std::unique_ptr<std::byte[]>> records_;  // passed by value
  std::vector<std::int64_t> first_shape_;
  std::int64_t smallest_extent_ = 0;
};

/// The grid that covers an array, with `tile` of its elements a block: x along its last axis, y along the one before,
/// z along what is left, as `j, i = grid(2)` has it. A kernel that looks at x alone gets all elements along it.
Dim3 grid_over(std::span<const std::int64_t> shape, Dim3 tile, int axes, Dim3 cluster);

}  // namespace pykc::measure
