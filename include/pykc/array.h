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
#include "pykc/mapping.h"
#include "pykc/stream.h"
#include "pykc/types.h"
#include "pykc/view.h"

namespace [[gnu::visibility("default")]] pykc {

namespace detail {
struct DeviceState;
struct Elements;
struct StridedCopy;
}  // namespace detail

/// Elements of f16, bf16, f8e4m3 and f8e5m2 arrays, which C++20 has no types for: `device.allocate<pykc::Half>(n)`.
struct Half {
  std::uint16_t bits = 0;
};
struct BFloat16 {
  std::uint16_t bits = 0;
};
struct Float8E4M3 {
  std::uint8_t bits = 0;
};
struct Float8E5M2 {
  std::uint8_t bits = 0;
};

namespace detail {
template <typename T>
constexpr bool is_scalar_element = std::is_arithmetic_v<T> || std::is_same_v<T, Half> || std::is_same_v<T, BFloat16> ||
                                   std::is_same_v<T, Float8E4M3> || std::is_same_v<T, Float8E5M2>;

/// scalar_type_of, for every C++ type that an element or an argument may have (`long long` and `char` too).
template <typename T>
constexpr ScalarType element_type() {
  static_assert(is_scalar_element<T>,
                "a struct has no scalar type: name its record, as Argument::of(record, array) does");
  if constexpr (std::is_same_v<T, Half>)
    return ScalarType::F16;
  else if constexpr (std::is_same_v<T, BFloat16>)
    return ScalarType::BF16;
  else if constexpr (std::is_same_v<T, Float8E4M3>)
    return ScalarType::F8E4M3;
  else if constexpr (std::is_same_v<T, Float8E5M2>)
    return ScalarType::F8E5M2;
  else if constexpr (std::is_same_v<T, bool> || std::is_floating_point_v<T>)
    return scalar_type_of<T>();
  else  // I8, I16, I32, I64 follow one another, and so do U8 to U64
    return static_cast<ScalarType>(static_cast<int>(std::is_signed_v<T> ? ScalarType::I8 : ScalarType::U8) +
                                   std::bit_width(sizeof(T)) - 1);
}
}  // namespace detail

class Buffer;

namespace detail {
/// The address for whoever tells by note_written() what the host writes there.
void* address_of(const Buffer& buffer);
void note_written(const Buffer& buffer, std::int64_t offset, std::int64_t bytes);
/// What was written has no meaning: the memory is as it was allocated.
void note_unwritten(const Buffer& buffer);
}  // namespace detail

/// Untyped device memory; Array<T> is the typed view that most programs use. A buffer of 0 bytes is fine. A handle: a
/// copy names the same memory, which lives until the last handle is gone. One that was moved from is as a new one.
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = default;
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer other) noexcept {
    swap(other);
    return *this;
  }
  /// Of the first byte. On the CPU device the host may write there, so from then on the sanitizer takes all of the
  /// memory as written.
  void* address() const;
  std::int64_t bytes() const { return bytes_; }
  const detail::DeviceState* device() const { return device_; }

  /// Copies between host and device memory; both wait until the bytes have arrived.
  Result<void> copy_from_host(const void* source, std::int64_t bytes, std::int64_t offset = 0) const {
    return copy_from_host(nullptr, source, bytes, offset);
  }
  Result<void> copy_to_host(void* target, std::int64_t bytes, std::int64_t offset = 0) const {
    return copy_to_host(nullptr, target, bytes, offset);
  }
  Result<void> fill_zero() const { return fill_zero(nullptr); }

  /// Copies as work of a stream. Host memory must stay as it is until the stream has got there; a GPU copies from and
  /// to pinned memory beside the host's own work, and waits for any other.
  Result<void> copy_from_host(const Stream& stream, const void* source, std::int64_t bytes,
                              std::int64_t offset = 0) const {
    return copy_from_host(&stream, source, bytes, offset);
  }
  Result<void> copy_to_host(const Stream& stream, void* target, std::int64_t bytes, std::int64_t offset = 0) const {
    return copy_to_host(&stream, target, bytes, offset);
  }
  Result<void> fill_zero(const Stream& stream) const { return fill_zero(&stream); }

  /// Uninitialised memory of the same device.
  Result<Buffer> allocate_beside(std::int64_t bytes) const;

 private:
  friend class Stream;
  friend struct detail::DeviceState;
  friend struct detail::Elements;
  friend void* detail::address_of(const Buffer& buffer);
  friend void detail::note_written(const Buffer& buffer, std::int64_t offset, std::int64_t bytes);
  friend void detail::note_unwritten(const Buffer& buffer);
  Result<void> check(const Stream* stream, std::int64_t bytes, std::int64_t offset) const;
  Result<void> copy_from_host(const Stream* stream, const void* source, std::int64_t bytes, std::int64_t offset) const;
  Result<void> copy_to_host(const Stream* stream, void* target, std::int64_t bytes, std::int64_t offset) const;
  Result<void> fill_zero(const Stream* stream) const;
  Buffer(std::shared_ptr<void> memory, void* address, std::int64_t bytes, detail::DeviceState* device)
      : memory_(std::move(memory)), address_(address), bytes_(bytes), device_(device) {}
  void swap(Buffer& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
    std::swap(device_, other.device_);
  }
  std::shared_ptr<void> memory_;  // keeps the device, too
  void* address_ = nullptr;
  std::int64_t bytes_ = 0;
  detail::DeviceState* device_ = nullptr;
};

