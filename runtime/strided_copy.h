// A copy of elements between two places whose strides differ, as plain data that each kind of device carries out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "pykc/error.h"
#include "pykc/mapping.h"

namespace pykc::detail {

/// Rows of bytes that lie together on both sides, one for each combination of the axes' indices.
struct StridedCopy {
  enum class Side : std::uint8_t { Target, Source };
  struct Axis {
    std::int64_t extent = 1;
    std::int64_t target_stride = 0, source_stride = 0;  // in bytes
  };
  std::byte* target = nullptr;
  const std::byte* source = nullptr;
  std::int64_t row_bytes = 0;  // 0: nothing to copy
  int rank = 0;
  std::array<Axis, kMaxRank> axes;  // the outermost first

  /// Copies the elements that one mapping names to those of another mapping of the same shape; `leading` as for
  /// simplified().
  static StridedCopy between(void* target, const Mapping& to, const void* source, const Mapping& from,
                             std::int64_t element_bytes, Side leading);
  /// This copy with as few and as long rows as possible; on the leading side the strides are positive and the axes
  /// stand in the order of memory.
  StridedCopy simplified(Side leading) const;
  /// The copy by way of dense memory that is laid out as the leading side: into it, or out of it.
  StridedCopy into_dense(std::byte* dense) const;
  StridedCopy out_of_dense(const std::byte* dense) const;

  std::int64_t bytes() const;
  /// What lies between the first byte of the source and the end of the last; all source strides are positive.
  std::int64_t covered_source_bytes() const;
};

/// Calls `row` with the offsets of each row on both sides.
template <typename Row>
void for_each_row(const StridedCopy& copy, Row row) {
  std::array<std::int64_t, kMaxRank> index{};
  std::int64_t to = 0, from = 0;
  for (;;) {
    row(to, from);
    int i = copy.rank - 1;
    for (; i >= 0; --i) {
      const StridedCopy::Axis& axis = copy.axes[static_cast<std::size_t>(i)];
      std::int64_t& at = index[static_cast<std::size_t>(i)];
      to += axis.target_stride;
      from += axis.source_stride;
      if (++at < axis.extent) break;
      to -= axis.target_stride * axis.extent;
      from -= axis.source_stride * axis.extent;
      at = 0;
    }
    if (i < 0) return;
  }
}

/// Memory for a dense copy on the host, uninitialised.
using HostBytes = std::unique_ptr<std::byte[]>;
Result<HostBytes> host_bytes(std::int64_t bytes);

/// What rows are filled with: 1, 2 or 4 bytes, over and over.
struct FillPattern {
  std::uint32_t bits = 0;
  int bytes = 1;
  /// The shortest that repeats to these bytes; none where it would be longer than 4.
  static std::optional<FillPattern> of(std::span<const std::byte> value);
};

/// Both sides are memory that the host can reach.
void copy_on_host(const StridedCopy& copy);
/// Fills the target, whose rows are multiples of the pattern; the source does not count.
void fill_on_host(const StridedCopy& copy, FillPattern pattern);

}  // namespace pykc::detail
