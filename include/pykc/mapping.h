// Where the elements of an array lie: extents and strides, as of NumPy's ndarray and C++23's std::mdspan, and the views
// that they allow. Plain values: no memory is touched.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "pykc/error.h"
#include "pykc/types.h"

namespace [[gnu::visibility("default")]] pykc {

/// The most axes an array has, as a kernel's parameter.
inline constexpr int kMaxRank = 8;

/// NumPy's start:stop:step. A negative bound counts from the end; one that is left out is the end of the axis where the
/// steps begin or end. `Slice{}` is the whole axis, `Slice{.step = -1}` the axis reversed. A bound beyond the axis is
/// clipped, so a slice may have fewer elements than its bounds say; an index beyond the axis is an error.
struct Slice {
  std::optional<std::int64_t> start = std::nullopt;
  std::optional<std::int64_t> stop = std::nullopt;
  std::int64_t step = 1;
};

/// An axis of extent 1 that only the view has.
struct NewAxis {};
inline constexpr NewAxis newaxis{};

/// What slice() takes for an axis: an index (the view lacks the axis; a negative one counts from the end), a Slice, or
/// newaxis.
struct Index {
  Index(std::integral auto index) : value(static_cast<std::int64_t>(index)) {}
  Index(Slice slice) : value(slice) {}
  Index(NewAxis axis) : value(axis) {}
  std::variant<std::int64_t, Slice, NewAxis> value;
};

/// The element with indices (i, j, …) lies offset + i * strides[0] + j * strides[1] + … elements from the start of the
/// memory. Every extent is at least 0, and no view leaves the elements of what it is a view of.
class Mapping {
 public:
  /// No elements: shape (0).
  Mapping() = default;
  /// Without gaps, row by row or column by column.
  static Result<Mapping> dense(std::span<const std::int64_t> shape, Layout order = Layout::RowMajor);
  /// Any strides, also 0 and negative ones; the first element lies at `offset`, if there is one.
  static Result<Mapping> strided(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides,
                                 std::int64_t offset = 0);

  int rank() const { return rank_; }
  std::span<const std::int64_t> shape() const { return {extents_.data(), static_cast<std::size_t>(rank_)}; }
  std::span<const std::int64_t> strides() const { return {strides_.data(), static_cast<std::size_t>(rank_)}; }
  std::int64_t offset() const { return offset_; }
  std::int64_t size() const { return size_; }  // elements
  /// Whether the elements follow one another without gaps in this order. Axes of extent 1 do not matter.
  bool is_contiguous(Layout order = Layout::RowMajor) const;
  /// The order that a dense copy keeps: ColumnMajor for what is contiguous in that order alone, else RowMajor.
  Layout order() const;
  /// From the start of the memory to the lowest element, and to the end of the highest: (0, 0) without elements.
  struct Range {
    std::int64_t begin = 0, end = 0;
  };
  Range range() const;
  /// The mapping of the same strides, with the lowest element at the start of the memory.
  Mapping rebased() const;

  /// x[a, b, …]: axes that are not named stay whole.
  Result<Mapping> slice(std::span<const Index> indices) const;
  /// The axes in opposite order.
  Mapping transpose() const;
  /// Axis i of the view is axis axes[i].
  Result<Mapping> permute(std::span<const int> axes) const;
  /// The elements in row-major order under another shape; one extent may be -1 and is worked out. An error where
  /// no strides reach them so.
  Result<Mapping> reshape(std::span<const std::int64_t> shape) const;
  /// Without the axes of extent 1; without the axis, whose extent must be 1; with a new one before `axis`. A negative
  /// axis counts from the end.
  Mapping squeeze() const;
  Result<Mapping> squeeze(int axis) const;
  Result<Mapping> expand(int axis) const;

 private:
  static Mapping single(std::int64_t offset);  // shape (): one element
  void append(std::int64_t extent, std::int64_t stride);
  Result<void> append_slice(std::int64_t extent, std::int64_t stride, const Slice& slice);
  Result<int> find_axis(int axis) const;

  int rank_ = 1;
  std::int64_t size_ = 0;
  std::int64_t offset_ = 0;
  std::array<std::int64_t, kMaxRank> extents_{};
  std::array<std::int64_t, kMaxRank> strides_{1};
};

/// "shape (2, 3) and strides (3, 1)"
std::string to_string(const Mapping& mapping);

/// Fails where the shapes differ, and names them.
Result<void> check_same_shape(const Mapping& target, const Mapping& source);

}  // namespace pykc