namespace detail {

/// Elements of a size in device memory, where a mapping says: what Array<T> copies and clears. A null stream means:
/// wait until it is done. Host memory is where the host's mapping counts from.
struct Elements {
  const Buffer& buffer;
  const Mapping& mapping;
  std::int64_t element_bytes;

  /// Fails where an element would lie outside of the buffer or off its alignment.
  Result<void> check(std::int64_t alignment) const;
  Result<void> copy_from_host(const void* source, const Mapping& from, const Stream* stream) const;
  Result<void> copy_to_host(void* target, const Mapping& to, const Stream* stream) const;
  Result<void> copy_from(const Elements& source, const Stream* stream) const;
  Result<void> fill_zero(const Stream* stream) const;
  Result<void> fill(const void* value, const Stream* stream) const;

 private:
  DeviceState& device() const { return *buffer.device_; }
  Result<StreamState*> find_stream(const Stream* stream) const;
  StridedCopy copy_of(const Elements& source) const;
  bool overlaps(const Elements& other) const;
  Result<void> copy_by_way_of_another(const Elements& source, StreamState* stream) const;
  Result<void> copy_from_other_device(const Elements& source, const Stream* stream) const;
};

/// What a new array needs: where its elements lie, and how many bytes that takes.
struct DenseMemory {
  Mapping mapping;
  std::int64_t bytes = 0;
};
Result<DenseMemory> dense_memory(std::span<const std::int64_t> shape, Layout order, std::int64_t element_bytes);

}  // namespace detail

