#include "pykc/mapping.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/text.h"

namespace pykc {
namespace {

/// More elements than any machine has, which leaves room for arithmetic.
constexpr std::int64_t kMostElements = std::int64_t{1} << 56;

std::string text(std::span<const std::int64_t> values) { return "(" + list_text(values) + ")"; }

Error too_many_axes(std::size_t rank) {
  return invalid_argument("an array has at most " + std::to_string(kMaxRank) + " axes, not " + std::to_string(rank));
}

Result<void> check_shape(std::span<const std::int64_t> shape) {
  if (shape.size() > kMaxRank) return too_many_axes(shape.size());
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0 || (extent > 0 && size > kMostElements / extent))
      return invalid_argument("an array cannot have the extent " + std::to_string(extent) + ": its shape is " +
                              text(shape));
    size *= std::max<std::int64_t>(extent, 1);
  }
  return {};
}

/// A bound of a slice from the start of the axis, clipped to where steps may begin and end.
std::int64_t place(std::int64_t bound, std::int64_t extent, std::int64_t first, std::int64_t last) {
  return std::clamp(bound < 0 ? bound + extent : bound, first, last);
}

/// The shape with its -1 worked out.
Result<std::vector<std::int64_t>> resolve(std::span<const std::int64_t> shape, std::int64_t size) {
  std::vector<std::int64_t> resolved(shape.begin(), shape.end());
  const auto open = std::find(resolved.begin(), resolved.end(), -1);
  if (open != resolved.end()) *open = 1;
  RETURN_IF_FAILED(check_shape(resolved));
  std::int64_t product = 1;
  for (const std::int64_t extent : resolved) product *= extent;
  const bool is_open = open != resolved.end();
  if (is_open && product > 0 && size % product == 0) {
    *open = size / product;
    return resolved;
  }
  if (product == size && !is_open) return resolved;
  return invalid_argument("an array of " + std::to_string(size) + " elements cannot have the shape " + text(shape));
}

}  // namespace

std::string to_string(const Mapping& mapping) {
  return "shape " + text(mapping.shape()) + " and strides " + text(mapping.strides());
}

Result<void> check_same_shape(const Mapping& target, const Mapping& source) {
  if (std::ranges::equal(target.shape(), source.shape())) return {};
  return invalid_argument("elements of shape " + text(source.shape()) + " cannot be copied to shape " +
                          text(target.shape()));
}

Mapping Mapping::single(std::int64_t offset) {
  Mapping mapping;
  mapping.rank_ = 0;
  mapping.size_ = 1;
  mapping.offset_ = offset;
  return mapping;
}

void Mapping::append(std::int64_t extent, std::int64_t stride) {
  extents_[static_cast<std::size_t>(rank_)] = extent;
  strides_[static_cast<std::size_t>(rank_++)] = stride;
  size_ *= extent;
}

Result<Mapping> Mapping::dense(std::span<const std::int64_t> shape, Layout order) try {
  RETURN_IF_FAILED(check_shape(shape));
  Mapping mapping = single(0);
  for (const std::int64_t extent : shape) mapping.append(extent, 1);
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t axis = order == Layout::ColumnMajor ? i : shape.size() - 1 - i;
    mapping.strides_[axis] = stride;
    stride *= std::max<std::int64_t>(shape[axis], 1);
  }
  return mapping;
} catch (...) {
  return error_in_flight();
}

Result<Mapping> Mapping::strided(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides,
                                 std::int64_t offset) try {
  RETURN_IF_FAILED(check_shape(shape));
  if (shape.size() != strides.size())
    return invalid_argument("shape " + text(shape) + " and strides " + text(strides) + " are of different lengths");
  Mapping mapping = single(offset);
  std::int64_t reach = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool matters = shape[i] > 1;
    std::int64_t farthest = 0;
    if (matters && (__builtin_mul_overflow(shape[i] - 1, strides[i], &farthest) || farthest > kMostElements ||
                    farthest < -kMostElements || (reach += std::abs(farthest)) > kMostElements))
      return invalid_argument("no memory holds an array with shape " + text(shape) + " and strides " + text(strides));
    mapping.append(shape[i], strides[i]);
  }
  if (offset > kMostElements || offset < -kMostElements)
    return invalid_argument("no memory holds an array that starts at element " + std::to_string(offset));
  if (mapping.size_ == 0) mapping.offset_ = 0;  // stays within the memory
  return mapping;
} catch (...) {
  return error_in_flight();
}

