// Memory of a device: bytes (Buffer), arrays of elements with a shape (Array), and host memory that a GPU reaches
// (PinnedArray). See runtime.h for ownership, threads and order.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "pykc/error.h"
#include "pykc/stream.h"
#include "pykc/types.h"

namespace pykc {

namespace detail {
struct DeviceState;
struct MemoryState;
}  // namespace detail

/// Elements of f16 and bf16 arrays, which C++20 has no types for: `device.allocate<pykc::Half>(n)`.
struct Half {
  std::uint16_t bits = 0;
};
struct BFloat16 {
  std::uint16_t bits = 0;
};

namespace detail {
/// As scalar_type_of, for every C++ type that an element or an argument may have (`long long` and `char` too).
template <typename T>
constexpr ScalarType element_type() {
  if constexpr (std::is_same_v<T, Half>)
    return ScalarType::F16;
  else if constexpr (std::is_same_v<T, BFloat16>)
    return ScalarType::BF16;
  else if constexpr (std::is_same_v<T, bool> || std::is_floating_point_v<T>)
    return scalar_type_of<T>();
  else  // I8, I16, I32, I64 follow one another, and so do U8 to U64
    return static_cast<ScalarType>(static_cast<int>(std::is_signed_v<T> ? ScalarType::I8 : ScalarType::U8) +
                                   std::bit_width(sizeof(T)) - 1);
}
}  // namespace detail

/// Untyped device memory; Array<T> is the typed view that most programs use. A buffer of 0 bytes is fine.
class Buffer {
 public:
  Buffer() = default;
  void* address() const { return address_; }
  std::int64_t bytes() const { return bytes_; }
  const detail::DeviceState* device() const { return device_; }

  /// Copies between host and device memory; both wait until the bytes have arrived.
  Result<void> copy_from_host(const void* source, std::int64_t bytes, std::int64_t offset = 0) const;
  Result<void> copy_to_host(void* target, std::int64_t bytes, std::int64_t offset = 0) const;
  Result<void> fill_zero() const;

  /// The same as work of a stream. Host memory must stay as it is until the stream has got there; a GPU copies from and
  /// to pinned memory beside the host's own work, and waits for any other.
  Result<void> copy_from_host(const Stream& stream, const void* source, std::int64_t bytes,
                              std::int64_t offset = 0) const;
  Result<void> copy_to_host(const Stream& stream, void* target, std::int64_t bytes, std::int64_t offset = 0) const;
  Result<void> fill_zero(const Stream& stream) const;

 private:
  friend class Device;
  Result<void> check_range(std::int64_t bytes, std::int64_t offset) const;
  Result<void> check_stream(const Stream& stream) const;
  std::shared_ptr<detail::MemoryState> state_;
  void* address_ = nullptr;
  std::int64_t bytes_ = 0;
  const detail::DeviceState* device_ = nullptr;
};

/// A dense array on a device, in row-major order (C) unless made in column-major order (Fortran).
template <typename T>
class Array {
 public:
  Array() = default;
  Array(Buffer buffer, std::vector<std::int64_t> shape, Layout order = Layout::RowMajor)
      : buffer_(std::move(buffer)), shape_(std::move(shape)), strides_(shape_.size()) {
    const std::size_t rank = shape_.size();
    size_ = 1;
    for (std::size_t i = 0; i < rank; ++i) {
      const std::size_t axis = order == Layout::ColumnMajor ? i : rank - 1 - i;
      strides_[axis] = size_;
      size_ *= shape_[axis];
    }
  }
  const std::vector<std::int64_t>& shape() const { return shape_; }
  const std::vector<std::int64_t>& strides() const { return strides_; }  // in elements
  std::int64_t size() const { return size_; }
  T* address() const { return static_cast<T*>(buffer_.address()); }
  const Buffer& buffer() const { return buffer_; }

  /// Copy all elements as they lie in memory, and wait; both check that the sizes agree.
  Result<void> copy_from(std::span<const T> source) const {
    if (!same_size(source.size())) return size_mismatch(source.size());
    return buffer_.copy_from_host(source.data(), size_in_bytes());
  }
  Result<void> copy_to(std::span<T> target) const {
    if (!same_size(target.size())) return size_mismatch(target.size());
    return buffer_.copy_to_host(target.data(), size_in_bytes());
  }
  Result<void> fill_zero() const { return buffer_.fill_zero(); }

  /// The same as work of a stream; see Buffer.
  Result<void> copy_from(const Stream& stream, std::span<const T> source) const {
    if (!same_size(source.size())) return size_mismatch(source.size());
    return buffer_.copy_from_host(stream, source.data(), size_in_bytes());
  }
  Result<void> copy_to(const Stream& stream, std::span<T> target) const {
    if (!same_size(target.size())) return size_mismatch(target.size());
    return buffer_.copy_to_host(stream, target.data(), size_in_bytes());
  }
  Result<void> fill_zero(const Stream& stream) const { return buffer_.fill_zero(stream); }

 private:
  std::int64_t size_in_bytes() const { return size_ * static_cast<std::int64_t>(sizeof(T)); }
  bool same_size(std::size_t host) const { return host == static_cast<std::size_t>(size_); }
  Error size_mismatch(std::size_t host) const {
    return Error{ErrorCode::InvalidArgument, "a host span of " + std::to_string(host) +
                                                 " elements does not fit an array of " + std::to_string(size_) +
                                                 " elements"};
  }
  Buffer buffer_;
  std::vector<std::int64_t> shape_;
  std::vector<std::int64_t> strides_;
  std::int64_t size_ = 0;
};

/// Host memory that a GPU can reach directly ("pinned", page-locked): copies to and from it are fastest, and those put
/// on a stream run beside the host's own work. On the CPU device it is ordinary memory.
template <typename T>
class PinnedArray {
 public:
  PinnedArray() = default;
  PinnedArray(std::shared_ptr<void> memory, std::int64_t size) : memory_(std::move(memory)), size_(size) {}
  std::span<T> span() const { return {static_cast<T*>(memory_.get()), static_cast<std::size_t>(size_)}; }
  operator std::span<T>() const { return span(); }
  operator std::span<const T>() const { return span(); }
  T& operator[](std::int64_t i) const { return static_cast<T*>(memory_.get())[i]; }
  std::int64_t size() const { return size_; }

 private:
  std::shared_ptr<void> memory_;
  std::int64_t size_ = 0;
};

}  // namespace pykc