/// An array on a device, of up to 8 axes, as NumPy's ndarray: memory, and the strides at which its elements lie there.
/// A handle: copies of it, and its views (detail::View in view.h), name the same elements; writing to one shows in all.
///
/// A host span holds an array's elements in row-major order, whatever their order in memory; a HostView has an order of
/// its own. Copies of a view touch the view's elements alone. On a GPU, memory without gaps that has the same order on
/// both sides is copied fastest; other copies may make a dense copy on the host, and then wait for the stream.
template <typename T>
class Array : public detail::View<Array<T>> {
 public:
  /// No elements: shape (0); so is one that was moved from.
  Array() = default;
  Array(const Array&) = default;
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array other) noexcept {
    swap(other);
    return *this;
  }
  /// The elements of a buffer that a mapping names; an error where it names one outside.
  static Result<Array> over(Buffer buffer, const Mapping& mapping) {
    const Array array(std::move(buffer), mapping);
    if (Result<void> checked = array.elements().check(alignof(T)); !checked) return checked.error();
    return array;
  }
  /// The first element; null without memory.
  T* address() const { return static_cast<T*>(buffer_.address()) + this->mapping().offset(); }
  const Buffer& buffer() const { return buffer_; }

  /// Copies of all elements that wait until they have arrived. Shapes must be equal; of a span, the number of elements.
  Result<void> copy_from(std::span<const T> source) const { return copy_from(nullptr, source); }
  Result<void> copy_from(const HostView<const T>& source) const { return copy_from(nullptr, source); }
  Result<void> copy_from(const Array& source) const { return elements().copy_from(source.elements(), nullptr); }
  Result<void> copy_to(std::span<T> target) const { return copy_to(nullptr, target); }
  Result<void> copy_to(const HostView<T>& target) const { return copy_to(nullptr, target); }
  Result<void> fill_zero() const { return elements().fill_zero(nullptr); }
  /// Sets all elements to one value. On a GPU, values of 8 bytes and more go by way of the host, and through no graph,
  /// unless they repeat 4 bytes.
  Result<void> fill(const std::type_identity_t<T>& value) const { return elements().fill(&value, nullptr); }
  /// All elements, in row-major order. The vector is the standard library's, and throws where the host has no memory.
  Result<std::vector<T>> to_vector() const {
    if constexpr (std::is_same_v<T, bool>) {  // std::vector<bool> has no memory to copy to
      const auto count = static_cast<std::size_t>(this->size());
      const auto elements = std::make_unique<bool[]>(count);
      if (Result<void> copied = copy_to(std::span<T>(elements.get(), count)); !copied) return copied.error();
      return std::vector<T>(elements.get(), elements.get() + count);
    } else {
      std::vector<T> elements(static_cast<std::size_t>(this->size()));
      if (Result<void> copied = copy_to(std::span<T>(elements)); !copied) return copied.error();
      return elements;
    }
  }

  /// Copies as work of a stream; see Buffer. Those between two devices wait for the stream.
  Result<void> copy_from(const Stream& stream, std::span<const T> source) const { return copy_from(&stream, source); }
  Result<void> copy_from(const Stream& stream, const HostView<const T>& source) const {
    return copy_from(&stream, source);
  }
  Result<void> copy_from(const Stream& stream, const Array& source) const {
    return elements().copy_from(source.elements(), &stream);
  }
  Result<void> copy_to(const Stream& stream, std::span<T> target) const { return copy_to(&stream, target); }
  Result<void> copy_to(const Stream& stream, const HostView<T>& target) const { return copy_to(&stream, target); }
  Result<void> fill_zero(const Stream& stream) const { return elements().fill_zero(&stream); }
  Result<void> fill(const Stream& stream, const std::type_identity_t<T>& value) const {
    return elements().fill(&value, &stream);
  }

  /// A dense copy of the elements on the same device, in row-major order; flatten() gives it one axis.
  Result<Array> copy() const {
    const Result<detail::DenseMemory> dense = detail::dense_memory(this->shape(), Layout::RowMajor, sizeof(T));
    if (!dense) return dense.error();
    Result<Buffer> buffer = buffer_.allocate_beside(dense->bytes);
    if (!buffer) return buffer.error();
    const Array array(std::move(*buffer), dense->mapping);
    if (Result<void> copied = array.copy_from(*this); !copied) return copied.error();
    return array;
  }
  Result<Array> flatten() const {
    const Result<Array> dense = copy();
    return dense ? dense->ravel() : dense;
  }

 private:
  friend class Device;
  Array(Buffer buffer, const Mapping& mapping) : detail::View<Array>(mapping), buffer_(std::move(buffer)) {}
  void swap(Array& other) noexcept {
    detail::View<Array>::swap(other);
    std::swap(buffer_, other.buffer_);
  }
  detail::Elements elements() const { return {buffer_, this->mapping(), sizeof(T)}; }
  Result<void> copy_from(const Stream* stream, const HostView<const T>& source) const {
    return elements().copy_from_host(source.memory(), source.mapping(), stream);
  }
  Result<void> copy_to(const Stream* stream, const HostView<T>& target) const {
    return elements().copy_to_host(target.memory(), target.mapping(), stream);
  }
  Result<void> copy_from(const Stream* stream, std::span<const T> source) const {
    const Result<HostView<const T>> view = shaped(source);
    return view ? copy_from(stream, *view) : view.error();
  }
  Result<void> copy_to(const Stream* stream, std::span<T> target) const {
    const Result<HostView<T>> view = shaped(target);
    return view ? copy_to(stream, *view) : view.error();
  }
  /// The span with this array's shape.
  template <typename U>
  Result<HostView<U>> shaped(std::span<U> elements) const {
    const Result<Mapping> mapping = Mapping::dense(this->shape());
    if (mapping && mapping->size() == static_cast<std::int64_t>(elements.size()))
      return HostView<U>(elements.data(), *mapping);
    return Error{ErrorCode::InvalidArgument, "a host span of " + std::to_string(elements.size()) +
                                                 " elements does not fit an array of " + std::to_string(this->size()) +
                                                 " elements"};
  }
  Buffer buffer_;
};