bool Mapping::is_contiguous(Layout order) const {
  if (size_ == 0) return true;
  std::int64_t dense = 1;
  for (int i = 0; i < rank_; ++i) {
    const auto axis = static_cast<std::size_t>(order == Layout::ColumnMajor ? i : rank_ - 1 - i);
    if (extents_[axis] == 1) continue;
    if (strides_[axis] != dense) return false;
    dense *= extents_[axis];
  }
  return true;
}

Layout Mapping::order() const {
  return is_contiguous(Layout::ColumnMajor) && !is_contiguous() ? Layout::ColumnMajor : Layout::RowMajor;
}

Mapping::Range Mapping::range() const {
  if (size_ == 0) return {};
  Range range{offset_, offset_ + 1};
  for (std::size_t i = 0; i < shape().size(); ++i) {
    if (extents_[i] == 1) continue;
    const std::int64_t farthest = (extents_[i] - 1) * strides_[i];
    (farthest < 0 ? range.begin : range.end) += farthest;
  }
  return range;
}

Mapping Mapping::rebased() const {
  Mapping mapping = *this;
  mapping.offset_ -= range().begin;
  if (size_ == 0) mapping.offset_ = 0;
  return mapping;
}

Result<void> Mapping::append_slice(std::int64_t extent, std::int64_t stride, const Slice& slice) {
  if (slice.step == 0) return invalid_argument("the step of a slice is not 0");
  const bool forward = slice.step > 0;
  const std::int64_t first = forward ? 0 : -1, last = forward ? extent : extent - 1;
  const std::int64_t start = slice.start ? place(*slice.start, extent, first, last) : forward ? first : last;
  const std::int64_t stop = slice.stop ? place(*slice.stop, extent, first, last) : forward ? last : first;
  const std::int64_t distance = forward ? stop - start : start - stop;
  const auto step = static_cast<std::uint64_t>(slice.step);
  const std::uint64_t length =
      distance <= 0 ? 0 : (static_cast<std::uint64_t>(distance) - 1) / (forward ? step : 0 - step) + 1;
  if (length > 0) offset_ += start * stride;
  // A longer step than the axis may have no product with the stride, and leaves one element at most.
  append(static_cast<std::int64_t>(length), length > 1 ? stride * slice.step : stride);
  return {};
}

Result<Mapping> Mapping::slice(std::span<const Index> indices) const try {
  Mapping view = single(offset_);
  const auto added = std::ranges::count_if(indices, [](const Index& i) { return i.value.index() == 2; });
  const auto named = static_cast<std::ptrdiff_t>(indices.size()) - added;
  if (named > rank_)
    return invalid_argument(std::to_string(named) + " indices are too many for an array of " + std::to_string(rank_) +
                            " axes");
  const auto dropped = std::ranges::count_if(indices, [](const Index& i) { return i.value.index() == 0; });
  if (rank_ + added - dropped > kMaxRank) return too_many_axes(static_cast<std::size_t>(rank_ + added - dropped));
  std::size_t axis = 0;
  for (const Index& index : indices) {
    if (std::holds_alternative<NewAxis>(index.value)) {
      view.append(1, 0);
      continue;
    }
    const std::int64_t extent = extents_[axis], stride = strides_[axis];
    if (const auto* slice = std::get_if<Slice>(&index.value)) {
      if (Result<void> appended = view.append_slice(extent, stride, *slice); !appended) return appended.error();
    } else {
      const std::int64_t given = std::get<std::int64_t>(index.value), i = given < 0 ? given + extent : given;
      if (i < 0 || i >= extent)
        return invalid_argument("index " + std::to_string(given) + " is out of range for axis " + std::to_string(axis) +
                                ", whose extent is " + std::to_string(extent));
      view.offset_ += i * stride;
    }
    ++axis;
  }
  for (; axis < shape().size(); ++axis) view.append(extents_[axis], strides_[axis]);
  if (view.size_ == 0) view.offset_ = offset_;  // stays within the memory
  return view;
} catch (...) {
  return error_in_flight();
}

