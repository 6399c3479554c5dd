#include "runtime/strided_copy.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <span>
#include <string>

namespace pykc::detail {
namespace {

template <std::size_t kBytes>
void copy_rows_of(const StridedCopy& copy) {
  for_each_row(copy,
               [&](std::int64_t to, std::int64_t from) { std::memcpy(copy.target + to, copy.source + from, kBytes); });
}

template <typename Bits>
void fill_rows(const StridedCopy& copy, Bits bits) {
  for_each_row(copy, [&](std::int64_t to, std::int64_t) {
    std::byte* const row = copy.target + to;
    for (std::int64_t at = 0; at < copy.row_bytes; at += sizeof(Bits)) std::memcpy(row + at, &bits, sizeof(Bits));
  });
}

}  // namespace

StridedCopy StridedCopy::between(void* target, const Mapping& to, const void* source, const Mapping& from,
                                 std::int64_t element_bytes, Side leading) {
  StridedCopy copy;
  if (to.size() == 0) return copy;
  copy.target = static_cast<std::byte*>(target) + to.offset() * element_bytes;
  copy.source = static_cast<const std::byte*>(source) + from.offset() * element_bytes;
  copy.row_bytes = element_bytes;
  for (std::size_t i = 0; i < to.shape().size(); ++i) {
    if (to.shape()[i] == 1) continue;  // its stride may be any number
    copy.axes[static_cast<std::size_t>(copy.rank++)] = {to.shape()[i], to.strides()[i] * element_bytes,
                                                        from.strides()[i] * element_bytes};
  }
  return copy.simplified(leading);
}

StridedCopy StridedCopy::simplified(Side leading) const {
  StridedCopy copy = *this;
  copy.rank = 0;
  const auto stride = [&](Axis& axis) -> std::int64_t& {
    return leading == Side::Target ? axis.target_stride : axis.source_stride;
  };
  for (Axis axis : std::span(axes).first(static_cast<std::size_t>(rank))) {
    if (stride(axis) < 0) {  // the other way round
      copy.target += (axis.extent - 1) * axis.target_stride;
      copy.source += (axis.extent - 1) * axis.source_stride;
      axis.target_stride = -axis.target_stride;
      axis.source_stride = -axis.source_stride;
    }
    copy.axes[static_cast<std::size_t>(copy.rank++)] = axis;
  }
  std::sort(copy.axes.begin(), copy.axes.begin() + copy.rank, [&](Axis a, Axis b) { return stride(a) > stride(b); });
  // From the innermost axis: it goes into the row, or joins the axis inside it, where both sides go on without a gap.
  int first = kMaxRank;
  for (int i = copy.rank - 1; i >= 0; --i) {
    const Axis axis = copy.axes[static_cast<std::size_t>(i)];
    if (first == kMaxRank && axis.target_stride == copy.row_bytes && axis.source_stride == copy.row_bytes) {
      copy.row_bytes *= axis.extent;
      continue;
    }
    Axis* inner = first < kMaxRank ? &copy.axes[static_cast<std::size_t>(first)] : nullptr;
    if (inner != nullptr && axis.target_stride == inner->target_stride * inner->extent &&
        axis.source_stride == inner->source_stride * inner->extent)
      inner->extent *= axis.extent;
    else
      copy.axes[static_cast<std::size_t>(--first)] = axis;
  }
  copy.rank = kMaxRank - first;
  std::rotate(copy.axes.begin(), copy.axes.begin() + first, copy.axes.end());
  return copy;
}

namespace {

/// One side's strides become those of rows without gaps.
void make_dense(StridedCopy& copy, std::int64_t StridedCopy::Axis::*stride) {
  std::int64_t bytes = copy.row_bytes;
  for (int i = copy.rank; i-- > 0;) {
    StridedCopy::Axis& axis = copy.axes[static_cast<std::size_t>(i)];
    axis.*stride = bytes;
    bytes *= axis.extent;
  }
}

}  // namespace

StridedCopy StridedCopy::into_dense(std::byte* dense) const {
  StridedCopy copy = *this;
  copy.target = dense;
  make_dense(copy, &Axis::target_stride);
  return copy.simplified(Side::Target);
}

StridedCopy StridedCopy::out_of_dense(const std::byte* dense) const {
  StridedCopy copy = *this;
  copy.source = dense;
  make_dense(copy, &Axis::source_stride);
  return copy.simplified(Side::Source);
}

std::int64_t StridedCopy::bytes() const {
  std::int64_t bytes = row_bytes;
  for (int i = 0; i < rank; ++i) bytes *= axes[static_cast<std::size_t>(i)].extent;
  return bytes;
}

std::int64_t StridedCopy::covered_source_bytes() const {
  std::int64_t bytes = row_bytes;
  for (int i = 0; i < rank; ++i) {
    const Axis& axis = axes[static_cast<std::size_t>(i)];
    bytes += (axis.extent - 1) * axis.source_stride;
  }
  return bytes;
}

Result<HostBytes> host_bytes(std::int64_t bytes) {
  HostBytes memory(new (std::nothrow) std::byte[static_cast<std::size_t>(bytes)]);
  if (memory == nullptr)
    return Error{ErrorCode::OutOfMemory, "the host has no room for a copy of " + std::to_string(bytes) + " bytes"};
  return memory;
}

void copy_on_host(const StridedCopy& copy) {
  switch (copy.row_bytes) {  // of a known size, a copy is a load and a store
    case 0:
      return;
    case 1:
      return copy_rows_of<1>(copy);
    case 2:
      return copy_rows_of<2>(copy);
    case 4:
      return copy_rows_of<4>(copy);
    case 8:
      return copy_rows_of<8>(copy);
    case 16:
      return copy_rows_of<16>(copy);
    default:
      for_each_row(copy, [&](std::int64_t to, std::int64_t from) {
        std::memcpy(copy.target + to, copy.source + from, static_cast<std::size_t>(copy.row_bytes));
      });
  }
}

std::optional<FillPattern> FillPattern::of(std::span<const std::byte> value) {
  for (const std::size_t bytes : {1, 2, 4}) {
    if (value.size() % bytes != 0 ||
        !std::equal(value.begin() + static_cast<std::ptrdiff_t>(bytes), value.end(), value.begin()))
      continue;
    FillPattern pattern{0, static_cast<int>(bytes)};
    std::memcpy(&pattern.bits, value.data(), bytes);
    return pattern;
  }
  return std::nullopt;
}

void fill_on_host(const StridedCopy& copy, FillPattern pattern) {
  switch (copy.row_bytes == 0 ? 0 : pattern.bytes) {
    case 1:
      return fill_rows(copy, static_cast<std::uint8_t>(pattern.bits));
    case 2:
      return fill_rows(copy, static_cast<std::uint16_t>(pattern.bits));
    case 4:
      return fill_rows(copy, pattern.bits);
    default:
      return;
  }
}

}  // namespace pykc::detail