template <typename T>
Result<Array<T>> Stream::allocate(const std::vector<std::int64_t>& shape) const {
  const Result<detail::DenseMemory> dense = detail::dense_memory(shape, Layout::RowMajor, sizeof(T));
  if (!dense) return dense.error();
  const Result<Buffer> buffer = allocate_bytes(dense->bytes);
  if (!buffer) return buffer.error();
  return Array<T>::over(*buffer, dense->mapping);
}

/// An array whose memory the host reaches, too: one memory, with an address on either side. Made by allocate_managed(),
/// where it moves to the side that uses it, or allocate_mapped(), where it stays on the host and a GPU reads and writes
/// it over the bus: best for what is used once. On the CPU device both are ordinary memory.
///
/// A kernel sees what the host has written before its launch; the host may touch the elements again once it has waited
/// for the kernel, by synchronize() or an event.
template <typename T>
class UnifiedArray : public Array<T> {
 public:
  UnifiedArray() = default;
  UnifiedArray(const UnifiedArray&) = default;
  UnifiedArray(UnifiedArray&& other) noexcept
      : Array<T>(std::move(other)), host_(std::exchange(other.host_, HostView<T>())) {}
  UnifiedArray& operator=(UnifiedArray other) noexcept {
    Array<T>::operator=(std::move(other));
    host_ = other.host_;
    return *this;
  }
  /// The elements on the host: with the array's shape, or one after the other in row-major order.
  HostView<T> host() const { return host_; }
  std::span<T> span() const { return {host_.data(), static_cast<std::size_t>(host_.size())}; }

 private:
  friend class Device;
  UnifiedArray(Array<T> array, const HostView<T>& host) : Array<T>(std::move(array)), host_(host) {}
  HostView<T> host_;
};

/// Host memory that a GPU can reach directly ("pinned", page-locked): copies to and from it are fastest, and those put
/// on a stream run beside the host's own work. On the CPU device it is ordinary memory.
template <typename T>
class PinnedArray {
 public:
  PinnedArray() = default;
  PinnedArray(std::shared_ptr<void> memory, std::int64_t size) : memory_(std::move(memory)), size_(size) {}
  PinnedArray(const PinnedArray&) = default;
  PinnedArray(PinnedArray&& other) noexcept : memory_(std::move(other.memory_)), size_(std::exchange(other.size_, 0)) {}
  PinnedArray& operator=(PinnedArray other) noexcept {
    std::swap(memory_, other.memory_);
    size_ = other.size_;
    return *this;
  }
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