Mapping Mapping::transpose() const {
  Mapping view = single(offset_);
  for (std::size_t i = shape().size(); i-- > 0;) view.append(extents_[i], strides_[i]);
  return view;
}

Result<int> Mapping::find_axis(int axis) const {
  if (axis >= -rank_ && axis < rank_) return axis < 0 ? axis + rank_ : axis;
  return invalid_argument("an array of " + std::to_string(rank_) + " axes has no axis " + std::to_string(axis));
}

Result<Mapping> Mapping::permute(std::span<const int> axes) const try {
  if (axes.size() != shape().size())
    return invalid_argument(std::to_string(axes.size()) + " axes are named to permute an array of " +
                            std::to_string(rank_));
  std::array<bool, kMaxRank> seen{};
  Mapping view = single(offset_);
  for (const int name : axes) {
    ASSIGN_OR_RETURN(const int found, find_axis(name));
    const auto axis = static_cast<std::size_t>(found);
    if (seen[axis]) return invalid_argument("axis " + std::to_string(name) + " is named twice");
    seen[axis] = true;
    view.append(extents_[axis], strides_[axis]);
  }
  return view;
} catch (...) {
  return error_in_flight();
}

/// Old and new axes are matched in groups with equal numbers of elements, the smallest possible. The old axes of a
/// group must be one run of elements; the new ones then divide that run.
Result<Mapping> Mapping::reshape(std::span<const std::int64_t> new_shape) const try {
  ASSIGN_OR_RETURN(const std::vector<std::int64_t> resolved, resolve(new_shape, size_));
  Result<Mapping> view = dense(resolved);
  view->offset_ = offset_;
  if (size_ == 0) return view;
  const Mapping old = squeeze();
  std::size_t old_end = 0, new_end = 0;
  while (new_end < resolved.size()) {
    const std::size_t old_begin = old_end, new_begin = new_end;
    std::int64_t new_count = resolved[new_end++];
    std::int64_t old_count = old_end < old.shape().size() ? old.extents_[old_end++] : 1;
    while (new_count != old_count)
      if (new_count < old_count)
        new_count *= resolved[new_end++];
      else
        old_count *= old.extents_[old_end++];
    for (std::size_t i = old_begin; i + 1 < old_end; ++i)
      if (old.strides_[i] != old.strides_[i + 1] * old.extents_[i + 1])
        return invalid_argument("elements with " + to_string(*this) + " have the shape " + text(new_shape) +
                                " in no view; copy() them first");
    std::int64_t stride = old_end > old_begin ? old.strides_[old_end - 1] : 1;
    for (std::size_t i = new_end; i-- > new_begin;) {
      view->strides_[i] = stride;
      stride *= resolved[i];
    }
  }
  return view;
} catch (...) {
  return error_in_flight();
}

Mapping Mapping::squeeze() const {
  Mapping view = single(offset_);
  for (std::size_t i = 0; i < shape().size(); ++i)
    if (extents_[i] != 1) view.append(extents_[i], strides_[i]);
  return view;
}

Result<Mapping> Mapping::squeeze(int axis) const try {
  ASSIGN_OR_RETURN(const int found, find_axis(axis));
  if (const std::int64_t extent = extents_[static_cast<std::size_t>(found)]; extent != 1)
    return invalid_argument("axis " + std::to_string(axis) + " cannot go: its extent is " + std::to_string(extent));
  Mapping view = single(offset_);
  for (int i = 0; i < rank_; ++i)
    if (i != found) view.append(extents_[static_cast<std::size_t>(i)], strides_[static_cast<std::size_t>(i)]);
  return view;
} catch (...) {
  return error_in_flight();
}

Result<Mapping> Mapping::expand(int axis) const try {
  const int before = axis < 0 ? axis + rank_ + 1 : axis;
  if (before < 0 || before > rank_)
    return invalid_argument("an array of " + std::to_string(rank_) + " axes gets no new axis " + std::to_string(axis));
  std::vector<Index> indices(static_cast<std::size_t>(before), Index(Slice{}));
  indices.emplace_back(newaxis);
  return slice(indices);
} catch (...) {
  return error_in_flight();
}

}  // namespace pykc
