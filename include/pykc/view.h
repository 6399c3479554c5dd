// HostView: elements in the host's memory with a shape and strides; and the views that it shares with Array.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "pykc/error.h"
#include "pykc/mapping.h"

namespace [[gnu::visibility("default")]] pykc {

template <typename T>
class Array;

namespace detail {

/// Shape, strides and views of Array and HostView (`Self`). A view names the same elements; nothing is copied.
///
///   x.slice(2)                                 // x[2]
///   x.slice(Slice{1, -1}, Slice{.step = 2})    // x[1:-1, ::2]
///   x.slice(Slice{.step = -1}, newaxis, 0)     // x[::-1, None, 0]
template <typename Self>
class View {
 public:
  int rank() const { return mapping_.rank(); }
  std::span<const std::int64_t> shape() const { return mapping_.shape(); }
  std::span<const std::int64_t> strides() const { return mapping_.strides(); }  // in elements
  std::int64_t size() const { return mapping_.size(); }
  const Mapping& mapping() const { return mapping_; }
  bool is_contiguous(Layout order = Layout::RowMajor) const { return mapping_.is_contiguous(order); }

  /// x[a, b, …], with an Index for each axis; axes that are not named stay whole.
  template <typename... Indices>
  requires(std::constructible_from<Index, Indices>&&...) Result<Self> slice(const Indices&... indices)
  const {
    const std::array<Index, sizeof...(Indices)> list{Index(indices)...};
    return with(mapping_.slice(list));
  }
  /// See Mapping for what each does.
  Self transpose() const { return with(mapping_.transpose()); }
  Result<Self> permute(const std::vector<int>& axes) const { return with(mapping_.permute(axes)); }
  Result<Self> reshape(const std::vector<std::int64_t>& shape) const { return with(mapping_.reshape(shape)); }
  Result<Self> ravel() const { return reshape({-1}); }
  Self squeeze() const { return with(mapping_.squeeze()); }
  Result<Self> squeeze(int axis) const { return with(mapping_.squeeze(axis)); }
  Result<Self> expand(int axis) const { return with(mapping_.expand(axis)); }

 protected:
  View() = default;
  explicit View(const Mapping& mapping) : mapping_(mapping) {}
  void swap(View& other) noexcept { std::swap(mapping_, other.mapping_); }

 private:
  Self with(const Mapping& mapping) const {
    Self view = static_cast<const Self&>(*this);
    static_cast<View&>(view).mapping_ = mapping;
    return view;
  }
  Result<Self> with(const Result<Mapping>& mapping) const {
    if (!mapping) return mapping.error();
    return with(*mapping);
  }
  Mapping mapping_;
};

/// What std::mdspan offers, and reference implementations of it.
template <typename M>
concept MdspanLike = requires(const M& view) {
  { view.data_handle() } -> std::convertible_to<const void*>;
  { view.extent(0) } -> std::convertible_to<std::int64_t>;
  { view.stride(0) } -> std::convertible_to<std::int64_t>;
  { M::rank() } -> std::convertible_to<std::size_t>;
};

}  // namespace detail

/// Elements in the host's memory with a shape and strides, which may lie apart: as std::mdspan, a pointer that owns
/// nothing. Indices are not checked.
template <typename T>
class HostView : public detail::View<HostView<T>> {
 public:
  HostView() = default;
  /// One axis.
  explicit HostView(std::span<T> elements) : HostView(elements.data(), one_axis(elements.size())) {}
  /// All elements of the span, in the order given.
  static Result<HostView> of(std::span<T> elements, const std::vector<std::int64_t>& shape,
                             Layout order = Layout::RowMajor) {
    const Result<Mapping> mapping = Mapping::dense(shape, order);
    if (!mapping) return mapping.error();
    if (mapping->size() == static_cast<std::int64_t>(elements.size())) return HostView(elements.data(), *mapping);
    return Error{ErrorCode::InvalidArgument,
                 "a host span of " + std::to_string(elements.size()) + " elements does not fit " + to_string(*mapping)};
  }
  /// Elements of the span; the first is elements[offset].
  static Result<HostView> of(std::span<T> elements, const std::vector<std::int64_t>& shape,
                             const std::vector<std::int64_t>& strides, std::int64_t offset = 0) {
    const Result<Mapping> mapping = Mapping::strided(shape, strides, offset);
    if (!mapping) return mapping.error();
    const Mapping::Range range = mapping->range();
    if (range.begin >= 0 && range.end <= static_cast<std::int64_t>(elements.size()))
      return HostView(elements.data(), *mapping);
    return Error{ErrorCode::InvalidArgument, "a view with " + to_string(*mapping) + " from element " +
                                                 std::to_string(offset) + " leaves its host span of " +
                                                 std::to_string(elements.size()) + " elements"};
  }
  /// A std::mdspan, or a type like it.
  template <detail::MdspanLike M>
  static Result<HostView> of(const M& view) {
    std::vector<std::int64_t> shape, strides;
    for (std::size_t axis = 0; axis < M::rank(); ++axis) {
      shape.push_back(static_cast<std::int64_t>(view.extent(axis)));
      strides.push_back(static_cast<std::int64_t>(view.stride(axis)));
    }
    const Result<Mapping> mapping = Mapping::strided(shape, strides);
    if (!mapping) return mapping.error();
    return HostView(view.data_handle(), *mapping);
  }
  operator HostView<const T>() const requires(!std::is_const_v<T>) {
    return HostView<const T>(memory_, this->mapping());
  }

  /// The first element; of a view without elements, anything.
  T* data() const { return memory_ + this->mapping().offset(); }
  /// Where the mapping's offset counts from.
  T* memory() const { return memory_; }
  template <std::integral... I>
  T& operator()(I... indices) const {
    std::int64_t place = 0;
    std::size_t axis = 0;
    ((place += static_cast<std::int64_t>(indices) * this->strides()[axis++]), ...);
    return data()[place];
  }

 private:
  friend class HostView<std::remove_const_t<T>>;
  template <typename>
  friend class Array;
  HostView(T* memory, const Mapping& mapping) : detail::View<HostView>(mapping), memory_(memory) {}
  static Mapping one_axis(std::size_t size) {
    const auto extent = static_cast<std::int64_t>(size);
    return Mapping::dense({&extent, 1}).value();  // what lies in memory has a possible extent
  }
  T* memory_ = nullptr;
};

}  // namespace pykc
